//===- RowGather.cpp - rows of a table by index ---------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/plan/RowGather.h"

#include "runtime/cpu/Threads.h"

#include <cstring>
#include <string>

namespace kowari::plan {
namespace {

/// Bytes from which a second thread pays.
constexpr int64_t parallelBytes = 256 * 1024;

void copyRow(const RowGather &g, const char *source, char *target) {
  if (g.tableStride1 == 1 && g.targetStride1 == 1) {
    std::memcpy(target, source, size_t(g.columns * g.elementSize));
    return;
  }
  for (int64_t c = 0; c < g.columns; ++c)
    std::memcpy(target + c * g.targetStride1 * g.elementSize, source + c * g.tableStride1 * g.elementSize,
                size_t(g.elementSize));
}

} // namespace

Status runGather(const RowGather &g, int threads) {
  for (int64_t r = 0; r < g.rows; ++r)
    if (const int64_t at = g.index[r * g.indexStride]; at < 0 || at >= g.tableRows)
      return Status::error("row " + std::to_string(r) + " asks for row " + std::to_string(at) +
                           " of a table of " + std::to_string(g.tableRows));
  const bool divides = g.rows * g.columns * g.elementSize >= parallelBytes;
  cpu::parallelRanges(divides ? threads : 1, g.rows, 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      copyRow(g, g.table + g.index[r * g.indexStride] * g.tableStride0 * g.elementSize,
              g.target + r * g.targetStride0 * g.elementSize);
  });
  return Status::ok();
}

} // namespace kowari::plan
