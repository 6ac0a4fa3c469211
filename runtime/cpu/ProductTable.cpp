//===- ProductTable.cpp - which library for which product -------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// From tests/bench/matrix_product_bench.cpp, shapes of the toy and of npe_512, padded strides. OpenBLAS
// 0.3.21 (Zen kernels) as a share of oneDNN 2.6.3, AVX2, one thread / the best of two threads:
//
//   forward, 64 to 512 rows, 64 to 1024 columns    0.88-1.03 / 0.80-1.06
//   input gradient                                 0.73-0.99 / 0.28-1.00
//   weight gradient                                0.75-0.99 / 0.50-1.00
//   weight gradient of a wide layer, 128 -> 2560   1.14      / 1.04
//   64 rows, 3 -> 64 columns                       1.0-1.9   / 2.5-11 (oneDNN starts all threads)
//   feature-major result, 8 terms                  1.22      / 1.08
//
// On AVX-512 weight gradients reach 135-161 GF/s in oneDNN and 180 in OpenBLAS, and (64, 64, 64) 156-177 and
// 203. Leading dimensions that are powers of two cost oneDNN's gradients half of their speed.
//===----------------------------------------------------------------------===//
#include "runtime/cpu/CpuFeatures.h"
#include "runtime/cpu/ProductForm.h"

#include <bit>

namespace kowari::cpu {
namespace {

bool thrashes(int64_t leadingDimension) {
  return leadingDimension >= 512 && std::has_single_bit(uint64_t(leadingDimension));
}

} // namespace

ProductLibrary chooseLibrary(const ProductSpec &spec) {
  if (spec.library != ProductLibrary::Auto)
    return spec.library;
  if (spec.element == Element::F64)
    return ProductLibrary::OpenBlas;
  static const bool wideVectors = cpuLevel() == "x86-64-v4";
  const ProductForm form = productForm(spec);
  const double work = double(form.m) * double(form.n) * double(form.k);
  const bool tiny = work <= (wideVectors ? 64.0 * 64 * 64 : 32.0 * 32 * 32);
  const bool fewTerms = form.swapped && form.k <= 8;
  const bool tallWeightGradient = form.a.transposed && !form.swapped && form.m >= 16 * form.n;
  const bool wideWeightGradient = form.a.transposed && !form.swapped && wideVectors;
  const bool powerOfTwo = !form.b.transposed && form.n >= 512 && form.k >= 512 &&
                          (thrashes(form.a.ld) || thrashes(form.b.ld) || thrashes(form.ldc));
  if (tiny || fewTerms || tallWeightGradient || wideWeightGradient || powerOfTwo)
    return ProductLibrary::OpenBlas;
  return ProductLibrary::OneDnn;
}

} // namespace kowari::cpu
