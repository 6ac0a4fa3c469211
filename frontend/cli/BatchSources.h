//===- BatchSources.h - a stage's batches -----------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/cli/TrainingData.h"
#include "runtime/pipeline/InputPipeline.h"
#include "runtime/plan/Program.h"
#include "runtime/train/BatchSource.h"

#include <memory>

namespace kowari::cli {

/// Makes the batches of each stage with the program's own entries @draw and @prepare.
class BatchSources {
public:
  /// Everything referred to must outlive this object, and this object the sources it opens.
  BatchSources(plan::Program &program, const Settings &settings, const TrainingData &data,
               const Standardization &standardization, uint64_t seed)
      : program(program), settings(settings), data(data), standardization(standardization), seed(seed) {}

  /// The error of a program compiled without these entries, or for other shapes, comes from the pipeline.
  Result<std::unique_ptr<train::BatchSource>> open(int stage);

private:
  Status createPipeline();

  plan::Program &program;
  const Settings &settings;
  const TrainingData &data;
  const Standardization &standardization;
  uint64_t seed;
  std::unique_ptr<pipeline::InputPipeline> pipeline; // one for all stages
};

} // namespace kowari::cli
