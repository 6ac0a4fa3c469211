//===- MakeProgramSpec.h - settings and shapes into a spec ------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/settings/ProgramSpec.h"
#include "frontend/settings/Settings.h"

namespace kowari {

/// Shapes of the data, from the files or from flags.
struct DataShape {
  int64_t bins = 0;       // bins of the domain from f = 0 on, after domain_update
  int64_t minIndex = 0;   // first bin handed to the network
  int64_t svdSize = 0;    // coefficients a polarization after svd_size_update; 0: stored uncompressed
  int64_t numSamples = 0; // rows of the waveform data set; 0: not known, checks that need it are left out
  int64_t detectors = 0;  // after ET is split into its three
  int64_t asdRows = 1;    // most noise curves a detector has in any stage's ASD data set
};

/// The training rows Dingo's split gives: trainFraction * numSamples, rounded down in double.
int64_t trainingRows(double trainFraction, int64_t numSamples);

/// The spec of all programs of a training. Refuses, with the settings' line: a batch larger than the training
/// set, BatchNorm with a training batch of one row, n_rb beyond the bins, an SVD of more samples than there
/// are, settings that repeat the data's shapes wrongly. maxRows is the largest batch of all stages.
Result<ProgramSpec> makeProgramSpec(const Settings &settings, const DataShape &shape);

/// The network part alone: flow and embedding of a model whose settings are completed (input_dim, input_dims
/// and context_dim are there), with `maxRows` rows, no stages and no input pipeline; for log_prob and sample.
Result<ProgramSpec> makeModelSpec(const ModelSettings &model, int64_t maxRows, ElementType elementType,
                                  const std::string &origin);

} // namespace kowari
