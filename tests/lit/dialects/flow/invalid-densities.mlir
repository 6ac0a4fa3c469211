// RUN: kowari-opt %s --split-input-file --verify-diagnostics
//
// What the verifiers of splines, LU maps, densities and the loss refuse.
// @<operation>_c<n> breaks constraint (Cn) of the operation's description.

func.func @rq_spline_c1(%x: tensor<?x3xf32>, %u: tensor<?x15xf32>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %r, %l = flow.rq_spline %x, %u {num_bins = 2 : i64, tail_bound = 1.0 : f64, divisor = 8.0 : f64} : (tensor<?x3xf32>, tensor<?x15xf32>) -> (tensor<?x2xf32>, tensor<?xf32>)
  return
}

// -----

func.func @rq_spline_c2(%x: tensor<?x3xf32>, %u: tensor<?x14xf32>) {
  // expected-error @+1 {{(C2) u does not have T (3K - 1) columns}}
  %r, %l = flow.rq_spline %x, %u {num_bins = 2 : i64, tail_bound = 1.0 : f64, divisor = 8.0 : f64} : (tensor<?x3xf32>, tensor<?x14xf32>) -> (tensor<?x3xf32>, tensor<?xf32>)
  return
}

// -----

func.func @rq_spline_c2(%x: tensor<?x3xf32>, %u: tensor<15xf32>) {
  // expected-error @+1 {{(C2) }}
  %r, %l = flow.rq_spline %x, %u {num_bins = 2 : i64, tail_bound = 1.0 : f64, divisor = 8.0 : f64} : (tensor<?x3xf32>, tensor<15xf32>) -> (tensor<?x3xf32>, tensor<?xf32>)
  return
}

// -----

func.func @rq_spline_c3(%x: tensor<?x3xf32>, %u: tensor<?x15xf32>) {
  // expected-error @+1 {{(C3) num_bins, tail_bound or divisor out of range}}
  %r, %l = flow.rq_spline %x, %u {num_bins = 0 : i64, tail_bound = 1.0 : f64, divisor = 8.0 : f64} : (tensor<?x3xf32>, tensor<?x15xf32>) -> (tensor<?x3xf32>, tensor<?xf32>)
  return
}

// -----

func.func @rq_spline_c3(%x: tensor<?x3xf32>, %u: tensor<?x15xf32>) {
  // expected-error @+1 {{(C3) num_bins, tail_bound or divisor out of range}}
  %r, %l = flow.rq_spline %x, %u {num_bins = 1000 : i64, tail_bound = 1.0 : f64, divisor = 8.0 : f64} : (tensor<?x3xf32>, tensor<?x15xf32>) -> (tensor<?x3xf32>, tensor<?xf32>)
  return
}

// -----

func.func @rq_spline_c3(%x: tensor<?x3xf32>, %u: tensor<?x15xf32>) {
  // expected-error @+1 {{(C3) num_bins, tail_bound or divisor out of range}}
  %r, %l = flow.rq_spline %x, %u {num_bins = 2 : i64, tail_bound = 0.0 : f64, divisor = 8.0 : f64} : (tensor<?x3xf32>, tensor<?x15xf32>) -> (tensor<?x3xf32>, tensor<?xf32>)
  return
}

// -----

func.func @rq_spline_c3(%x: tensor<?x3xf32>, %u: tensor<?x15xf32>) {
  // expected-error @+1 {{(C3) num_bins, tail_bound or divisor out of range}}
  %r, %l = flow.rq_spline %x, %u {num_bins = 2 : i64, tail_bound = 1.0 : f64, divisor = -1.0 : f64} : (tensor<?x3xf32>, tensor<?x15xf32>) -> (tensor<?x3xf32>, tensor<?xf32>)
  return
}

// -----

func.func @rq_spline_c4(%x: tensor<?x3xf32>, %u: tensor<?x15xf32>) {
  // expected-error @+1 {{(C4) 'tensor<3xf32>' does not fit}}
  %r, %l = flow.rq_spline %x, %u {num_bins = 2 : i64, tail_bound = 1.0 : f64, divisor = 8.0 : f64} : (tensor<?x3xf32>, tensor<?x15xf32>) -> (tensor<?x3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @rq_spline_inverse_c1(%x: tensor<?x3xf32>, %u: tensor<?x15xf32>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %r, %l = flow.rq_spline_inverse %x, %u {num_bins = 2 : i64, tail_bound = 1.0 : f64, divisor = 8.0 : f64} : (tensor<?x3xf32>, tensor<?x15xf32>) -> (tensor<?x2xf32>, tensor<?xf32>)
  return
}

// -----

func.func @rq_spline_inverse_c2(%x: tensor<?x3xf32>, %u: tensor<?x14xf32>) {
  // expected-error @+1 {{(C2) u does not have T (3K - 1) columns}}
  %r, %l = flow.rq_spline_inverse %x, %u {num_bins = 2 : i64, tail_bound = 1.0 : f64, divisor = 8.0 : f64} : (tensor<?x3xf32>, tensor<?x14xf32>) -> (tensor<?x3xf32>, tensor<?xf32>)
  return
}

// -----

func.func @rq_spline_inverse_c2(%x: tensor<?x3xf32>, %u: tensor<15xf32>) {
  // expected-error @+1 {{(C2) }}
  %r, %l = flow.rq_spline_inverse %x, %u {num_bins = 2 : i64, tail_bound = 1.0 : f64, divisor = 8.0 : f64} : (tensor<?x3xf32>, tensor<15xf32>) -> (tensor<?x3xf32>, tensor<?xf32>)
  return
}

// -----

func.func @rq_spline_inverse_c3(%x: tensor<?x3xf32>, %u: tensor<?x15xf32>) {
  // expected-error @+1 {{(C3) num_bins, tail_bound or divisor out of range}}
  %r, %l = flow.rq_spline_inverse %x, %u {num_bins = 0 : i64, tail_bound = 1.0 : f64, divisor = 8.0 : f64} : (tensor<?x3xf32>, tensor<?x15xf32>) -> (tensor<?x3xf32>, tensor<?xf32>)
  return
}

// -----

func.func @rq_spline_inverse_c3(%x: tensor<?x3xf32>, %u: tensor<?x15xf32>) {
  // expected-error @+1 {{(C3) num_bins, tail_bound or divisor out of range}}
  %r, %l = flow.rq_spline_inverse %x, %u {num_bins = 1000 : i64, tail_bound = 1.0 : f64, divisor = 8.0 : f64} : (tensor<?x3xf32>, tensor<?x15xf32>) -> (tensor<?x3xf32>, tensor<?xf32>)
  return
}

// -----

func.func @rq_spline_inverse_c3(%x: tensor<?x3xf32>, %u: tensor<?x15xf32>) {
  // expected-error @+1 {{(C3) num_bins, tail_bound or divisor out of range}}
  %r, %l = flow.rq_spline_inverse %x, %u {num_bins = 2 : i64, tail_bound = 0.0 : f64, divisor = 8.0 : f64} : (tensor<?x3xf32>, tensor<?x15xf32>) -> (tensor<?x3xf32>, tensor<?xf32>)
  return
}

// -----

func.func @rq_spline_inverse_c3(%x: tensor<?x3xf32>, %u: tensor<?x15xf32>) {
  // expected-error @+1 {{(C3) num_bins, tail_bound or divisor out of range}}
  %r, %l = flow.rq_spline_inverse %x, %u {num_bins = 2 : i64, tail_bound = 1.0 : f64, divisor = -1.0 : f64} : (tensor<?x3xf32>, tensor<?x15xf32>) -> (tensor<?x3xf32>, tensor<?xf32>)
  return
}

// -----

func.func @rq_spline_inverse_c4(%x: tensor<?x3xf32>, %u: tensor<?x15xf32>) {
  // expected-error @+1 {{(C4) 'tensor<3xf32>' does not fit}}
  %r, %l = flow.rq_spline_inverse %x, %u {num_bins = 2 : i64, tail_bound = 1.0 : f64, divisor = 8.0 : f64} : (tensor<?x3xf32>, tensor<?x15xf32>) -> (tensor<?x3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @rq_spline_grad_c1(%x: tensor<?x3xf32>, %u: tensor<?x15xf32>, %dy: tensor<?x2xf32>, %dl: tensor<?xf32>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %dx, %du = flow.rq_spline_grad %x, %u, %dy, %dl {num_bins = 2 : i64, tail_bound = 1.0 : f64, divisor = 8.0 : f64} : (tensor<?x3xf32>, tensor<?x15xf32>, tensor<?x2xf32>, tensor<?xf32>) -> (tensor<?x3xf32>, tensor<?x15xf32>)
  return
}

// -----

func.func @rq_spline_grad_c1(%x: tensor<?x3xf32>, %u: tensor<?x15xf32>, %dy: tensor<?x3xf32>, %dl: tensor<?xf32>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %dx, %du = flow.rq_spline_grad %x, %u, %dy, %dl {num_bins = 2 : i64, tail_bound = 1.0 : f64, divisor = 8.0 : f64} : (tensor<?x3xf32>, tensor<?x15xf32>, tensor<?x3xf32>, tensor<?xf32>) -> (tensor<?x2xf32>, tensor<?x15xf32>)
  return
}

// -----

func.func @rq_spline_grad_c2(%x: tensor<?x3xf32>, %u: tensor<?x14xf32>, %dy: tensor<?x3xf32>, %dl: tensor<?xf32>) {
  // expected-error @+1 {{(C2) u does not have T (3K - 1) columns}}
  %dx, %du = flow.rq_spline_grad %x, %u, %dy, %dl {num_bins = 2 : i64, tail_bound = 1.0 : f64, divisor = 8.0 : f64} : (tensor<?x3xf32>, tensor<?x14xf32>, tensor<?x3xf32>, tensor<?xf32>) -> (tensor<?x3xf32>, tensor<?x14xf32>)
  return
}

// -----

func.func @rq_spline_grad_c2(%x: tensor<?x3xf32>, %u: tensor<?x15xf32>, %dy: tensor<?x3xf32>, %dl: tensor<?xf32>) {
  // expected-error @+1 {{(C2) needs equal types}}
  %dx, %du = flow.rq_spline_grad %x, %u, %dy, %dl {num_bins = 2 : i64, tail_bound = 1.0 : f64, divisor = 8.0 : f64} : (tensor<?x3xf32>, tensor<?x15xf32>, tensor<?x3xf32>, tensor<?xf32>) -> (tensor<?x3xf32>, tensor<?x14xf32>)
  return
}

// -----

func.func @rq_spline_grad_c3(%x: tensor<?x3xf32>, %u: tensor<?x15xf32>, %dy: tensor<?x3xf32>, %dl: tensor<?xf32>) {
  // expected-error @+1 {{(C3) num_bins, tail_bound or divisor out of range}}
  %dx, %du = flow.rq_spline_grad %x, %u, %dy, %dl {num_bins = 2 : i64, tail_bound = -1.0 : f64, divisor = 8.0 : f64} : (tensor<?x3xf32>, tensor<?x15xf32>, tensor<?x3xf32>, tensor<?xf32>) -> (tensor<?x3xf32>, tensor<?x15xf32>)
  return
}

// -----

func.func @rq_spline_grad_c4(%x: tensor<?x3xf32>, %u: tensor<?x15xf32>, %dy: tensor<?x3xf32>, %dl: tensor<f32>) {
  // expected-error @+1 {{(C4) 'tensor<f32>' does not fit}}
  %dx, %du = flow.rq_spline_grad %x, %u, %dy, %dl {num_bins = 2 : i64, tail_bound = 1.0 : f64, divisor = 8.0 : f64} : (tensor<?x3xf32>, tensor<?x15xf32>, tensor<?x3xf32>, tensor<f32>) -> (tensor<?x3xf32>, tensor<?x15xf32>)
  return
}

// -----

func.func @lu_weight_c1(%lo: tensor<2xf32>, %up: tensor<3xf32>, %d: tensor<3xf32>, %p: tensor<3xi64>) {
  // expected-error @+1 {{(C1) factors or permutation do not have the sizes of the diagonal}}
  %w, %l = flow.lu_weight %lo, %up, %d, %p : (tensor<2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi64>) -> (tensor<3x3xf32>, tensor<f32>)
  return
}

// -----

func.func @lu_weight_c1(%lo: tensor<3xf32>, %up: tensor<3xf32>, %d: tensor<3xf32>, %p: tensor<2xi64>) {
  // expected-error @+1 {{(C1) factors or permutation do not have the sizes of the diagonal}}
  %w, %l = flow.lu_weight %lo, %up, %d, %p : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xi64>) -> (tensor<3x3xf32>, tensor<f32>)
  return
}

// -----

func.func @lu_weight_inverse_c1(%lo: tensor<2xf32>, %up: tensor<3xf32>, %d: tensor<3xf32>, %p: tensor<3xi64>) {
  // expected-error @+1 {{(C1) factors or permutation do not have the sizes of the diagonal}}
  %w, %l = flow.lu_weight_inverse %lo, %up, %d, %p : (tensor<2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi64>) -> (tensor<3x3xf32>, tensor<f32>)
  return
}

// -----

func.func @lu_weight_inverse_c1(%lo: tensor<3xf32>, %up: tensor<3xf32>, %d: tensor<3xf32>, %p: tensor<2xi64>) {
  // expected-error @+1 {{(C1) factors or permutation do not have the sizes of the diagonal}}
  %w, %l = flow.lu_weight_inverse %lo, %up, %d, %p : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xi64>) -> (tensor<3x3xf32>, tensor<f32>)
  return
}

// -----

func.func @lu_weight_c2(%lo: tensor<3xf32>, %up: tensor<3xf32>, %d: tensor<3xf32>, %p: tensor<3xi64>) {
  // expected-error @+1 {{(C2) weight is not square of that size or logabsdet no scalar}}
  %w, %l = flow.lu_weight %lo, %up, %d, %p : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi64>) -> (tensor<3x2xf32>, tensor<f32>)
  return
}

// -----

func.func @lu_weight_c2(%lo: tensor<3xf32>, %up: tensor<3xf32>, %d: tensor<3xf32>, %p: tensor<3xi64>) {
  // expected-error @+1 {{(C2) weight is not square of that size or logabsdet no scalar}}
  %w, %l = flow.lu_weight %lo, %up, %d, %p : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi64>) -> (tensor<3x3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @lu_weight_grad_c1(%dw: tensor<3x3xf32>, %dl: tensor<f32>, %lo: tensor<2xf32>, %up: tensor<3xf32>, %d: tensor<3xf32>, %p: tensor<3xi64>) {
  // expected-error @+1 {{(C1) factors or permutation do not have the sizes of the diagonal}}
  %dlo, %dup, %dd = flow.lu_weight_grad %dw, %dl, %lo, %up, %d, %p : (tensor<3x3xf32>, tensor<f32>, tensor<2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi64>) -> (tensor<2xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @lu_weight_grad_c1(%dw: tensor<3x3xf32>, %dl: tensor<f32>, %lo: tensor<3xf32>, %up: tensor<3xf32>, %d: tensor<3xf32>, %p: tensor<3xi64>) {
  // expected-error @+1 {{(C1) }}
  %dlo, %dup, %dd = flow.lu_weight_grad %dw, %dl, %lo, %up, %d, %p : (tensor<3x3xf32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi64>) -> (tensor<3xf32>, tensor<2xf32>, tensor<3xf32>)
  return
}

// -----

func.func @base_log_prob_c1(%z: tensor<?x3xf32>) {
  // expected-error @+1 {{(C1) 'tensor<3xf32>' does not fit}}
  %l = flow.base_log_prob %z : (tensor<?x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @base_log_prob_grad_c1(%z: tensor<?x3xf32>, %dl: tensor<?xf32>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %dz = flow.base_log_prob_grad %z, %dl : (tensor<?x3xf32>, tensor<?xf32>) -> tensor<?x2xf32>
  return
}

// -----

func.func @base_log_prob_grad_c1(%z: tensor<?x3xf32>, %dl: tensor<f32>) {
  // expected-error @+1 {{(C1) 'tensor<f32>' does not fit}}
  %dz = flow.base_log_prob_grad %z, %dl : (tensor<?x3xf32>, tensor<f32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @add_scalar_c1(%x: tensor<?x3xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{(C1) 'tensor<?x3xf32>' does not fit}}
  %y = flow.add_scalar %x, %s : (tensor<?x3xf32>, tensor<f32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @add_scalar_c1(%x: tensor<?xf32>, %s: tensor<?xf32>) {
  // expected-error @+1 {{(C1) 'tensor<?xf32>' does not fit}}
  %y = flow.add_scalar %x, %s : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @negative_mean_c1(%x: tensor<?x3xf32>) {
  // expected-error @+1 {{(C1) 'tensor<?x3xf32>' does not fit}}
  %l = flow.negative_mean %x : (tensor<?x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @negative_mean_c1(%x: tensor<?xf32>) {
  // expected-error @+1 {{(C1) 'tensor<?xf32>' does not fit}}
  %l = flow.negative_mean %x : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @negative_mean_grad_c1(%x: tensor<?xf32>, %dl: tensor<f32>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %dx = flow.negative_mean_grad %x, %dl : (tensor<?xf32>, tensor<f32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @negative_mean_grad_c1(%x: tensor<?xf32>, %dl: tensor<?xf32>) {
  // expected-error @+1 {{(C1) 'tensor<?xf32>' does not fit}}
  %dx = flow.negative_mean_grad %x, %dl : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @one_c1() {
  // expected-error @+1 {{(C1) the result is no scalar}}
  %one = flow.one : () -> tensor<?xf32>
  return
}
