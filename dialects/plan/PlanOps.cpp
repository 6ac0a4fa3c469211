//===- PlanOps.cpp - the plan dialect -------------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/plan/PlanOps.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include "dialects/plan/PlanDialect.cpp.inc"
#include "dialects/plan/PlanInterfaces.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/plan/PlanTypes.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/plan/PlanOps.cpp.inc"

using namespace mlir;

namespace kowari::plan {

void PlanDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/plan/PlanTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/plan/PlanOps.cpp.inc"
      >();
}

int64_t getElementBytes(Type elementType) { return elementType.getIntOrFloatBitWidth() / 8; }

int64_t getSpan(ViewType view, int64_t maxRows) {
  int64_t dim0 = view.getDim0() == rowsOfCall ? maxRows : view.getDim0();
  int64_t dim1 = view.getDim1() == rowsOfCall ? maxRows : view.getDim1();
  if (dim0 == 0 || dim1 == 0)
    return 0;
  int64_t last = (dim0 - 1) * view.getStride0() + (dim1 - 1) * view.getStride1() + 1;
  return llvm::alignTo(last, 16);
}

std::pair<Operation *, int64_t> getBase(Value view) {
  int64_t offset = 0;
  while (auto subview = view.getDefiningOp<SubviewOp>()) {
    offset += subview.getOffset();
    view = subview.getSource();
  }
  return {view.getDefiningOp(), offset};
}

//===-- verifiers ---------------------------------------------------------===//

static LogicalResult check(Operation *op, bool holds, int constraint, const Twine &message) {
  if (holds)
    return success();
  return op->emitOpError("(C") << constraint << ") " << message;
}

LogicalResult TensorOp::verify() {
  bool kind =
      llvm::is_contained({"parameter", "state", "constant", "optimizer", "scalar", "input"}, getKind());
  bool init = llvm::is_contained({"none", "uniform", "fill", "permutation"}, getInit());
  if (failed(check(*this, kind && init, 1, "unknown kind or init")))
    return failure();
  return check(*this, getOffset() % 64 == 0, 2, "the offset is no multiple of 64");
}

LogicalResult BufferOp::verify() {
  return check(*this, !getOffset() || *getOffset() % 64 == 0, 1, "the offset is no multiple of 64");
}

LogicalResult SubviewOp::verify() {
  return check(*this,
               cast<ViewType>(getSource().getType()).getElementType() ==
                   cast<ViewType>(getResult().getType()).getElementType(),
               1, "element types differ");
}

LogicalResult KernelOp::verify() {
  int64_t rows = getRows(), columns = getColumns();
  return check(*this, (rows == rowsOfCall || rows > 0) && columns > 0, 1, "no points to run over");
}

LogicalResult GemmOp::verify() {
  auto a = cast<ViewType>(getA().getType()), b = cast<ViewType>(getB().getType()),
       c = cast<ViewType>(getC().getType());
  bool dims = a.getDim0() == c.getDim0() && a.getDim1() == b.getDim0() && b.getDim1() == c.getDim1();
  if (getBias())
    dims = dims && cast<ViewType>(getBias().getType()).getDim0() == c.getDim1();
  if (failed(check(*this, dims, 1, "dimensions do not agree")))
    return failure();
  for (ViewType view : {a, b, c})
    if (failed(check(*this, view.getStride0() == 1 || view.getStride1() == 1, 2, "neither stride is 1")))
      return failure();
  return check(*this, a.getElementType() == b.getElementType() && b.getElementType() == c.getElementType(), 3,
               "element types differ");
}

LogicalResult CopyOp::verify() {
  auto s = cast<ViewType>(getSource().getType()), t = cast<ViewType>(getTarget().getType());
  return check(*this,
               s.getDim0() == t.getDim0() && s.getDim1() == t.getDim1() &&
                   s.getElementType() == t.getElementType(),
               1, "dimensions or element types differ");
}

LogicalResult GatherOp::verify() {
  auto table = cast<ViewType>(getTable().getType()), index = cast<ViewType>(getIndex().getType());
  auto target = cast<ViewType>(getTarget().getType());
  if (failed(check(*this,
                   table.getDim1() == target.getDim1() && table.getElementType() == target.getElementType() &&
                       table.getDim0() != rowsOfCall,
                   1, "table and target do not fit")))
    return failure();
  return check(*this,
               index.getDim0() == target.getDim0() && index.getDim1() == 1 &&
                   index.getElementType().isInteger(64),
               2, "the index does not fit the target");
}

//===-- what steps read and write -----------------------------------------===//

SmallVector<Value> KernelOp::getReads() { return SmallVector<Value>(getInputs()); }
SmallVector<Value> KernelOp::getWrites() { return SmallVector<Value>(getOutputs()); }
SmallVector<Value> GemmOp::getReads() {
  SmallVector<Value> reads{getA(), getB()};
  if (getBias())
    reads.push_back(getBias());
  if (getAccumulate())
    reads.push_back(getC());
  return reads;
}
SmallVector<Value> GemmOp::getWrites() { return {getC()}; }
SmallVector<Value> CopyOp::getReads() { return {getSource()}; }
SmallVector<Value> CopyOp::getWrites() { return {getTarget()}; }
SmallVector<Value> GatherOp::getReads() { return {getTable(), getIndex()}; }
SmallVector<Value> GatherOp::getWrites() { return {getTarget()}; }
SmallVector<Value> FillOp::getReads() { return {}; }
SmallVector<Value> FillOp::getWrites() { return {getTarget()}; }
SmallVector<Value> AllReduceOp::getReads() { return {getTarget()}; }
SmallVector<Value> AllReduceOp::getWrites() { return {getTarget()}; }
SmallVector<Value> RecordOp::getReads() { return {}; }
SmallVector<Value> RecordOp::getWrites() { return {}; }
SmallVector<Value> WaitOp::getReads() { return {}; }
SmallVector<Value> WaitOp::getWrites() { return {}; }

} // namespace kowari::plan
