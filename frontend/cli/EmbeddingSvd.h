//===- EmbeddingSvd.h - the embedding's first layer from an SVD -*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/cli/TrainingData.h"
#include "runtime/data/RandomizedSvd.h"
#include "runtime/plan/Program.h"

#include <functional>
#include <string>
#include <vector>

namespace kowari::cli {

/// The basis of clean whitened strains of each detector, from the first samples of the data set and the ASDs
/// of stage 0, at a luminosity distance of 100 Mpc. Writes folder/svd_<detector>.hdf5 with the mismatches of
/// the validation samples, and reports progress and mismatches.
Result<std::vector<data::SvdBasis>> makeEmbeddingSvd(const Settings &settings, const TrainingData &data,
                                                     uint64_t seed, const std::string &folder,
                                                     const std::function<void(const std::string &)> &report);

/// Fills layers_rb with the first n columns of each basis, n = half the layer's outputs; bias 0.
Status writeSvdWeights(plan::Program &program, const std::vector<data::SvdBasis> &bases, int64_t minIndex);

} // namespace kowari::cli
