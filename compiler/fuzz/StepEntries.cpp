//===- StepEntries.cpp - an entry for each step of a plan -----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/fuzz/StepEntries.h"
#include "dialects/plan/PlanOps.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace kowari::fuzz {

std::string getStepEntryName(const std::string &program, int64_t step) {
  return program + "#" + std::to_string(step);
}

/// Clones a step after the views that it is made of.
static void cloneWithViews(Operation *op, OpBuilder &builder, IRMapping &mapping) {
  for (Value operand : op->getOperands())
    if (!mapping.contains(operand))
      cloneWithViews(operand.getDefiningOp(), builder, mapping);
  builder.clone(*op, mapping);
}

OwningOpRef<ModuleOp> withStepEntries(ModuleOp planned) {
  OwningOpRef<ModuleOp> module(planned.clone());
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  for (auto program : llvm::to_vector(module->getOps<plan::ProgramOp>())) {
    int64_t number = 0;
    for (Operation &step : program.getBlock()) {
      if (!isa<plan::StepOpInterface>(step))
        continue;
      std::string name = getStepEntryName(program.getSymName().str(), number++);
      auto single = plan::ProgramOp::create(builder, step.getLoc(), name);
      OpBuilder inside = OpBuilder::atBlockEnd(&single.getBody().emplaceBlock());
      IRMapping mapping;
      cloneWithViews(&step, inside, mapping);
    }
  }
  return module;
}

} // namespace kowari::fuzz
