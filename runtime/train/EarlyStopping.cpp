//===- EarlyStopping.cpp - when a stage ends before its epochs ------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/EarlyStopping.h"

#include "runtime/train/Kwargs.h"

#include <cmath>

namespace kowari::train {

bool EarlyStopping::update(double loss) {
  bool isWorse = std::isnan(loss) || (hasBest && loss > best - delta);
  if (!isWorse) {
    best = loss;
    hasBest = true;
    counter = 0;
    return true;
  }
  ++counter;
  stopped = stopped || counter >= patience;
  return false;
}

Value EarlyStopping::state() const {
  ValueDict state;
  state["counter"] = counter;
  state["stopped"] = stopped;
  state["best"] = hasBest ? Value(best) : Value();
  return state;
}

Status EarlyStopping::loadState(const Value &state) {
  Kwargs kwargs(state, "early_stopping");
  kwargs.take("counter", counter);
  kwargs.take("stopped", stopped);
  const Value *stored = state.find("best");
  hasBest = stored && !stored->isNull();
  best = std::numeric_limits<double>::infinity();
  if (hasBest)
    kwargs.take("best", best);
  else
    kwargs.accept("best");
  kwargs.require(counter >= 0, "counter", "must not be negative");
  return kwargs.finish();
}

} // namespace kowari::train
