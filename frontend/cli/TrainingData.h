//===- TrainingData.h - the data files of a training, opened ----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/settings/MakeProgramSpec.h"
#include "frontend/settings/Settings.h"
#include "runtime/data/AsdDataset.h"
#include "runtime/data/Preparation.h"
#include "runtime/data/Standardization.h"
#include "runtime/data/WaveformDataset.h"
#include "runtime/data/prior/Prior.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kowari::cli {

struct TrainingData {
  std::vector<data::Detector> detectors; // in the order of the settings, ET expanded
  std::shared_ptr<data::WaveformDataset> waveforms;
  std::vector<std::shared_ptr<data::AsdDataset>> asds; // by stage; stages with one file share it
  std::vector<data::Prior> priors;                     // in the order of settings.data.extrinsicPrior
  double referenceDistance = 0.0;                      // Mpc

  data::Preparation preparation(double refTime) const {
    return {waveforms->domain(), detectors, refTime, referenceDistance};
  }
  DataShape shape() const;
};

/// Waveform options as the settings have them; the file's path is as written.
data::WaveformOptions waveformOptions(const Settings &settings);

/// Opens and checks all data files, those of later stages too, so that a training does not fail after days.
/// `report` hears what is being opened.
Result<TrainingData> openTrainingData(const Settings &settings,
                                      const std::function<void(const std::string &)> &report);

/// Shapes from the files' headers alone: what compiling ahead of time needs.
Result<DataShape> readDataShape(const Settings &settings);

/// data.standardization of the settings if they have it (a checkpoint's), else computed.
Result<Standardization> standardizationOf(const Settings &settings, const TrainingData &data, uint64_t seed);

} // namespace kowari::cli
