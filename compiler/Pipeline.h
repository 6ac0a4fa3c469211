//===- Pipeline.h - from a spec to an artifact ------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/Stages.h"
#include "frontend/settings/ProgramSpec.h"
#include "runtime/support/Status.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <string>

namespace kowari {

struct CompileOptions {
  std::string stopAfter;  // a stage (Stages.h), or "" for the artifact
  std::string dumpFolder; // where the IR of every stage is written, or ""
  bool timePasses = false, statistics = false;
  /// Called with the stage and how far it is, in [0, 1].
  std::function<void(const std::string &stage, double fraction)> progress = [](const std::string &, double) {
  };
};

/// Compiles a spec and writes the artifact, or the IR of `stopAfter`, to `output`.
Status compileProgram(const ProgramSpec &spec, const CompileOptions &options, const std::string &output);

/// Compiles the kernels of a planned module for the spec's target and writes the artifact. `progress` hears
/// how far the kernels are, in [0, 1].
Status emitArtifact(
    mlir::ModuleOp module, const ProgramSpec &spec, const std::string &output,
    const std::function<void(double)> &progress = [](double) {});

} // namespace kowari
