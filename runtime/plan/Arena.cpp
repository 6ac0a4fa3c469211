//===- Arena.cpp - the memory of a program ----------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/plan/Arena.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <utility>

namespace kowari::plan {

Result<Arena> Arena::make(int64_t bytes) {
  constexpr uint64_t hugePage = uint64_t(2) << 20;
  // The pad of a lane dimension is at most 15 elements of 8 bytes.
  constexpr uint64_t slack = 4096;
  const bool large = uint64_t(bytes) >= 2 * hugePage;
  Arena arena;
  arena.usable = bytes;
  arena.mappedBytes = uint64_t(bytes) + slack + (large ? hugePage : 0);
  void *address =
      mmap(nullptr, arena.mappedBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED)
    return Status::error("the program needs " + std::to_string(bytes >> 20) +
                         " MiB of memory, which the system refuses (" + std::strerror(errno) +
                         "); use a smaller batch or a machine with more memory");
  arena.mapping = address;
  arena.start = static_cast<char *>(address);
  if (large) {
    const uint64_t misalignment = reinterpret_cast<uintptr_t>(address) % hugePage;
    arena.start += misalignment ? hugePage - misalignment : 0;
    madvise(arena.start, uint64_t(bytes), MADV_HUGEPAGE); // a hint; its failure costs speed only
  }
  return arena;
}

Arena::Arena(Arena &&other) noexcept { *this = std::move(other); }

Arena &Arena::operator=(Arena &&other) noexcept {
  std::swap(mapping, other.mapping);
  std::swap(mappedBytes, other.mappedBytes);
  std::swap(start, other.start);
  std::swap(usable, other.usable);
  return *this;
}

Arena::~Arena() {
  if (mapping)
    munmap(mapping, mappedBytes);
}

} // namespace kowari::plan
