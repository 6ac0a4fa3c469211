//===- Fuzzer.h - case after case, failures reduced -------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/fuzz/CaseCheck.h"

#include <functional>

namespace kowari::fuzz {

struct FuzzOptions {
  uint64_t seed = 1, firstCase = 0;
  std::optional<uint64_t> cases; ///< how many; without it the time decides
  std::optional<double> seconds; ///< for how long
  double reductionSeconds = 60;  ///< for each failure
  int caseLimitSeconds = 120;    ///< a case that computes for longer has failed
  uint64_t maximumFailures = 20; ///< after which it ends
  std::string outputFolder;      ///< of the failures; made when there is one
  std::string toolOptions;       ///< that a case needs to fail again, for the commands of the report
  CheckOptions check;
};

struct FuzzResult {
  uint64_t cases = 0, failures = 0;
  double seconds = 0;
};

/// Checks one case in a folder of its own below the temporary one; what checkCase returns.
Result<std::optional<std::string>> checkAlone(const FuzzCase &fuzzCase, CheckOptions options);

/// Told before each case: how many are done, failures among them, seconds gone.
using FuzzProgress = std::function<void(const FuzzResult &)>;

/// Checks cases in processes of their own until their number or the time is up. Each failure is reduced and
/// left in a folder of its own with the reduced case, the case as it was, and report.txt: what is wrong and
/// how to see it again.
Result<FuzzResult> runFuzzer(const FuzzOptions &options, const FuzzProgress &progress);

/// The simplest case found by `simplify` that `fails` still, in at most `seconds`, and its failure.
struct ReducedCase {
  FuzzCase fuzzCase;
  std::string failure;
};
ReducedCase reduceCase(ReducedCase start,
                       const std::function<std::optional<std::string>(const FuzzCase &)> &fails,
                       double seconds);

} // namespace kowari::fuzz
