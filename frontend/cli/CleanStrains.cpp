//===- CleanStrains.cpp - whitened strains without noise ------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/CleanStrains.h"

namespace kowari::cli {

namespace {

double dot(const double *weights, const float *values, int64_t count) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < count; ++i)
    sum += weights[i] * static_cast<double>(values[i]);
  return sum;
}

/// out (bins) from a stored row [re | im]; `matrix` is (2 bins x width), or empty for uncompressed rows.
void decompress(const std::vector<double> &matrix, const float *row, int64_t width, int64_t bins,
                std::complex<double> *out) {
  for (int64_t k = 0; k < bins; ++k) {
    if (matrix.empty())
      out[k] = {row[k], row[bins + k]};
    else
      out[k] = {dot(matrix.data() + k * width, row, width),
                dot(matrix.data() + (bins + k) * width, row, width)};
  }
}

} // namespace

Result<CleanStrains> CleanStrains::create(const TrainingData &data, const data::AsdDataset &asds,
                                          double refTime) {
  CleanStrains strains(data, asds, refTime);
  if (data.waveforms->schema().compressed()) {
    KOWARI_ASSIGN(strains.decompression, data.waveforms->decompressionMatrix());
  }
  return strains;
}

CleanStrains::Draw CleanStrains::draw(data::CounterRandom &random, double fixedDistance) const {
  Draw result;
  double *targets[5] = {&result.extrinsic.dec, &result.extrinsic.ra, &result.extrinsic.geocentTime,
                        &result.extrinsic.psi, &result.extrinsic.luminosityDistance};
  for (size_t i = 0; i < data->priors.size(); ++i)
    *targets[i] = static_cast<float>(data->priors[i].rescale(random.uniform()));
  if (fixedDistance > 0.0)
    result.extrinsic.luminosityDistance = fixedDistance;
  for (int64_t d = 0; d < asds->detectors(); ++d)
    result.asdRow.push_back(static_cast<int64_t>(random.below(static_cast<uint64_t>(asds->count(d)))));
  return result;
}

Status CleanStrains::readPolarizations(std::span<const int64_t> indices,
                                       std::vector<std::complex<double>> &plus,
                                       std::vector<std::complex<double>> &cross) const {
  const auto count = static_cast<int64_t>(indices.size());
  const int64_t width = data->waveforms->rowWidth();
  std::vector<float> rowsPlus(static_cast<size_t>(count * width)), rowsCross(rowsPlus.size());
  KOWARI_TRY(data->waveforms->readRows(indices, rowsPlus.data(), rowsCross.data(), width));
  plus.resize(static_cast<size_t>(count * bins()));
  cross.resize(plus.size());
#pragma omp parallel for
  for (int64_t i = 0; i < 2 * count; ++i) {
    const std::vector<float> &rows = i < count ? rowsPlus : rowsCross;
    std::vector<std::complex<double>> &out = i < count ? plus : cross;
    const int64_t row = i % count;
    decompress(decompression, rows.data() + row * width, width, bins(), out.data() + row * bins());
  }
  return Status::ok();
}

std::span<const float> CleanStrains::asd(int64_t d, const Draw &draw) const {
  const int64_t row = asds->firstRow()[d] + draw.asdRow[d];
  return std::span<const float>(asds->asd())
      .subspan(static_cast<size_t>(row * asds->bins()), static_cast<size_t>(asds->bins()));
}

data::Strain CleanStrains::whitened(int64_t d, const Draw &draw, std::span<const std::complex<double>> plus,
                                    std::span<const std::complex<double>> cross) const {
  data::Strain strain = formulas.project(d, draw.extrinsic, plus, cross);
  formulas.whiten(strain, asd(d, draw));
  return strain;
}

} // namespace kowari::cli
