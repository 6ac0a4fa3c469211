//===- NormOps.td - activations, norms, gates -------------------*- tablegen -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

def ActivationOp : FlowOp<"activation", [Rowwise, Adjoint]> {
  let summary = "pointwise nonlinearity";
  let description = [{
    Formula: elu: x > 0 ? x : exp(x) - 1; relu: max(x, 0); leaky_relu: x > 0 ? x : 0.01 x; gelu: x (1 + erf(x/sqrt 2))/2.

    Adjoint: activation_grad, from the result (gelu: from the operand).

    Constraints: (C1) operand and result have the same type.

    Example: `%y = flow.activation %x {kind = #flow.activation<elu>} : (tensor<?x8xf32>) -> tensor<?x8xf32>`
  }];
  let arguments = (ins RealTensor:$x, ActivationAttr:$kind);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def ActivationGradOp : FlowOp<"activation_grad", [Rowwise]> {
  let summary = "gradient of a pointwise nonlinearity";
  let description = [{
    Formula: dx = dy f'(x), written in y = f(x) where that is enough: elu: y > 0 ? dy : dy (y + 1); relu: y > 0 ? dy : 0;
    leaky_relu: y > 0 ? dy : 0.01 dy; gelu, from x: dy (Phi(x) + x phi(x)).

    Adjoint: none; it is part of the backward pass.

    Constraints: (C1) all three have the same type.

    Example: `%dx = flow.activation_grad %dy, %y {kind = #flow.activation<elu>} : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>`
  }];
  let arguments = (ins RealTensor:$dy, RealTensor:$saved, ActivationAttr:$kind);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def AddOp : FlowOp<"add", [Rowwise, Adjoint, Commutative]> {
  let summary = "sum of two tensors of one shape";
  let description = [{
    Formula: y = a + b, entry by entry.

    Adjoint: both operands get the result's gradient.

    Constraints: (C1) all three have the same type.

    Example: `%z = flow.add %x, %y : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>`
  }];
  let arguments = (ins RealTensor:$a, RealTensor:$b);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def SubOp : FlowOp<"sub", [Rowwise]> {
  let summary = "difference of two tensors of one shape";
  let description = [{
    Formula: y = a - b, entry by entry.

    Adjoint: none; only sampling needs it.

    Constraints: (C1) all three have the same type.

    Example: `%z = flow.sub %x, %y : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>`
  }];
  let arguments = (ins RealTensor:$a, RealTensor:$b);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def SubBiasOp : FlowOp<"sub_bias", [Rowwise]> {
  let summary = "subtracts a column vector from every row";
  let description = [{
    Formula: y[r, c] = x[r, c] - b[c]; the first half of the inverse of an affine map.

    Adjoint: none; only sampling needs it.

    Constraints: (C1) x and y have the same type and b one entry a column.

    Example: `%y = flow.sub_bias %x, %b : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>`
  }];
  let arguments = (ins RealTensor:$x, RealTensor:$bias);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def NegateOp : FlowOp<"negate", [Rowwise]> {
  let summary = "minus a tensor";
  let description = [{
    Formula: y = -x, entry by entry.

    Adjoint: none; only sampling needs it.

    Constraints: (C1) operand and result have the same type.

    Example: `%y = flow.negate %x : (tensor<f32>) -> tensor<f32>`
  }];
  let arguments = (ins RealTensor:$x);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def GluOp : FlowOp<"glu", [Rowwise, Adjoint]> {
  let summary = "gate: t sigmoid(g)";
  let description = [{
    Formula: y = t sigmoid(g), entry by entry.

    Adjoint: glu_grad.

    Constraints: (C1) all three have the same type.

    Example: `%y = flow.glu %t, %g : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>`
  }];
  let arguments = (ins RealTensor:$t, RealTensor:$gate);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def GluGradOp : FlowOp<"glu_grad", [Rowwise]> {
  let summary = "gradients of a gate";
  let description = [{
    Formula: dt = dy s, dg = dy t s (1 - s) with s = sigmoid(g).

    Adjoint: none; it is part of the backward pass.

    Constraints: (C1) all have the same type.

    Example: `%dt, %dg = flow.glu_grad %dy, %t, %g : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>)`
  }];
  let arguments = (ins RealTensor:$dy, RealTensor:$t, RealTensor:$gate);
  let results = (outs RealTensor:$dt, RealTensor:$dgate);
  let hasVerifier = 1;
}

def DropoutOp : FlowOp<"dropout", [Rowwise, Adjoint]> {
  let summary = "random zeros, counter based";
  let description = [{
    Formula: y[r, c] = x[r, c] keep / (1 - p) with keep = [u >= p], u = word/2^32 for the first word of Philox 4x32-10
    with key (low, high half of seed) and counter (low half of sample[r], epoch, site, c). The same stream for any batch
    size, thread count or device.

    Adjoint: the same operation on the gradient.

    Constraints: (C1) 0 <= p < 1; (C2) x and y have the same type; sample is `tensor<?xi64>`, seed and epoch `tensor<i64>`.

    Example: `%y = flow.dropout %x, %sample, %seed, %epoch {probability = 0.1 : f64, site = 3 : i64} : (tensor<?x8xf32>, tensor<?xi64>, tensor<i64>, tensor<i64>) -> tensor<?x8xf32>`
  }];
  let arguments = (ins RealTensor:$x, IntegerTensor:$sample, IntegerTensor:$seed, IntegerTensor:$epoch, F64Attr:$probability, I64Attr:$site);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

//===-- BatchNorm ---------------------------------------------------------===//

def BatchNormStatisticsOp : FlowOp<"batch_norm_statistics", [Decomposable]> {
  let summary = "mean and biased variance of each column of the batch";
  let description = [{
    Formula: mean[c] = sum_r x[r, c]/B; variance[c] = sum_r (x[r, c] - mean[c])^2/B, in two passes.

    Adjoint: none of its own; that of the training-mode batch_norm that uses it is of both.

    Constraints: (C1) both results have one entry a column.

    Example: `%m, %v = flow.batch_norm_statistics %x : (tensor<?x8xf32>) -> (tensor<8xf32>, tensor<8xf32>)`
  }];
  let arguments = (ins RealTensor:$x);
  let results = (outs RealTensor:$mean, RealTensor:$variance);
  let hasVerifier = 1;
}

def ColumnMeanOp : FlowOp<"column_mean", [RowwiseWith<["getResultKind", "emitFinish"]>]> {
  let summary = "mean of each column";
  let description = [{
    Formula: mean[c] = sum_r x[r, c]/B.

    Adjoint: none; Fuse makes it, behind Autodiff.

    Constraints: (C1) the result has one entry a column.

    Example: `%m = flow.column_mean %x : (tensor<?x8xf32>) -> tensor<8xf32>`
  }];
  let arguments = (ins RealTensor:$x);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def ColumnVarianceOp : FlowOp<"column_variance", [RowwiseWith<["getResultKind", "emitFinish"]>]> {
  let summary = "biased variance of each column about a given mean";
  let description = [{
    Formula: v[c] = sum_r (x[r, c] - mean[c])^2/B.

    Adjoint: none; Fuse makes it, behind Autodiff.

    Constraints: (C1) mean and result have one entry a column.

    Example: `%v = flow.column_variance %x, %m : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<8xf32>`
  }];
  let arguments = (ins RealTensor:$x, RealTensor:$mean);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def BatchNormOp : FlowOp<"batch_norm", [Rowwise, Adjoint]> {
  let summary = "normalizes columns by given statistics";
  let description = [{
    Formula: y = (x - mean)/sqrt(variance + epsilon) gamma + beta, statistics, gamma and beta one entry a column.

    Adjoint: batch_norm_grad_params and batch_norm_grad_input. With `training` the statistics are those of x itself
    (batch_norm_statistics) and the adjoint is that of the composition; without it they are constants.

    Constraints: (C1) x and y have the same type; (C2) the four others one entry a column; (C3) with `training`, mean and
    variance come from batch_norm_statistics or column_mean/column_variance of x.

    Example: `%y = flow.batch_norm %x, %m, %v, %g, %b {epsilon = 1.0e-3 : f64} : (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8xf32>`
  }];
  let arguments = (ins RealTensor:$x, RealTensor:$mean, RealTensor:$variance, RealTensor:$gamma, RealTensor:$beta,
                       F64Attr:$epsilon, UnitAttr:$training);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def BatchNormGradParamsOp : FlowOp<"batch_norm_grad_params", [RowwiseWith<["getResultKind"]>]> {
  let summary = "gradients of gamma and beta of a batch norm";
  let description = [{
    Formula: dgamma[c] = sum_r dy xhat, dbeta[c] = sum_r dy with xhat = (x - mean)/sqrt(variance + epsilon).

    Adjoint: none; it is part of the backward pass.

    Constraints: (C1) dy and x have the same type; (C2) the others one entry a column.

    Example: `%dg, %db = flow.batch_norm_grad_params %dy, %x, %m, %v {epsilon = 1.0e-3 : f64} : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)`
  }];
  let arguments = (ins RealTensor:$dy, RealTensor:$x, RealTensor:$mean, RealTensor:$variance, F64Attr:$epsilon);
  let results = (outs RealTensor:$dgamma, RealTensor:$dbeta);
  let hasVerifier = 1;
}

def BatchNormGradInputOp : FlowOp<"batch_norm_grad_input", [Rowwise]> {
  let summary = "gradient of the input of a batch norm";
  let description = [{
    Formula: training mode: dx = gamma rstd (dy - dbeta/B - xhat dgamma/B) with rstd = 1/sqrt(variance + epsilon);
    without `training`: dx = gamma rstd dy.

    Adjoint: none; it is part of the backward pass.

    Constraints: (C1) dy, x and dx have the same type; (C2) the others one entry a column.

    Example: `%dx = flow.batch_norm_grad_input %dy, %x, %m, %v, %g, %dg, %db {epsilon = 1.0e-3 : f64, training} : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8xf32>`
  }];
  let arguments = (ins RealTensor:$dy, RealTensor:$x, RealTensor:$mean, RealTensor:$variance, RealTensor:$gamma,
                       RealTensor:$dgamma, RealTensor:$dbeta, F64Attr:$epsilon, UnitAttr:$training);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def BatchNormRunningOp : FlowOp<"batch_norm_running", [Rowwise]> {
  let summary = "moves running statistics towards those of the batch";
  let description = [{
    Formula: mean' = (1 - momentum) running_mean + momentum mean; variance' likewise with the unbiased variance B/(B - 1)
    variance.

    Adjoint: none; no loss depends on running statistics.

    Constraints: (C1) all have one type, one entry a column.

    Example: `%rm, %rv = flow.batch_norm_running %a, %b, %m, %v {momentum = 0.1 : f64} : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)`
  }];
  let arguments = (ins RealTensor:$runningMean, RealTensor:$runningVariance, RealTensor:$mean, RealTensor:$variance,
                       F64Attr:$momentum);
  let results = (outs RealTensor:$newMean, RealTensor:$newVariance);
  let hasVerifier = 1;
}

//===-- LayerNorm ---------------------------------------------------------===//

def LayerNormOp : FlowOp<"layer_norm", [Decomposable, Adjoint]> {
  let summary = "normalizes rows";
  let description = [{
    Formula: y = (x - mean)/sqrt(variance + epsilon) gamma + beta with mean and biased variance over the C columns of each
    row, which are results too.

    Adjoint: layer_norm_grad_input, layer_norm_grad_params.

    Constraints: (C1) x and y have the same type; (C2) gamma and beta one entry a column; (C3) mean and variance one a row.

    Example: `%y, %m, %v = flow.layer_norm %x, %g, %b {epsilon = 1.0e-5 : f64} : (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>)`
  }];
  let arguments = (ins RealTensor:$x, RealTensor:$gamma, RealTensor:$beta, F64Attr:$epsilon);
  let results = (outs RealTensor:$result, RealTensor:$mean, RealTensor:$variance);
  let hasVerifier = 1;
}

def LayerNormGradInputOp : FlowOp<"layer_norm_grad_input", [Decomposable]> {
  let summary = "gradient of the input of a layer norm";
  let description = [{
    Formula: dx = rstd (g - mean_c(g) - xhat mean_c(g xhat)) with g = dy gamma, rstd = 1/sqrt(variance + epsilon), xhat =
    (x - mean) rstd.

    Adjoint: none; it is part of the backward pass.

    Constraints: (C1) dy, x and dx have the same type; (C2) mean and variance one entry a row, gamma one a column.

    Example: `%dx = flow.layer_norm_grad_input %dy, %x, %m, %v, %g {epsilon = 1.0e-5 : f64} : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>, tensor<8xf32>) -> tensor<?x8xf32>`
  }];
  let arguments = (ins RealTensor:$dy, RealTensor:$x, RealTensor:$mean, RealTensor:$variance, RealTensor:$gamma,
                       F64Attr:$epsilon);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def LayerNormGradParamsOp : FlowOp<"layer_norm_grad_params", [RowwiseWith<["getResultKind"]>]> {
  let summary = "gradients of gamma and beta of a layer norm";
  let description = [{
    Formula: dgamma[c] = sum_r dy xhat, dbeta[c] = sum_r dy with xhat as in layer_norm_grad_input.

    Adjoint: none; it is part of the backward pass.

    Constraints: (C1) dy and x have the same type; (C2) mean and variance one entry a row, results one a column.

    Example: `%dg, %db = flow.layer_norm_grad_params %dy, %x, %m, %v {epsilon = 1.0e-5 : f64} : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>) -> (tensor<8xf32>, tensor<8xf32>)`
  }];
  let arguments = (ins RealTensor:$dy, RealTensor:$x, RealTensor:$mean, RealTensor:$variance, F64Attr:$epsilon);
  let results = (outs RealTensor:$dgamma, RealTensor:$dbeta);
  let hasVerifier = 1;
}

def RowMeanOp : FlowOp<"row_mean", [RowwiseWith<["getResultKind", "emitFinish"]>]> {
  let summary = "mean of each row";
  let description = [{
    Formula: mean[r] = sum_c x[r, c]/C.

    Adjoint: none; Fuse makes it, behind Autodiff.

    Constraints: (C1) the result has one entry a row.

    Example: `%m = flow.row_mean %x : (tensor<?x8xf32>) -> tensor<?xf32>`
  }];
  let arguments = (ins RealTensor:$x);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def RowVarianceOp : FlowOp<"row_variance", [RowwiseWith<["getResultKind", "emitFinish"]>]> {
  let summary = "biased variance of each row about a given mean";
  let description = [{
    Formula: v[r] = sum_c (x[r, c] - mean[r])^2/C.

    Adjoint: none; Fuse makes it, behind Autodiff.

    Constraints: (C1) mean and result have one entry a row.

    Example: `%v = flow.row_variance %x, %m : (tensor<?x8xf32>, tensor<?xf32>) -> tensor<?xf32>`
  }];
  let arguments = (ins RealTensor:$x, RealTensor:$mean);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def NormalizeRowsOp : FlowOp<"normalize_rows", [Rowwise]> {
  let summary = "the last part of layer_norm";
  let description = [{
    Formula: y = (x - mean)/sqrt(variance + epsilon) gamma + beta.

    Adjoint: none; Fuse makes it, behind Autodiff.

    Constraints: (C1) x and y have the same type; (C2) mean and variance one entry a row, gamma and beta one a column.

    Example: `%y = flow.normalize_rows %x, %m, %v, %g, %b {epsilon = 1.0e-5 : f64} : (tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8xf32>`
  }];
  let arguments = (ins RealTensor:$x, RealTensor:$mean, RealTensor:$variance, RealTensor:$gamma, RealTensor:$beta,
                       F64Attr:$epsilon);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def LayerNormGradSumsOp : FlowOp<"layer_norm_grad_sums", [RowwiseWith<["getResultKind", "emitFinish"]>]> {
  let summary = "the two row means that a layer norm's gradient needs";
  let description = [{
    Formula: meanG[r] = mean_c(g), meanGXhat[r] = mean_c(g xhat) with g and xhat as in layer_norm_grad_input.

    Adjoint: none; it is part of the backward pass.

    Constraints: (C1) dy and x have the same type; (C2) mean, variance and results one entry a row, gamma one a column.

    Example: `%s, %t = flow.layer_norm_grad_sums %dy, %x, %m, %v, %g {epsilon = 1.0e-5 : f64} : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>, tensor<8xf32>) -> (tensor<?xf32>, tensor<?xf32>)`
  }];
  let arguments = (ins RealTensor:$dy, RealTensor:$x, RealTensor:$mean, RealTensor:$variance, RealTensor:$gamma,
                       F64Attr:$epsilon);
  let results = (outs RealTensor:$meanG, RealTensor:$meanGXhat);
  let hasVerifier = 1;
}

def LayerNormGradApplyOp : FlowOp<"layer_norm_grad_apply", [Rowwise]> {
  let summary = "the last part of layer_norm_grad_input";
  let description = [{
    Formula: dx = rstd (dy gamma - meanG - xhat meanGXhat).

    Adjoint: none; it is part of the backward pass.

    Constraints: (C1) dy, x and dx have the same type; (C2) row vectors and gamma as in layer_norm_grad_sums.

    Example: `%dx = flow.layer_norm_grad_apply %dy, %x, %m, %v, %g, %s, %t {epsilon = 1.0e-5 : f64} : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>, tensor<8xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?x8xf32>`
  }];
  let arguments = (ins RealTensor:$dy, RealTensor:$x, RealTensor:$mean, RealTensor:$variance, RealTensor:$gamma,
                       RealTensor:$meanG, RealTensor:$meanGXhat, F64Attr:$epsilon);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}
