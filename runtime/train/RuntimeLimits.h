//===- RuntimeLimits.h - when a run ends ------------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Dingo's limits of a run (time and epochs, checked between epochs) and requests to stop from outside:
// SIGINT, SIGTERM and SIGUSR1 set a flag that the training loop reads at step boundaries, writes a checkpoint
// and ends.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kowari::train {

class RuntimeLimits {
public:
  using Clock = std::chrono::steady_clock;

  /// `startEpoch`: epochs done when this run began. The clock starts now.
  RuntimeLimits(std::optional<double> maxSecondsPerRun, std::optional<int64_t> maxEpochsPerRun,
                int64_t startEpoch, Clock::time_point now = Clock::now());

  /// Limits that are reached after `epoch` epochs, in Dingo's words ("Stop run: Total epoch limit of 9
  /// reached."); empty when training goes on. `totalEpochs`: epochs at the end of the current stage.
  std::vector<std::string> reached(int64_t epoch, int64_t totalEpochs,
                                   Clock::time_point now = Clock::now()) const;
  /// Whether time or epochs of this run are used up (the stage's end does not count).
  bool runEnded(int64_t epoch, Clock::time_point now = Clock::now()) const;

private:
  std::optional<double> maxSeconds;
  std::optional<int64_t> maxEpochs;
  int64_t startEpoch;
  Clock::time_point start;
};

/// Catches SIGINT, SIGTERM and SIGUSR1 while it lives; one object at a time. A second SIGINT or SIGTERM ends
/// the process at once, as without us.
class StopSignal {
public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal &) = delete;
  StopSignal &operator=(const StopSignal &) = delete;

  /// True once a signal came. Cheap enough for every step.
  static bool requested();
  /// The signal's number, or 0.
  static int signalNumber();
  /// "SIGTERM", ... or "".
  static std::string signalName();
};

} // namespace kowari::train
