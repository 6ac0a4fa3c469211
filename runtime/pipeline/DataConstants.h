//===- DataConstants.h - what the data entries read besides the batch -*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/data/AsdDataset.h"
#include "runtime/data/Detectors.h"
#include "runtime/data/Standardization.h"
#include "runtime/data/WaveformDataset.h"
#include "runtime/data/prior/Prior.h"
#include "runtime/plan/Program.h"

#include <map>
#include <string>
#include <vector>

namespace kowari::pipeline {

/// What a training fixes besides its data files.
struct InputPipelineOptions {
  std::vector<data::Detector> detectors;                ///< in the order of the settings, ET taken apart
  double refTime = 0.0;                                 ///< GPS time, s
  std::vector<std::string> parameters;                  ///< inference, then context parameters
  std::map<std::string, data::MeanStd> standardization; ///< one entry for each of them
  std::vector<data::Prior> extrinsicPriors;             ///< in the order of extrinsicNames
  uint64_t seed = 0;                                    ///< at most 2^63 - 1
};

/// Writes geometry, priors, standardization, frequencies, SVD basis and seed into a program. Errors: an
/// artifact without data entries or compiled for other shapes; a parameter without statistics; a detector's
/// time without the detector.
Status writeDataConstants(plan::Program &program, const data::WaveformDataset &dataset,
                          const InputPipelineOptions &options);

/// Writes a stage's noise curves. Error if the artifact has room for fewer curves, other bins or other
/// detectors.
Status writeNoiseConstants(plan::Program &program, const data::UniformFrequencyDomain &domain,
                           const data::AsdDataset &asds);

} // namespace kowari::pipeline
