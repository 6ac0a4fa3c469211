//===- Preparation.h - input preparation, plain and in double -*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The way from a stored sample and its random draws to the network's input, one formula after the other in
// double precision. It is the reference for the compiled @prepare entry and makes the strains that the
// embedding's SVD is built from. Uniform frequency domains; draws are given, never made here.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/data/AsdDataset.h"
#include "runtime/data/Detectors.h"
#include "runtime/data/Domain.h"
#include "runtime/data/Standardization.h"
#include "runtime/support/Status.h"

#include <complex>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace kowari::data {

/// The extrinsic draws of a sample.
struct ExtrinsicDraw {
  double ra = 0.0, dec = 0.0, psi = 0.0; ///< rad
  double geocentTime = 0.0;              ///< s, relative to ref_time
  double luminosityDistance = 100.0;     ///< Mpc
};

using Strain = std::vector<std::complex<double>>; ///< (bins of the domain)

class Preparation {
public:
  Preparation(const UniformFrequencyDomain &domain, std::vector<Detector> detectors, double refTime,
              double referenceDistance);

  const std::vector<Detector> &detectors() const { return sites; }
  int64_t bins() const { return static_cast<int64_t>(frequencies.size()); }
  int64_t networkBins() const { return bins() - minIndex; }

  /// geocent_time plus the delay of detector `d`, s.
  double detectorTime(int64_t d, const ExtrinsicDraw &draw) const;
  /// Strain at detector `d`: distance, antenna pattern and time shift applied to the polarizations.
  Strain project(int64_t d, const ExtrinsicDraw &draw, std::span<const std::complex<double>> plus,
                 std::span<const std::complex<double>> cross) const;
  /// In place: strain / (asd * noise_std).
  void whiten(std::span<std::complex<double>> strain, std::span<const float> asd) const;
  /// Network input of one detector, (3 x networkBins()): real part, imaginary part, 1 / (asd * 1e23). `noise`
  /// is added to the whitened strain unless it is empty.
  void pack(std::span<const std::complex<double>> whitened, std::span<const std::complex<double>> noise,
            std::span<const float> asd, std::span<double> out) const;

private:
  std::vector<Detector> sites;
  std::vector<double> frequencies;
  int64_t minIndex;
  double noiseStd, gmst, referenceDistance;
};

/// The standardized parameters of a sample in the order of `names`, from its intrinsic columns, its draws and
/// detector times. Draws win over columns. Error if a name is in none of them or has no statistics.
Result<std::vector<double>> standardizedParameters(const std::vector<std::string> &names,
                                                   const std::map<std::string, MeanStd> &statistics,
                                                   const std::map<std::string, double> &intrinsic,
                                                   const ExtrinsicDraw &draw, const Preparation &preparation);

} // namespace kowari::data
