//===- ModelCheck.h - compiled networks against Dingo's numbers -*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/refcheck/CompileCase.h"
#include "frontend/refcheck/Measures.h"

namespace kowari::refcheck {

/// Compiles the network of a file in float64 and float32 and compares evaluation, loss, gradients,
/// statistics, optimizer steps and samples; docs/reference-check.md has the tolerances. An error: the file or
/// the compiler is at fault, nothing could be compared.
Result<CaseResult> checkModel(const Compiler &compiler, const std::string &path);

} // namespace kowari::refcheck
