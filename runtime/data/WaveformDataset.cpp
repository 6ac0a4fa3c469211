//===- WaveformDataset.cpp - waveform data sets of Dingo ------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/WaveformDataset.h"

#include "runtime/data/IndexList.h"
#include "runtime/data/NoiseCurves.h"
#include "runtime/data/WaveformStore.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <mutex>

namespace kowari::data {

struct WaveformDataset::State {
  explicit State(WaveformSource opened) : source(std::move(opened)) {}

  WaveformSource source;
  std::vector<TableColumn> table;
  std::vector<float> parameters;           // (samples x columns)
  std::vector<std::complex<float>> basis;  // (stored bins x stored columns)
  std::vector<float> curve;                // (bins) of the whitening curve; empty: none
  std::vector<PolarizationReader> readers; // plus, cross
  std::mutex readersInUse;
  std::vector<float> memory[2]; // (samples x rowWidth) each, empty when left on disk

  const WaveformSchema &schema() const { return source.schema; }
  int64_t rowWidth() const { return 2 * schema().coefficients(); }
  Status readTable();
  Status readBasis();
  Status openReaders();
  Status scan(int polarization, bool keep);
};

Status WaveformDataset::State::readTable() {
  KOWARI_ASSIGN(table, source.file.readTable("parameters"));
  size_t width = table.size(), rows = static_cast<size_t>(schema().samples);
  parameters.resize(rows * width);
  for (size_t c = 0; c < width; ++c) {
    std::vector<int64_t> bad;
    for (size_t k = 0; k < rows; ++k) {
      float value = static_cast<float>(table[c].values[k]);
      parameters[k * width + c] = value;
      if (!std::isfinite(value))
        bad.push_back(static_cast<int64_t>(k));
    }
    if (!bad.empty())
      return Status::error(source.file.path() + ": parameters: column " + table[c].name +
                           " is not finite in " + listIndices("row", bad));
  }
  return Status::ok();
}

Status WaveformDataset::State::readBasis() {
  const UniformFrequencyDomain &domain = schema().domain;
  if (!schema().whitening.empty()) {
    Result<std::vector<float>> values = noiseCurve(schema().whitening, domain.frequencies(), domain.fMin());
    if (!values)
      return values.status().withContext(source.file.path() + ": compression.whitening");
    curve = values.take();
  }
  if (!schema().compressed())
    return Status::ok();
  KOWARI_ASSIGN(basis, source.file.readComplexFloat("svd/V"));
  std::vector<int64_t> bad;
  for (int64_t row = 0, size = schema().storedColumns; row < schema().storedDomain.bins(); ++row)
    if (!std::all_of(&basis[row * size], &basis[row * size] + size, [](std::complex<float> v) {
          return std::isfinite(v.real()) && std::isfinite(v.imag());
        }))
      bad.push_back(row);
  if (!bad.empty())
    return Status::error(source.file.path() + ": svd/V is not finite in " + listIndices("row", bad));
  return Status::ok();
}

Status WaveformDataset::State::openReaders() {
  std::vector<float> scale;
  if (!schema().compressed()) {
    scale = curve.empty() ? std::vector<float>(static_cast<size_t>(schema().domain.bins()), 1.0f) : curve;
    std::fill_n(scale.begin(), schema().domain.minIndex(), 0.0f);
  }
  for (bool cross : {false, true}) {
    KOWARI_ASSIGN(
        PolarizationReader reader,
        PolarizationReader::open(source.file, cross ? "polarizations/h_cross" : "polarizations/h_plus",
                                 cross ? source.cross : source.plus, schema().coefficients(), scale));
    readers.push_back(std::move(reader));
  }
  return Status::ok();
}

/// Reads every row once, checks that it is finite, and keeps it if asked to.
Status WaveformDataset::State::scan(int polarization, bool keep) {
  int64_t width = rowWidth(), samples = schema().samples;
  int64_t block = std::max<int64_t>(1, (int64_t{1} << 20) / width);
  std::vector<float> &rows = memory[polarization];
  rows.resize(static_cast<size_t>((keep ? samples : std::min(block, samples)) * width));
  std::vector<int64_t> bad;
  for (int64_t first = 0; first < samples; first += block) {
    int64_t count = std::min(block, samples - first);
    float *out = rows.data() + (keep ? first * width : 0);
    KOWARI_TRY(readers[polarization].readRun(first, count, out, width));
    for (int64_t k = 0; k < count; ++k) {
      const float *row = out + k * width;
      bool finite = true;
      for (int64_t c = 0; c < width; ++c) // on the bits, so that it is vectorised
        finite &= (std::bit_cast<uint32_t>(row[c]) & 0x7f800000u) != 0x7f800000u;
      if (!finite)
        bad.push_back(first + k);
    }
  }
  if (!keep)
    rows = {};
  if (!bad.empty())
    return Status::error(source.file.path() + ": " + readers[polarization].name() + " is not finite in " +
                         listIndices("row", bad));
  return Status::ok();
}

WaveformDataset::WaveformDataset(std::unique_ptr<State> content) : state(std::move(content)) {}
WaveformDataset::WaveformDataset(WaveformDataset &&) noexcept = default;
WaveformDataset &WaveformDataset::operator=(WaveformDataset &&) noexcept = default;
WaveformDataset::~WaveformDataset() = default;

Result<WaveformDataset> WaveformDataset::open(const WaveformOptions &options) {
  KOWARI_ASSIGN(WaveformSource source, openWaveformSource(options));
  auto state = std::make_unique<State>(std::move(source));
  KOWARI_TRY(state->readTable());
  KOWARI_TRY(state->readBasis());
  KOWARI_TRY(state->openReaders());
  if (options.leaveOnDisk && !options.scanValues)
    return WaveformDataset(std::move(state));
  // Both polarizations are scanned before giving up, so that one message names every bad row.
  Status plus = state->scan(0, !options.leaveOnDisk), cross = state->scan(1, !options.leaveOnDisk);
  if (!plus && !cross)
    return Status::error(plus.message() + "; " + cross.message());
  KOWARI_TRY(plus);
  KOWARI_TRY(cross);
  return WaveformDataset(std::move(state));
}

const WaveformSchema &WaveformDataset::schema() const { return state->schema(); }
const std::string &WaveformDataset::path() const { return state->source.file.path(); }
const Value &WaveformDataset::settings() const { return state->source.settings; }
std::span<const float> WaveformDataset::parameters() const { return state->parameters; }
const std::vector<std::complex<float>> &WaveformDataset::svdBasis() const { return state->basis; }

const std::vector<double> *WaveformDataset::column(const std::string &parameter) const {
  for (const TableColumn &column : state->table)
    if (column.name == parameter)
      return &column.values;
  return nullptr;
}

Status WaveformDataset::readRows(std::span<const int64_t> indices, float *plus, float *cross,
                                 int64_t rowStride) const {
  int64_t width = rowWidth();
  assert(rowStride >= width);
  for (int64_t index : indices)
    if (index < 0 || index >= samples())
      return Status::error(path() + ": sample " + std::to_string(index) + " does not exist; there are " +
                           std::to_string(samples()));
  float *out[2] = {plus, cross};
  for (int p : {0, 1}) {
    const std::vector<float> &memory = state->memory[p];
    if (memory.empty()) {
      std::lock_guard lock(state->readersInUse);
      KOWARI_TRY(state->readers[p].readRows(indices, out[p], rowStride));
      continue;
    }
    for (size_t k = 0; k < indices.size(); ++k)
      std::memcpy(out[p] + static_cast<int64_t>(k) * rowStride, memory.data() + indices[k] * width,
                  static_cast<size_t>(width) * sizeof(float));
  }
  return Status::ok();
}

Result<std::vector<double>> WaveformDataset::decompressionMatrix() const {
  const WaveformSchema &s = schema();
  if (!s.compressed())
    return Status::error(path() + ": the waveforms are not SVD-compressed");
  int64_t bins = s.domain.bins(), size = s.svdSize;
  std::vector<double> matrix(static_cast<size_t>(2 * bins * 2 * size));
  for (int64_t bin = s.domain.minIndex(); bin < bins; ++bin) {
    double curve = state->curve.empty() ? 1.0 : state->curve[bin];
    double *re = &matrix[bin * 2 * size], *im = &matrix[(bins + bin) * 2 * size];
    for (int64_t k = 0; k < size; ++k) {
      std::complex<double> v = state->basis[bin * s.storedColumns + k];
      // (c_re + i c_im) conj(v) = c_re v_re + c_im v_im + i (c_im v_re - c_re v_im)
      re[k] = curve * v.real();
      re[size + k] = curve * v.imag();
      im[k] = -curve * v.imag();
      im[size + k] = curve * v.real();
    }
  }
  return matrix;
}

} // namespace kowari::data
