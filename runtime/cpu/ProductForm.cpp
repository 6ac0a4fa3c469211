//===- ProductForm.cpp - a product as the libraries take it -----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/cpu/ProductForm.h"

#include "runtime/cpu/Threads.h"

#include <limits>
#include <utility>

namespace kowari::cpu {
namespace {

bool isRowMajor(int64_t dim0, int64_t dim1, int64_t stride0, int64_t stride1) {
  return (dim1 == 1 || stride1 == 1) && (dim0 == 1 || stride0 >= dim1);
}

MatrixForm matrixForm(int64_t dim0, int64_t dim1, int64_t stride0, int64_t stride1) {
  // A dimension of extent 1 says nothing about its stride, so the leading dimension is raised to what
  // libraries check.
  if (isRowMajor(dim0, dim1, stride0, stride1))
    return {false, dim0 == 1 ? dim1 : std::max(stride0, dim1)};
  return {true, dim1 == 1 ? dim0 : std::max(stride1, dim0)};
}

Status checkMatrix(const char *name, int64_t dim0, int64_t dim1, int64_t stride0, int64_t stride1) {
  constexpr int64_t limit = std::numeric_limits<int32_t>::max();
  const auto text = [&] {
    return std::string(name) + " is " + std::to_string(dim0) + "x" + std::to_string(dim1) +
           " with strides (" + std::to_string(stride0) + ", " + std::to_string(stride1) + ")";
  };
  if (dim0 < 0 || dim1 < 0 || dim0 > limit || dim1 > limit || stride0 < 0 || stride1 < 0 || stride0 > limit ||
      stride1 > limit)
    return Status::error("matrix product: operand " + text() + ": values must lie between 0 and 2^31 - 1");
  if (dim0 == 0 || dim1 == 0)
    return Status::ok();
  if (!isRowMajor(dim0, dim1, stride0, stride1) && !isRowMajor(dim1, dim0, stride1, stride0))
    return Status::error("matrix product: operand " + text() +
                         ": one stride must be 1 and the other at least the extent it steps over");
  return Status::ok();
}

template <class T> void startRows(const ProductSpec &spec, T *c, const T *bias, int threads) {
  // The inner loop runs along the unit stride of c, whichever it is.
  const bool byRow = spec.cStride1 == 1 || spec.n == 1;
  const int64_t outer = byRow ? spec.m : spec.n, inner = byRow ? spec.n : spec.m;
  const int64_t outerStride = byRow ? spec.cStride0 : spec.cStride1;
  const int64_t innerStride = byRow ? spec.cStride1 : spec.cStride0;
  constexpr int64_t parallelFrom = 1 << 16;
  const int used = spec.m * spec.n >= parallelFrom ? threads : 1;
  parallelRanges(used, outer, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T *line = c + i * outerStride;
      for (int64_t j = 0; j < inner; ++j) {
        const T value = bias ? bias[byRow ? j : i] : T(0);
        T &element = line[j * innerStride];
        element = spec.accumulate ? element + value : value;
      }
    }
  });
}

} // namespace

std::string describe(const ProductSpec &spec) {
  const auto strides = [](const char *name, int64_t s0, int64_t s1) {
    return std::string(" ") + name + "(" + std::to_string(s0) + "," + std::to_string(s1) + ")";
  };
  return std::string(spec.element == Element::F32 ? "f32 " : "f64 ") + std::to_string(spec.m) + "x" +
         std::to_string(spec.n) + "x" + std::to_string(spec.k) + strides("a", spec.aStride0, spec.aStride1) +
         strides("b", spec.bStride0, spec.bStride1) + strides("c", spec.cStride0, spec.cStride1) +
         (spec.accumulate ? " accumulate" : "") + (spec.bias ? " bias" : "");
}

Status checkProductSpec(const ProductSpec &spec) {
  KOWARI_TRY(checkMatrix("a", spec.m, spec.k, spec.aStride0, spec.aStride1));
  KOWARI_TRY(checkMatrix("b", spec.k, spec.n, spec.bStride0, spec.bStride1));
  KOWARI_TRY(checkMatrix("c", spec.m, spec.n, spec.cStride0, spec.cStride1));
  if (spec.element == Element::F64 && spec.library == ProductLibrary::OneDnn)
    return Status::error("matrix product: oneDNN has no float64 products; choose OpenBLAS or automatic");
  return Status::ok();
}

ProductForm productForm(const ProductSpec &spec) {
  ProductForm form;
  const MatrixForm a = matrixForm(spec.m, spec.k, spec.aStride0, spec.aStride1);
  const MatrixForm b = matrixForm(spec.k, spec.n, spec.bStride0, spec.bStride1);
  const MatrixForm c = matrixForm(spec.m, spec.n, spec.cStride0, spec.cStride1);
  form.swapped = c.transposed;
  form.k = spec.k;
  form.ldc = c.ld;
  form.m = form.swapped ? spec.n : spec.m;
  form.n = form.swapped ? spec.m : spec.n;
  form.a = form.swapped ? MatrixForm{!b.transposed, b.ld} : a;
  form.b = form.swapped ? MatrixForm{!a.transposed, a.ld} : b;
  return form;
}

void startResult(const ProductSpec &spec, void *c, const void *bias, int threads) {
  if (spec.accumulate && !bias)
    return;
  if (spec.element == Element::F32)
    startRows(spec, static_cast<float *>(c), static_cast<const float *>(bias), threads);
  else
    startRows(spec, static_cast<double *>(c), static_cast<const double *>(bias), threads);
}

} // namespace kowari::cpu
