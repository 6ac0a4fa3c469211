//===- FlowInterfaces.td - what passes ask of a flow operation --*- tablegen -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#ifndef KOWARI_FLOW_INTERFACES
#define KOWARI_FLOW_INTERFACES

include "mlir/IR/OpBase.td"

def AdjointOpInterface : OpInterface<"AdjointOpInterface"> {
  let cppNamespace = "::kowari::flow";
  let description = [{
    An operation that can be differentiated in reverse. Autodiff gives the gradients of the results (null where no
    gradient arrives) and learns those of the operands.
  }];
  let methods = [InterfaceMethod<[{
      Builds operations that compute gradients of the operands for which `needed` is true and stores them in
      `operandGradients` (one entry an operand, null where not needed or zero). The builder stands behind the whole
      forward pass, so every operand and result of the operation may be used.
    }], "void", "buildAdjoint",
    (ins "::mlir::OpBuilder &":$builder, "::llvm::ArrayRef<::mlir::Value>":$resultGradients,
         "::llvm::ArrayRef<bool>":$needed, "::llvm::SmallVectorImpl<::mlir::Value> &":$operandGradients)>];
}

def RowwiseOpInterface : OpInterface<"RowwiseOpInterface"> {
  let cppNamespace = "::kowari::flow";
  let description = [{
    An operation over the points (row, column) of a batch that can be fused with its neighbors into one kernel. It says
    how to compute one point; the kernel generator decides which dimension the vector lanes run over, so emitPoint
    sees scalars or vectors and must only build arith and math operations that work on both.
    Results of kind RowSum add up, over the columns of each row, what emitPoint returns for them; ColumnSum over the
    rows of each column. An operation whose results are all row vectors (column vectors, scalars) and that has no
    matrix operand is computed once a row (column, kernel).
  }];
  let methods = [
    InterfaceMethod<"How result `index` comes from the points.",
      "::kowari::flow::ResultKind", "getResultKind", (ins "unsigned":$index), "",
      [{ return ::kowari::flow::ResultKind::Pointwise; }]>,
    InterfaceMethod<"Columns of operand `index` that belong to one point (3K-1 for spline parameters).",
      "int64_t", "getOperandPointWidth", (ins "unsigned":$index), "", [{ return 1; }]>,
    InterfaceMethod<"Columns of result `index` that belong to one point.",
      "int64_t", "getResultPointWidth", (ins "unsigned":$index), "", [{ return 1; }]>,
    InterfaceMethod<[{
        Computes the results of one point. `operands[i]` has getOperandPointWidth(i) values of the element type T or
        vector<WxT> (i64 for index operands); `results[i]` receives getResultPointWidth(i) values. `extent` gives the
        batch's row and column count as values of the same type as the points.
      }], "void", "emitPoint",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$location,
           "::llvm::ArrayRef<::llvm::SmallVector<::mlir::Value>>":$operands, "const ::kowari::flow::PointExtent &":$extent,
           "::llvm::SmallVector<::llvm::SmallVector<::mlir::Value>> &":$results)>,
    InterfaceMethod<"Turns the finished sum of result `index` into the result (a mean divides by the count).",
      "::mlir::Value", "emitFinish",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$location, "unsigned":$index, "::mlir::Value":$total,
           "const ::kowari::flow::PointExtent &":$extent), "", [{ return total; }]>
  ];
}

def DecomposableOpInterface : OpInterface<"DecomposableOpInterface"> {
  let cppNamespace = "::kowari::flow";
  let description = [{ A norm written as one operation that Fuse takes apart into rowwise ones. }];
  let methods = [InterfaceMethod<"Builds the parts and returns one value for each result.",
    "::llvm::SmallVector<::mlir::Value>", "decompose", (ins "::mlir::OpBuilder &":$builder)>];
}

def SmallMatrixOpInterface : OpInterface<"SmallMatrixOpInterface"> {
  let cppNamespace = "::kowari::flow";
  let description = [{
    An operation on small parameter matrices (the LU factors) that runs as one sequential kernel.
  }];
  let methods = [InterfaceMethod<[{
      Emits loops over memrefs: one for each operand, then one for each result. Rank 2: `memref<?x?xT, strided<[?, 1],
      offset: ?>>`, rank 1: `memref<?xT, strided<[1], offset: ?>>`, rank 0: `memref<1xT>`-like rank 1.
    }], "void", "emitLoops",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$location, "::mlir::ValueRange":$memrefs)>];
}

def PlanLoweringOpInterface : OpInterface<"PlanLoweringOpInterface"> {
  let cppNamespace = "::kowari::flow";
  let description = [{ An operation that becomes products, copies or views of a plan rather than part of a kernel. }];
  let methods = [InterfaceMethod<"Adds steps for the operation; see PlanEmitter for what is there to call.",
    "::llvm::LogicalResult", "lowerToPlan", (ins "::kowari::flow::PlanEmitter &":$emitter)>];
}

#endif
