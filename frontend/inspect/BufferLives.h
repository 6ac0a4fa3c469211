//===- BufferLives.h - scratch buffers of a plan, found again ---*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// An artifact has views of the arena, not buffers. A buffer is found again as the bytes that belong together:
// a write begins one unless the step also reads those bytes (work in place) or fills further columns of a
// buffer with the same strides; a read that spans several buffers joins them. It lives from the first step
// that writes it to the last that touches it; outputs live to the end of the plan. Input that is written
// before the plan runs, and bytes that nobody writes, live from the start.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/plan_generated.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kowari::inspect {

struct BufferLife {
  int64_t begin = 0, end = 0;  // bytes of the arena, begin and size multiples of 64
  int64_t first = 0, last = 0; // steps, both inclusive
  std::string label;           // who writes it first: "gemm", a kernel's symbol, "input x"
  std::string output;          // name of the entry's output that lies in it, or empty
  int64_t bytes() const { return end - begin; }
};

/// Buffers of an entry and, for every operand of every step, which one it lies in.
struct BufferLives {
  static constexpr int persistent = -1;
  std::vector<BufferLife> buffers; // in the order of their first steps
  /// operands[step][k] for operand k of accesses(): an index into buffers, or `persistent`.
  std::vector<std::vector<int>> operands;
  /// outputs[i] for the i-th output tensor of the entry, in its order: an index or `persistent`.
  std::vector<int> outputs;

  /// Bytes alive at each step.
  std::vector<int64_t> liveBytes() const;
};

BufferLives findBufferLives(const plan::fb::Manifest &manifest, const plan::fb::Entry &entry);

} // namespace kowari::inspect
