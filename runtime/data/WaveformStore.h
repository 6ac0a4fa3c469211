//===- WaveformStore.h - reading rows of polarizations ----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Internal to the waveform data set: the opened file with what its settings say, and the reader of one
// polarization.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/data/Hdf5File.h"
#include "runtime/data/WaveformDataset.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kowari::data {

/// An opened, consistent waveform data set of which no array has been read.
struct WaveformSource {
  Hdf5File file;
  WaveformSchema schema;
  Value settings;
  DatasetInfo plus, cross;
};
Result<WaveformSource> openWaveformSource(const WaveformOptions &options);

/// Reads rows of one polarization from disk into single-precision [re | im] rows.
class PolarizationReader {
public:
  /// `bandScale` (coefficients), or empty for ones, multiplies the columns: zero below f_min, the whitening
  /// curve. The file must outlive the reader.
  static Result<PolarizationReader> open(const Hdf5File &file, std::string name, const DatasetInfo &info,
                                         int64_t coefficients, std::vector<float> bandScale);
  PolarizationReader(PolarizationReader &&) noexcept;
  PolarizationReader &operator=(PolarizationReader &&) noexcept;
  ~PolarizationReader();

  /// Rows [first, first + rows) to out + k * stride, 2 * coefficients floats each.
  Status readRun(int64_t first, int64_t rows, float *out, int64_t stride);
  /// Rows `indices` in any order, repetitions allowed, to out + k * stride.
  Status readRows(std::span<const int64_t> indices, float *out, int64_t stride);
  const std::string &name() const { return dataset; }

private:
  PolarizationReader() = default;
  /// Rows that are read at once: bounds the scratch memory.
  int64_t blockRows() const;
  Status readBlock(int64_t first, int64_t rows);
  void convert(const void *row, float *out) const;

  const Hdf5File *file = nullptr;
  std::string dataset;
  int64_t columns = 0, coefficients = 0, elementBytes = 0, fileOffset = -1;
  std::vector<float> scale;
  int descriptor = -1;       ///< of the file when rows are read by offset
  std::vector<char> scratch; ///< a block of stored rows
};

} // namespace kowari::data
