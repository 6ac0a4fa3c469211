//===- Trainer.h - stages, epochs and steps of a training -------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Runs compiled train steps through all stages as dingo_train does: an epoch trains on the shuffled training
// samples, tests on the test samples, steps the learning rate, adds a line to history.txt and saves
// model_latest.pt. A stage starts with a fresh optimizer and schedule. A run ends at the last epoch, at a
// runtime limit, or at a signal; in the last case the checkpoint stands at the step where the signal came,
// and a resumed run goes on there as if nothing had happened.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/data/Split.h"
#include "runtime/plan/Program.h"
#include "runtime/train/BatchSource.h"
#include "runtime/train/CheckpointFolder.h"
#include "runtime/train/LearningRate.h"
#include "runtime/train/ProgressLog.h"
#include "runtime/train/RunRecord.h"
#include "runtime/train/RuntimeLimits.h"
#include "runtime/train/TrainState.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kowari::train {

struct TrainStage {
  int64_t epochs = 0;
  int programStage = -1; // the program's number of this stage, of its entry train_step_<n>; -1: it has none
  int64_t batchSize = 0; // at most the program's maxRows()
  OptimizerOptions optimizer;
  SchedulerOptions scheduler;
  Value optimizerKwargs, schedulerKwargs; // as the model file keeps them
  std::string description;                // printed when the stage begins
};

struct TrainerSetup {
  std::vector<TrainStage> stages;
  data::Split split;
  uint64_t seed = 0;
  std::optional<double> maxTimePerRun; // seconds
  std::optional<int64_t> maxEpochsPerRun;
  int64_t checkpointEpochs = 1;
  ModelFile model;  // model_kwargs and metadata of every file that is saved
  RunRecord record; // of this run
};

class Trainer {
public:
  /// StageMissing: all is done that the program can do; it has no train step of the next stage.
  enum class Outcome { Finished, LimitReached, Interrupted, StageMissing };
  /// The batches of a stage; called when it begins.
  using OpenSource = std::function<Result<std::unique_ptr<BatchSource>>(int stage)>;

  /// All references must outlive the trainer. The state holds the weights to begin with.
  Trainer(TrainerSetup setup, plan::Program &program, TrainState &state, const CheckpointFolder &folder,
          ProgressLog &log, OpenSource openSource);

  /// Goes on from a checkpoint: weights, counters and, within a stage, optimizer and schedule. run() then
  /// first writes the files of the checkpoint's epoch that a killed run did not come to.
  Status resume(const ModelFile &checkpoint, const std::string &path);

  /// Trains. Errors: those of the data and of saving; a loss that is not finite, with epoch, step and
  /// samples.
  Result<Outcome> run();
  /// One pass over the test samples of the stage that comes next; saves nothing.
  Result<double> testOnly();

  int64_t epochsDone() const { return epoch; }
  int64_t totalEpochs() const;
  /// The stage that is trained next after so many epochs; the number of stages after the last.
  int stageOf(int64_t epochsDone) const;

private:
  enum class Pass { Complete, Interrupted };

  int64_t firstEpoch(int stage) const; // epochs done when it begins
  Status beginStage(int newStage);
  Status prepareProducts();
  Result<Pass> runEpoch();
  Result<Pass> trainPass(int64_t number);
  Result<Pass> testPass(int64_t number);
  Status writeScalars(int64_t number);
  Status notFinite(double loss, int64_t number, int64_t batch, int64_t rows) const;
  Status finishEpoch(int64_t number);
  ModelFile checkpoint() const;
  Status saveLatest();
  Status saveEpoch();
  Status saveStage();
  Status saveWhatIsMissing();
  Status savePartial();
  Result<double> runAndReadLoss(int entry, int64_t rows);

  TrainerSetup setup;
  plan::Program &program;
  TrainState &state;
  const CheckpointFolder &folder;
  ProgressLog &log;
  OpenSource openSource;

  int64_t epoch = 0, iteration = 0; // done
  int stage = -1;
  int64_t stageSteps = 0; // optimizer steps done in the stage
  LearningRate rate;
  std::unique_ptr<BatchSource> source;
  std::optional<ModelFile> resumed; // until its stage has begun
  std::string resumedPath;
  PartialEpoch progress; // of the epoch under way
  std::vector<int64_t> order;
  int programStage = -1, trainEntry = -1, testEntry = -1;
  double trainLoss = 0.0, testLoss = 0.0;
};

} // namespace kowari::train
