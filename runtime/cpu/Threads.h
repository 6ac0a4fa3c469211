//===- Threads.h - the one OpenMP pool --------------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Kernels, copies and both matrix-product libraries run on one OpenMP pool. A parallel region always uses the
// whole pool: libgomp ends threads when a smaller team follows a larger one, so small work runs on the
// calling thread instead of on a part of the pool.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstdint>
#include <omp.h>

namespace kowari::cpu {

/// Processors that this process may run on (its affinity mask), at least 1.
int availableCores();

/// Sets how many threads the calling thread's next parallel regions and product calls use.
inline void useThreads(int count) {
  if (omp_get_max_threads() != count)
    omp_set_num_threads(count);
}

/// Calls body(begin, end) for a partition of [0, count) into one contiguous range a thread, whose bounds are
/// multiples of `grain` (the end apart). One call on this thread if `threads` is 1.
template <class Body> void parallelRanges(int threads, int64_t count, int64_t grain, const Body &body) {
  if (threads <= 1 || count <= grain) {
    if (count > 0)
      body(int64_t{0}, count);
    return;
  }
  const int64_t blocks = (count + grain - 1) / grain;
#pragma omp parallel num_threads(threads)
  {
    const int64_t thread = omp_get_thread_num(), team = omp_get_num_threads();
    const int64_t begin = blocks * thread / team * grain;
    const int64_t end = std::min(count, blocks * (thread + 1) / team * grain);
    if (begin < end)
      body(begin, end);
  }
}

} // namespace kowari::cpu
