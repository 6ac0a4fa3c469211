// RUN: kowari-opt %s --split-input-file --verify-diagnostics
//
// What holds for all operations: element types, and attributes that are there and of their type.

func.func @half(%x: tensor<?x8xf16>) {
  // expected-error @below {{'flow.negate' op operand #0 must be ranked tensor of 32-bit float or 64-bit float values, but got 'tensor<?x8xf16>'}}
  %y = flow.negate %x : (tensor<?x8xf16>) -> tensor<?x8xf16>
  return
}

// -----

func.func @integers(%x: tensor<?xi64>, %y: tensor<?xi64>) {
  // expected-error @below {{'flow.add' op operand #0 must be ranked tensor of 32-bit float or 64-bit float values, but got 'tensor<?xi64>'}}
  %z = flow.add %x, %y : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  return
}

// -----

func.func @unranked(%x: tensor<*xf32>) {
  // expected-error @below {{'flow.negate' op operand #0 must be ranked tensor of 32-bit float or 64-bit float values, but got 'tensor<*xf32>'}}
  %y = flow.negate %x : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @index_of_reals(%t: tensor<6x8xf32>, %i: tensor<?xf64>) {
  // expected-error @below {{'flow.gather_rows' op operand #1 must be ranked tensor of 64-bit signless integer values, but got 'tensor<?xf64>'}}
  %y = flow.gather_rows %t, %i : (tensor<6x8xf32>, tensor<?xf64>) -> tensor<?x8xf32>
  return
}

// -----

func.func @no_kind(%x: tensor<?x8xf32>) {
  // expected-error @below {{'flow.activation' op requires attribute 'kind'}}
  %y = flow.activation %x : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @kind_of_another(%x: tensor<?x8xf32>) {
  // expected-error @below {{'flow.activation' op attribute 'kind' failed to satisfy constraint: pointwise nonlinearity}}
  %y = flow.activation %x {kind = "elu"} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @unknown_kind(%x: tensor<?x8xf32>) {
  // expected-error @below {{expected ::kowari::flow::ActivationKind to be one of: elu, relu, leaky_relu, gelu}}
  // expected-error @below {{failed to parse ActivationAttr parameter 'value'}}
  %y = flow.activation %x {kind = #flow.activation<tanh>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @start_of_another_type(%x: tensor<?x5xf32>) {
  // expected-error @below {{'flow.split_columns' op attribute 'start' failed to satisfy constraint: 64-bit signless integer attribute}}
  %t, %i = flow.split_columns %x {start = 0 : i32} : (tensor<?x5xf32>) -> (tensor<?x3xf32>, tensor<?x2xf32>)
  return
}
