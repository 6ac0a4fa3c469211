//===- PipelineTesting.h - recorded batches and compiled pipelines -*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "../data/ReferenceFiles.h"

#include "frontend/settings/ProgramSpec.h"
#include "runtime/pipeline/InputPipeline.h"
#include "runtime/pipeline/TensorNames.h"
#include "runtime/support/Value.h"

#include <memory>
#include <optional>

namespace kowari::pipeline {

using data::expectOk;
using data::expectValue;
using data::referenceFile;

/// The smallest network around the given data entries.
ProgramSpec smallSpec(const DataSpec &data, int64_t parameters, int64_t maxRows, ElementType element);

/// Compiles the spec and loads the program; equal specs are compiled once in a test run.
std::unique_ptr<plan::Program> loadProgram(const ProgramSpec &spec, int threads = 1);

/// A batch recorded in Dingo, with its data set opened as its settings say.
struct RecordedBatch {
  explicit RecordedBatch(const std::string &name, bool leaveOnDisk = true);

  std::vector<double> reals(const std::string &dataset) const {
    return expectValue(file.readDoubles(dataset));
  }
  std::vector<int64_t> integers(const std::string &dataset) const {
    return expectValue(file.readIntegers(dataset));
  }
  int64_t rows() const { return static_cast<int64_t>(index.size()); }
  int64_t detectors() const { return static_cast<int64_t>(detectorNames.size()); }
  DataSpec dataSpec(bool zeroNoise) const;
  InputPipelineOptions options() const;
  /// Writes the recorded draws into a program's inputs.
  void writeDraws(plan::Program &program) const;

  data::Hdf5File file;
  Value settings;
  std::vector<std::string> detectorNames, parameters;
  std::vector<int64_t> index;
  std::optional<data::WaveformDataset> dataset;
  std::optional<data::AsdDataset> asds;
};

/// The priors of `expressions`, in the order of extrinsicNames.
std::vector<data::Prior> makePriors(const std::vector<std::string> &expressions);

} // namespace kowari::pipeline
