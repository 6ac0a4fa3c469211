//===- Stages.h - how far a module has come ---------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// A module that `kowari compile --stop-after` wrote carries what the rest of the compilation needs: the spec
// it is of (`flow.spec`, canonical JSON) and the last stage or pass it has been through (`flow.reached`).
// Passes keep the second up to date; modules written by hand have neither and stay without.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/settings/ProgramSpec.h"
#include "runtime/support/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <string>
#include <vector>

namespace kowari {

/// The stages whose IR can be written, in order: graph, grad, fused, planned.
const std::vector<std::string> &getStageNames();

/// An error that lists the stages if there is none of this name.
Status checkStageName(const std::string &stage);

/// Adds the passes that lead from the stage before to `stage`.
void addStagePasses(llvm::StringRef stage, mlir::OpPassManager &manager);

/// Adds all of them, from graph to planned.
void buildPlanPipeline(mlir::OpPassManager &manager);

/// Makes the passes of each stage a pipeline by name for tools: stage-grad, stage-fused, stage-planned, and
/// all of them: plan-pipeline.
void registerStagePipelines();

/// Stages, up to `last`, that a module has still to go through. Errors: no `flow.reached`; between two stages
/// (lower-to-plan alone was run); already beyond `last`.
Result<std::vector<std::string>> getRemainingStages(mlir::ModuleOp module, const std::string &last);

/// Called at the end of passes that complete a stage or leave one half done; never takes a module back.
void markReached(mlir::ModuleOp module, llvm::StringRef reached);

/// The spec in `flow.spec`.
Result<ProgramSpec> getSpec(mlir::ModuleOp module);

} // namespace kowari
