//===- RandomizedSvd.h - bases of clean whitened strains -----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The embedding's first layer starts as a projection onto the leading right singular vectors of a matrix of
// clean whitened strains, (samples x bins), one for each detector. The matrix is too large to keep for large
// data sets, so it is streamed in batches of rows: a randomised range finder with power iterations, then a
// small dense SVD (Halko, Martinsson and Tropp, 2011). Singular vectors are defined up to a phase each.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/data/Hdf5File.h"
#include "runtime/support/Status.h"

#include <complex>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kowari::data {

struct SvdBasis {
  int64_t bins = 0, size = 0;
  std::vector<std::complex<double>> v; ///< (bins x size) row-major, orthonormal columns
  std::vector<double> s;               ///< (size) singular values, descending
};

struct SvdOptions {
  int64_t size = 0;          ///< columns wanted; 0: all, min(samples, bins - firstBin)
  int64_t firstBin = 0;      ///< bins below are left out: the basis is zero there
  int64_t oversampling = 16; ///< extra columns carried in the range finder
  int powerIterations = 4;   ///< the rows are asked for 1 + powerIterations times
  uint64_t seed = 1;         ///< of the random start
};

/// Delivers rows [first, first + rows) of the matrix into `out` (rows x bins, row-major).
using RowSource = std::function<Status(int64_t first, int64_t rows, std::complex<double> *out)>;

/// The leading singular values and right singular vectors of the (samples x bins) matrix that `source`
/// delivers. All of it is held in memory only if size + oversampling reaches min(samples, bins - firstBin).
/// Errors: those of the source; more columns than the matrix has; rows that are not finite (named).
Result<SvdBasis> randomizedSvd(int64_t samples, int64_t bins, const SvdOptions &options,
                               const RowSource &source);

/// 1 - Re<h, P h> / (|h| |P h|) of each of the rows for the projection P on the first `n` basis vectors.
std::vector<double> mismatches(const SvdBasis &basis, int64_t n, const std::complex<double> *rows,
                               int64_t count);

/// The sizes at which Dingo reports mismatches: 50, 100, 150, ... and `size`.
std::vector<int64_t> mismatchSizes(int64_t size);

/// `svd_<ifo>.hdf5` as Dingo writes it: V, s and the table mismatches (may be empty: then left out).
Status writeSvdFile(const std::string &path, const SvdBasis &basis,
                    const std::vector<TableColumn> &mismatchTable);
Result<SvdBasis> readSvdFile(const std::string &path);

} // namespace kowari::data
