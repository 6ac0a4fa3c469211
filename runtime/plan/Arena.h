//===- Arena.h - the memory of a program ------------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>

namespace kowari::plan {

/// One zeroed block of memory, 64-byte aligned (2 MiB where large, with huge pages asked for), with some
/// slack behind its end so that a kernel may touch the pad of the last operand's lanes.
class Arena {
public:
  static Result<Arena> make(int64_t bytes);
  Arena() = default;
  Arena(Arena &&other) noexcept;
  Arena &operator=(Arena &&other) noexcept;
  ~Arena();

  char *base() const { return start; }
  int64_t bytes() const { return usable; }

private:
  void *mapping = nullptr;
  uint64_t mappedBytes = 0;
  char *start = nullptr;
  int64_t usable = 0;
};

} // namespace kowari::plan
