//===- ProductForm.h - a product as the libraries take it -------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Libraries want a row-major result. A feature-major one is computed as its transpose: c^T = b^T a^T.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cpu/MatrixProduct.h"

namespace kowari::cpu {

/// One matrix with a unit stride: row-major with leading dimension `ld`, or (transposed) column-major.
struct MatrixForm {
  bool transposed = false;
  int64_t ld = 0;
};

/// The product with a row-major c; operands a and b have changed places where `swapped`.
struct ProductForm {
  int64_t m = 0, n = 0, k = 0;
  MatrixForm a, b;
  int64_t ldc = 0;
  bool swapped = false;
};

/// Needs a spec that passed checkProductSpec.
ProductForm productForm(const ProductSpec &spec);

/// Writes bias or zeros into c, or adds bias to it, as `accumulate` says: what comes before a product that
/// accumulates.
void startResult(const ProductSpec &spec, void *c, const void *bias, int threads);

Result<std::unique_ptr<MatrixProduct>> makeOneDnnProduct(const ProductSpec &spec, int threads);
Result<std::unique_ptr<MatrixProduct>> makeOpenBlasProduct(const ProductSpec &spec, int threads);

} // namespace kowari::cpu
