//===- DensityOps.td - splines, LU maps, densities and the loss -*- tablegen -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

def RqSplineOp : FlowOp<"rq_spline", [RowwiseWith<["getResultKind", "getOperandPointWidth"]>, Adjoint]> {
  let summary = "monotone rational-quadratic spline with linear tails";
  let description = [{
    Formula: for each row and transformed feature, from u of 3K-1 numbers (widths, heights, inner derivatives; features
    outermost, u[:, f (3K-1) + j]): widths and heights are divided by `divisor`; w = 1e-3 + (1 - 1e-3 K) softmax;
    knots x_k = -b + 2 b cumsum(w), x_K = b, and y_k alike from the heights; d_0 = d_K = 1, d_k = 1e-3 + softplus.
    In the bin k with x_k <= x: t = (x - x_k)/(x_{k+1} - x_k), s = (y_{k+1} - y_k)/(x_{k+1} - x_k),
    den = s + (d_{k+1} + d_k - 2 s) t (1 - t);
    y = y_k + (y_{k+1} - y_k)(s t^2 + d_k t (1 - t))/den;
    log dy/dx = log(s^2 (d_{k+1} t^2 + 2 s t (1 - t) + d_k (1 - t)^2)) - 2 log den.
    Outside [-b, b]: y = x, log dy/dx = 0. `logabsdet` is the sum of log dy/dx over the features of a row.

    Adjoint: rq_spline_grad.

    Constraints: (C1) x and y have the same type, T columns; (C2) u has T (3K - 1) columns; (C3) 1 <= K < 1000, tail_bound > 0,
    divisor > 0; (C4) logabsdet has one entry a row.

    Example: `%y, %l = flow.rq_spline %x, %u {num_bins = 2 : i64, tail_bound = 1.0 : f64, divisor = 8.0 : f64} : (tensor<?x3xf32>, tensor<?x15xf32>) -> (tensor<?x3xf32>, tensor<?xf32>)`
  }];
  let arguments = (ins RealTensor:$x, RealTensor:$u, I64Attr:$num_bins, F64Attr:$tail_bound, F64Attr:$divisor);
  let results = (outs RealTensor:$y, RealTensor:$logabsdet);
  let hasVerifier = 1;
}

def RqSplineGradOp : FlowOp<"rq_spline_grad", [RowwiseWith<["getOperandPointWidth", "getResultPointWidth"]>]> {
  let summary = "gradients of a rational-quadratic spline";
  let description = [{
    Formula: dx = dy y_x + dlogabsdet l_x, du = dy y_u + dlogabsdet l_u, where y(x, u) and l(x, u) are a feature's value
    and log dy/dx in rq_spline and the index says by what they are differentiated. The bin index carries no gradient;
    outside the bound dx = dy and du = 0.

    Adjoint: none; it is part of the backward pass.

    Constraints: (C1) x, dy and dx have the same type; (C2) u and du have T (3K - 1) columns; (C3) num_bins, tail_bound and
    divisor as for rq_spline; (C4) dlogabsdet has one entry a row.

    Example: `%dx, %du = flow.rq_spline_grad %x, %u, %dy, %dl {num_bins = 2 : i64, tail_bound = 1.0 : f64, divisor = 8.0 : f64} : (tensor<?x3xf32>, tensor<?x15xf32>, tensor<?x3xf32>, tensor<?xf32>) -> (tensor<?x3xf32>, tensor<?x15xf32>)`
  }];
  let arguments = (ins RealTensor:$x, RealTensor:$u, RealTensor:$dy, RealTensor:$dlogabsdet,
                       I64Attr:$num_bins, F64Attr:$tail_bound, F64Attr:$divisor);
  let results = (outs RealTensor:$dx, RealTensor:$du);
  let hasVerifier = 1;
}

def RqSplineInverseOp : FlowOp<"rq_spline_inverse", [RowwiseWith<["getResultKind", "getOperandPointWidth"]>]> {
  let summary = "inverse of a rational-quadratic spline";
  let description = [{
    Formula: solves rq_spline(x, u) = y in the bin with y_k <= y: with q = y - y_k, h = y_{k+1} - y_k, e = d_k + d_{k+1} -
    2 s: A = q e + h (s - d_k), B = h d_k - q e, C = -s q, t = 2 C/(-B - sqrt(B^2 - 4 A C)), x = t (x_{k+1} - x_k) + x_k.
    A slightly negative discriminant counts as 0. `logabsdet` is that of the inverse: minus the forward one at x.

    Adjoint: none; only sampling needs it.

    Constraints: (C1) y and x have the same type, T columns; (C2) u has T (3K - 1) columns; (C3) num_bins, tail_bound and
    divisor as for rq_spline; (C4) logabsdet has one entry a row.

    Example: `%x, %l = flow.rq_spline_inverse %y, %u {num_bins = 2 : i64, tail_bound = 1.0 : f64, divisor = 8.0 : f64} : (tensor<?x3xf32>, tensor<?x15xf32>) -> (tensor<?x3xf32>, tensor<?xf32>)`
  }];
  let arguments = (ins RealTensor:$y, RealTensor:$u, I64Attr:$num_bins, F64Attr:$tail_bound, F64Attr:$divisor);
  let results = (outs RealTensor:$x, RealTensor:$logabsdet);
  let hasVerifier = 1;
}

def LuWeightOp : FlowOp<"lu_weight", [SmallMatrix, Adjoint]> {
  let summary = "the matrix of an LU linear map behind a permutation";
  let description = [{
    Formula: L unit lower triangular from `lower` (row-major below the diagonal), U upper triangular from `upper`
    (row-major above it) with diagonal softplus(diagonal) + 1e-3. weight[i, permutation[j]] = (L U)[i, j], so that y = x
    weight^T is L U applied to y_j = x[permutation[j]]; logabsdet = sum log diag U. softplus(v) = v for v > 20.

    Adjoint: lu_weight_grad.

    Constraints: (C1) lower and upper have D (D - 1)/2 entries, diagonal and permutation D; (C2) weight is DxD, logabsdet a scalar.

    Example: `%w, %l = flow.lu_weight %lo, %up, %d, %p : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi64>) -> (tensor<3x3xf32>, tensor<f32>)`
  }];
  let arguments = (ins RealTensor:$lower, RealTensor:$upper, RealTensor:$diagonal, IntegerTensor:$permutation);
  let results = (outs RealTensor:$weight, RealTensor:$logabsdet);
  let hasVerifier = 1;
}

def LuWeightGradOp : FlowOp<"lu_weight_grad", [SmallMatrix]> {
  let summary = "gradients of lu_weight";
  let description = [{
    Formula: with G[i, j] = dweight[i, permutation[j]]: dlower = (G U^T) below, dupper = (L^T G) above the diagonal,
    ddiagonal_i = ((L^T G)_ii + dlogabsdet/U_ii) softplus'(diagonal_i).

    Adjoint: none; it is part of the backward pass.

    Constraints: (C1) as lu_weight.

    Example: `%dlo, %dup, %dd = flow.lu_weight_grad %dw, %dl, %lo, %up, %d, %p : (tensor<3x3xf32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi64>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)`
  }];
  let arguments = (ins RealTensor:$dweight, RealTensor:$dlogabsdet, RealTensor:$lower, RealTensor:$upper,
                       RealTensor:$diagonal, IntegerTensor:$permutation);
  let results = (outs RealTensor:$dlower, RealTensor:$dupper, RealTensor:$ddiagonal);
  let hasVerifier = 1;
}

def LuWeightInverseOp : FlowOp<"lu_weight_inverse", [SmallMatrix]> {
  let summary = "inverse of the matrix of an LU linear map";
  let description = [{
    Formula: weight = (matrix of lu_weight)^-1 by two triangular inversions, logabsdet = -sum log diag U.

    Adjoint: none; only sampling needs it.

    Constraints: (C1) as lu_weight.

    Example: `%w, %l = flow.lu_weight_inverse %lo, %up, %d, %p : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi64>) -> (tensor<3x3xf32>, tensor<f32>)`
  }];
  let arguments = (ins RealTensor:$lower, RealTensor:$upper, RealTensor:$diagonal, IntegerTensor:$permutation);
  let results = (outs RealTensor:$weight, RealTensor:$logabsdet);
  let hasVerifier = 1;
}

def BaseLogProbOp : FlowOp<"base_log_prob", [RowwiseWith<["getResultKind"]>, Adjoint]> {
  let summary = "log density of the standard normal";
  let description = [{
    Formula: l[r] = sum_c (-z[r, c]^2/2 - log(2 pi)/2).

    Adjoint: dz = -z dl (base_log_prob_grad).

    Constraints: (C1) the result has one entry a row.

    Example: `%l = flow.base_log_prob %z : (tensor<?x3xf32>) -> tensor<?xf32>`
  }];
  let arguments = (ins RealTensor:$z);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def BaseLogProbGradOp : FlowOp<"base_log_prob_grad", [Rowwise]> {
  let summary = "gradient of base_log_prob";
  let description = [{
    Formula: dz[r, c] = -z[r, c] dl[r].

    Adjoint: none; it is part of the backward pass.

    Constraints: (C1) z and dz have the same type, dl one entry a row.

    Example: `%dz = flow.base_log_prob_grad %z, %dl : (tensor<?x3xf32>, tensor<?xf32>) -> tensor<?x3xf32>`
  }];
  let arguments = (ins RealTensor:$z, RealTensor:$dl);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def AddScalarOp : FlowOp<"add_scalar", [Rowwise, Adjoint]> {
  let summary = "adds one number to every row";
  let description = [{
    Formula: y[r] = x[r] + s.

    Adjoint: dx = dy, ds = sum_rows(dy).

    Constraints: (C1) x and y are row vectors of one type, s a scalar.

    Example: `%y = flow.add_scalar %x, %s : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>`
  }];
  let arguments = (ins RealTensor:$x, RealTensor:$scalar);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def NegativeMeanOp : FlowOp<"negative_mean", [RowwiseWith<["getResultKind", "emitFinish"]>, Adjoint]> {
  let summary = "the training loss: minus the mean over the batch";
  let description = [{
    Formula: l = -sum_r x[r]/B.

    Adjoint: negative_mean_grad, for the gradient 1 of the loss.

    Constraints: (C1) row vector to scalar.

    Example: `%l = flow.negative_mean %x : (tensor<?xf32>) -> tensor<f32>`
  }];
  let arguments = (ins RealTensor:$x);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def NegativeMeanGradOp : FlowOp<"negative_mean_grad", [Rowwise]> {
  let summary = "gradient of negative_mean";
  let description = [{
    Formula: dx[r] = -dl/B; x gives the shape alone.

    Adjoint: none; it is part of the backward pass.

    Constraints: (C1) x and dx are row vectors of one type, dl a scalar.

    Example: `%dx = flow.negative_mean_grad %x, %dl : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>`
  }];
  let arguments = (ins RealTensor:$x, RealTensor:$dl);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def OneOp : FlowOp<"one", [Rowwise]> {
  let summary = "the scalar 1";
  let description = [{
    Formula: y = 1. The gradient of the loss by itself, where Autodiff starts.

    Adjoint: none; a constant.

    Constraints: (C1) the result is a scalar.

    Example: `%one = flow.one : () -> tensor<f32>`
  }];
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}
