//===- MemoryReport.h - what holds the arena --------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/inspect/BufferLives.h"
#include "runtime/support/Value.h"

#include <string>
#include <utility>
#include <vector>

namespace kowari::inspect {

struct EntryMemory {
  std::string name;
  BufferLives lives;
  std::vector<std::string> steps; // stepText() of each
  std::vector<int64_t> live;      // scratch bytes alive at each step
  int64_t peakStep = -1;          // the first step with most of them; -1 of an empty plan
  int64_t peakBytes = 0;          // persistent part and scratch alive at peakStep
  std::vector<int> aliveAtPeak;   // indices of buffers, largest first
};

struct MemoryReport {
  int64_t arenaBytes = 0, persistentBytes = 0, maxRows = 0;
  std::vector<std::pair<std::string, int64_t>> persistentByKind; // without padding; kinds that occur
  std::vector<EntryMemory> entries;
  int64_t scratchBytes() const { return arenaBytes - persistentBytes; }
  /// The entry with the highest peak; null without entries.
  const EntryMemory *highest() const;
};

/// Of all entries, or of the one named `entry`.
MemoryReport reportMemory(const plan::fb::Manifest &manifest, const std::string &entry = "");

/// Text with a timeline of at most `lines` bars an entry; each bar is the most of its steps.
std::string memoryText(const MemoryReport &report, int64_t lines = 48);
Value memoryValue(const MemoryReport &report);
/// A picture of each entry: steps from left to right, bytes of the scratch part from the bottom up, a
/// rectangle a buffer with its label as a tooltip, and a mark at the peak.
std::string memorySvg(const MemoryReport &report);

} // namespace kowari::inspect
