//===- FlowDialect.cpp - registration and shapes --------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/flow/FlowOps.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialects/flow/FlowDialect.cpp.inc"
#include "dialects/flow/FlowEnums.cpp.inc"
#include "dialects/flow/FlowInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/flow/FlowAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/flow/FlowOps.cpp.inc"

using namespace mlir;

namespace kowari::flow {

void FlowDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/flow/FlowAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/flow/FlowOps.cpp.inc"
      >();
}

Shape getShape(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return Shape::None;
  if (tensor.getRank() == 0)
    return Shape::Scalar;
  bool rows = tensor.isDynamicDim(0);
  if (tensor.getRank() == 1)
    return rows ? Shape::RowVector : Shape::ColumnVector;
  if (tensor.getRank() == 2 && rows && !tensor.isDynamicDim(1))
    return Shape::Matrix;
  return Shape::None;
}

int64_t getColumns(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  switch (getShape(type)) {
  case Shape::Matrix:
    return tensor.getDimSize(1);
  case Shape::ColumnVector:
    return tensor.getDimSize(0);
  default:
    return 1;
  }
}

Type getElementType(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

LogicalResult FusedOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto kernel = symbolTable.lookupNearestSymbolFrom<func::FuncOp>(*this, getKernelAttr());
  if (!kernel || !kernel->hasAttr("flow.kernel"))
    return emitOpError("(C1) needs a function with flow.kernel named ") << getKernel();
  if (auto caller = (*this)->getParentOfType<func::FuncOp>(); caller && caller->hasAttr("flow.kernel"))
    return emitOpError("(C3) stands in kernel ") << caller.getSymName() << ": kernels call no kernels";
  auto compare = [&](TypeRange formal, TypeRange actual, StringRef what) -> LogicalResult {
    if (formal.size() != actual.size())
      return emitOpError("(C1) kernel has ") << formal.size() << " " << what << ", the use " << actual.size();
    for (auto [f, a] : llvm::zip(formal, actual))
      if (getShape(f) != getShape(a) ||
          cast<RankedTensorType>(f).getElementType() != cast<RankedTensorType>(a).getElementType())
        return emitOpError("(C2) ") << what << " of type " << a << " where the kernel has " << f;
    return success();
  };
  if (failed(compare(kernel.getArgumentTypes(), getOperands_().getTypes(), "operands")))
    return failure();
  return compare(kernel.getResultTypes(), getResults_().getTypes(), "results");
}

} // namespace kowari::flow
