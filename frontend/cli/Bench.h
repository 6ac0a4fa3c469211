//===- Bench.h - timing steps and input preparation -------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Value.h"

#include <cstdint>
#include <string>

namespace kowari::cli {

struct StepBench {
  std::string settings, artifact, cacheDir, trace;
  int64_t rows = 64, bins = 4017, detectors = 2;
  int threads = 0; // 0: all cores
  bool freezeRbLayer = false;
  int warmup = 3, steps = 10;
};

/// Times one training step with the optimizer of stage 0 on random data. The result has rows, threads, step_s
/// {median, min, max}, rows_per_s, first_step_s, parameters, peak_rss_mib, compile_s, ready_s, bound_s (each
/// product timed alone with the better library, plus the parameters' and optimizer state's traffic at copy
/// bandwidth), bound_parts_s and groups (share of each group of steps).
Result<Value> benchStep(const StepBench &options);

struct DataBench {
  std::string settings, cacheDir;
  int64_t stage = 0, batches = 40;
  int threads = 0;
};

/// Prepared samples a second of the input pipeline of a training, without any network.
Result<Value> benchData(const DataBench &options);

} // namespace kowari::cli
