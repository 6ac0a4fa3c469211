//===- StridedCopy.cpp - copying between strided matrices -------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/plan/StridedCopy.h"

#include "runtime/cpu/Threads.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace kowari::plan {
namespace {

constexpr int64_t tile = 16;
/// Bytes from which a second thread pays.
constexpr int64_t parallelBytes = 1 << 18;

int usefulThreads(int64_t elements, int64_t elementSize, int threads) {
  return elements * elementSize >= parallelBytes ? threads : 1;
}

/// Exchanges the dimensions of a copy, so that dimension 1 is the one with unit stride where there is one.
StridedCopy transposed(StridedCopy copy) {
  std::swap(copy.dim0, copy.dim1);
  std::swap(copy.sourceStride0, copy.sourceStride1);
  std::swap(copy.targetStride0, copy.targetStride1);
  return copy;
}

template <class T> void copyLines(const StridedCopy &copy, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    std::memcpy(reinterpret_cast<T *>(copy.target) + i * copy.targetStride0,
                reinterpret_cast<const T *>(copy.source) + i * copy.sourceStride0,
                size_t(copy.dim1) * sizeof(T));
}

template <class T> void copyTiles(const StridedCopy &copy, int64_t begin, int64_t end) {
  const T *source = reinterpret_cast<const T *>(copy.source);
  T *target = reinterpret_cast<T *>(copy.target);
  for (int64_t j0 = 0; j0 < copy.dim1; j0 += tile) {
    const int64_t j1 = std::min(copy.dim1, j0 + tile);
    for (int64_t i0 = begin; i0 < end; i0 += tile) {
      const int64_t i1 = std::min(end, i0 + tile);
      for (int64_t i = i0; i < i1; ++i)
        for (int64_t j = j0; j < j1; ++j)
          target[i * copy.targetStride0 + j * copy.targetStride1] =
              source[i * copy.sourceStride0 + j * copy.sourceStride1];
    }
  }
}

template <class T> void copyAs(const StridedCopy &copy, int threads) {
  const bool lines = copy.sourceStride1 == 1 && copy.targetStride1 == 1;
  cpu::parallelRanges(threads, copy.dim0, lines ? 1 : tile, [&](int64_t begin, int64_t end) {
    lines ? copyLines<T>(copy, begin, end) : copyTiles<T>(copy, begin, end);
  });
}

template <class T> void fillAs(const StridedFill &fill, int threads) {
  T value;
  std::memcpy(&value, &fill.pattern, sizeof value);
  cpu::parallelRanges(threads, fill.dim0, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T *line = reinterpret_cast<T *>(fill.target) + i * fill.stride0;
      if (fill.stride1 == 1)
        std::fill_n(line, fill.dim1, value);
      else
        for (int64_t j = 0; j < fill.dim1; ++j)
          line[j * fill.stride1] = value;
    }
  });
}

} // namespace

void runCopy(const StridedCopy &given, int threads) {
  const bool lines = given.sourceStride1 == 1 && given.targetStride1 == 1;
  const bool columns = given.sourceStride0 == 1 && given.targetStride0 == 1;
  // Stores walk along the target's unit stride; loads may be strided.
  const StridedCopy copy = !lines && (columns || given.targetStride0 == 1) ? transposed(given) : given;
  const int used = usefulThreads(copy.dim0 * copy.dim1, copy.elementSize, threads);
  copy.elementSize == 4 ? copyAs<uint32_t>(copy, used) : copyAs<uint64_t>(copy, used);
}

void runFill(const StridedFill &given, int threads) {
  StridedFill fill = given;
  if (fill.stride1 != 1 && fill.stride0 == 1) {
    std::swap(fill.dim0, fill.dim1);
    std::swap(fill.stride0, fill.stride1);
  }
  const int used = usefulThreads(fill.dim0 * fill.dim1, fill.elementSize, threads);
  fill.elementSize == 4 ? fillAs<uint32_t>(fill, used) : fillAs<uint64_t>(fill, used);
}

} // namespace kowari::plan
