//===- ComplexAlgebra.cpp - dense complex algebra in double ---------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/ComplexAlgebra.h"

#include "runtime/cpu/OpenBlas.h"

#include <dlfcn.h>

#include <algorithm>
#include <cassert>

namespace kowari::data {
namespace {

using Complex = std::complex<double>;

constexpr int columnMajor = 102, noTranspose = 111, transpose = 112;
constexpr Complex one = 1.0, zero = 0.0;

template <class Function> bool load(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

int narrow(int64_t size) {
  assert(size >= 0 && size <= INT32_MAX);
  return static_cast<int>(size);
}

Status failed(const char *routine, int info) {
  return Status::error(std::string("LAPACK's ") + routine + " failed with code " + std::to_string(info));
}

} // namespace

Result<ComplexAlgebra> ComplexAlgebra::open() {
  KOWARI_ASSIGN(const cpu::OpenBlas *blas, cpu::OpenBlas::get());
  ComplexAlgebra algebra;
  if (!load(blas->library, "cblas_zgemm", algebra.zgemm) || !load(blas->library, "zgeqrf_", algebra.zgeqrf) ||
      !load(blas->library, "zungqr_", algebra.zungqr) || !load(blas->library, "zgesdd_", algebra.zgesdd))
    return Status::error(
        "OpenBLAS (" + blas->config +
        ") was built without LAPACK, which the SVD needs; install the package libopenblas0-openmp");
  return algebra;
}

// A row-major block is, in columns, its own transpose.
ComplexMatrix ComplexAlgebra::multiply(const RowBlock &block, const ComplexMatrix &q) const {
  assert(block.columns == q.rows);
  ComplexMatrix result(block.rows, q.columns);
  zgemm(columnMajor, transpose, noTranspose, narrow(block.rows), narrow(q.columns), narrow(q.rows), &one,
        block.values, narrow(block.stride), q.values.data(), narrow(q.rows), &zero, result.values.data(),
        narrow(block.rows));
  return result;
}

void ComplexAlgebra::addTransposed(const RowBlock &block, const ComplexMatrix &p, ComplexMatrix &sum) const {
  assert(block.rows == p.rows && sum.rows == block.columns && sum.columns == p.columns);
  zgemm(columnMajor, noTranspose, noTranspose, narrow(sum.rows), narrow(sum.columns), narrow(p.rows), &one,
        block.values, narrow(block.stride), p.values.data(), narrow(p.rows), &one, sum.values.data(),
        narrow(sum.rows));
}

ComplexMatrix ComplexAlgebra::multiply(const ComplexMatrix &a, const ComplexMatrix &b) const {
  assert(a.columns == b.rows);
  ComplexMatrix result(a.rows, b.columns);
  zgemm(columnMajor, noTranspose, noTranspose, narrow(a.rows), narrow(b.columns), narrow(a.columns), &one,
        a.values.data(), narrow(a.rows), b.values.data(), narrow(b.rows), &zero, result.values.data(),
        narrow(a.rows));
  return result;
}

/// Householder factorisation in place.
Status ComplexAlgebra::factor(ComplexMatrix &matrix, std::vector<Complex> &reflectors) const {
  assert(matrix.rows >= matrix.columns);
  int m = narrow(matrix.rows), n = narrow(matrix.columns), info = 0, query = -1;
  reflectors.resize(static_cast<size_t>(n));
  Complex best;
  zgeqrf(&m, &n, matrix.values.data(), &m, reflectors.data(), &best, &query, &info);
  int size = std::max(1, static_cast<int>(best.real()));
  std::vector<Complex> work(static_cast<size_t>(size));
  zgeqrf(&m, &n, matrix.values.data(), &m, reflectors.data(), work.data(), &size, &info);
  return info == 0 ? Status::ok() : failed("zgeqrf", info);
}

Status ComplexAlgebra::orthonormalize(ComplexMatrix &matrix) const {
  std::vector<Complex> reflectors;
  KOWARI_TRY(factor(matrix, reflectors));
  int m = narrow(matrix.rows), n = narrow(matrix.columns), info = 0, query = -1;
  Complex best;
  zungqr(&m, &n, &n, matrix.values.data(), &m, reflectors.data(), &best, &query, &info);
  int size = std::max(1, static_cast<int>(best.real()));
  std::vector<Complex> work(static_cast<size_t>(size));
  zungqr(&m, &n, &n, matrix.values.data(), &m, reflectors.data(), work.data(), &size, &info);
  return info == 0 ? Status::ok() : failed("zungqr", info);
}

Result<ComplexMatrix> ComplexAlgebra::triangularFactor(ComplexMatrix matrix) const {
  std::vector<Complex> reflectors;
  KOWARI_TRY(factor(matrix, reflectors));
  ComplexMatrix triangle(matrix.columns, matrix.columns);
  for (int64_t c = 0; c < matrix.columns; ++c)
    for (int64_t r = 0; r <= c; ++r)
      triangle(r, c) = matrix(r, c);
  return triangle;
}

Status ComplexAlgebra::rightSvd(ComplexMatrix matrix, ComplexMatrix &v, std::vector<double> &s) const {
  int m = narrow(matrix.rows), n = narrow(matrix.columns), small = std::min(m, n), large = std::max(m, n);
  int info = 0, query = -1;
  ComplexMatrix u(m, small), adjoint(small, n);
  s.resize(static_cast<size_t>(small));
  size_t d = static_cast<size_t>(small);
  std::vector<double> realWork(
      std::max(5 * d * d + 7 * d, 2 * static_cast<size_t>(large) * d + 2 * d * d + d));
  std::vector<int> integerWork(8 * d);
  Complex best;
  auto run = [&](Complex *work, const int *size) {
    zgesdd("S", &m, &n, matrix.values.data(), &m, s.data(), u.values.data(), &m, adjoint.values.data(),
           &small, work, size, realWork.data(), integerWork.data(), &info, 1);
  };
  run(&best, &query);
  int size = std::max(1, static_cast<int>(best.real()));
  std::vector<Complex> work(static_cast<size_t>(size));
  run(work.data(), &size);
  if (info != 0)
    return failed("zgesdd", info);
  v = ComplexMatrix(n, small);
  for (int64_t c = 0; c < small; ++c)
    for (int64_t r = 0; r < n; ++r)
      v(r, c) = std::conj(adjoint(c, r));
  return Status::ok();
}

} // namespace kowari::data
