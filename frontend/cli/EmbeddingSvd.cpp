//===- EmbeddingSvd.cpp - the embedding's first layer from an SVD ---------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/EmbeddingSvd.h"

#include "frontend/cli/CleanStrains.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace kowari::cli {

namespace {

using Report = std::function<void(const std::string &)>;
using Complexes = std::vector<std::complex<double>>;

constexpr double svdDistance = 100.0; // Mpc
constexpr int64_t blockRows = 64;
/// Strains of a detector are kept in memory up to this size; larger sets are made anew in every pass of the
/// SVD.
constexpr int64_t maxKeptBytes = int64_t{1} << 30;

/// Clean strains of the first samples of the data set, for one detector.
class StrainRows {
public:
  StrainRows(const CleanStrains &strains, int64_t detector, uint64_t seed)
      : strains(strains), detector(detector), seed(seed) {}

  /// Makes the first `rows` strains once and for all, if they fit in memory.
  Status keep(int64_t rows) {
    if (rows * strains.bins() * static_cast<int64_t>(sizeof(std::complex<double>)) > maxKeptBytes)
      return Status::ok();
    Complexes made(static_cast<size_t>(rows * strains.bins()));
    KOWARI_TRY(read(0, rows, made.data()));
    kept = std::move(made);
    return Status::ok();
  }
  Status read(int64_t first, int64_t rows, std::complex<double> *out) const {
    if (const int64_t bins = strains.bins(); (first + rows) * bins <= static_cast<int64_t>(kept.size())) {
      std::copy_n(kept.begin() + first * bins, rows * bins, out);
      return Status::ok();
    }
    for (int64_t begin = first; begin < first + rows; begin += blockRows) {
      const int64_t count = std::min(blockRows, first + rows - begin);
      KOWARI_TRY(readBlock(begin, count, out + (begin - first) * strains.bins()));
    }
    return Status::ok();
  }
  CleanStrains::Draw drawOf(int64_t sample) const {
    data::CounterRandom random(seed, data::RandomPurpose::SvdSamples, static_cast<uint64_t>(sample));
    return strains.draw(random, svdDistance);
  }

private:
  Status readBlock(int64_t first, int64_t count, std::complex<double> *out) const {
    std::vector<int64_t> indices(static_cast<size_t>(count));
    std::iota(indices.begin(), indices.end(), first);
    Complexes plus, cross;
    KOWARI_TRY(strains.readPolarizations(indices, plus, cross));
    const int64_t bins = strains.bins();
#pragma omp parallel for
    for (int64_t i = 0; i < count; ++i) {
      const data::Strain strain = strains.whitened(
          detector, drawOf(first + i),
          std::span(plus).subspan(static_cast<size_t>(i * bins), static_cast<size_t>(bins)),
          std::span(cross).subspan(static_cast<size_t>(i * bins), static_cast<size_t>(bins)));
      std::copy(strain.begin(), strain.end(), out + i * bins);
    }
    return Status::ok();
  }

  const CleanStrains &strains;
  int64_t detector;
  uint64_t seed;
  Complexes kept; // (rows x bins); empty if they are made anew
};

/// Says now and then how far the passes over one detector's strains are.
class PassProgress {
public:
  PassProgress(std::string name, int64_t totalRows, const Report &report)
      : name(std::move(name)), totalRows(totalRows), report(report) {}
  void add(int64_t rows) {
    done += rows;
    const Clock::time_point now = Clock::now();
    if (now - lastReport < std::chrono::seconds(10) || done >= totalRows)
      return;
    lastReport = now;
    report("   " + name + ": " + std::to_string(100 * done / totalRows) + "%");
  }

private:
  using Clock = std::chrono::steady_clock;
  std::string name;
  int64_t totalRows, done = 0;
  const Report &report;
  Clock::time_point lastReport = Clock::now();
};

/// Linear interpolation between order statistics, as numpy.percentile.
double percentile(const std::vector<double> &sorted, double percent) {
  const double place = percent / 100.0 * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// Dingo's summary of the mismatches at one size.
void reportMismatches(int64_t size, std::vector<double> values, const Report &report) {
  std::sort(values.begin(), values.end());
  const double n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0.0;
  for (double value : values)
    squares += (value - mean) * (value - mean);
  report("n = " + std::to_string(size) + "\n  Mean mismatch = " + pythonFloatRepr(mean) +
         "\n  Standard deviation = " + pythonFloatRepr(std::sqrt(squares / n)) +
         "\n  Max mismatch = " + pythonFloatRepr(values.back()) +
         "\n  Median mismatch = " + pythonFloatRepr(percentile(values, 50.0)) +
         "\n  Percentiles:\n    99    -> " + pythonFloatRepr(percentile(values, 99.0)) + "\n    99.9  -> " +
         pythonFloatRepr(percentile(values, 99.9)) + "\n    99.99 -> " +
         pythonFloatRepr(percentile(values, 99.99)));
}

/// The parameters of the validation samples and their mismatches, as Dingo tabulates them.
Result<std::vector<data::TableColumn>> mismatchTable(const Settings &settings, const TrainingData &data,
                                                     const data::SvdBasis &basis, const StrainRows &rows,
                                                     const Report &report) {
  const int64_t first = settings.model.embedding.svd.numTrainingSamples;
  const int64_t count = settings.model.embedding.svd.numValidationSamples;
  std::vector<data::TableColumn> table;
  if (count == 0)
    return table;
  for (const std::string &name : data.waveforms->schema().parameterNames) {
    const std::vector<double> &column = *data.waveforms->column(name);
    table.push_back({name, {column.begin() + first, column.begin() + first + count}, true});
  }
  Complexes strains(static_cast<size_t>(count * basis.bins));
  KOWARI_TRY(rows.read(first, count, strains.data()));
  for (const int64_t size : data::mismatchSizes(basis.size)) {
    std::vector<double> values = data::mismatches(basis, size, strains.data(), count);
    reportMismatches(size, values, report);
    table.push_back({"mismatch n=" + std::to_string(size), std::move(values), false});
  }
  return table;
}

} // namespace

Result<std::vector<data::SvdBasis>> makeEmbeddingSvd(const Settings &settings, const TrainingData &data,
                                                     uint64_t seed, const std::string &folder,
                                                     const Report &report) {
  const SvdSettings &svd = settings.model.embedding.svd;
  report("\nBuilding SVD for initialization of embedding network.");
  KOWARI_ASSIGN(const CleanStrains strains,
                CleanStrains::create(data, *data.asds.front(), settings.data.refTime));
  std::vector<data::SvdBasis> bases;
  report("Generating SVD basis for ifo:");
  const auto start = std::chrono::steady_clock::now();
  data::SvdOptions options;
  options.size = svd.size;
  options.firstBin = data.waveforms->domain().minIndex();
  options.seed = seed;
  std::vector<StrainRows> sources;
  for (size_t d = 0; d < data.detectors.size(); ++d) {
    StrainRows &rows = sources.emplace_back(strains, static_cast<int64_t>(d), seed);
    KOWARI_TRY(rows.keep(svd.numTrainingSamples + svd.numValidationSamples));
    PassProgress progress(data.detectors[d].name, svd.numTrainingSamples * (1 + options.powerIterations),
                          report);
    Result<data::SvdBasis> basis =
        data::randomizedSvd(svd.numTrainingSamples, strains.bins(), options,
                            [&](int64_t first, int64_t count, std::complex<double> *out) {
                              progress.add(count);
                              return rows.read(first, count, out);
                            });
    if (!basis)
      return basis.status().withContext("SVD of the strains at " + data.detectors[d].name);
    bases.push_back(basis.take());
    report("..." + data.detectors[d].name + " done.");
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  report("...this took " + std::to_string(std::lround(took.count())) + " s.\nTesting SVD basis matrices.");
  for (size_t d = 0; d < data.detectors.size(); ++d) {
    const std::string &name = data.detectors[d].name;
    report("..." + name + ":");
    using Table = std::vector<data::TableColumn>;
    KOWARI_ASSIGN(const Table table, mismatchTable(settings, data, bases[d], sources[d], report));
    const std::string path = folder + "/svd_" + name + ".hdf5";
    report("Saving dataset to " + path);
    KOWARI_TRY(data::writeSvdFile(path, bases[d], table));
  }
  report("Done");
  return bases;
}

Status writeSvdWeights(plan::Program &program, const std::vector<data::SvdBasis> &bases, int64_t minIndex) {
  for (size_t d = 0; d < bases.size(); ++d) {
    const data::SvdBasis &basis = bases[d];
    const std::string end = "0.layers_rb." + std::to_string(d) + ".weight";
    const plan::TensorInfo *weight = nullptr;
    for (const plan::TensorInfo &tensor : program.tensors())
      if (tensor.kind == plan::TensorKind::Parameter && tensor.name.ends_with(end))
        weight = &tensor;
    if (!weight)
      return Status::error("the program has no parameter ..." + end);
    const int64_t n = weight->shape[0] / 2, columns = weight->shape[1], bins = columns / 3;
    if (basis.size < n || basis.bins - minIndex != bins)
      return Status::error("the SVD basis has " + std::to_string(basis.size) + " vectors of " +
                           std::to_string(basis.bins - minIndex) + " bins, " + weight->name + " needs " +
                           std::to_string(n) + " of " + std::to_string(bins));
    std::vector<double> values(static_cast<size_t>(2 * n * columns), 0.0);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t k = 0; k < bins; ++k) {
        const std::complex<float> v(basis.v[static_cast<size_t>((minIndex + k) * basis.size + j)]);
        values[static_cast<size_t>(j * columns + k)] = v.real();
        values[static_cast<size_t>(j * columns + bins + k)] = -v.imag();
        values[static_cast<size_t>((n + j) * columns + k)] = v.imag();
        values[static_cast<size_t>((n + j) * columns + bins + k)] = v.real();
      }
    KOWARI_TRY(program.write(weight->name, std::span<const double>(values)));
    const std::string bias = weight->name.substr(0, weight->name.size() - 6) + "bias";
    KOWARI_TRY(
        program.write(bias, std::span<const double>(std::vector<double>(static_cast<size_t>(2 * n), 0.0))));
  }
  return Status::ok();
}

} // namespace kowari::cli
