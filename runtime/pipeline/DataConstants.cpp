//===- DataConstants.cpp - what the data entries read besides the batch ---===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/pipeline/DataConstants.h"

#include "runtime/pipeline/TensorNames.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace kowari::pipeline {
namespace {

Status mismatch(const std::string &what, int64_t compiled, int64_t given) {
  return Status::error("the program was compiled for " + std::to_string(compiled) + " " + what +
                       ", the data have " + std::to_string(given) + "; compile it again for these settings");
}

Status checkFrequencies(const plan::Program &program, const data::UniformFrequencyDomain &domain) {
  const plan::TensorInfo *grid = program.findTensor(frequency);
  if (!grid)
    return Status::error("the program has no data entries; compile it from training settings");
  if (grid->shape[0] != domain.networkBins())
    return mismatch("frequency bins", grid->shape[0], domain.networkBins());
  return Status::ok();
}

/// Writes rows of a table, dense on the host; rows of the table beyond stay as they are.
template <class T>
void writeRows(plan::Program &program, const plan::TensorInfo &table, const std::vector<T> &values) {
  const int64_t columns = table.view.dim1, rows = static_cast<int64_t>(values.size()) / columns;
  for (int64_t r = 0; r < rows; ++r) {
    const T *source = values.data() + r * columns;
    if (table.view.dtype == plan::DType::F32)
      std::copy_n(source, columns, static_cast<float *>(program.data(table.view)) + r * table.view.stride0);
    else
      std::copy_n(source, columns, static_cast<double *>(program.data(table.view)) + r * table.view.stride0);
  }
}

Status writeDetector(plan::Program &program, int64_t d, const data::Detector &detector) {
  constexpr std::array<int, 6> triangle = {0, 1, 2, 4, 5, 8};
  for (int k = 0; k < 3; ++k)
    KOWARI_TRY(program.writeScalar(vertex(d, k), detector.vertex[k]));
  for (int k = 0; k < 6; ++k)
    KOWARI_TRY(program.writeScalar(response(d, k), detector.tensor[triangle[k]]));
  return Status::ok();
}

Status writeGeometry(plan::Program &program, const data::WaveformDataset &dataset,
                     const InputPipelineOptions &options) {
  const auto count = static_cast<int64_t>(options.detectors.size());
  int64_t compiled = 0;
  while (program.findTensor(vertex(compiled, 0)))
    ++compiled;
  if (compiled != count)
    return mismatch("detectors", compiled, count);
  for (int64_t d = 0; d < count; ++d)
    KOWARI_TRY(writeDetector(program, d, options.detectors[d]));
  KOWARI_ASSIGN(const double distance, dataset.referenceDistance());
  KOWARI_TRY(program.writeScalar(referenceDistance, distance));
  return program.writeScalar(
      siderealTime, std::fmod(data::greenwichMeanSiderealTime(options.refTime), 2 * std::numbers::pi));
}

/// Both ends of every cell, each approached from inside, so that a jump between cells stays one.
std::vector<double> tabulate(const data::Prior &prior) {
  std::vector<double> ends;
  constexpr double cells = priorTableCells, inside = 0x1p-50;
  for (int64_t i = 0; i < priorTableCells; ++i) {
    ends.push_back(prior.rescale(static_cast<double>(i) / cells + inside));
    ends.push_back(prior.rescale(static_cast<double>(i + 1) / cells - inside));
  }
  return ends;
}

Status writePrior(plan::Program &program, const std::string &name, const data::Prior &prior) {
  if (const plan::TensorInfo *table = program.findTensor(priorTable(name))) {
    writeRows(program, *table, tabulate(prior));
    return Status::ok();
  }
  const std::vector<double> parameters = prior.parameters();
  for (size_t k = 0; k < parameters.size(); ++k)
    KOWARI_TRY(program.writeScalar(priorParameter(name, static_cast<int>(k)), parameters[k]));
  return Status::ok();
}

Status writePriors(plan::Program &program, const InputPipelineOptions &options) {
  if (options.extrinsicPriors.size() != std::size(extrinsicNames))
    return Status::error("the input pipeline needs the priors of all five extrinsic parameters, not " +
                         std::to_string(options.extrinsicPriors.size()));
  for (size_t i = 0; i < std::size(extrinsicNames); ++i)
    KOWARI_TRY(writePrior(program, extrinsicNames[i], options.extrinsicPriors[i])
                   .withContext("extrinsic prior of " + std::string(extrinsicNames[i])));
  return Status::ok();
}

Status writeTimeVertex(plan::Program &program, int64_t p, const InputPipelineOptions &options) {
  const std::string &name = options.parameters[p];
  const auto found = std::find_if(options.detectors.begin(), options.detectors.end(),
                                  [&](const data::Detector &d) { return d.name + "_time" == name; });
  if (found == options.detectors.end())
    return Status::error("no detector belongs to the parameter " + name);
  for (int k = 0; k < 3; ++k)
    KOWARI_TRY(program.writeScalar(timeVertex(p, k), found->vertex[k]));
  return Status::ok();
}

Status writeParameters(plan::Program &program, const InputPipelineOptions &options) {
  const auto count = static_cast<int64_t>(options.parameters.size());
  int64_t compiled = 0;
  while (program.findTensor(mean(compiled)))
    ++compiled;
  if (compiled != count)
    return mismatch("inference and context parameters", compiled, count);
  for (int64_t p = 0; p < count; ++p) {
    const auto found = options.standardization.find(options.parameters[p]);
    if (found == options.standardization.end() || !(found->second.std > 0))
      return Status::error("parameter " + options.parameters[p] +
                           " has no mean and positive standard deviation");
    KOWARI_TRY(program.writeScalar(mean(p), found->second.mean));
    KOWARI_TRY(program.writeScalar(deviation(p), found->second.std));
    if (program.findTensor(timeVertex(p, 0)))
      KOWARI_TRY(writeTimeVertex(program, p, options));
  }
  return Status::ok();
}

/// The rows of W that the network sees: real parts of its bins, then imaginary parts.
Status writeBasis(plan::Program &program, const data::WaveformDataset &dataset) {
  const plan::TensorInfo *table = program.findTensor(decompression);
  if (!table != !dataset.schema().compressed())
    return Status::error(std::string("the program was compiled for ") +
                         (table ? "compressed" : "uncompressed") + " waveforms, " + dataset.path() +
                         " holds others; compile it again");
  if (!table)
    return Status::ok();
  if (table->shape[1] != dataset.rowWidth())
    return mismatch("SVD coefficients a polarization", table->shape[1] / 2, dataset.schema().svdSize);
  KOWARI_ASSIGN(const std::vector<double> basis, dataset.decompressionMatrix());
  const int64_t bins = dataset.domain().bins(), first = dataset.domain().minIndex(),
                width = dataset.rowWidth();
  std::vector<double> rows;
  for (const int64_t part : {int64_t{0}, bins})
    rows.insert(rows.end(), basis.begin() + (part + first) * width, basis.begin() + (part + bins) * width);
  writeRows(program, *table, rows);
  return Status::ok();
}

} // namespace

Status writeDataConstants(plan::Program &program, const data::WaveformDataset &dataset,
                          const InputPipelineOptions &options) {
  KOWARI_TRY(checkFrequencies(program, dataset.domain()));
  const std::vector<float> grid = dataset.domain().frequencies();
  KOWARI_TRY(program.write(frequency, std::span<const float>(grid).subspan(dataset.domain().minIndex())));
  KOWARI_TRY(writeGeometry(program, dataset, options));
  KOWARI_TRY(writePriors(program, options));
  KOWARI_TRY(writeParameters(program, options));
  KOWARI_TRY(writeBasis(program, dataset));
  const auto signedSeed = static_cast<int64_t>(options.seed);
  return program.write(seed, std::span<const int64_t>(&signedSeed, 1));
}

Status writeNoiseConstants(plan::Program &program, const data::UniformFrequencyDomain &domain,
                           const data::AsdDataset &asds) {
  KOWARI_TRY(checkFrequencies(program, domain));
  KOWARI_TRY(program.writeScalar(whiteningScale, data::asdScale / domain.noiseStd()));
  for (int64_t d = 0; d < asds.detectors(); ++d) {
    const plan::TensorInfo *table = program.findTensor(inverseAsd(d));
    if (!table)
      return mismatch("detectors", d, asds.detectors());
    if (asds.count(d) > table->shape[0])
      return mismatch("noise curves a detector at most", table->shape[0], asds.count(d));
    std::vector<double> inverse;
    for (int64_t row = asds.firstRow()[d]; row < asds.firstRow()[d + 1]; ++row)
      for (int64_t k = domain.minIndex(); k < domain.bins(); ++k)
        inverse.push_back(1.0 / (static_cast<double>(asds.asd()[row * asds.bins() + k]) * data::asdScale));
    writeRows(program, *table, inverse);
    KOWARI_TRY(program.writeScalar(asdCount(d), static_cast<double>(asds.count(d))));
  }
  return Status::ok();
}

} // namespace kowari::pipeline
