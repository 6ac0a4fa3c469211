//===- RandomizedSvd.cpp - bases of clean whitened strains ----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/RandomizedSvd.h"

#include "runtime/data/CounterRandom.h"
#include "runtime/data/IndexList.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>

namespace kowari::data {
namespace {

using Complex = std::complex<double>;
using Matrix = Eigen::MatrixXcd;
using Rows = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The matrix as a stream of blocks of rows, without the columns below `firstBin`.
class RowStream {
public:
  RowStream(int64_t samples, int64_t bins, int64_t firstBin, const RowSource &source)
      : samples(samples), bins(bins), firstBin(firstBin), source(source) {}

  /// Calls use(first row, block) for every block in order.
  template <class Use> Status forEach(Use use) const {
    constexpr int64_t blockRows = 256;
    Rows block(std::min(blockRows, samples), bins);
    for (int64_t first = 0; first < samples; first += blockRows) {
      int64_t count = std::min(blockRows, samples - first);
      KOWARI_TRY(source(first, count, block.data()));
      auto used = block.block(0, firstBin, count, bins - firstBin);
      if (!used.allFinite())
        return notFinite(first, used);
      use(first, used);
    }
    return Status::ok();
  }

private:
  template <class Block> static Status notFinite(int64_t first, const Block &block) {
    std::vector<int64_t> bad;
    for (int64_t k = 0; k < block.rows(); ++k)
      if (!block.row(k).allFinite())
        bad.push_back(first + k);
    return Status::error("the whitened strain is not finite in " + listIndices("sample", bad));
  }

  int64_t samples, bins, firstBin;
  const RowSource &source;
};

Matrix orthonormal(const Matrix &columns) {
  Eigen::HouseholderQR<Matrix> qr(columns);
  return qr.householderQ() * Matrix::Identity(columns.rows(), columns.cols());
}

Matrix randomStart(int64_t rows, int64_t columns, uint64_t seed) {
  CounterRandom random(seed, RandomPurpose::RangeFinder, 0);
  Matrix start(rows, columns);
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t r = 0; r < rows; ++r)
      start(r, c) = random.complexNormal();
  return start;
}

/// Right singular vectors and values of a small matrix, descending.
struct SmallSvd {
  Matrix v;
  Eigen::VectorXd s;
};
SmallSvd smallSvd(const Matrix &matrix) {
  Eigen::BDCSVD<Matrix> svd(matrix, Eigen::ComputeThinV);
  return {svd.matrixV(), svd.singularValues()};
}

/// All singular vectors, from the whole matrix in memory.
Result<SmallSvd> denseSvd(const RowStream &stream, int64_t samples, int64_t width) {
  Matrix whole(samples, width);
  KOWARI_TRY(stream.forEach(
      [&](int64_t first, const auto &block) { whole.middleRows(first, block.rows()) = block; }));
  // Tall matrices are reduced to their triangular factor first, which has the same right singular vectors.
  if (samples > width)
    whole = Eigen::HouseholderQR<Matrix>(whole)
                .matrixQR()
                .topRows(width)
                .triangularView<Eigen::Upper>()
                .toDenseMatrix();
  return smallSvd(whole);
}

/// The leading right singular vectors: the range of (A^H A)^q times a random matrix, then the SVD of A
/// restricted to it.
Result<SmallSvd> rangeFinderSvd(const RowStream &stream, int64_t width, int64_t columns,
                                const SvdOptions &options) {
  Matrix q = orthonormal(randomStart(width, columns, options.seed));
  for (int iteration = 0; iteration < options.powerIterations; ++iteration) {
    Matrix image = Matrix::Zero(width, columns);
    KOWARI_TRY(stream.forEach([&](int64_t, const auto &block) {
      Matrix projected = block * q;
      image.noalias() += block.adjoint() * projected;
    }));
    q = orthonormal(image);
  }
  // A Q = U R by a QR factorisation of blocks one under the other; forming (A Q)^H A Q would square the
  // condition.
  Matrix triangle = Matrix::Zero(columns, columns);
  KOWARI_TRY(stream.forEach([&](int64_t, const auto &block) {
    Matrix stacked(columns + block.rows(), columns);
    stacked.topRows(columns) = triangle;
    stacked.bottomRows(block.rows()).noalias() = block * q;
    triangle =
        Eigen::HouseholderQR<Matrix>(stacked).matrixQR().topRows(columns).triangularView<Eigen::Upper>();
  }));
  SmallSvd small = smallSvd(triangle);
  return SmallSvd{q * small.v, small.s};
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
  int64_t size = options.size == 0 ? most : options.size, columns = size + options.oversampling;
  RowStream stream(samples, bins, options.firstBin, source);
  KOWARI_ASSIGN(SmallSvd svd, columns >= most ? denseSvd(stream, samples, width)
                                              : rangeFinderSvd(stream, width, columns, options));
  SvdBasis basis{bins, size, std::vector<Complex>(static_cast<size_t>(bins * size)),
                 std::vector<double>(size)};
  for (int64_t k = 0; k < size; ++k) {
    basis.s[k] = svd.s[k];
    for (int64_t bin = 0; bin < width; ++bin)
      basis.v[(options.firstBin + bin) * size + k] = svd.v(bin, k);
  }
  return basis;
}

std::vector<double> mismatches(const SvdBasis &basis, int64_t n, const std::complex<double> *rows,
                               int64_t count) {
  Eigen::Map<const Rows> all(basis.v.data(), basis.bins, basis.size), data(rows, count, basis.bins);
  Matrix coefficients = data * all.leftCols(n);
  Rows rebuilt = coefficients * all.leftCols(n).adjoint();
  std::vector<double> result(static_cast<size_t>(count));
  for (int64_t k = 0; k < count; ++k) {
    double inner = data.row(k).dot(rebuilt.row(k)).real();
    result[k] = 1.0 - inner / (data.row(k).norm() * rebuilt.row(k).norm());
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
