//===- ProductOps.td - matrix products and column movement ------*- tablegen -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

def LinearOp : FlowOp<"linear", [AttrSizedOperandSegments, Adjoint, PlanLowering]> {
  let summary = "affine map of the concatenated inputs";
  let description = [{
    Formula: y = [x_0 x_1 ...] W^T + b. Inputs are matrices `tensor<?xI_ixT>`, W is `tensor<OxIxT>`, b (optional)
    `tensor<OxT>`, y `tensor<?xOxT>`. The inputs are never concatenated in memory. An input may have no column.

    Adjoint: dx_i = dy W[:, columns of i] (linear_grad_input), dW = dy^T [x_0 x_1 ...] (linear_grad_weight),
    db = sum over rows of dy (sum_rows).

    Constraints: (C1) the inputs' columns add up to I; (C2) y has O columns and b, if there, O entries; (C3) all have the
    same element type.

    Example: `%y = flow.linear ins(%x : tensor<?x4xf32>) weight(%w : tensor<8x4xf32>) bias(%b : tensor<8xf32>) -> tensor<?x8xf32>`
  }];
  let arguments = (ins Variadic<RealTensor>:$inputs, RealTensor:$weight, Optional<RealTensor>:$bias);
  let results = (outs RealTensor:$result);
  let assemblyFormat = [{ `ins` `(` ($inputs^ `:` type($inputs))? `)` `weight` `(` $weight `:` type($weight) `)`
                          (`bias` `(` $bias^ `:` type($bias) `)`)? attr-dict `->` type($result) }];
  let hasVerifier = 1;
}

def LinearGradInputOp : FlowOp<"linear_grad_input", [PlanLowering]> {
  let summary = "gradient of a linear map's input";
  let description = [{
    Formula: dx = dy W[:, start : start + I] (+ accumulator), dy `tensor<?xOxT>`, W `tensor<OxI_allxT>`, dx
    `tensor<?xIxT>`. The accumulator, if there, is a gradient of the same value from elsewhere; the product adds to it in
    place.

    Adjoint: none; it is part of the backward pass.

    Constraints: (C1) dy has O columns; (C2) start + I <= I_all; (C3) the accumulator has the result's type.

    Example: `%dx = flow.linear_grad_input dy(%dy : tensor<?x8xf32>) weight(%w : tensor<8x4xf32>) {start = 0 : i64} -> tensor<?x4xf32>`
  }];
  let arguments = (ins RealTensor:$dy, RealTensor:$weight, Optional<RealTensor>:$accumulator, I64Attr:$start);
  let results = (outs RealTensor:$result);
  let assemblyFormat = [{ `dy` `(` $dy `:` type($dy) `)` `weight` `(` $weight `:` type($weight) `)`
                          (`into` `(` $accumulator^ `:` type($accumulator) `)`)? attr-dict `->` type($result) }];
  let hasVerifier = 1;
}

def LinearGradWeightOp : FlowOp<"linear_grad_weight", [PlanLowering]> {
  let summary = "gradient of a linear map's weight";
  let description = [{
    Formula: dW = dy^T [x_0 x_1 ...], `tensor<OxIxT>`.

    Adjoint: none; it is part of the backward pass.

    Constraints: (C1) the inputs' columns add up to I and dy has O columns.

    Example: `%dw = flow.linear_grad_weight dy(%dy : tensor<?x8xf32>) ins(%x : tensor<?x4xf32>) -> tensor<8x4xf32>`
  }];
  let arguments = (ins RealTensor:$dy, Variadic<RealTensor>:$inputs);
  let results = (outs RealTensor:$result);
  let assemblyFormat = [{ `dy` `(` $dy `:` type($dy) `)` `ins` `(` ($inputs^ `:` type($inputs))? `)` attr-dict `->` type($result) }];
  let hasVerifier = 1;
}

def AddBiasOp : FlowOp<"add_bias", [Rowwise]> {
  let summary = "adds a column vector to every row";
  let description = [{
    Formula: y[r, c] = x[r, c] + b[c]. Fuse splits it off flow.linear so that the kernel behind the product does it.

    Adjoint: none; Fuse makes it, behind Autodiff.

    Constraints: (C1) x and y have the same type and b one entry a column.

    Example: `%y = flow.add_bias %x, %b : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>`
  }];
  let arguments = (ins RealTensor:$x, RealTensor:$bias);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def SumRowsOp : FlowOp<"sum_rows", [RowwiseWith<["getResultKind"]>]> {
  let summary = "sum over the rows of a batch";
  let description = [{
    Formula: y[c] = sum over r of x[r, c]: `tensor<?xCxT>` to `tensor<CxT>`, `tensor<?xT>` to `tensor<T>`.

    Adjoint: none; it is part of the backward pass.

    Constraints: (C1) the result is the operand without its row dimension.

    Example: `%db = flow.sum_rows %dy : (tensor<?x8xf32>) -> tensor<8xf32>`
  }];
  let arguments = (ins RealTensor:$x);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def SplitColumnsOp : FlowOp<"split_columns", [Adjoint, PlanLowering]> {
  let summary = "every second column, and the others";
  let description = [{
    Formula: a = x[:, start::2], b = x[:, (1-start)::2]: the features a coupling step transforms and those that condition it.

    Adjoint: interleave_columns of the two gradients.

    Constraints: (C1) start is 0 or 1; (C2) a has ceil((D - start)/2) columns and b the rest.

    Example: `%t, %i = flow.split_columns %x {start = 0 : i64} : (tensor<?x5xf32>) -> (tensor<?x3xf32>, tensor<?x2xf32>)`
  }];
  let arguments = (ins RealTensor:$x, I64Attr:$start);
  let results = (outs RealTensor:$selected, RealTensor:$others);
  let hasVerifier = 1;
}

def InterleaveColumnsOp : FlowOp<"interleave_columns", [Adjoint, PlanLowering]> {
  let summary = "inverse of split_columns";
  let description = [{
    Formula: y[:, start::2] = a, y[:, (1-start)::2] = b.

    Adjoint: split_columns of the gradient.

    Constraints: (C1) start is 0 or 1; (C2) the columns of a and b fit as in split_columns.

    Example: `%x = flow.interleave_columns %t, %i {start = 0 : i64} : (tensor<?x3xf32>, tensor<?x2xf32>) -> tensor<?x5xf32>`
  }];
  let arguments = (ins RealTensor:$selected, RealTensor:$others, I64Attr:$start);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def ConcatColumnsOp : FlowOp<"concat_columns", [PlanLowering]> {
  let summary = "matrices side by side";
  let description = [{
    Formula: y = [x_0 x_1 ...]. Used for outputs (the embedding with its context parameters); products take several inputs
    instead.

    Adjoint: none; outputs and data are concatenated, behind and in front of what is trained.

    Constraints: (C1) the columns add up.

    Example: `%c = flow.concat_columns %e, %z : (tensor<?x6xf32>, tensor<?x2xf32>) -> tensor<?x8xf32>`
  }];
  let arguments = (ins Variadic<RealTensor>:$inputs);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def ZerosOp : FlowOp<"zeros", [PlanLowering]> {
  let summary = "a tensor of zeros";
  let description = [{
    Formula: y[r, c] = 0. Stands for the gradient of a result that nothing depends on.

    Adjoint: none; a constant.

    Constraints: none.

    Example: `%z = flow.zeros : () -> tensor<?x3xf32>`
  }];
  let results = (outs RealTensor:$result);
}

def FusedOp : Op<FlowDialect, "fused", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a fused kernel";
  let description = [{
    Formula: (y_0, y_1, ...) = kernel(x_0, x_1, ...), for a function with `flow.kernel`. Operands and results have its
    types up to the column count, which is that of the use. Used by all equal groups of a network; defined once.

    Adjoint: none; Fuse comes behind Autodiff.

    Constraints: (C1) the callee exists, has `flow.kernel` and as many arguments and results; (C2) types agree in rank
    and element type; (C3) the call itself stands in no kernel.

    Example: `%y = flow.fused @elu(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyType>:$operands_);
  let results = (outs Variadic<AnyType>:$results_);
  let assemblyFormat = "$kernel `(` $operands_ `)` attr-dict `:` functional-type($operands_, $results_)";
}
