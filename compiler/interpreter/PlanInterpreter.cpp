//===- PlanInterpreter.cpp - runs plans and watches their memory ----------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/interpreter/PlanInterpreter.h"

#include "compiler/interpreter/PlanChecks.h"
#include "compiler/interpreter/PlanSteps.h"

using namespace mlir;

namespace kowari::interpreter {

std::string getTensorKey(plan::TensorOp tensor) {
  StringRef kind = tensor.getKind();
  return ("flow." + (kind == "input" ? StringRef("batch") : kind) + " " + tensor.getSymName()).str();
}

namespace {

/// One run of one program.
class PlanRun {
public:
  PlanRun(plan::ProgramOp interpreted, const ArenaBounds &bounds, int64_t rowCount, bool inDouble)
      : program(interpreted), module(program->getParentOfType<ModuleOp>()), rows(rowCount),
        memory(program, bounds, rows, inDouble), steps(memory, rows) {}

  void run(const NamedTensors &tensors, PlanOutcome &outcome) {
    writeTensors(tensors);
    if (runSteps(outcome))
      readOutputs(outcome);
    outcome.fault = memory.getFault();
    if (outcome.fault)
      outcome.outputs.clear();
  }

private:
  ArenaView getView(plan::TensorOp tensor) {
    return memory.resolve(cast<plan::ViewType>(tensor.getView()), tensor.getOffset(),
                          PlanArena::persistentOwner);
  }
  std::vector<int64_t> getShape(ArrayRef<int64_t> shape) const {
    std::vector<int64_t> extents(shape);
    for (int64_t &extent : extents)
      extent = extent == plan::rowsOfCall ? rows : extent;
    return extents;
  }

  void writeTensors(const NamedTensors &tensors) {
    for (auto tensor : module.getOps<plan::TensorOp>())
      if (auto found = tensors.find(getTensorKey(tensor)); found != tensors.end())
        memory.store(getView(tensor), found->second);
  }

  bool runSteps(PlanOutcome &outcome) {
    int number = 0;
    for (Operation &op : program.getBlock()) {
      if (!isa<plan::StepOpInterface>(op))
        continue;
      memory.begin(&op, number++);
      outcome.unsuited = steps.run(&op);
      if (memory.getFault() || outcome.unsuited)
        return false;
    }
    return true;
  }

  void readOutputs(PlanOutcome &outcome) {
    memory.end();
    for (auto output : program.getBlock().getOps<plan::OutputOp>()) {
      memory.beginReading("output " + output.getName().str());
      Tensor tensor = memory.load(memory.resolve(output.getView()), getShape(output.getShape()));
      outcome.outputs.insert_or_assign("flow.output " + output.getName().str(), std::move(tensor));
    }
    for (auto tensor : module.getOps<plan::TensorOp>()) {
      ArenaView view = getView(tensor);
      memory.beginReading((tensor.getKind() + " " + tensor.getSymName()).str());
      if (memory.wasWritten(view))
        outcome.outputs.insert_or_assign(getTensorKey(tensor),
                                         memory.load(view, getShape(tensor.getShape())));
    }
  }

  plan::ProgramOp program;
  ModuleOp module;
  int64_t rows;
  WatchedMemory memory;
  PlanSteps steps;
};

} // namespace

PlanOutcome runPlan(plan::ProgramOp program, const NamedTensors &tensors, int64_t rows, bool inDouble) {
  PlanOutcome outcome;
  outcome.fault = findLayoutFault(program);
  if (outcome.fault)
    return outcome;
  ArenaBounds bounds = *getArenaBounds(program->getParentOfType<ModuleOp>());
  if (rows < 1 || rows > bounds.maxRows) {
    outcome.unsuited = "the program takes 1 to " + std::to_string(bounds.maxRows) + " rows";
    return outcome;
  }
  PlanRun(program, bounds, rows, inDouble).run(tensors, outcome);
  return outcome;
}

} // namespace kowari::interpreter
