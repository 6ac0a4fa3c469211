//===- BatchSource.h - where a training's batches come from -----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <vector>

namespace kowari::train {

/// Fills the inputs of a program (theta, strain/<i>, sample) batch by batch. What a sample looks like is a
/// function of (seed, epoch, sample) alone, so an epoch that starts in its middle sees the same numbers.
class BatchSource {
public:
  virtual ~BatchSource() = default;
  /// Starts a pass over `order` (rows of the data set) in which draws belong to `epoch`. A pass under way is
  /// abandoned.
  virtual Status startEpoch(std::vector<int64_t> order, int64_t epoch) = 0;
  /// Puts the next batch into the program's inputs and returns its rows; 0 at the end of the pass. All
  /// batches but the last are full.
  virtual Result<int64_t> next() = 0;
};

} // namespace kowari::train
