//===- SmallMatrixEmitter.cpp - kernels of one small matrix op ------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/cpu/SmallMatrixEmitter.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace kowari::codegen {

static MemRefType getMemRefType(RankedTensorType tensor) {
  MLIRContext *context = tensor.getContext();
  int64_t dynamic = ShapedType::kDynamic;
  if (tensor.getRank() == 2)
    return MemRefType::get({dynamic, dynamic}, tensor.getElementType(),
                           StridedLayoutAttr::get(context, dynamic, {dynamic, 1}));
  return MemRefType::get({dynamic}, tensor.getElementType(), StridedLayoutAttr::get(context, dynamic, {1}));
}

/// The descriptor of a window at `pointer`, as the memref type the operation expects.
static Value buildMemRef(OpBuilder &b, Location loc, RankedTensorType tensor, Value pointer, Value stride,
                         Value columns) {
  MemRefType type = getMemRefType(tensor);
  LLVMTypeConverter converter(b.getContext());
  Value descriptor = LLVM::PoisonOp::create(b, loc, converter.convertType(type));
  auto set = [&](Value v, ArrayRef<int64_t> position) {
    descriptor = LLVM::InsertValueOp::create(b, loc, descriptor, v, position);
  };
  auto constant = [&](int64_t v) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(v));
  };
  set(pointer, {0});
  set(pointer, {1});
  set(constant(0), {2});
  int64_t rank = type.getRank();
  for (int64_t i = 0; i < rank; ++i) {
    set(tensor.getRank() == 0 ? constant(1) : columns, {3, i});
    set(i + 1 < rank ? stride : constant(1), {4, i});
  }
  return UnrealizedConversionCastOp::create(b, loc, type, descriptor).getResult(0);
}

LogicalResult emitSmallMatrix(func::FuncOp kernel, const KernelArguments &arguments, OpBuilder &b) {
  Block &body = kernel.front();
  auto op = dyn_cast<flow::SmallMatrixOpInterface>(body.front());
  bool whole = op && body.getOperations().size() == 2 &&
               body.getTerminator()->getOperands() == op->getResults() &&
               llvm::all_of(op->getOperands(), [](Value v) { return isa<BlockArgument>(v); });
  if (!whole)
    return kernel.emitOpError(
        "a small matrix operation must be alone in its kernel and return all its results");
  auto window = [&](Value like, unsigned slot) {
    return buildMemRef(b, kernel.getLoc(), cast<RankedTensorType>(like.getType()), arguments.pointers[slot],
                       arguments.strides[slot], arguments.columns);
  };
  SmallVector<Value> memrefs;
  for (Value v : op->getOperands())
    memrefs.push_back(window(v, cast<BlockArgument>(v).getArgNumber()));
  for (auto [i, v] : llvm::enumerate(op->getResults()))
    memrefs.push_back(window(v, kernel.getNumArguments() + i));
  op.emitLoops(b, kernel.getLoc(), memrefs);
  return success();
}

} // namespace kowari::codegen
