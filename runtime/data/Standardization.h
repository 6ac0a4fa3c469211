//===- Standardization.h - mean and standard deviation of parameters -*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Parameters are handed to the network as (value - mean) / std. Where the two numbers come from depends on
// the parameter: a column of the data set, an extrinsic prior, or a quantity computed from draws.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/data/Detectors.h"
#include "runtime/data/WaveformDataset.h"
#include "runtime/support/Status.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kowari::data {

struct MeanStd {
  double mean = 0.0, std = 1.0;
};

/// An extrinsic prior as standardization needs it; runtime/data/prior makes it.
struct ExtrinsicPrior {
  std::string name;      ///< "ra", "luminosity_distance", ...
  std::string className; ///< bilby's: "Uniform", "Sine", ...
  double minimum = 0.0, maximum = 0.0;
  /// Quantile function: a draw from a uniform number in (0, 1).
  std::function<double(double)> rescale;
};

/// Draws for statistics where there is no closed form, as Dingo takes.
inline constexpr int64_t priorDraws = 50000;
inline constexpr int64_t computedDraws = 100000; ///< at most; bounded by the number of samples

/// Mean and std (ddof 1) of a column, in double.
MeanStd columnStatistics(const std::vector<double> &values);
/// Closed form for Uniform, Sine over [0, pi] and Cosine over [-pi/2, pi/2]; otherwise priorDraws draws (ddof
/// 0) from a counter-based generator keyed by `seed`.
MeanStd priorStatistics(const ExtrinsicPrior &prior, uint64_t seed);

struct StandardizationRequest {
  std::vector<std::string> parameters; ///< inference, then context parameters
  std::vector<ExtrinsicPrior> extrinsic;
  std::vector<Detector> detectors; ///< for <name>_time
  double refTime = 0.0;            ///< GPS time, s
  uint64_t seed = 0;
};

/// One entry for every requested parameter. Errors: a parameter that is neither drawn, nor a column, nor a
/// detector's time; a standard deviation of zero.
Result<std::map<std::string, MeanStd>> standardize(const WaveformDataset &dataset,
                                                   const StandardizationRequest &request);

} // namespace kowari::data
