//===- PlanSteps.cpp - what each step of a plan does ----------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/interpreter/PlanSteps.h"

#include "compiler/interpreter/Interpreter.h"
#include "dialects/flow/FlowOps.h"

#include "llvm/Support/MathExtras.h"

#include <set>

using namespace mlir;
using kowari::flow::Shape;

namespace kowari::interpreter {

/// The lane dimension of a kernel's operands may be written up to the next multiple of this.
static constexpr int64_t laneMultiple = 16;

std::optional<std::string> PlanSteps::run(Operation *step) {
  if (auto kernel = dyn_cast<plan::KernelOp>(step))
    return runKernel(kernel);
  if (auto gather = dyn_cast<plan::GatherOp>(step))
    return runGather(gather);
  if (auto gemm = dyn_cast<plan::GemmOp>(step))
    runGemm(gemm);
  else if (auto copy = dyn_cast<plan::CopyOp>(step))
    runCopy(copy);
  else if (auto fill = dyn_cast<plan::FillOp>(step))
    runFill(fill);
  else if (auto reduce = dyn_cast<plan::AllReduceOp>(step)) { // of one device
    ArenaView view = memory.resolve(reduce.getTarget());
    memory.store(view, memory.load(view, {view.dim0, view.dim1}));
  } else if (auto record = dyn_cast<plan::RecordOp>(step))
    memory.getClocks().record(record.getEvent(), memory.getStream());
  else if (auto wait = dyn_cast<plan::WaitOp>(step))
    runWait(wait);
  else
    memory.fail("the plan interpreter does not know this step");
  return std::nullopt;
}

//===-- products and moves ------------------------------------------------===//

/// c (+)= a b (+ bias on every row)
void PlanSteps::runGemm(plan::GemmOp step) {
  ArenaView a = memory.resolve(step.getA()), b = memory.resolve(step.getB()), c = memory.resolve(step.getC());
  std::optional<ArenaView> bias;
  if (step.getBias())
    bias = memory.resolve(step.getBias());
  for (int64_t i = 0; i < c.dim0; ++i)
    for (int64_t j = 0; j < c.dim1 && !memory.getFault(); ++j) {
      double sum = step.getAccumulate() ? memory.readReal(c, i, j) : 0;
      for (int64_t k = 0; k < a.dim1; ++k)
        sum += memory.readReal(a, i, k) * memory.readReal(b, k, j);
      if (bias)
        sum += memory.readReal(*bias, j, 0);
      memory.writeReal(c, i, j, sum);
    }
}

void PlanSteps::runCopy(plan::CopyOp step) {
  ArenaView source = memory.resolve(step.getSource()), target = memory.resolve(step.getTarget());
  memory.store(target, memory.load(source, {source.dim0, source.dim1}));
}

void PlanSteps::runFill(plan::FillOp step) {
  ArenaView target = memory.resolve(step.getTarget());
  double value = step.getValue().convertToDouble();
  for (int64_t i = 0; i < target.dim0; ++i)
    for (int64_t j = 0; j < target.dim1; ++j) {
      if (target.kind == ElementKind::I64)
        memory.writeIndex(target, i, j, static_cast<int64_t>(value));
      else
        memory.writeReal(target, i, j, value);
    }
}

/// target[r, :] = table[index[r], :]
std::optional<std::string> PlanSteps::runGather(plan::GatherOp step) {
  ArenaView table = memory.resolve(step.getTable()), index = memory.resolve(step.getIndex());
  ArenaView target = memory.resolve(step.getTarget());
  for (int64_t r = 0; r < target.dim0; ++r) {
    int64_t at = memory.readIndex(index, r, 0);
    if (at < 0 || at >= table.dim0)
      return "row " + std::to_string(r) + " asks for row " + std::to_string(at) + " of a table of " +
             std::to_string(table.dim0);
    for (int64_t c = 0; c < target.dim1; ++c) {
      if (target.kind == ElementKind::I64)
        memory.writeIndex(target, r, c, memory.readIndex(table, at, c));
      else
        memory.writeReal(target, r, c, memory.readReal(table, at, c));
    }
  }
  return std::nullopt;
}

void PlanSteps::runWait(plan::WaitOp step) {
  if (!memory.getClocks().wait(step.getEvent(), memory.getStream()))
    memory.fail("waits for event " + std::to_string(step.getEvent()) + ", which nobody has recorded");
}

//===-- kernels -----------------------------------------------------------===//

static bool hasLanesAlongRows(func::FuncOp kernel) {
  auto schedule = kernel->getAttrOfType<DictionaryAttr>("flow.kernel");
  auto lanes = schedule ? schedule.getAs<StringAttr>("lanes") : StringAttr();
  return lanes && lanes.getValue() == "rows";
}

static std::vector<int64_t> getTensorShape(Type formal, const ArenaView &view) {
  switch (flow::getShape(formal)) {
  case Shape::RowVector:
  case Shape::ColumnVector:
    return {view.dim0};
  case Shape::Scalar:
    return {};
  case Shape::Matrix:
  case Shape::None:
    break;
  }
  if (cast<RankedTensorType>(formal).getRank() == 1) // an index table
    return {view.dim0};
  return {view.dim0, view.dim1};
}

bool PlanSteps::checkKernelOperands(plan::KernelOp step, func::FuncOp kernel) {
  if (!kernel) {
    memory.fail("there is no such kernel");
    return false;
  }
  if (step.getInputs().size() != kernel.getNumArguments() ||
      step.getOutputs().size() != kernel.getNumResults()) {
    memory.fail("the kernel has " + std::to_string(kernel.getNumArguments()) + " arguments and " +
                std::to_string(kernel.getNumResults()) + " results");
    return false;
  }
  bool alongRows = hasLanesAlongRows(kernel);
  auto checkLanes = [&](Type formal, Value operand) {
    ArenaView view = memory.resolve(operand);
    if (flow::getShape(formal) == Shape::Matrix && (alongRows ? view.stride0 : view.stride1) != 1 &&
        (alongRows ? view.dim0 : view.dim1) > 1)
      memory.fail(std::string("a matrix is not ") + (alongRows ? "feature-major" : "row-major") +
                  ", as the kernel takes it");
  };
  for (auto [formal, operand] : llvm::zip(kernel.getArgumentTypes(), step.getInputs()))
    checkLanes(formal, operand);
  for (auto [formal, operand] : llvm::zip(kernel.getResultTypes(), step.getOutputs()))
    checkLanes(formal, operand);
  return !memory.getFault();
}

static bool overlap(const ArenaView &a, const ArenaView &b) {
  auto [aFirst, aLast] = a.getRange();
  auto [bFirst, bLast] = b.getRange();
  if (aLast <= bFirst || bLast <= aFirst)
    return false;
  std::set<int64_t> bytes;
  for (int64_t i = 0; i < a.dim0; ++i)
    for (int64_t j = 0; j < a.dim1; ++j)
      bytes.insert(a.getAddress(i, j));
  for (int64_t i = 0; i < b.dim0; ++i)
    for (int64_t j = 0; j < b.dim1; ++j)
      if (bytes.count(b.getAddress(i, j)))
        return true;
  return false;
}

/// A result may lie at the bytes of an operand only if the kernel ties the two, and never at those of another
/// result.
void PlanSteps::checkTies(plan::KernelOp step, func::FuncOp kernel) {
  for (auto [i, output] : llvm::enumerate(step.getOutputs())) {
    ArenaView written = memory.resolve(output);
    auto tied = kernel.getResultAttrOfType<IntegerAttr>(i, "flow.tied");
    for (auto [j, input] : llvm::enumerate(step.getInputs())) {
      ArenaView read = memory.resolve(input);
      bool isTied = tied && tied.getInt() == static_cast<int64_t>(j) && read.address == written.address;
      if (!isTied && overlap(written, read))
        memory.fail("result " + std::to_string(i) + " overlaps operand " + std::to_string(j) +
                    ", to which the kernel does not tie it");
    }
    for (Value other : step.getOutputs().drop_front(i + 1))
      if (overlap(written, memory.resolve(other)))
        memory.fail("result " + std::to_string(i) + " overlaps another result");
  }
}

void PlanSteps::spoilPads(func::FuncOp kernel, unsigned result, const ArenaView &view) {
  if (kernel.getResultAttr(result, "flow.partial"))
    return;
  auto spoilAlong = [&](int64_t extent, auto element) {
    for (int64_t at = extent; extent > 0 && at < static_cast<int64_t>(llvm::alignTo(extent, laneMultiple));
         ++at)
      element(at);
  };
  switch (flow::getShape(kernel.getResultTypes()[result])) {
  case Shape::Matrix:
    if (hasLanesAlongRows(kernel))
      spoilAlong(view.dim0, [&](int64_t row) {
        for (int64_t c = 0; c < view.dim1; ++c)
          memory.spoil(view, row, c);
      });
    else
      spoilAlong(view.dim1, [&](int64_t column) {
        for (int64_t r = 0; r < view.dim0; ++r)
          memory.spoil(view, r, column);
      });
    break;
  case Shape::RowVector:
  case Shape::ColumnVector:
    spoilAlong(view.dim0, [&](int64_t at) { memory.spoil(view, at, 0); });
    break;
  case Shape::Scalar:
  case Shape::None:
    break;
  }
}

/// An optimizer runs over a bucket as one vector, pads included. Nobody writes these; what comes of them is
/// as undefined as they are.
static bool runsOverPads(plan::KernelOp step) { return static_cast<int64_t>(step.getRows()) == 1; }

std::optional<std::string> PlanSteps::runKernel(plan::KernelOp step) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(step, step.getKernelAttr());
  if (!checkKernelOperands(step, kernel))
    return std::nullopt;
  checkTies(step, kernel);
  int64_t columns = step.getColumns(), stepRows = step.getRows();
  std::vector<bool> undefined(columns);
  std::vector<Tensor> arguments;
  for (auto [formal, input] : llvm::zip(kernel.getArgumentTypes(), step.getInputs())) {
    ArenaView view = memory.resolve(input);
    bool isFlat = runsOverPads(step) && view.dim0 * view.dim1 == columns;
    arguments.push_back(memory.load(view, getTensorShape(formal, view), isFlat ? &undefined : nullptr));
    if (memory.getFault())
      return std::nullopt;
  }
  std::string complaint;
  ScopedDiagnosticHandler handler(step.getContext(),
                                  [&](Diagnostic &diagnostic) { complaint += diagnostic.str(); });
  auto results = interpretKernel(kernel, std::move(arguments), stepRows == plan::rowsOfCall ? rows : stepRows,
                                 memory.computesInDouble());
  if (failed(results))
    return complaint.empty() ? "the kernel @" + step.getKernel().str() + " cannot be interpreted" : complaint;
  for (auto [i, output] : llvm::enumerate(step.getOutputs())) {
    ArenaView view = memory.resolve(output);
    bool isFlat = runsOverPads(step) && view.dim0 * view.dim1 == columns;
    memory.store(view, (*results)[i], isFlat ? &undefined : nullptr);
    spoilPads(kernel, i, view);
  }
  return std::nullopt;
}

} // namespace kowari::interpreter
