//===- ProgressLog.h - what a training prints ------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// In files, Dingo's own lines, one an optimizer step, so that scripts that read Dingo's output read ours. On
// a terminal one live line with loss, samples a second and the estimated end. Losses are averaged as Dingo
// does: the unweighted mean of the micro-batches of a step, rounded to float32, weighted by its rows over the
// epoch.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace kowari::train {

/// Last value and weighted mean.
class RunningMean {
public:
  void add(double value, double weight = 1.0);
  double last() const { return latest; }
  /// NaN before the first value.
  double mean() const;
  double weight() const { return total; }
  /// Goes on from sums of an earlier object.
  void restore(double earlierSum, double earlierWeight);
  double weightedSum() const { return sum; }

private:
  double sum = 0.0, total = 0.0, latest = 0.0;
};

class ProgressLog {
public:
  enum class Mode { Lines, Live };
  enum class Pass { Train, Test };
  using Clock = std::chrono::steady_clock;

  /// Live when `stream` is a terminal.
  static Mode modeFor(FILE *stream);
  /// `stream` is not owned. `totalEpochs` of all stages is for the estimated end; 0 if unknown.
  ProgressLog(FILE *stream, Mode mode, int64_t totalEpochs = 0);

  /// "Start training epoch 1 with lr [0.001]".
  void startTraining(int64_t epoch, const std::vector<double> &learningRates, int64_t samples,
                     int64_t effectiveBatch);
  /// "Start testing epoch 1". A test set smaller than the batch prints Dingo's warning and counts with its
  /// own size.
  void startTesting(int64_t epoch, int64_t samples, int64_t effectiveBatch);

  /// One micro-batch: mean loss over its rows, seconds waited for data and spent in the network.
  void addMicroBatch(double loss, int64_t rows, double dataSeconds, double networkSeconds);
  /// Ends the window of an optimizer step: takes the micro-batches since the last call into the mean and
  /// prints. `batchIndex` is the index of its last micro-batch in the epoch; with several devices
  /// `aggregationSeconds` is the time of the loss reduction. Micro-batches after the last call of an epoch
  /// are left out of the loss, as in Dingo.
  void finishStep(int64_t batchIndex, std::optional<double> aggregationSeconds = std::nullopt);
  /// "Done. This took  0: 6 min."; returns the mean loss of the pass.
  double finishPass();

  /// "Finished training epoch 1." and an empty line.
  void finishEpoch();

  double meanLoss() const { return loss.mean(); }
  /// Weighted sum and weight of the losses of the pass, and their restoration in a pass that goes on in its
  /// middle.
  double lossSum() const { return loss.weightedSum(); }
  double lossWeight() const { return loss.weight(); }
  void restoreLoss(double sum, double weight) { loss.restore(sum, weight); }
  int64_t steps() const { return stepCount; }
  /// Samples a second of the last training pass.
  double samplesPerSecond() const { return trainRate; }
  /// A line of its own, in place of the live line: notices, errors.
  void line(const std::string &text);
  /// The same without its line end, flushed: "Saving model to x.pt." before, " Done." after the work.
  void text(const std::string &text);

private:
  void start(Pass newPass, int64_t epoch, int64_t samples, int64_t effectiveBatch);
  std::string stepLine() const;
  std::string liveLine() const;
  void clearLive();
  void showLive();

  FILE *out;
  Mode mode;
  int64_t totalEpochs;
  Pass pass = Pass::Train;
  int64_t epoch = 0, size = 0, batch = 0, stepCount = 0;
  int64_t lastBatchIndex = 0;
  RunningMean loss, dataTime, networkTime, aggregationTime;
  bool hasAggregation = false;
  double windowLoss = 0.0;
  int64_t windowRows = 0, windowBatches = 0, rowsSeen = 0;
  double trainRate = 0.0, lastTrainSeconds = 0.0, lastTestSeconds = 0.0;
  Clock::time_point passStart, lastShown;
  bool liveShown = false;
};

} // namespace kowari::train
