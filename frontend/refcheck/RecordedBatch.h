//===- RecordedBatch.h - a prepared batch recorded in Dingo -----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/settings/ProgramSpec.h"
#include "runtime/data/AsdDataset.h"
#include "runtime/data/Hdf5File.h"
#include "runtime/data/WaveformDataset.h"
#include "runtime/data/prior/Prior.h"
#include "runtime/pipeline/InputPipeline.h"
#include "runtime/support/Value.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kowari::refcheck {

/// A file preprocessing_*.hdf5: data settings, draws, and what Dingo's transforms made of them one after the
/// other. Data sets are found below the file's folder.
class RecordedBatch {
public:
  static Result<RecordedBatch> read(const std::string &path);

  /// Why the case is not served; the members below are then unset.
  std::string unsupported;

  data::Hdf5File file;
  Value settings; // `data` of train_settings.yaml
  std::vector<data::Detector> detectors;
  std::vector<std::string> parameters;
  std::vector<int64_t> index;      // (rows) of the waveform data set
  std::vector<data::Prior> priors; // in the order of pipeline::extrinsicNames
  std::map<std::string, data::MeanStd> standardization;
  double refTime = 0.0;
  std::optional<data::UniformFrequencyDomain> domain; // after domain_update
  std::optional<data::AsdDataset> asds;

  int64_t rows() const { return static_cast<int64_t>(index.size()); }
  int64_t detectorCount() const { return static_cast<int64_t>(detectors.size()); }
  /// The waveform data set; no value if it is not there.
  Result<std::optional<data::WaveformDataset>> openWaveforms() const;
  /// The data part of a program without noise.
  DataSpec dataSpec(const data::WaveformDataset &dataset) const;
  pipeline::InputPipelineOptions pipelineOptions() const;

private:
  explicit RecordedBatch(data::Hdf5File file) : file(std::move(file)) {}
  Status readSettings();
  Status readStandardization();
  std::string pathOf(const std::string &relative) const;
};

} // namespace kowari::refcheck
