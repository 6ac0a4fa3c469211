// RUN: kowari-opt %s --lower-to-plan --split-input-file --verify-diagnostics
//
// What lower-to-plan refuses.

func.func @unfused(%x: tensor<?x3xf32> {flow.batch = "x"}) -> (tensor<?x3xf32> {flow.output = "y"}) attributes {flow.max_rows = 8 : i64} {
  // expected-error @below {{'flow.negate' op has no place in a plan: run fuse first}}
  %y = flow.negate %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

// Functions share what has one name, so it has one type.
func.func @step(%x: tensor<?x3xf32> {flow.batch = "x"}) -> (tensor<?x3xf32> {flow.output = "y"}) attributes {flow.max_rows = 8 : i64} {
  return %x : tensor<?x3xf32>
}
// expected-error @below {{'func.func' op has flow.batch = "x" as 'tensor<?x5xf32>', another function as 'tensor<?x3xf32>'}}
func.func @sample(%x: tensor<?x5xf32> {flow.batch = "x"}) -> (tensor<?x5xf32> {flow.output = "y"}) attributes {flow.max_rows = 8 : i64} {
  return %x : tensor<?x5xf32>
}

// -----

// A batch goes out to where another function takes it in.
// expected-error @below {{'func.func' op returns flow.batch = "white", which is an argument of no function in the module}}
func.func @prepare(%x: tensor<?x3xf32> {flow.batch = "x"}) -> (tensor<?x3xf32> {flow.batch = "white"}) attributes {flow.max_rows = 8 : i64} {
  return %x : tensor<?x3xf32>
}

// -----

// expected-error @below {{'func.func' op returns flow.state = "mean" as 'tensor<3xf32>', which is taken as 'tensor<f32>'}}
func.func @step(%x: tensor<3xf32> {flow.constant = "x"}, %m: tensor<f32> {flow.state = "mean"}) -> (tensor<3xf32> {flow.state = "mean"}) attributes {flow.max_rows = 8 : i64} {
  return %x : tensor<3xf32>
}

// -----

// A kernel says how it is run.
// expected-error @below {{'func.func' op needs a body, flow.columns, and flow.kernel with lanes (rows or columns) and chunks (rows, columns or none)}}
func.func private @negate(%x: tensor<?x3xf32>) -> tensor<?x3xf32> attributes {flow.kernel} {
  %y = flow.negate %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
func.func @uses_it(%x: tensor<?x3xf32> {flow.batch = "x"}) -> (tensor<?x3xf32> {flow.output = "y"}) attributes {flow.max_rows = 8 : i64} {
  %y = flow.fused @negate(%x) : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

// expected-error @below {{'func.func' op needs a body, flow.columns, and flow.kernel with lanes (rows or columns) and chunks (rows, columns or none)}}
func.func private @negate(%x: tensor<?x3xf32>) -> tensor<?x3xf32> attributes {flow.columns = 3 : i64, flow.kernel = {chunks = "rows"}} {
  %y = flow.negate %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
func.func @uses_it(%x: tensor<?x3xf32> {flow.batch = "x"}) -> (tensor<?x3xf32> {flow.output = "y"}) attributes {flow.max_rows = 8 : i64} {
  %y = flow.fused @negate(%x) : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

// expected-error @below {{'func.func' op needs a body, flow.columns, and flow.kernel with lanes (rows or columns) and chunks (rows, columns or none)}}
func.func private @negate(%x: tensor<?x3xf32>) -> tensor<?x3xf32> attributes {flow.columns = 3 : i64, flow.kernel = {chunks = "rows", lanes = "diagonal"}} {
  %y = flow.negate %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
func.func @uses_it(%x: tensor<?x3xf32> {flow.batch = "x"}) -> (tensor<?x3xf32> {flow.output = "y"}) attributes {flow.max_rows = 8 : i64} {
  %y = flow.fused @negate(%x) : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

// expected-error @below {{'func.func' op needs a body, flow.columns, and flow.kernel with lanes (rows or columns) and chunks (rows, columns or none)}}
func.func private @negate(%x: tensor<?x3xf32>) -> tensor<?x3xf32> attributes {flow.columns = 3 : i64, flow.kernel = {chunks = "tiles", lanes = "rows"}} {
  %y = flow.negate %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
func.func @uses_it(%x: tensor<?x3xf32> {flow.batch = "x"}) -> (tensor<?x3xf32> {flow.output = "y"}) attributes {flow.max_rows = 8 : i64} {
  %y = flow.fused @negate(%x) : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

// expected-error @below {{'func.func' op needs a body, flow.columns, and flow.kernel with lanes (rows or columns) and chunks (rows, columns or none)}}
func.func private @negate(%x: tensor<?x3xf32>) -> tensor<?x3xf32> attributes {flow.kernel = {chunks = "rows", lanes = "rows"}} {
  %y = flow.negate %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
func.func @uses_it(%x: tensor<?x3xf32> {flow.batch = "x"}) -> (tensor<?x3xf32> {flow.output = "y"}) attributes {flow.max_rows = 8 : i64} {
  %y = flow.fused @negate(%x) : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

// expected-error @below {{'func.func' op needs a body, flow.columns, and flow.kernel with lanes (rows or columns) and chunks (rows, columns or none)}}
func.func private @negate(tensor<?x3xf32>) -> tensor<?x3xf32> attributes {flow.columns = 3 : i64, flow.kernel = {chunks = "rows", lanes = "rows"}}
func.func @uses_it(%x: tensor<?x3xf32> {flow.batch = "x"}) -> (tensor<?x3xf32> {flow.output = "y"}) attributes {flow.max_rows = 8 : i64} {
  %y = flow.fused @negate(%x) : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
