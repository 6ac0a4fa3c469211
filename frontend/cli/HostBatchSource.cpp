//===- HostBatchSource.cpp - batches made on the host, in double ----------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/HostBatchSource.h"

#include "runtime/pipeline/TensorNames.h"

#include <algorithm>

namespace kowari::cli {

Result<std::unique_ptr<train::BatchSource>>
HostBatchSource::create(plan::Program &program, const Settings &settings, const TrainingData &data, int stage,
                        const Standardization &standardization, uint64_t seed) {
  KOWARI_ASSIGN(CleanStrains strains, CleanStrains::create(data, *data.asds[stage], settings.data.refTime));
  std::unique_ptr<HostBatchSource> source(new HostBatchSource(program, settings, data, std::move(strains)));
  for (size_t i = 0; i < standardization.names.size(); ++i)
    source->statistics[standardization.names[i]] = {standardization.mean[i], standardization.std[i]};
  source->seed = seed;
  source->batchSize = settings.stages[stage].batchSize;
  source->theta.resize(static_cast<size_t>(source->batchSize) * settings.data.inferenceParameters.size());
  source->packed.resize(data.detectors.size());
  for (std::vector<double> &channel : source->packed)
    channel.resize(static_cast<size_t>(source->batchSize * 3 * source->strains.preparation().networkBins()));
  return std::unique_ptr<train::BatchSource>(std::move(source));
}

Status HostBatchSource::startEpoch(std::vector<int64_t> newOrder, int64_t newEpoch) {
  order = std::move(newOrder);
  epoch = newEpoch;
  position = 0;
  return Status::ok();
}

Result<int64_t> HostBatchSource::next() {
  const auto rows = std::min<int64_t>(batchSize, static_cast<int64_t>(order.size() - position));
  if (rows == 0)
    return rows;
  const std::span<const int64_t> samples =
      std::span<const int64_t>(order).subspan(position, static_cast<size_t>(rows));
  std::vector<std::complex<double>> plus, cross;
  KOWARI_TRY(strains.readPolarizations(samples, plus, cross));
  const auto bins = static_cast<size_t>(strains.bins());
  std::vector<Status> results(static_cast<size_t>(rows), Status::ok());
#pragma omp parallel for
  for (int64_t row = 0; row < rows; ++row) {
    const size_t first = static_cast<size_t>(row) * bins;
    results[row] = fillRow(row, samples[row], std::span(plus).subspan(first, bins),
                           std::span(cross).subspan(first, bins));
  }
  for (Status &result : results)
    KOWARI_TRY(std::move(result));
  KOWARI_TRY(writeBatch(rows, samples));
  position += static_cast<size_t>(rows);
  return rows;
}

Status HostBatchSource::fillRow(int64_t row, int64_t sample, std::span<const std::complex<double>> plus,
                                std::span<const std::complex<double>> cross) {
  const uint64_t index = static_cast<uint64_t>(epoch) << 40 | static_cast<uint64_t>(sample);
  data::CounterRandom random(seed, data::RandomPurpose::Batches, index);
  const CleanStrains::Draw draw = strains.draw(random, 0.0);
  std::map<std::string, double> intrinsic;
  const std::vector<std::string> &names = data.waveforms->schema().parameterNames;
  const std::span<const float> columns = data.waveforms->parameters();
  for (size_t i = 0; i < names.size(); ++i)
    intrinsic[names[i]] = columns[static_cast<size_t>(sample) * names.size() + i];
  const data::Preparation &formulas = strains.preparation();
  const std::vector<std::string> &parameters = settings.data.inferenceParameters;
  using Doubles = std::vector<double>;
  KOWARI_ASSIGN(const Doubles values,
                data::standardizedParameters(parameters, statistics, intrinsic, draw.extrinsic, formulas));
  std::copy(values.begin(), values.end(), theta.begin() + row * static_cast<int64_t>(parameters.size()));
  const int64_t width = 3 * formulas.networkBins();
  data::Strain noise(settings.data.zeroNoise ? 0 : static_cast<size_t>(strains.bins()));
  for (size_t d = 0; d < data.detectors.size(); ++d) {
    for (std::complex<double> &value : noise)
      value = random.complexNormal();
    const auto detector = static_cast<int64_t>(d);
    formulas.pack(strains.whitened(detector, draw, plus, cross), noise, strains.asd(detector, draw),
                  std::span(packed[d]).subspan(static_cast<size_t>(row * width), static_cast<size_t>(width)));
  }
  return Status::ok();
}

/// The first entry that has an input of this name; entries share their inputs.
int HostBatchSource::entryWith(const std::string &input) const {
  const auto count = static_cast<int>(program.entryNames().size());
  for (int entry = 0; entry < count; ++entry)
    if (const plan::TensorInfo *tensor = program.findEntryTensor(entry, input);
        tensor && tensor->kind == plan::TensorKind::Input)
      return entry;
  return -1;
}

Status HostBatchSource::writeBatch(int64_t rows, std::span<const int64_t> samples) {
  const auto part = [&](const std::vector<double> &values) {
    return std::span<const double>(values).first(values.size() / static_cast<size_t>(batchSize) *
                                                 static_cast<size_t>(rows));
  };
  KOWARI_TRY(program.writeInput(entryWith("theta"), "theta", part(theta), rows));
  for (size_t d = 0; d < packed.size(); ++d) {
    const std::string name = "strain/" + std::to_string(d);
    KOWARI_TRY(program.writeInput(entryWith(name), name, part(packed[d]), rows));
  }
  if (const int entry = entryWith(pipeline::sampleIndex); entry >= 0)
    KOWARI_TRY(program.writeInput(entry, pipeline::sampleIndex, samples, rows));
  return Status::ok();
}

} // namespace kowari::cli
