//===- CompiledRun.h - compiled code against the interpreter ----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/ModuleNumbers.h"

namespace kowari::fuzz {

/// Loads the artifact of a planned module, which has an entry for each step as well (StepEntries.h), runs
/// every entry with every row count on the inputs that `reference` was computed from, step by step and as a
/// whole, and compares. Returns the first difference, or what went wrong, in words.
std::optional<std::string> compareCompiled(mlir::ModuleOp planned, const std::string &artifact,
                                           const interpreter::ModuleNumbers &reference,
                                           const interpreter::NumbersOptions &options);

} // namespace kowari::fuzz
