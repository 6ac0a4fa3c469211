//===- WaveformDataset.h - waveform data sets of Dingo -------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// A waveform data set holds N samples: a table of parameters and two polarizations, h_plus and h_cross, each
// stored as complex strain over the domain's bins or as complex coefficients of an SVD basis. Whatever
// precision the file has, rows are handed out in single precision as real parts followed by imaginary parts
// ([re | im], width rowWidth()); decompressionMatrix() says how to get strain from them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/data/Domain.h"
#include "runtime/data/Hdf5File.h"
#include "runtime/support/Status.h"
#include "runtime/support/Value.h"

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kowari::data {

struct WaveformOptions {
  std::string path;
  std::optional<DomainUpdate> domainUpdate;
  std::optional<int64_t> svdSizeUpdate;
  /// Rows are read from the file when asked for instead of being held in memory. Equal results either way.
  bool leaveOnDisk = true;
  /// Read everything once at opening to find values that are not finite. Without it, an open of waveforms on
  /// disk touches no row.
  bool scanValues = true;
};

/// What a program is compiled from: shapes and settings, read without touching the arrays.
struct WaveformSchema {
  int64_t samples = 0;
  UniformFrequencyDomain storedDomain; ///< as in the file
  UniformFrequencyDomain domain;       ///< after domain_update
  int64_t storedColumns = 0; ///< complex numbers in a stored row (before svd_size_update, domain_update)
  int64_t svdSize = 0;       ///< coefficients used of each polarization; 0: stored uncompressed
  std::string whitening;     ///< name of the noise curve that was divided out; empty: none
  std::vector<std::string> parameterNames;

  bool compressed() const { return svdSize > 0; }
  /// Complex numbers handed out for a polarization of a sample: SVD coefficients or bins().
  int64_t coefficients() const { return compressed() ? svdSize : domain.bins(); }
};

/// Everything of `open` that needs no array: settings, shapes, domain, compression.
Result<WaveformSchema> readWaveformSchema(const WaveformOptions &options);

class WaveformDataset {
public:
  /// Reads parameters, SVD basis and (unless left on disk) polarizations, and checks that every value is
  /// finite; on failure the message names the file, the data set and the rows.
  static Result<WaveformDataset> open(const WaveformOptions &options);
  WaveformDataset(WaveformDataset &&) noexcept;
  WaveformDataset &operator=(WaveformDataset &&) noexcept;
  ~WaveformDataset();

  const WaveformSchema &schema() const;
  const UniformFrequencyDomain &domain() const { return schema().domain; }
  int64_t samples() const { return schema().samples; }
  const std::string &path() const;
  /// The file's `settings` (a dictionary), as the model's metadata keep it.
  const Value &settings() const;

  /// (samples()) values of a parameter in double precision, for statistics; null if the file has no such
  /// column.
  const std::vector<double> *column(const std::string &parameter) const;
  /// (samples() x parameterNames) row-major, single precision, as training uses them.
  std::span<const float> parameters() const;

  /// Floats of one polarization of one sample: 2 * schema().coefficients().
  int64_t rowWidth() const { return 2 * schema().coefficients(); }
  /// Copies the rows `indices` (any order, repetitions allowed) of both polarizations to plus + k * rowStride
  /// and cross + k * rowStride, k = 0, 1, ... in the order of `indices`: rowWidth() floats each, [re | im].
  /// Uncompressed rows are zero below the domain's f_min and un-whitened. rowStride >= rowWidth() in floats.
  /// May be called from several threads; reads from disk take turns.
  Status readRows(std::span<const int64_t> indices, float *plus, float *cross, int64_t rowStride) const;

  /// The basis as stored (not resized, not cut), in single precision as Dingo loads it:
  /// (storedDomain.bins() x storedColumns) row-major; empty when uncompressed.
  const std::vector<std::complex<float>> &svdBasis() const;

  /// W of shape (2 bins x 2 svdSize), row-major, with [h_re | h_im] = [c_re | c_im] W^T: svdBasis()
  /// conjugated times the whitening curve, cut at f_max and zero below f_min. Error if uncompressed.
  Result<std::vector<double>> decompressionMatrix() const;

  /// The checks that need the training settings: every inference and context parameter that is not drawn
  /// (`extrinsic`) nor computed (`computed`: detector times and the like) is a column that varies; no
  /// parameter varies in the file and is drawn as well; geocent_time of the file is 0 and luminosity_distance
  /// constant.
  Status checkParameters(const std::vector<std::string> &inferenceAndContext,
                         const std::vector<std::string> &extrinsic,
                         const std::vector<std::string> &computed) const;
  /// The distance the waveforms were made at (constant column luminosity_distance), Mpc.
  Result<double> referenceDistance() const;

private:
  struct State;
  explicit WaveformDataset(std::unique_ptr<State> content);
  std::unique_ptr<State> state;
};

} // namespace kowari::data
