//===- StridedCopy.h - copying between strided matrices ---------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace kowari::plan {

/// A dim0 x dim1 matrix of elements of 4 or 8 bytes, copied between two layouts (strides in elements).
struct StridedCopy {
  const char *source;
  char *target;
  int64_t dim0, dim1;
  int64_t sourceStride0, sourceStride1;
  int64_t targetStride0, targetStride1;
  int64_t elementSize;
};

/// Rows with unit strides on both sides are block copies; a transpose goes in square tiles. Source and target
/// must not overlap.
void runCopy(const StridedCopy &copy, int threads);

struct StridedFill {
  char *target;
  int64_t dim0, dim1, stride0, stride1;
  int64_t elementSize;
  uint64_t pattern; // the element's bytes, low ones first
};

void runFill(const StridedFill &fill, int threads);

} // namespace kowari::plan
