//===- InputPipeline.h - batches for a compiled program ---------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Reads stored samples ahead and runs the program's entries "draw" and "prepare", which leave a batch in the
// inputs that the train step reads. Draws and noise are functions of (seed, epoch, sample): the same for any
// order of the samples, any batch size and any number of threads. docs/input-pipeline.md has the formulas.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/data/BatchReader.h"
#include "runtime/pipeline/DataConstants.h"
#include "runtime/train/BatchSource.h"

#include <memory>
#include <span>

namespace kowari::pipeline {

class InputPipeline : public train::BatchSource {
public:
  /// Writes what all stages share into the program (writeDataConstants). Program and data set must outlive
  /// the pipeline.
  static Result<std::unique_ptr<InputPipeline>>
  create(plan::Program &program, const data::WaveformDataset &dataset, const InputPipelineOptions &options);
  ~InputPipeline() override;
  InputPipeline(const InputPipeline &) = delete;
  InputPipeline &operator=(const InputPipeline &) = delete;

  /// Takes a stage's noise curves and batch size, 1 to the program's maxRows(). Call before the first epoch.
  Status startStage(const data::AsdDataset &asds, int64_t batchSize);
  /// Starts an epoch over `order` (rows of the data set; any may repeat); one under way is abandoned.
  Status startEpoch(std::vector<int64_t> order, int64_t epoch) override;
  /// Prepares the next batch and returns its rows; 0 at the end of the epoch.
  Result<int64_t> next() override;
  /// Seconds that next() waited for reading in this epoch.
  double waitedSeconds() const;

  /// The parts of next(), for checks and for batches that are not read ahead: the stored part of the given
  /// samples, their draws, and the network's inputs. Draws may be written by the caller instead
  /// (TensorNames.h).
  Status load(std::span<const int64_t> samples);
  Status draw(int64_t rows);
  Status prepare(int64_t rows);

private:
  struct State;
  explicit InputPipeline(std::unique_ptr<State> content);
  std::unique_ptr<State> state;
};

} // namespace kowari::pipeline
