//===- Standardization.cpp - mean and standard deviation of parameters ----===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/Standardization.h"

#include "runtime/data/CounterRandom.h"
#include "runtime/data/IndexList.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace kowari::data {
namespace {

constexpr double pi = std::numbers::pi;

/// Mean and standard deviation with `values.size() - ddof` in the denominator; two passes, so no digit is
/// lost.
MeanStd statistics(const std::vector<double> &values, int ddof) {
  double n = static_cast<double>(values.size()), sum = 0.0;
  for (double value : values)
    sum += value;
  MeanStd result{sum / n, 0.0};
  double squares = 0.0;
  for (double value : values)
    squares += (value - result.mean) * (value - result.mean);
  if (n > ddof)
    result.std = std::sqrt(squares / (n - ddof));
  return result;
}

/// Each parameter has a stream of its own, whatever else is asked for.
uint64_t streamOf(const std::string &name) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (unsigned char c : name)
    hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

const ExtrinsicPrior *findPrior(const std::vector<ExtrinsicPrior> &priors, const std::string &name) {
  auto found =
      std::find_if(priors.begin(), priors.end(), [&](const ExtrinsicPrior &p) { return p.name == name; });
  return found == priors.end() ? nullptr : &*found;
}

const Detector *findTime(const std::vector<Detector> &detectors, const std::string &parameter) {
  for (const Detector &detector : detectors)
    if (parameter == detector.name + "_time")
      return &detector;
  return nullptr;
}

/// Arrival times from draws of ra, dec and geocent_time, rounded to single precision as training draws are.
Result<MeanStd> timeStatistics(const Detector &detector, int64_t count,
                               const StandardizationRequest &request) {
  const char *names[3] = {"ra", "dec", "geocent_time"};
  std::vector<float> draws[3];
  for (int k = 0; k < 3; ++k) {
    const ExtrinsicPrior *prior = findPrior(request.extrinsic, names[k]);
    if (!prior)
      return Status::error(detector.name + "_time needs an extrinsic prior for " + names[k]);
    CounterRandom random(request.seed, RandomPurpose::PriorStatistics, streamOf("time/" + prior->name));
    draws[k].resize(static_cast<size_t>(count));
    for (float &value : draws[k])
      value = static_cast<float>(prior->rescale(random.uniform()));
  }
  double gmst = greenwichMeanSiderealTime(request.refTime);
  std::vector<double> times(static_cast<size_t>(count));
  for (size_t k = 0; k < times.size(); ++k)
    times[k] = static_cast<double>(draws[2][k]) + timeDelay(detector, draws[0][k], draws[1][k], gmst);
  return statistics(times, 0);
}

} // namespace

MeanStd columnStatistics(const std::vector<double> &values) {
  assert(!values.empty());
  return statistics(values, 1);
}

MeanStd priorStatistics(const ExtrinsicPrior &prior, uint64_t seed) {
  double a = prior.minimum, b = prior.maximum;
  if (prior.className == "Uniform")
    return {(a + b) / 2, (b - a) / std::sqrt(12.0)};
  // sin over [0, pi] / 2 about pi / 2, and cos over [-pi/2, pi/2] / 2 about 0: the same variance, pi^2 / 4
  // - 2.
  if (prior.className == "Sine" && a == 0.0 && b == pi)
    return {pi / 2, std::sqrt(pi * pi / 4 - 2)};
  if (prior.className == "Cosine" && a == -pi / 2 && b == pi / 2)
    return {0.0, std::sqrt(pi * pi / 4 - 2)};
  CounterRandom random(seed, RandomPurpose::PriorStatistics, streamOf("prior/" + prior.name));
  std::vector<double> values(static_cast<size_t>(priorDraws));
  for (double &value : values)
    value = prior.rescale(random.uniform());
  return statistics(values, 0);
}

Result<std::map<std::string, MeanStd>> standardize(const WaveformDataset &dataset,
                                                   const StandardizationRequest &request) {
  std::map<std::string, MeanStd> result;
  for (const std::string &name : request.parameters) {
    MeanStd value;
    if (const ExtrinsicPrior *prior = findPrior(request.extrinsic, name)) {
      value = priorStatistics(*prior, request.seed);
    } else if (const Detector *detector = findTime(request.detectors, name)) {
      KOWARI_ASSIGN(value, timeStatistics(*detector, std::min(computedDraws, dataset.samples()), request));
    } else if (const std::vector<double> *column = dataset.column(name)) {
      value = columnStatistics(*column);
    } else {
      return Status::error(
          "parameter " + name + " is neither drawn from an extrinsic prior, nor a detector's time, " +
          "nor a column of " + dataset.path() + ", which has " + listNames(dataset.schema().parameterNames));
    }
    if (!(value.std > 0.0) || !std::isfinite(value.std) || !std::isfinite(value.mean))
      return Status::error("the standard deviation of " + name + " is " + std::to_string(value.std) +
                           "; remove it from inference_parameters");
    result[name] = value;
  }
  return result;
}

} // namespace kowari::data
