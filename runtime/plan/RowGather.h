//===- RowGather.h - rows of a table by index -------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>

namespace kowari::plan {

/// target[r, :] = table[index[r], :] for elements of 4 or 8 bytes; strides in elements.
struct RowGather {
  const char *table;
  const int64_t *index;
  char *target;
  int64_t tableRows, rows, columns;
  int64_t indexStride;
  int64_t tableStride0, tableStride1, targetStride0, targetStride1;
  int64_t elementSize;
};

/// Rows with unit strides on both sides are block copies. An index outside the table is an error that names
/// it and its row; nothing is written then. Table and target must not overlap.
Status runGather(const RowGather &gather, int threads);

} // namespace kowari::plan
