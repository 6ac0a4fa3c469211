// RUN: kowari-opt %s --split-input-file --verify-diagnostics
//
// What the verifiers of products and column movement refuse.
// @<operation>_c<n> breaks constraint (Cn) of the operation's description.

func.func @linear_c1(%x: tensor<?x4xf32>, %z: tensor<?x1xf32>, %w: tensor<8x4xf32>) {
  // expected-error @+1 {{(C1) the inputs' columns do not add up to the weight's}}
  %y = flow.linear ins(%x, %z : tensor<?x4xf32>, tensor<?x1xf32>) weight(%w : tensor<8x4xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @linear_c2(%x: tensor<?x4xf32>, %w: tensor<8x4xf32>) {
  // expected-error @+1 {{(C2) result or bias do not have the weight's number of rows}}
  %y = flow.linear ins(%x : tensor<?x4xf32>) weight(%w : tensor<8x4xf32>) -> tensor<?x7xf32>
  return
}

// -----

func.func @linear_c2(%x: tensor<?x4xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{(C2) result or bias do not have the weight's number of rows}}
  %y = flow.linear ins(%x : tensor<?x4xf32>) weight(%w : tensor<8x4xf32>) bias(%b : tensor<4xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @linear_c2(%x: tensor<?x4xf32>, %w: tensor<8x4xf32>) {
  // expected-error @+1 {{(C2) result or bias do not have the weight's number of rows}}
  %y = flow.linear ins(%x : tensor<?x4xf32>) weight(%w : tensor<8x4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @linear_c3(%x: tensor<?x4xf64>, %w: tensor<8x4xf32>) {
  // expected-error @+1 {{(C3) element types differ}}
  %y = flow.linear ins(%x : tensor<?x4xf64>) weight(%w : tensor<8x4xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @linear_grad_input_c1(%dy: tensor<?x7xf32>, %w: tensor<8x4xf32>) {
  // expected-error @+1 {{(C1) dy does not fit the weight}}
  %dx = flow.linear_grad_input dy(%dy : tensor<?x7xf32>) weight(%w : tensor<8x4xf32>) {start = 0 : i64} -> tensor<?x4xf32>
  return
}

// -----

func.func @linear_grad_input_c2(%dy: tensor<?x8xf32>, %w: tensor<8x4xf32>) {
  // expected-error @+1 {{(C2) columns outside the weight}}
  %dx = flow.linear_grad_input dy(%dy : tensor<?x8xf32>) weight(%w : tensor<8x4xf32>) {start = 1 : i64} -> tensor<?x4xf32>
  return
}

// -----

func.func @linear_grad_input_c2(%dy: tensor<?x8xf32>, %w: tensor<8x4xf32>) {
  // expected-error @+1 {{(C2) columns outside the weight}}
  %dx = flow.linear_grad_input dy(%dy : tensor<?x8xf32>) weight(%w : tensor<8x4xf32>) {start = -1 : i64} -> tensor<?x4xf32>
  return
}

// -----

func.func @linear_grad_input_c3(%dy: tensor<?x8xf32>, %w: tensor<8x4xf32>, %a: tensor<?x3xf32>) {
  // expected-error @+1 {{(C3) the accumulator has another type}}
  %dx = flow.linear_grad_input dy(%dy : tensor<?x8xf32>) weight(%w : tensor<8x4xf32>) into(%a : tensor<?x3xf32>) {start = 0 : i64} -> tensor<?x4xf32>
  return
}

// -----

func.func @linear_grad_weight_c1(%dy: tensor<?x8xf32>, %x: tensor<?x3xf32>) {
  // expected-error @+1 {{(C1) dy and inputs do not fit the weight}}
  %dw = flow.linear_grad_weight dy(%dy : tensor<?x8xf32>) ins(%x : tensor<?x3xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @linear_grad_weight_c1(%dy: tensor<?x7xf32>, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{(C1) dy and inputs do not fit the weight}}
  %dw = flow.linear_grad_weight dy(%dy : tensor<?x7xf32>) ins(%x : tensor<?x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @add_bias_c1(%x: tensor<?x8xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{(C1) 'tensor<4xf32>' does not fit 'tensor<?x8xf32>'}}
  %y = flow.add_bias %x, %b : (tensor<?x8xf32>, tensor<4xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @add_bias_c1(%x: tensor<?x8xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %y = flow.add_bias %x, %b : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @sub_bias_c1(%x: tensor<?x8xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{(C1) 'tensor<4xf32>' does not fit 'tensor<?x8xf32>'}}
  %y = flow.sub_bias %x, %b : (tensor<?x8xf32>, tensor<4xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @sub_bias_c1(%x: tensor<?x8xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %y = flow.sub_bias %x, %b : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @sum_rows_c1(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{(C1) the result is not the operand without its rows}}
  %y = flow.sum_rows %x : (tensor<?x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sum_rows_c1(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{(C1) the result is not the operand without its rows}}
  %y = flow.sum_rows %x : (tensor<?x8xf32>) -> tensor<8xf64>
  return
}

// -----

func.func @sum_rows_c1(%x: tensor<8xf32>) {
  // expected-error @+1 {{(C1) the result is not the operand without its rows}}
  %y = flow.sum_rows %x : (tensor<8xf32>) -> tensor<f32>
  return
}

// -----

func.func @split_columns_c1(%x: tensor<?x5xf32>) {
  // expected-error @+1 {{(C1) start is neither 0 nor 1}}
  %a, %b = flow.split_columns %x {start = 2 : i64} : (tensor<?x5xf32>) -> (tensor<?x3xf32>, tensor<?x2xf32>)
  return
}

// -----

func.func @split_columns_c2(%x: tensor<?x5xf32>) {
  // expected-error @+1 {{(C2) column counts do not fit}}
  %a, %b = flow.split_columns %x {start = 1 : i64} : (tensor<?x5xf32>) -> (tensor<?x3xf32>, tensor<?x2xf32>)
  return
}

// -----

func.func @interleave_columns_c1(%a: tensor<?x3xf32>, %b: tensor<?x2xf32>) {
  // expected-error @+1 {{(C1) start is neither 0 nor 1}}
  %x = flow.interleave_columns %a, %b {start = -1 : i64} : (tensor<?x3xf32>, tensor<?x2xf32>) -> tensor<?x5xf32>
  return
}

// -----

func.func @interleave_columns_c2(%a: tensor<?x3xf32>, %b: tensor<?x2xf32>) {
  // expected-error @+1 {{(C2) column counts do not fit}}
  %x = flow.interleave_columns %a, %b {start = 1 : i64} : (tensor<?x3xf32>, tensor<?x2xf32>) -> tensor<?x5xf32>
  return
}

// -----

func.func @concat_columns_c1(%a: tensor<?x6xf32>, %b: tensor<?x2xf32>) {
  // expected-error @+1 {{(C1) columns do not add up}}
  %c = flow.concat_columns %a, %b : (tensor<?x6xf32>, tensor<?x2xf32>) -> tensor<?x7xf32>
  return
}
