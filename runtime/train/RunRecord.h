//===- RunRecord.h - what a checkpoint says about its run -------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The entry `kowari` of a model's metadata; Dingo carries it along without looking at it. It holds what a
// resumed run needs beyond Dingo's own entries to draw the same random numbers and to stop at the same epoch,
// and what decides the last digits of its results, so that a change of those is announced.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kowari::train {

/// How far the epoch after the checkpoint's has come.
struct PartialEpoch {
  int64_t batches = 0;                    // training batches done
  double lossSum = 0.0, lossWeight = 0.0; // of the mean training loss so far
};

struct RunRecord {
  std::string version;   // Kowari's
  uint64_t seed = 0;     // of every random number of the run
  std::string precision; // "32-true", "64-true"
  std::string cpuLevel;  // instruction set the kernels were compiled for: "x86-64-v3", ...
  int64_t threads = 0;   // matrix products may add in another order with another number
  std::vector<std::pair<std::string, std::string>> libraries; // name and version: ("oneDNN", "3.8.1")
  int64_t stage = 0;                                          // of the epoch after this checkpoint
  Value earlyStopping;                                        // EarlyStopping::state(); null without
  /// Of a checkpoint written in the middle of an epoch, else absent.
  std::optional<PartialEpoch> partialEpoch;

  Value toValue() const;
  /// From metadata.kowari of a file. Entries of newer versions are passed over; one of a wrong type is an
  /// error.
  static Result<RunRecord> fromValue(const Value &value);
  /// One sentence for each difference to `saved` after which a resumed run is no longer equal bit for bit.
  std::vector<std::string> changesSince(const RunRecord &saved) const;
};

} // namespace kowari::train
