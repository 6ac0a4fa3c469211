//===- CleanStrains.h - whitened strains without noise ----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Samples of the data set with random extrinsic parameters, projected onto the detectors and whitened with a
// random ASD: what the embedding's SVD is made of. Every draw is a function of (seed, purpose, stream,
// sample). All in double precision, by the formulas of data::Preparation.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/cli/TrainingData.h"
#include "runtime/data/CounterRandom.h"

#include <complex>
#include <span>
#include <vector>

namespace kowari::cli {

class CleanStrains {
public:
  /// `data` must outlive the object; `asds` are those of a stage. Error if the basis cannot be decompressed.
  static Result<CleanStrains> create(const TrainingData &data, const data::AsdDataset &asds, double refTime);

  /// Everything random about a sample.
  struct Draw {
    data::ExtrinsicDraw extrinsic; // rounded to single precision, as Dingo's
    std::vector<int64_t> asdRow;   // (detectors), counted from the detector's first row
  };
  /// Draws from `random`; `fixedDistance` > 0 replaces the luminosity distance.
  Draw draw(data::CounterRandom &random, double fixedDistance) const;

  /// Both polarizations of `indices`, (count x bins) each, decompressed.
  Status readPolarizations(std::span<const int64_t> indices, std::vector<std::complex<double>> &plus,
                           std::vector<std::complex<double>> &cross) const;

  /// Whitened strain (bins) of detector `d` from one sample's polarizations.
  data::Strain whitened(int64_t d, const Draw &draw, std::span<const std::complex<double>> plus,
                        std::span<const std::complex<double>> cross) const;
  /// (bins) the ASD that a draw chose for detector `d`.
  std::span<const float> asd(int64_t d, const Draw &draw) const;

  const data::Preparation &preparation() const { return formulas; }
  int64_t bins() const { return formulas.bins(); }

private:
  CleanStrains(const TrainingData &data, const data::AsdDataset &asds, double refTime)
      : data(&data), asds(&asds), formulas(data.preparation(refTime)) {}

  const TrainingData *data;
  const data::AsdDataset *asds;
  data::Preparation formulas;
  std::vector<double> decompression; // (2 bins x 2 svdSize); empty if stored uncompressed
};

} // namespace kowari::cli
