//===- EarlyStopping.h - when a stage ends before its epochs ---*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Dingo's rule: a loss above best - delta raises a counter, which ends the stage when it reaches `patience`;
// any other loss (an equal one too) becomes the best and clears the counter. A loss that is not a number is
// never best.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Value.h"

#include <cstdint>

#include <limits>

namespace kowari::train {

class EarlyStopping {
public:
  EarlyStopping(int64_t patience = 5, double delta = 0.0) : patience(patience), delta(delta) {}

  /// Takes the loss of an epoch; true if it is the best so far.
  bool update(double loss);
  bool shouldStop() const { return stopped; }
  int64_t count() const { return counter; }
  double bestLoss() const { return best; }

  /// For the checkpoint, so that a resumed run stops where an uninterrupted one would (Dingo starts counting
  /// anew).
  Value state() const;
  Status loadState(const Value &state);

private:
  int64_t patience;
  double delta;
  bool hasBest = false, stopped = false;
  double best = std::numeric_limits<double>::infinity();
  int64_t counter = 0;
};

} // namespace kowari::train
