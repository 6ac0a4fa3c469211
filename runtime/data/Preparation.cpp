//===- Preparation.cpp - input preparation, plain and in double -----------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/Preparation.h"

#include <cassert>
#include <cmath>
#include <numbers>
#include <utility>

namespace kowari::data {

Preparation::Preparation(const UniformFrequencyDomain &domain, std::vector<Detector> detectors,
                         double refTime, double distance)
    : sites(std::move(detectors)), minIndex(domain.minIndex()), noiseStd(domain.noiseStd()),
      gmst(greenwichMeanSiderealTime(refTime)), referenceDistance(distance) {
  std::vector<float> grid = domain.frequencies();
  frequencies.assign(grid.begin(), grid.end());
}

double Preparation::detectorTime(int64_t d, const ExtrinsicDraw &draw) const {
  return draw.geocentTime + timeDelay(sites[d], draw.ra, draw.dec, gmst);
}

Strain Preparation::project(int64_t d, const ExtrinsicDraw &draw, std::span<const std::complex<double>> plus,
                            std::span<const std::complex<double>> cross) const {
  assert(plus.size() == frequencies.size() && cross.size() == frequencies.size());
  AntennaPattern antenna = antennaPattern(sites[d], draw.ra, draw.dec, draw.psi, gmst);
  double scale = referenceDistance / draw.luminosityDistance, time = detectorTime(d, draw);
  Strain strain(frequencies.size());
  for (size_t k = 0; k < strain.size(); ++k) {
    std::complex<double> shift = std::polar(1.0, -2.0 * std::numbers::pi * frequencies[k] * time);
    strain[k] = scale * (antenna.plus * plus[k] + antenna.cross * cross[k]) * shift;
  }
  return strain;
}

void Preparation::whiten(std::span<std::complex<double>> strain, std::span<const float> asd) const {
  assert(strain.size() == frequencies.size() && asd.size() == frequencies.size());
  for (size_t k = 0; k < strain.size(); ++k)
    strain[k] /= static_cast<double>(asd[k]) * noiseStd;
}

void Preparation::pack(std::span<const std::complex<double>> whitened,
                       std::span<const std::complex<double>> noise, std::span<const float> asd,
                       std::span<double> out) const {
  int64_t width = networkBins();
  assert(static_cast<int64_t>(out.size()) == 3 * width);
  for (int64_t k = 0; k < width; ++k) {
    std::complex<double> value = whitened[minIndex + k];
    if (!noise.empty())
      value += noise[minIndex + k];
    out[k] = value.real();
    out[width + k] = value.imag();
    out[2 * width + k] = 1.0 / (static_cast<double>(asd[minIndex + k]) * asdScale);
  }
}

namespace {

/// The value of a parameter that is drawn; nothing if it is none of the five.
const double *drawnValue(const ExtrinsicDraw &draw, const std::string &name) {
  if (name == "ra")
    return &draw.ra;
  if (name == "dec")
    return &draw.dec;
  if (name == "psi")
    return &draw.psi;
  if (name == "geocent_time")
    return &draw.geocentTime;
  if (name == "luminosity_distance")
    return &draw.luminosityDistance;
  return nullptr;
}

} // namespace

Result<std::vector<double>> standardizedParameters(const std::vector<std::string> &names,
                                                   const std::map<std::string, MeanStd> &statistics,
                                                   const std::map<std::string, double> &intrinsic,
                                                   const ExtrinsicDraw &draw,
                                                   const Preparation &preparation) {
  std::map<std::string, double> times;
  for (size_t d = 0; d < preparation.detectors().size(); ++d)
    times[preparation.detectors()[d].name + "_time"] =
        preparation.detectorTime(static_cast<int64_t>(d), draw);
  std::vector<double> values;
  for (const std::string &name : names) {
    auto entry = statistics.find(name);
    if (entry == statistics.end())
      return Status::error("parameter " + name + " has no mean and standard deviation");
    const double *value = drawnValue(draw, name);
    for (const auto *table : {&std::as_const(times), &intrinsic})
      if (auto found = table->find(name); !value && found != table->end())
        value = &found->second;
    if (!value)
      return Status::error("parameter " + name +
                           " is neither drawn, nor a detector's time, nor in the data set");
    values.push_back((*value - entry->second.mean) / entry->second.std);
  }
  return values;
}

} // namespace kowari::data
