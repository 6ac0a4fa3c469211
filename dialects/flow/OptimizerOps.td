//===- OptimizerOps.td - parameter updates ----------------------*- tablegen -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Formulas follow torch.optim. All are pointwise over a parameter's entries; LowerToPlan runs them over flat groups.
// `ok` is 1, or 0 when the step must change nothing (a loss that is not finite).
//
//===----------------------------------------------------------------------===//

def IsFiniteOp : FlowOp<"is_finite", [Rowwise]> {
  let summary = "1 if a scalar is finite, else 0";
  let description = [{
    Formula: ok = 1 if x is finite, else 0.

    Adjoint: none; it ends a train step.

    Constraints: (C1) both are scalars of one type.

    Example: `%ok = flow.is_finite %l : (tensor<f32>) -> tensor<f32>`
  }];
  let arguments = (ins RealTensor:$x);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def AdamCorrectionOp : FlowOp<"adam_correction", [Rowwise]> {
  let summary = "step size and bias correction of Adam";
  let description = [{
    Formula: step_size = rate/(1 - beta1^step), root = sqrt(1 - beta2^step), computed in double from double scalars and
    rounded to T. `step` counts from 1.

    Adjoint: none; it ends a train step.

    Constraints: (C1) operands are `tensor<f64>`, results scalars of T.

    Example: `%s, %r = flow.adam_correction %lr, %step {beta1 = 0.9 : f64, beta2 = 0.999 : f64} : (tensor<f64>, tensor<f64>) -> (tensor<f32>, tensor<f32>)`
  }];
  let arguments = (ins RealTensor:$rate, RealTensor:$step, F64Attr:$beta1, F64Attr:$beta2);
  let results = (outs RealTensor:$step_size, RealTensor:$root);
  let hasVerifier = 1;
}

def AdamOp : FlowOp<"adam", [Rowwise]> {
  let summary = "Adam and AdamW";
  let description = [{
    Formula: g' = (maximize ? -g : g) + weight_decay w (decoupled: g' = g and w <- w (1 - rate weight_decay) first);
    m' = m + (1 - beta1)(g' - m); v' = beta2 v + (1 - beta2) g'^2; a = amsgrad ? vmax' = max(vmax, v') : v';
    w' = w - step_size m'/(sqrt(a)/root + epsilon).

    Adjoint: none; it ends a train step.

    Constraints: (C1) parameter, gradient, moments and their results have one type; (C2) step_size, root, rate, ok are
    scalars; (C3) the maximum comes in and goes out exactly with amsgrad.

    Example: `%w1, %m1, %v1 = flow.adam state(%w, %g, %m, %v : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) scalars(%s, %r, %rate, %ok : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64, weight_decay = 0.0 : f64} -> tensor<8xf32>, tensor<8xf32>, tensor<8xf32>`
  }];
  let arguments = (ins RealTensor:$parameter, RealTensor:$gradient, RealTensor:$mean, RealTensor:$square,
                       RealTensor:$step_size, RealTensor:$root, RealTensor:$rate, RealTensor:$ok,
                       Optional<RealTensor>:$maximum,
                       F64Attr:$beta1, F64Attr:$beta2, F64Attr:$epsilon, F64Attr:$weight_decay,
                       UnitAttr:$decoupled, UnitAttr:$maximize);
  let results = (outs RealTensor:$new_parameter, RealTensor:$new_mean, RealTensor:$new_square,
                      Optional<RealTensor>:$new_maximum);
  let assemblyFormat = [{ `state` `(` $parameter `,` $gradient `,` $mean `,` $square `:` type($parameter) `,` type($gradient)
      `,` type($mean) `,` type($square) `)` `scalars` `(` $step_size `,` $root `,` $rate `,` $ok `:` type($step_size) `,`
      type($root) `,` type($rate) `,` type($ok) `)` (`maximum` `(` $maximum^ `:` type($maximum) `)`)? attr-dict `->`
      type($new_parameter) `,` type($new_mean) `,` type($new_square) (`,` type($new_maximum)^)? }];
  let hasVerifier = 1;
}

def SgdOp : FlowOp<"sgd", [Rowwise]> {
  let summary = "stochastic gradient descent with momentum";
  let description = [{
    Formula: g' = (maximize ? -g : g) + weight_decay w; with momentum: b' = step = 1 ? g' : momentum b + (1 - dampening)
    g', and g' becomes nesterov ? g' + momentum b' : b'; w' = w - rate g'.

    Adjoint: none; it ends a train step.

    Constraints: (C1) parameter, gradient and momentum buffer have one type; (C2) rate, step and ok are scalars; (C3) the buffer
    comes in and goes out exactly when momentum is not 0.

    Example: `%w1 = flow.sgd state(%w, %g : tensor<8xf32>, tensor<8xf32>) scalars(%rate, %step, %ok : tensor<f32>, tensor<f32>, tensor<f32>) {momentum = 0.0 : f64, dampening = 0.0 : f64, weight_decay = 0.0 : f64} -> tensor<8xf32>`
  }];
  let arguments = (ins RealTensor:$parameter, RealTensor:$gradient, RealTensor:$rate, RealTensor:$step, RealTensor:$ok,
                       Optional<RealTensor>:$buffer, F64Attr:$momentum, F64Attr:$dampening, F64Attr:$weight_decay,
                       UnitAttr:$nesterov, UnitAttr:$maximize);
  let results = (outs RealTensor:$new_parameter, Optional<RealTensor>:$new_buffer);
  let assemblyFormat = [{ `state` `(` $parameter `,` $gradient `:` type($parameter) `,` type($gradient) `)` `scalars` `(`
      $rate `,` $step `,` $ok `:` type($rate) `,` type($step) `,` type($ok) `)` (`buffer` `(` $buffer^ `:` type($buffer) `)`)?
      attr-dict `->` type($new_parameter) (`,` type($new_buffer)^)? }];
  let hasVerifier = 1;
}

def ConvertOp : FlowOp<"convert", [Rowwise]> {
  let summary = "changes the element type";
  let description = [{
    Formula: y = x, each entry rounded or widened to the result's element type.

    Adjoint: none; learning rates and draws are converted, before and beside what is trained.

    Constraints: (C1) operand and result have the same shape.

    Example: `%y = flow.convert %x : (tensor<f64>) -> tensor<f32>`
  }];
  let arguments = (ins RealTensor:$x);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}
