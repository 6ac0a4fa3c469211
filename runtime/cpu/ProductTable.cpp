//===- ProductTable.cpp - which library for which product -------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// From tests/bench/matrix_product_bench.cpp on an idle machine, shapes of the toy and of npe_512, padded
// strides, two threads. OpenBLAS 0.3.21 (Zen kernels) as a share of oneDNN 2.6.3 on AVX2:
//
//   forward, 64 to 512 rows, 64 to 1024 columns       0.65-0.93
//   input gradient                                    0.57-0.94
//   weight gradient, 64 to 1024 columns               0.40-0.97
//   weight gradient of a wide layer, 128 -> 2560      0.55-0.64
//   a few conditioning features (5 -> 512, its gradients)  0.15-0.75
//   the flow's own 10 x 10 maps                       4-10 (oneDNN starts all threads)
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
  const int narrow = int(form.m <= 16) + int(form.n <= 16) + int(form.k <= 16);
  const bool tiny = narrow >= 2 || (wideVectors && work <= 64.0 * 64 * 64);
  const bool wideWeightGradient = form.a.transposed && !form.swapped && wideVectors;
  const bool powerOfTwo = !form.b.transposed && form.n >= 512 && form.k >= 512 &&
                          (thrashes(form.a.ld) || thrashes(form.b.ld) || thrashes(form.ldc));
  if (tiny || wideWeightGradient || powerOfTwo)
    return ProductLibrary::OpenBlas;
  return ProductLibrary::OneDnn;
}

} // namespace kowari::cpu
