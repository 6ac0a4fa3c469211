//===- ComplexAlgebra.h - dense complex algebra in double -------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The few operations of BLAS and LAPACK that the SVD needs, from the OpenBLAS that the runtime opens anyway.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <complex>
#include <cstdint>
#include <vector>

namespace kowari::data {

/// Column-major.
struct ComplexMatrix {
  ComplexMatrix(int64_t rows = 0, int64_t columns = 0)
      : rows(rows), columns(columns), values(static_cast<size_t>(rows * columns)) {}
  std::complex<double> &operator()(int64_t r, int64_t c) { return values[static_cast<size_t>(c * rows + r)]; }
  const std::complex<double> &operator()(int64_t r, int64_t c) const {
    return values[static_cast<size_t>(c * rows + r)];
  }
  int64_t rows, columns;
  std::vector<std::complex<double>> values;
};

/// A block of a row-major matrix: `rows` rows of `columns` values, `stride` values apart.
struct RowBlock {
  const std::complex<double> *values = nullptr;
  int64_t rows = 0, columns = 0, stride = 0;
};

class ComplexAlgebra {
public:
  /// Opens the library; the error names the package that brings it.
  static Result<ComplexAlgebra> open();

  /// (block.rows x q.columns): block q.
  ComplexMatrix multiply(const RowBlock &block, const ComplexMatrix &q) const;
  /// sum += block^T p, without conjugation.
  void addTransposed(const RowBlock &block, const ComplexMatrix &p, ComplexMatrix &sum) const;
  ComplexMatrix multiply(const ComplexMatrix &a, const ComplexMatrix &b) const;
  /// Replaces the columns (no more than rows) by orthonormal ones that span the same space.
  Status orthonormalize(ComplexMatrix &matrix) const;
  /// R of matrix = Q R: (columns x columns), upper triangular. Needs rows >= columns.
  Result<ComplexMatrix> triangularFactor(ComplexMatrix matrix) const;
  /// Right singular vectors V (columns x min(rows, columns)) and singular values, descending.
  Status rightSvd(ComplexMatrix matrix, ComplexMatrix &v, std::vector<double> &s) const;

private:
  using Complex = std::complex<double>;
  // CBLAS and Fortran signatures; the last argument of zgesdd is the hidden length of its text.
  void (*zgemm)(int, int, int, int, int, int, const void *, const void *, int, const void *, int,
                const void *, void *, int) = nullptr;
  void (*zgeqrf)(const int *, const int *, Complex *, const int *, Complex *, Complex *, const int *,
                 int *) = nullptr;
  void (*zungqr)(const int *, const int *, const int *, Complex *, const int *, const Complex *, Complex *,
                 const int *, int *) = nullptr;
  void (*zgesdd)(const char *, const int *, const int *, Complex *, const int *, double *, Complex *,
                 const int *, Complex *, const int *, Complex *, const int *, double *, int *, int *,
                 size_t) = nullptr;

  Status factor(ComplexMatrix &matrix, std::vector<Complex> &reflectors) const;
};

} // namespace kowari::data
