//===- MachineProbe.cpp - how fast this machine is --------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/cpu/Machine.h"
#include "runtime/cpu/Threads.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace kowari::cpu {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Elements that a strided matrix spans.
int64_t extent(int64_t dim0, int64_t dim1, int64_t stride0, int64_t stride1) {
  return dim0 > 0 && dim1 > 0 ? (dim0 - 1) * stride0 + (dim1 - 1) * stride1 + 1 : 0;
}

/// Small positive numbers that differ from element to element, so that nothing overflows however often it is
/// run.
template <class T> std::vector<T> values(int64_t count) {
  std::vector<T> v(static_cast<size_t>(std::max<int64_t>(1, count)));
  for (size_t i = 0; i < v.size(); ++i)
    v[i] = T((i * 2654435761u >> 8 & 1023) + 1) * T(1e-6);
  return v;
}

template <class T> Result<double> timeProduct(const ProductSpec &spec, int threads, double budget) {
  KOWARI_ASSIGN(auto product, makeProduct(spec, threads));
  const auto a = values<T>(extent(spec.m, spec.k, spec.aStride0, spec.aStride1));
  const auto b = values<T>(extent(spec.k, spec.n, spec.bStride0, spec.bStride1));
  auto c = values<T>(extent(spec.m, spec.n, spec.cStride0, spec.cStride1));
  const auto bias = values<T>(spec.n);
  const void *biasData = spec.bias ? bias.data() : nullptr;
  KOWARI_TRY(product->run(a.data(), b.data(), c.data(), biasData));
  std::vector<double> times;
  const double start = now();
  do {
    const double begin = now();
    KOWARI_TRY(product->run(a.data(), b.data(), c.data(), biasData));
    times.push_back(now() - begin);
  } while (now() - start < budget && times.size() < 10000);
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

} // namespace

double copyBandwidth(int threads) {
  constexpr int64_t bytes = int64_t(192) << 20; // each buffer; beyond the last-level caches of the day
  std::vector<char> source(bytes, 1), target(bytes, 2);
  double best = 0;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const double begin = now();
    parallelRanges(threads, bytes, 4096, [&](int64_t first, int64_t last) {
      std::memcpy(target.data() + first, source.data() + first, size_t(last - first));
    });
    best = std::max(best, 2.0 * double(bytes) / (now() - begin));
  }
  return best;
}

Result<double> productSeconds(const ProductSpec &spec, int threads, double budget) {
  return spec.element == Element::F32 ? timeProduct<float>(spec, threads, budget)
                                      : timeProduct<double>(spec, threads, budget);
}

Result<double> bestProductSeconds(ProductSpec spec, int threads, double budget) {
  spec.library = ProductLibrary::OpenBlas;
  KOWARI_ASSIGN(const double openBlas, productSeconds(spec, threads, budget));
  if (spec.element == Element::F64)
    return openBlas;
  spec.library = ProductLibrary::OneDnn;
  KOWARI_ASSIGN(const double oneDnn, productSeconds(spec, threads, budget));
  return std::min(openBlas, oneDnn);
}

} // namespace kowari::cpu
