//===- KernelNest.cpp - loops and stages of a fused kernel ----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/cpu/KernelNest.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using kowari::flow::ResultKind;
using kowari::flow::RowwiseOpInterface;
using kowari::flow::Shape;

namespace kowari::codegen {

Axes getAxes(Value value) {
  switch (flow::getShape(value.getType())) {
  case Shape::Matrix:
    return {true, true};
  case Shape::RowVector:
    return {true, false};
  case Shape::ColumnVector:
    return {false, true};
  default:
    return {};
  }
}

Axes getAxes(Operation *op) {
  Axes axes;
  for (Value v : op->getOperands())
    axes = axes | getAxes(v);
  for (Value v : op->getResults())
    axes = axes | getAxes(v);
  return axes;
}

ResultKind getKind(Operation *op, unsigned index) {
  return cast<RowwiseOpInterface>(op).getResultKind(index);
}

std::optional<unsigned> KernelNest::findStored(func::FuncOp kernel, Value value, unsigned at) const {
  if (isa<BlockArgument>(value))
    return std::nullopt;
  auto results = kernel.front().getTerminator()->getOperands();
  for (auto [i, result] : llvm::enumerate(results))
    if (result == value && storeStage[i] < at)
      return i;
  return std::nullopt;
}

namespace {
class Planner {
public:
  explicit Planner(func::FuncOp kernel) : kernel(kernel), body(kernel.front()) {}

  LogicalResult run() {
    if (failed(checkTies()) || failed(chooseAxes()) || failed(checkOperations()))
      return failure();
    inferWidths();
    assignStages();
    assignStores();
    return checkResults();
  }

  KernelNest nest;

private:
  LogicalResult checkTies();
  LogicalResult chooseAxes();
  LogicalResult checkOperations();
  LogicalResult checkSum(Operation *op, unsigned index);
  LogicalResult checkResults();
  void inferWidths();
  bool inferWidths(Operation *op);
  void assignStages();
  void assignStores();
  void collectNeeds(Value value, unsigned stage, llvm::SmallPtrSetImpl<void *> &needs);
  bool delayTiedStores();

  auto operations() { return body.without_terminator(); }
  OperandRange results() { return body.getTerminator()->getOperands(); }

  func::FuncOp kernel;
  Block &body;
};
} // namespace

LogicalResult Planner::chooseAxes() {
  auto attribute = kernel->getAttrOfType<DictionaryAttr>("flow.kernel");
  auto lanes = attribute ? attribute.getAs<StringAttr>("lanes") : StringAttr();
  auto chunks = attribute ? attribute.getAs<StringAttr>("chunks") : StringAttr();
  if (!lanes || !chunks || !llvm::is_contained({"rows", "columns"}, lanes.getValue()) ||
      !llvm::is_contained({"rows", "columns", "none"}, chunks.getValue()))
    return kernel.emitOpError(
        "needs flow.kernel = {lanes = \"rows\"|\"columns\", chunks = \"rows\"|\"columns\"|\"none\"}");
  Axes all;
  bool columnSums = false;
  for (Value v : body.getArguments())
    all = all | getAxes(v);
  for (Operation &op : operations()) {
    all = all | getAxes(&op);
    if (auto rowwise = dyn_cast<RowwiseOpInterface>(op))
      for (unsigned i = 0; i < op.getNumResults(); ++i)
        columnSums |= rowwise.getResultKind(i) == ResultKind::ColumnSum;
  }
  nest.hasInner = all.any();
  nest.hasOuter = all.rows && all.columns;
  if (!nest.hasOuter) {
    nest.lane = nest.inner = all.rows ? Axis::Rows : Axis::Columns;
    return success();
  }
  nest.lane = lanes.getValue() == "rows" ? Axis::Rows : Axis::Columns;
  bool overRows = chunks.getValue() == "columns" || (chunks.getValue() == "none" && columnSums);
  nest.inner = overRows ? Axis::Rows : Axis::Columns;
  return success();
}

LogicalResult Planner::checkSum(Operation *op, unsigned index) {
  ResultKind kind = getKind(op, index);
  if (kind == ResultKind::Pointwise)
    return success();
  Axis summed = kind == ResultKind::RowSum ? Axis::Columns : Axis::Rows;
  if (summed != nest.inner || !getAxes(op).has(summed))
    return op->emitOpError("sums over ")
           << (summed == Axis::Rows ? "rows" : "columns")
           << ", which this kernel's chunks split or its other sums exclude: put it into another kernel";
  if (nest.hasOuter && !getAxes(op).has(nest.outer()))
    return op->emitOpError(
        "sums a vector to a scalar beside matrices: put it into a kernel of vectors alone");
  return success();
}

LogicalResult Planner::checkOperations() {
  for (Operation &op : operations()) {
    auto rowwise = dyn_cast<RowwiseOpInterface>(op);
    if (!rowwise)
      return op.emitOpError("is no rowwise operation and cannot be part of a fused kernel");
    for (unsigned i = 0; i < op.getNumResults(); ++i) {
      if (failed(checkSum(&op, i)))
        return failure();
      if (rowwise.getResultPointWidth(i) > 1 && nest.lane != Axis::Rows)
        return op.emitOpError("has points of several columns and needs lanes = \"rows\"");
    }
    for (unsigned i = 0; i < op.getNumOperands(); ++i)
      if (rowwise.getOperandPointWidth(i) > 1 && getAxes(op.getOperand(i)).columns && nest.lane != Axis::Rows)
        return op.emitOpError("has points of several columns and needs lanes = \"rows\"");
  }
  return success();
}

/// Declared widths hold; an operation that declares none is applied to each column of a wide point in turn.
bool Planner::inferWidths(Operation *op) {
  auto rowwise = cast<RowwiseOpInterface>(op);
  bool declared = false, changed = false;
  unsigned common = 1;
  auto visit = [&](Value v, int64_t width) {
    declared |= width > 1 && getAxes(v).columns;
    if (getAxes(v).columns)
      common = std::max(common, nest.width[v]);
  };
  auto raise = [&](Value v, unsigned width) {
    changed |= nest.width[v] < width;
    nest.width[v] = std::max(nest.width[v], width);
  };
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    visit(op->getOperand(i), rowwise.getOperandPointWidth(i));
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    visit(op->getResult(i), rowwise.getResultPointWidth(i));
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    raise(op->getOperand(i),
          declared || !getAxes(op->getOperand(i)).columns ? rowwise.getOperandPointWidth(i) : common);
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    raise(op->getResult(i),
          declared || !getAxes(op->getResult(i)).columns ? rowwise.getResultPointWidth(i) : common);
  return changed;
}

void Planner::inferWidths() {
  for (Value v : body.getArguments())
    nest.width[v] = 1;
  for (Operation &op : operations())
    for (Value v : op.getResults())
      nest.width[v] = 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation &op : operations())
      changed |= inferWidths(&op);
  }
}

void Planner::assignStages() {
  for (Value v : body.getArguments())
    nest.stage[v] = 0;
  for (Operation &op : operations()) {
    unsigned at = 0;
    for (Value v : op.getOperands())
      at = std::max(at, nest.stage[v]);
    for (auto [i, v] : llvm::enumerate(op.getResults())) {
      nest.stage[v] = getKind(&op, i) == ResultKind::Pointwise ? at : at + 1;
      nest.stageCount = std::max(nest.stageCount, nest.stage[v] + 1);
    }
  }
}

/// Adds the arguments and values that computing `value` in stage `stage` reads.
void Planner::collectNeeds(Value value, unsigned stage, llvm::SmallPtrSetImpl<void *> &needs) {
  if (!needs.insert(value.getAsOpaquePointer()).second || nest.findStored(kernel, value, stage))
    return;
  Operation *op = value.getDefiningOp();
  bool barrier = op && getKind(op, cast<OpResult>(value).getResultNumber()) != ResultKind::Pointwise;
  if (op && !barrier)
    for (Value operand : op->getOperands())
      collectNeeds(operand, stage, needs);
}

/// A result that overwrites an operand must not be stored before the last stage that reads the operand.
bool Planner::delayTiedStores() {
  bool changed = false;
  for (unsigned at = 0; at < nest.stageCount; ++at) {
    llvm::SmallPtrSet<void *, 32> needs;
    for (Operation &op : operations())
      for (auto [i, v] : llvm::enumerate(op.getResults()))
        if (getKind(&op, i) != ResultKind::Pointwise && nest.stage[v] == at + 1)
          for (Value operand : op.getOperands())
            collectNeeds(operand, at, needs);
    for (auto [i, v] : llvm::enumerate(results()))
      if (nest.storeStage[i] == at)
        collectNeeds(v, at, needs);
    for (unsigned i = 0; i < kernel.getNumResults(); ++i) {
      auto tied = kernel.getResultAttrOfType<IntegerAttr>(i, "flow.tied");
      if (!tied || !needs.contains(body.getArgument(tied.getInt()).getAsOpaquePointer()) ||
          nest.storeStage[i] >= at)
        continue;
      nest.storeStage[i] = at;
      changed = true;
    }
  }
  return changed;
}

void Planner::assignStores() {
  for (Value v : results())
    nest.storeStage.push_back(nest.stage[v]);
  while (delayTiedStores()) {
  }
}

LogicalResult Planner::checkTies() {
  for (unsigned i = 0; i < kernel.getNumResults(); ++i)
    if (auto tied = kernel.getResultAttrOfType<IntegerAttr>(i, "flow.tied"))
      if (tied.getInt() < 0 || tied.getInt() >= kernel.getNumArguments() ||
          kernel.getArgumentTypes()[tied.getInt()] != kernel.getResultTypes()[i])
        return kernel.emitOpError("result ")
               << i << " is tied to an operand that does not exist or has another type";
  return success();
}

LogicalResult Planner::checkResults() {
  if (!nest.hasOuter)
    return success();
  for (auto [i, v] : llvm::enumerate(results()))
    if (getAxes(v).any() && !getAxes(v).has(nest.outer()))
      return kernel.emitOpError("result ") << i << " of type " << v.getType()
                                           << " would be computed by every chunk: put it into another kernel";
  return success();
}

unsigned getOperationWidth(Operation *op, const KernelNest &nest) {
  auto rowwise = cast<RowwiseOpInterface>(op);
  unsigned common = 1;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    if (!getAxes(op->getOperand(i)).columns)
      continue;
    if (rowwise.getOperandPointWidth(i) > 1)
      return 1;
    common = std::max(common, nest.widthOf(op->getOperand(i)));
  }
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    if (!getAxes(op->getResult(i)).columns)
      continue;
    if (rowwise.getResultPointWidth(i) > 1)
      return 1;
    common = std::max(common, nest.widthOf(op->getResult(i)));
  }
  return common;
}

FailureOr<KernelNest> planNest(func::FuncOp kernel) {
  Planner planner(kernel);
  if (failed(planner.run()))
    return failure();
  return std::move(planner.nest);
}

} // namespace kowari::codegen
