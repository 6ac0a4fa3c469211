//===- Pipeline.h - from a spec to an artifact ------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/settings/ProgramSpec.h"
#include "runtime/support/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include <functional>
#include <string>

namespace kowari {

/// The stages whose result --stop-after can ask for, in order.
extern const std::vector<std::string> compilationStages; // graph, grad, fused, planned

struct CompileOptions {
  std::string target = "native";
  std::string stopAfter;  // a stage, or "" for the artifact
  std::string dumpFolder; // where the IR of every stage is written, or ""
  bool timePasses = false;
  /// Called with the stage and how far it is, in [0, 1].
  std::function<void(const std::string &stage, double fraction)> progress = [](const std::string &, double) {
  };
};

/// Adds the passes from `graph` to `planned` to a manager of modules.
void buildPlanPipeline(mlir::PassManager &manager);

/// Compiles a spec and writes the artifact, or the IR of `stopAfter`, to `output`.
Status compileProgram(const ProgramSpec &spec, const CompileOptions &options, const std::string &output);

/// The same from IR that --stop-after wrote.
Status compileModule(mlir::OwningOpRef<mlir::ModuleOp> module, const ProgramSpec &spec,
                     const CompileOptions &options, const std::string &output);

} // namespace kowari
