//===- LearningRate.h - learning rate schedules ----------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// torch's StepLR, CosineAnnealingLR and ReduceLROnPlateau as Dingo uses them: stepped once an epoch, after
// testing. The arithmetic is torch's own recursion, so that the rates in history.txt are equal to Dingo's
// digit for digit. With lr the current rate, b the base rate, e the epochs done after this step:
//   step:   lr *= gamma when e is a multiple of step_size
//   cosine: lr = (1 + cos(pi e / T)) / (1 + cos(pi (e-1) / T)) * (lr - m) + m, T = T_max, m = eta_min;
//           lr += (b - m) (1 - cos(pi / T)) / 2 when (e - 1 - T) is a multiple of 2 T (the rate climbs from m
//           again)
//   reduce_on_plateau: lr = max(lr * factor, min_lr) after more than `patience` epochs that do not improve
//   the best
//           test loss by `threshold`, if that lowers lr by more than eps
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Value.h"

#include <optional>
#include <string>

namespace kowari::train {

enum class SchedulerType { Constant, Step, Cosine, ReduceOnPlateau };

/// torch's keyword arguments with torch's defaults.
struct SchedulerOptions {
  SchedulerType type = SchedulerType::Constant;
  int64_t stepSize = 1; // step
  double gamma = 0.1;   // step
  double tMax = 1.0;    // cosine
  double etaMin = 0.0;  // cosine
  bool modeMax = false; // reduce_on_plateau, this and the following
  double factor = 0.1;
  int64_t patience = 10;
  double threshold = 1e-4;
  bool thresholdAbsolute = false;
  int64_t cooldown = 0;
  double minLr = 0.0;
  double epsilon = 1e-8;

  /// From a `scheduler:` dict of the settings: `type` (step, cosine, reduce_on_plateau) in any case and
  /// torch's keyword arguments; null or an empty dict is a constant rate. Unknown arguments and values torch
  /// would refuse are errors that name them.
  static Result<SchedulerOptions> fromKwargs(const Value &kwargs);
};

class LearningRate {
public:
  LearningRate() = default;
  LearningRate(const SchedulerOptions &options, double baseRate);

  /// The rate of the epoch to come (after e steps: of epoch e).
  double current() const { return rate; }
  double base() const { return baseRate; }
  /// Ends an epoch. `testLoss` matters to reduce_on_plateau alone.
  void step(double testLoss);

  /// torch's scheduler.state_dict(); null for a constant rate.
  Value stateDict() const;
  /// Continues from a state dict (of any torch version) of the same kind of scheduler. As in torch, the
  /// options in the state win over those given at construction, and the rate goes on from `currentRate`, the
  /// optimizer's `lr` in the checkpoint; without it from the rate in the state.
  Status loadStateDict(const Value &state, std::optional<double> currentRate = std::nullopt);

private:
  void stepCosine();
  void stepPlateau(double metric);
  Value plateauState() const;
  Status loadState(const Value &state);
  Status loadPlateau(const Value &state);

  SchedulerOptions options;
  double baseRate = 0.0, rate = 0.0;
  int64_t epochs = 0; // last_epoch
  double best = 0.0;  // reduce_on_plateau
  int64_t badEpochs = 0, cooldownLeft = 0;
};

} // namespace kowari::train
