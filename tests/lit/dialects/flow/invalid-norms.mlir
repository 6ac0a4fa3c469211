// RUN: kowari-opt %s --split-input-file --verify-diagnostics
//
// What the verifiers of activations, gates and norms refuse.
// @<operation>_c<n> breaks constraint (Cn) of the operation's description.

func.func @activation_c1(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %y = flow.activation %x {kind = #flow.activation<elu>} : (tensor<?x8xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @activation_grad_c1(%dy: tensor<?x8xf32>, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %y = flow.activation_grad %dy, %x {kind = #flow.activation<elu>} : (tensor<?x8xf32>, tensor<?x4xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @add_c1(%x: tensor<?x8xf32>, %y: tensor<?x8xf64>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %z = flow.add %x, %y : (tensor<?x8xf32>, tensor<?x8xf64>) -> tensor<?x8xf32>
  return
}

// -----

func.func @sub_c1(%x: tensor<?x8xf32>, %y: tensor<?x8xf64>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %z = flow.sub %x, %y : (tensor<?x8xf32>, tensor<?x8xf64>) -> tensor<?x8xf32>
  return
}

// -----

func.func @glu_c1(%x: tensor<?x8xf32>, %y: tensor<?x8xf64>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %z = flow.glu %x, %y : (tensor<?x8xf32>, tensor<?x8xf64>) -> tensor<?x8xf32>
  return
}

// -----

func.func @negate_c1(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %z = flow.negate %x : (tensor<?x8xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @glu_grad_c1(%dy: tensor<?x8xf32>, %t: tensor<?x8xf32>, %g: tensor<?x8xf32>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %dt, %dg = flow.glu_grad %dy, %t, %g : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x4xf32>)
  return
}

// -----

func.func @dropout_c1(%x: tensor<?x8xf32>, %sample: tensor<?xi64>, %seed: tensor<i64>, %epoch: tensor<i64>) {
  // expected-error @+1 {{(C1) probability outside [0, 1)}}
  %y = flow.dropout %x, %sample, %seed, %epoch {probability = 1.0 : f64, site = 3 : i64} : (tensor<?x8xf32>, tensor<?xi64>, tensor<i64>, tensor<i64>) -> tensor<?x8xf32>
  return
}

// -----

func.func @dropout_c1(%x: tensor<?x8xf32>, %sample: tensor<?xi64>, %seed: tensor<i64>, %epoch: tensor<i64>) {
  // expected-error @+1 {{(C1) probability outside [0, 1)}}
  %y = flow.dropout %x, %sample, %seed, %epoch {probability = -0.1 : f64, site = 3 : i64} : (tensor<?x8xf32>, tensor<?xi64>, tensor<i64>, tensor<i64>) -> tensor<?x8xf32>
  return
}

// -----

func.func @dropout_c2(%x: tensor<?x8xf32>, %sample: tensor<?xi64>, %seed: tensor<i64>, %epoch: tensor<i64>) {
  // expected-error @+1 {{(C2) }}
  %y = flow.dropout %x, %sample, %seed, %epoch {probability = 0.1 : f64, site = 3 : i64} : (tensor<?x8xf32>, tensor<?xi64>, tensor<i64>, tensor<i64>) -> tensor<?x4xf32>
  return
}

// -----

func.func @dropout_c2(%x: tensor<?x8xf32>, %sample: tensor<8xi64>, %seed: tensor<i64>, %epoch: tensor<i64>) {
  // expected-error @+1 {{(C2) }}
  %y = flow.dropout %x, %sample, %seed, %epoch {probability = 0.1 : f64, site = 3 : i64} : (tensor<?x8xf32>, tensor<8xi64>, tensor<i64>, tensor<i64>) -> tensor<?x8xf32>
  return
}

// -----

func.func @dropout_c2(%x: tensor<?x8xf32>, %sample: tensor<?xi64>, %seed: tensor<2xi64>, %epoch: tensor<i64>) {
  // expected-error @+1 {{(C2) }}
  %y = flow.dropout %x, %sample, %seed, %epoch {probability = 0.1 : f64, site = 3 : i64} : (tensor<?x8xf32>, tensor<?xi64>, tensor<2xi64>, tensor<i64>) -> tensor<?x8xf32>
  return
}

// -----

func.func @batch_norm_statistics_c1(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{(C1) 'tensor<4xf32>' does not fit}}
  %m, %v = flow.batch_norm_statistics %x : (tensor<?x8xf32>) -> (tensor<8xf32>, tensor<4xf32>)
  return
}

// -----

func.func @column_mean_c1(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{(C1) 'tensor<4xf32>' does not fit}}
  %m = flow.column_mean %x : (tensor<?x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @column_variance_c1(%x: tensor<?x8xf32>, %m: tensor<?xf32>) {
  // expected-error @+1 {{(C1) 'tensor<?xf32>' does not fit}}
  %v = flow.column_variance %x, %m : (tensor<?x8xf32>, tensor<?xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @batch_norm_c1(%x: tensor<?x8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %y = flow.batch_norm %x, %m, %v, %g, %b {epsilon = 1.0e-3 : f64} : (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @batch_norm_c2(%x: tensor<?x8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>, %g: tensor<8xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{(C2) 'tensor<4xf32>' does not fit}}
  %y = flow.batch_norm %x, %m, %v, %g, %b {epsilon = 1.0e-3 : f64} : (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @batch_norm_c3(%x: tensor<?x8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{(C3) training statistics are not those of the operand}}
  %y = flow.batch_norm %x, %m, %v, %g, %b {epsilon = 1.0e-3 : f64, training} : (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @batch_norm_grad_params_c1(%dy: tensor<?x4xf32>, %x: tensor<?x8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %dg, %db = flow.batch_norm_grad_params %dy, %x, %m, %v {epsilon = 1.0e-3 : f64} : (tensor<?x4xf32>, tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @batch_norm_grad_params_c2(%dy: tensor<?x8xf32>, %x: tensor<?x8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>) {
  // expected-error @+1 {{(C2) 'tensor<4xf32>' does not fit}}
  %dg, %db = flow.batch_norm_grad_params %dy, %x, %m, %v {epsilon = 1.0e-3 : f64} : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>)
  return
}

// -----

func.func @batch_norm_grad_input_c1(%dy: tensor<?x8xf32>, %x: tensor<?x4xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>, %g: tensor<8xf32>, %dg: tensor<8xf32>, %db: tensor<8xf32>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %dx = flow.batch_norm_grad_input %dy, %x, %m, %v, %g, %dg, %db {epsilon = 1.0e-3 : f64} : (tensor<?x8xf32>, tensor<?x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @batch_norm_grad_input_c2(%dy: tensor<?x8xf32>, %x: tensor<?x8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>, %g: tensor<8xf32>, %dg: tensor<?xf32>, %db: tensor<8xf32>) {
  // expected-error @+1 {{(C2) 'tensor<?xf32>' does not fit}}
  %dx = flow.batch_norm_grad_input %dy, %x, %m, %v, %g, %dg, %db {epsilon = 1.0e-3 : f64} : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<?xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @batch_norm_running_c1(%a: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<4xf32>, %v: tensor<8xf32>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %rm, %rv = flow.batch_norm_running %a, %b, %m, %v {momentum = 0.1 : f64} : (tensor<8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @batch_norm_running_c1(%a: tensor<?xf32>, %b: tensor<?xf32>, %m: tensor<?xf32>, %v: tensor<?xf32>) {
  // expected-error @+1 {{(C1) }}
  %rm, %rv = flow.batch_norm_running %a, %b, %m, %v {momentum = 0.1 : f64} : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  return
}

// -----

func.func @layer_norm_c1(%x: tensor<?x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %y, %m, %v = flow.layer_norm %x, %g, %b {epsilon = 1.0e-3 : f64} : (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<?x4xf32>, tensor<?xf32>, tensor<?xf32>)
  return
}

// -----

func.func @layer_norm_c2(%x: tensor<?x8xf32>, %g: tensor<4xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{(C2) 'tensor<4xf32>' does not fit}}
  %y, %m, %v = flow.layer_norm %x, %g, %b {epsilon = 1.0e-3 : f64} : (tensor<?x8xf32>, tensor<4xf32>, tensor<8xf32>) -> (tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>)
  return
}

// -----

func.func @layer_norm_c3(%x: tensor<?x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{(C3) 'tensor<8xf32>' does not fit}}
  %y, %m, %v = flow.layer_norm %x, %g, %b {epsilon = 1.0e-3 : f64} : (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<?x8xf32>, tensor<8xf32>, tensor<?xf32>)
  return
}

// -----

func.func @layer_norm_grad_input_c1(%dy: tensor<?x8xf32>, %x: tensor<?x8xf32>, %m: tensor<?xf32>, %v: tensor<?xf32>, %g: tensor<8xf32>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %dx = flow.layer_norm_grad_input %dy, %x, %m, %v, %g {epsilon = 1.0e-3 : f64} : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>, tensor<8xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @layer_norm_grad_input_c2(%dy: tensor<?x8xf32>, %x: tensor<?x8xf32>, %m: tensor<8xf32>, %v: tensor<?xf32>, %g: tensor<8xf32>) {
  // expected-error @+1 {{(C2) 'tensor<8xf32>' does not fit}}
  %dx = flow.layer_norm_grad_input %dy, %x, %m, %v, %g {epsilon = 1.0e-3 : f64} : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<8xf32>, tensor<?xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @layer_norm_grad_input_c2(%dy: tensor<?x8xf32>, %x: tensor<?x8xf32>, %m: tensor<?xf32>, %v: tensor<?xf32>, %g: tensor<4xf32>) {
  // expected-error @+1 {{(C2) 'tensor<4xf32>' does not fit}}
  %dx = flow.layer_norm_grad_input %dy, %x, %m, %v, %g {epsilon = 1.0e-3 : f64} : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>, tensor<4xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @layer_norm_grad_params_c1(%dy: tensor<?x8xf32>, %x: tensor<?x4xf32>, %m: tensor<?xf32>, %v: tensor<?xf32>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %dg, %db = flow.layer_norm_grad_params %dy, %x, %m, %v {epsilon = 1.0e-3 : f64} : (tensor<?x8xf32>, tensor<?x4xf32>, tensor<?xf32>, tensor<?xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @layer_norm_grad_params_c2(%dy: tensor<?x8xf32>, %x: tensor<?x8xf32>, %m: tensor<?xf32>, %v: tensor<?xf32>) {
  // expected-error @+1 {{(C2) 'tensor<?xf32>' does not fit}}
  %dg, %db = flow.layer_norm_grad_params %dy, %x, %m, %v {epsilon = 1.0e-3 : f64} : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<8xf32>)
  return
}

// -----

func.func @row_mean_c1(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{(C1) 'tensor<8xf32>' does not fit}}
  %m = flow.row_mean %x : (tensor<?x8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @row_variance_c1(%x: tensor<?x8xf32>, %m: tensor<8xf32>) {
  // expected-error @+1 {{(C1) 'tensor<8xf32>' does not fit}}
  %v = flow.row_variance %x, %m : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @normalize_rows_c1(%x: tensor<?x8xf32>, %m: tensor<?xf32>, %v: tensor<?xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %y = flow.normalize_rows %x, %m, %v, %g, %b {epsilon = 1.0e-3 : f64} : (tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @normalize_rows_c2(%x: tensor<?x8xf32>, %m: tensor<?xf32>, %v: tensor<f32>, %g: tensor<8xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{(C2) 'tensor<f32>' does not fit}}
  %y = flow.normalize_rows %x, %m, %v, %g, %b {epsilon = 1.0e-3 : f64} : (tensor<?x8xf32>, tensor<?xf32>, tensor<f32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @normalize_rows_c2(%x: tensor<?x8xf32>, %m: tensor<?xf32>, %v: tensor<?xf32>, %g: tensor<8xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{(C2) 'tensor<4xf32>' does not fit}}
  %y = flow.normalize_rows %x, %m, %v, %g, %b {epsilon = 1.0e-3 : f64} : (tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>, tensor<8xf32>, tensor<4xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @layer_norm_grad_sums_c1(%dy: tensor<?x4xf32>, %x: tensor<?x8xf32>, %m: tensor<?xf32>, %v: tensor<?xf32>, %g: tensor<8xf32>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %s, %t = flow.layer_norm_grad_sums %dy, %x, %m, %v, %g {epsilon = 1.0e-3 : f64} : (tensor<?x4xf32>, tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>, tensor<8xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  return
}

// -----

func.func @layer_norm_grad_sums_c2(%dy: tensor<?x8xf32>, %x: tensor<?x8xf32>, %m: tensor<?xf32>, %v: tensor<?xf32>, %g: tensor<8xf32>) {
  // expected-error @+1 {{(C2) 'tensor<8xf32>' does not fit}}
  %s, %t = flow.layer_norm_grad_sums %dy, %x, %m, %v, %g {epsilon = 1.0e-3 : f64} : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>, tensor<8xf32>) -> (tensor<?xf32>, tensor<8xf32>)
  return
}

// -----

func.func @layer_norm_grad_apply_c1(%dy: tensor<?x8xf32>, %x: tensor<?x8xf32>, %m: tensor<?xf32>, %v: tensor<?xf32>, %g: tensor<8xf32>, %s: tensor<?xf32>, %t: tensor<?xf32>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %dx = flow.layer_norm_grad_apply %dy, %x, %m, %v, %g, %s, %t {epsilon = 1.0e-3 : f64} : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>, tensor<8xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @layer_norm_grad_apply_c2(%dy: tensor<?x8xf32>, %x: tensor<?x8xf32>, %m: tensor<?xf32>, %v: tensor<?xf32>, %g: tensor<8xf32>, %s: tensor<?xf32>, %t: tensor<8xf32>) {
  // expected-error @+1 {{(C2) 'tensor<8xf32>' does not fit}}
  %dx = flow.layer_norm_grad_apply %dy, %x, %m, %v, %g, %s, %t {epsilon = 1.0e-3 : f64} : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>, tensor<8xf32>, tensor<?xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return
}
