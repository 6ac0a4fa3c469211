//===- CaseCheck.h - one case through the whole compiler --------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/fuzz/FuzzCase.h"

#include <map>
#include <optional>

namespace kowari::fuzz {

/// What CheckOptions::added calls the code generator's kernels.
inline constexpr const char *codeGeneration = "code";

struct CheckOptions {
  std::string target = "native";
  /// Where the artifact of a case lies while it is run; must exist.
  std::string scratchFolder;
  uint64_t seed = 1; ///< of the numbers that go in
  /// Passes to run in place of (behind) one of the pipeline's, by their names: plug-ins that are to be tried.
  /// One behind `codeGeneration` changes the kernels that are compiled and nothing else, as a fault of the
  /// code generator would.
  std::map<std::string, std::string> replaced, added;
};

/// Whether `replaced` and `added` name passes of the pipeline.
Status checkPassNames(const CheckOptions &options);

/// Builds the case, runs the compiler's passes, each validated by the reference interpreter (ValidateEach.h),
/// compiles it, runs every entry step by step (StepCheck.h) and as a whole, and compares with the
/// interpreter. Returns what is wrong, in words.
std::optional<std::string> checkCase(const FuzzCase &fuzzCase, const CheckOptions &options);

} // namespace kowari::fuzz
