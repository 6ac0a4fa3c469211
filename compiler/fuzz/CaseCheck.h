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

struct CheckOptions {
  std::string target = "native";
  /// Where the artifact of a case lies while it is run; must exist.
  std::string scratchFolder;
  uint64_t seed = 1; ///< of the numbers that go in
  /// Passes to run in place of (behind) one of the pipeline's, by their names: plug-ins that are to be tried.
  std::map<std::string, std::string> replaced, added;
};

/// Builds the case, runs the compiler's passes, each validated by the reference interpreter (ValidateEach.h),
/// compiles it, runs every entry, and compares all outputs and updated tensors with the interpreted
/// functions. Returns what is wrong, in words. float64 programs must agree to 1e-9 of a tensor's largest
/// entry (or of 1); float32 ones to 1e-3 and 300 times the rounding error that the interpreter itself
/// makes in float32.
std::optional<std::string> checkCase(const FuzzCase &fuzzCase, const CheckOptions &options);

} // namespace kowari::fuzz
