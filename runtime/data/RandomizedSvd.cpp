//===- RandomizedSvd.cpp - bases of clean whitened strains ----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/RandomizedSvd.h"

#include "runtime/data/ComplexAlgebra.h"
#include "runtime/data/CounterRandom.h"
#include "runtime/data/IndexList.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace kowari::data {
namespace {

using Complex = std::complex<double>;

bool isFinite(Complex value) { return std::isfinite(value.real()) && std::isfinite(value.imag()); }

/// The matrix as a stream of blocks of rows, without the columns below `firstBin`.
class RowStream {
public:
  RowStream(int64_t samples, int64_t bins, int64_t firstBin, const RowSource &source)
      : samples(samples), bins(bins), firstBin(firstBin), source(source) {}

  /// Calls use(first row, block) -> Status for every block in order.
  template <class Use> Status forEach(Use use) const {
    constexpr int64_t blockRows = 256;
    std::vector<Complex> values(static_cast<size_t>(std::min(blockRows, samples) * bins));
    for (int64_t first = 0; first < samples; first += blockRows) {
      RowBlock block{values.data() + firstBin, std::min(blockRows, samples - first), bins - firstBin, bins};
      KOWARI_TRY(source(first, block.rows, values.data()));
      KOWARI_TRY(checkFinite(first, block));
      KOWARI_TRY(use(first, block));
    }
    return Status::ok();
  }

private:
  static Status checkFinite(int64_t first, const RowBlock &block) {
    std::vector<int64_t> bad;
    for (int64_t k = 0; k < block.rows; ++k)
      if (!std::all_of(block.values + k * block.stride, block.values + k * block.stride + block.columns,
                       isFinite))
        bad.push_back(first + k);
    return bad.empty() ? Status::ok()
                       : Status::error("the whitened strain is not finite in " + listIndices("sample", bad));
  }

  int64_t samples, bins, firstBin;
  const RowSource &source;
};

/// Right singular vectors (columns) and values, descending.
struct Svd {
  ComplexMatrix v;
  std::vector<double> s;
};

ComplexMatrix randomStart(int64_t rows, int64_t columns, uint64_t seed) {
  CounterRandom random(seed, RandomPurpose::RangeFinder, 0);
  ComplexMatrix start(rows, columns);
  for (Complex &value : start.values)
    value = random.complexNormal();
  return start;
}

/// All singular vectors, from the whole matrix in memory.
Result<Svd> denseSvd(const ComplexAlgebra &algebra, const RowStream &stream, int64_t samples, int64_t width) {
  ComplexMatrix whole(samples, width);
  KOWARI_TRY(stream.forEach([&](int64_t first, const RowBlock &block) {
    for (int64_t r = 0; r < block.rows; ++r)
      for (int64_t c = 0; c < width; ++c)
        whole(first + r, c) = block.values[r * block.stride + c];
    return Status::ok();
  }));
  Svd result;
  KOWARI_TRY(algebra.rightSvd(std::move(whole), result.v, result.s));
  return result;
}

/// One power iteration: the space spanned by A^H A q.
Status iterate(const ComplexAlgebra &algebra, const RowStream &stream, ComplexMatrix &q) {
  ComplexMatrix image(q.rows, q.columns); // of its conjugate, A^T conj(A q)
  KOWARI_TRY(stream.forEach([&](int64_t, const RowBlock &block) {
    ComplexMatrix projected = algebra.multiply(block, q);
    for (Complex &value : projected.values)
      value = std::conj(value);
    algebra.addTransposed(block, projected, image);
    return Status::ok();
  }));
  for (Complex &value : image.values)
    value = std::conj(value);
  q = std::move(image);
  return algebra.orthonormalize(q);
}

/// R of A q = Q R, by factoring blocks one under the other; forming (A q)^H A q would square the condition.
Result<ComplexMatrix> streamedTriangle(const ComplexAlgebra &algebra, const RowStream &stream,
                                       const ComplexMatrix &q) {
  int64_t columns = q.columns;
  ComplexMatrix triangle(columns, columns);
  KOWARI_TRY(stream.forEach([&](int64_t, const RowBlock &block) -> Status {
    ComplexMatrix projected = algebra.multiply(block, q), stacked(columns + block.rows, columns);
    for (int64_t c = 0; c < columns; ++c) {
      std::copy_n(&triangle(0, c), columns, &stacked(0, c));
      std::copy_n(&projected(0, c), block.rows, &stacked(columns, c));
    }
    KOWARI_ASSIGN(triangle, algebra.triangularFactor(std::move(stacked)));
    return Status::ok();
  }));
  return triangle;
}

/// The leading right singular vectors: the range of (A^H A)^q times a random matrix, then the SVD of A
/// restricted to it.
Result<Svd> rangeFinderSvd(const ComplexAlgebra &algebra, const RowStream &stream, int64_t width,
                           int64_t columns, const SvdOptions &options) {
  ComplexMatrix q = randomStart(width, columns, options.seed);
  KOWARI_TRY(algebra.orthonormalize(q));
  for (int iteration = 0; iteration < options.powerIterations; ++iteration)
    KOWARI_TRY(iterate(algebra, stream, q));
  KOWARI_ASSIGN(ComplexMatrix triangle, streamedTriangle(algebra, stream, q));
  Svd result;
  KOWARI_TRY(algebra.rightSvd(std::move(triangle), result.v, result.s));
  result.v = algebra.multiply(q, result.v);
  return result;
}

} // namespace

Result<SvdBasis> randomizedSvd(int64_t samples, int64_t bins, const SvdOptions &options,
                               const RowSource &source) {
  int64_t width = bins - options.firstBin, most = std::min(samples, width);
  if (options.size < 0 || options.size > most)
    return Status::error("an SVD of " + std::to_string(samples) + " samples of " + std::to_string(width) +
                         " bins has at most " + std::to_string(most) + " basis vectors, " +
                         std::to_string(options.size) +
                         " are asked for; lower svd.size or raise num_training_samples");
  KOWARI_ASSIGN(ComplexAlgebra algebra, ComplexAlgebra::open());
  int64_t size = options.size == 0 ? most : options.size, columns = size + options.oversampling;
  RowStream stream(samples, bins, options.firstBin, source);
  KOWARI_ASSIGN(Svd svd, columns >= most ? denseSvd(algebra, stream, samples, width)
                                         : rangeFinderSvd(algebra, stream, width, columns, options));
  SvdBasis basis{bins, size, std::vector<Complex>(static_cast<size_t>(bins * size)), std::move(svd.s)};
  basis.s.resize(static_cast<size_t>(size));
  for (int64_t bin = 0; bin < width; ++bin)
    for (int64_t k = 0; k < size; ++k)
      basis.v[(options.firstBin + bin) * size + k] = svd.v(bin, k);
  return basis;
}

std::vector<double> mismatches(const SvdBasis &basis, int64_t n, const std::complex<double> *rows,
                               int64_t count) {
  std::vector<double> result(static_cast<size_t>(count));
  std::vector<Complex> coefficients(static_cast<size_t>(n));
  for (int64_t k = 0; k < count; ++k) {
    const Complex *row = rows + k * basis.bins;
    std::fill(coefficients.begin(), coefficients.end(), 0.0);
    double norm = 0.0, kept = 0.0;
    for (int64_t bin = 0; bin < basis.bins; ++bin) {
      norm += std::norm(row[bin]);
      for (int64_t c = 0; c < n; ++c)
        coefficients[c] += row[bin] * basis.v[bin * basis.size + c];
    }
    for (Complex coefficient : coefficients)
      kept += std::norm(coefficient);
    // <h, P h> = |P h|^2 = kept, since the columns are orthonormal.
    result[k] = 1.0 - std::sqrt(kept / norm);
  }
  return result;
}

std::vector<int64_t> mismatchSizes(int64_t size) {
  std::vector<int64_t> sizes;
  for (int64_t n = 50; n < size; n += 50)
    sizes.push_back(n);
  sizes.push_back(size);
  return sizes;
}

} // namespace kowari::data
