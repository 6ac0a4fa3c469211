// RUN: kowari-opt %s --split-input-file --verify-diagnostics
//
// What the verifiers of optimizers and conversions refuse.
// @<operation>_c<n> breaks constraint (Cn) of the operation's description.

func.func @is_finite_c1(%l: tensor<?xf32>) {
  // expected-error @+1 {{(C1) needs scalars}}
  %ok = flow.is_finite %l : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @is_finite_c1(%l: tensor<f32>) {
  // expected-error @+1 {{(C1) }}
  %ok = flow.is_finite %l : (tensor<f32>) -> tensor<f64>
  return
}

// -----

func.func @adam_correction_c1(%lr: tensor<f32>, %step: tensor<f64>) {
  // expected-error @+1 {{(C1) rate and step are not f64}}
  %s, %r = flow.adam_correction %lr, %step {beta1 = 0.9 : f64, beta2 = 0.999 : f64} : (tensor<f32>, tensor<f64>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

func.func @adam_correction_c1(%lr: tensor<f64>, %step: tensor<1xf64>) {
  // expected-error @+1 {{(C1) needs scalars}}
  %s, %r = flow.adam_correction %lr, %step {beta1 = 0.9 : f64, beta2 = 0.999 : f64} : (tensor<f64>, tensor<1xf64>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

func.func @adam_c1(%w: tensor<8xf32>, %g: tensor<8xf32>, %m: tensor<4xf32>, %v: tensor<8xf32>, %s: tensor<f32>, %q: tensor<f32>, %rate: tensor<f32>, %ok: tensor<f32>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %r:3 = flow.adam state(%w, %g, %m, %v : tensor<8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<8xf32>) scalars(%s, %q, %rate, %ok : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64, weight_decay = 0.0 : f64} -> tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @adam_c2(%w: tensor<8xf32>, %g: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>, %s: tensor<f32>, %q: tensor<f32>, %rate: tensor<f32>, %ok: tensor<8xf32>) {
  // expected-error @+1 {{(C2) needs scalars}}
  %r:3 = flow.adam state(%w, %g, %m, %v : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) scalars(%s, %q, %rate, %ok : tensor<f32>, tensor<f32>, tensor<f32>, tensor<8xf32>) {beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64, weight_decay = 0.0 : f64} -> tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @adam_c3(%w: tensor<8xf32>, %g: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>, %s: tensor<f32>, %q: tensor<f32>, %rate: tensor<f32>, %ok: tensor<f32>, %x: tensor<8xf32>) {
  // expected-error @+1 {{(C3) the maximum comes in or goes out alone}}
  %r:3 = flow.adam state(%w, %g, %m, %v : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) scalars(%s, %q, %rate, %ok : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) maximum(%x : tensor<8xf32>) {beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64, weight_decay = 0.0 : f64} -> tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @adam_c3(%w: tensor<8xf32>, %g: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>, %s: tensor<f32>, %q: tensor<f32>, %rate: tensor<f32>, %ok: tensor<f32>) {
  // expected-error @+1 {{(C3) the maximum comes in or goes out alone}}
  %r:4 = flow.adam state(%w, %g, %m, %v : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) scalars(%s, %q, %rate, %ok : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64, weight_decay = 0.0 : f64} -> tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @adam_c1(%w: tensor<8xf32>, %g: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>, %s: tensor<f32>, %q: tensor<f32>, %rate: tensor<f32>, %ok: tensor<f32>, %x: tensor<4xf32>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %r:4 = flow.adam state(%w, %g, %m, %v : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) scalars(%s, %q, %rate, %ok : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) maximum(%x : tensor<4xf32>) {beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64, weight_decay = 0.0 : f64} -> tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4xf32>
  return
}

// -----

func.func @sgd_c1(%w: tensor<8xf32>, %g: tensor<4xf32>, %rate: tensor<f32>, %step: tensor<f32>, %ok: tensor<f32>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %r = flow.sgd state(%w, %g : tensor<8xf32>, tensor<4xf32>) scalars(%rate, %step, %ok : tensor<f32>, tensor<f32>, tensor<f32>) {momentum = 0.0 : f64, dampening = 0.0 : f64, weight_decay = 0.0 : f64} -> tensor<8xf32>
  return
}

// -----

func.func @sgd_c1(%w: tensor<8xf32>, %g: tensor<8xf32>, %rate: tensor<f32>, %step: tensor<f32>, %ok: tensor<f32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{(C1) needs equal types}}
  %r:2 = flow.sgd state(%w, %g : tensor<8xf32>, tensor<8xf32>) scalars(%rate, %step, %ok : tensor<f32>, tensor<f32>, tensor<f32>) buffer(%b : tensor<4xf32>) {momentum = 0.9 : f64, dampening = 0.0 : f64, weight_decay = 0.0 : f64} -> tensor<8xf32>, tensor<4xf32>
  return
}

// -----

func.func @sgd_c2(%w: tensor<8xf32>, %g: tensor<8xf32>, %rate: tensor<f32>, %step: tensor<?xf32>, %ok: tensor<f32>) {
  // expected-error @+1 {{(C2) needs scalars}}
  %r = flow.sgd state(%w, %g : tensor<8xf32>, tensor<8xf32>) scalars(%rate, %step, %ok : tensor<f32>, tensor<?xf32>, tensor<f32>) {momentum = 0.0 : f64, dampening = 0.0 : f64, weight_decay = 0.0 : f64} -> tensor<8xf32>
  return
}

// -----

func.func @sgd_c3(%w: tensor<8xf32>, %g: tensor<8xf32>, %rate: tensor<f32>, %step: tensor<f32>, %ok: tensor<f32>) {
  // expected-error @+1 {{(C3) the momentum buffer comes in and goes out exactly when momentum is not 0}}
  %r = flow.sgd state(%w, %g : tensor<8xf32>, tensor<8xf32>) scalars(%rate, %step, %ok : tensor<f32>, tensor<f32>, tensor<f32>) {momentum = 0.9 : f64, dampening = 0.0 : f64, weight_decay = 0.0 : f64} -> tensor<8xf32>
  return
}

// -----

func.func @sgd_c3(%w: tensor<8xf32>, %g: tensor<8xf32>, %rate: tensor<f32>, %step: tensor<f32>, %ok: tensor<f32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{(C3) the momentum buffer comes in and goes out exactly when momentum is not 0}}
  %r:2 = flow.sgd state(%w, %g : tensor<8xf32>, tensor<8xf32>) scalars(%rate, %step, %ok : tensor<f32>, tensor<f32>, tensor<f32>) buffer(%b : tensor<8xf32>) {momentum = 0.0 : f64, dampening = 0.0 : f64, weight_decay = 0.0 : f64} -> tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @convert_c1(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{(C1) shapes differ}}
  %y = flow.convert %x : (tensor<?x8xf32>) -> tensor<?x4xf64>
  return
}
