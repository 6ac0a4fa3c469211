//===- Stages.cpp - how far a module has come -----------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/Stages.h"
#include "compiler/Passes.h"
#include "frontend/graph/BuildGraph.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace kowari {

const std::vector<std::string> &getStageNames() {
  static const std::vector<std::string> names = {"graph", "grad", "fused", "planned"};
  return names;
}

Status checkStageName(const std::string &stage) {
  if (llvm::is_contained(getStageNames(), stage))
    return Status::ok();
  return Status::error("unknown stage '" + stage + "'; the stages are " + llvm::join(getStageNames(), ", "));
}

void addStagePasses(StringRef stage, OpPassManager &manager) {
  if (stage == "grad")
    manager.addPass(createAutodiff());
  if (stage == "fused") {
    manager.addPass(createCanonicalizerPass());
    manager.addPass(createCSEPass());
    manager.addPass(createFuse());
  }
  if (stage == "planned") {
    manager.addPass(createLowerToPlan());
    manager.addPass(createPlanMemory());
  }
}

void buildPlanPipeline(OpPassManager &manager) {
  for (const std::string &stage : getStageNames())
    addStagePasses(stage, manager);
}

void registerStagePipelines() {
  PassPipelineRegistration<>("plan-pipeline", "All passes from the graph to the plan", buildPlanPipeline);
  for (const std::string &stage : ArrayRef(getStageNames()).drop_front())
    PassPipelineRegistration<>("stage-" + stage, "The passes that lead to stage " + stage,
                               [stage](OpPassManager &manager) { addStagePasses(stage, manager); });
}

Result<std::vector<std::string>> getRemainingStages(ModuleOp module, const std::string &last) {
  KOWARI_TRY(checkStageName(last));
  if (module->hasAttr(graph::reachedAttribute) && !module->getAttrOfType<StringAttr>(graph::reachedAttribute))
    return Status::error("flow.reached must be a string, the stage that the module has reached");
  auto reached = module->getAttrOfType<StringAttr>(graph::reachedAttribute);
  if (!reached)
    return Status::error("the module has no flow.reached: it is no stage that `kowari compile --stop-after` "
                         "wrote, so name the passes to run");
  const std::vector<std::string> &names = getStageNames();
  auto from = llvm::find(names, reached.getValue());
  if (from == names.end() && reached.getValue() != "lower-to-plan")
    return Status::error("flow.reached is '" + reached.str() + "', which is no stage; the stages are " +
                         llvm::join(names, ", "));
  if (from == names.end())
    return Status::error("the module has stopped between two stages, behind " + reached.str() +
                         "; run the passes up to plan-memory by name");
  auto to = llvm::find(names, last);
  if (from > to)
    return Status::error("the module has reached stage " + reached.str() + " and cannot go back to " + last);
  return std::vector<std::string>(from + 1, to + 1);
}

void markReached(ModuleOp module, StringRef reached) {
  static constexpr StringRef order[] = {"graph", "grad", "fused", "lower-to-plan", "planned"};
  auto before = module->getAttrOfType<StringAttr>(graph::reachedAttribute);
  // A pass that runs again does not take a module back.
  if (before && llvm::find(order, before.getValue()) < llvm::find(order, reached))
    module->setAttr(graph::reachedAttribute, StringAttr::get(module.getContext(), reached));
}

Result<ProgramSpec> getSpec(ModuleOp module) {
  auto text = module->getAttrOfType<StringAttr>(graph::specAttribute);
  if (!text)
    return Status::error("the module has no flow.spec: an artifact can be made only of what `kowari compile "
                         "--stop-after` wrote");
  Result<ProgramSpec> spec = ProgramSpec::fromJson(text.str());
  return spec ? spec : Result<ProgramSpec>(spec.status().withContext("flow.spec"));
}

} // namespace kowari
