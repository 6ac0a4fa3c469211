//===- Difference.h - two artifacts compared --------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/ArtifactFile.h"
#include "runtime/support/Value.h"

#include <string>
#include <vector>

namespace kowari::inspect {

/// One thing that is not equal; texts are empty where a side lacks it.
struct Change {
  std::string name, before, after;
};

struct Difference {
  bool identical = false;       // the same content digest: nothing else needs a look
  std::vector<Change> settings; // leaves of the spec by dotted path, and target, build id, instruction sets
  std::vector<Change> numbers;  // sizes, memory, counts of steps by entry and kind
  /// Kernels that one side lacks, without the number in front (k7_rq_spline -> rq_spline), which shifts when
  /// a kernel before it comes or goes. Kernels of one name count as often as they occur.
  std::vector<std::string> addedKernels, removedKernels;
};

Difference compare(const plan::ArtifactFile &before, const plan::ArtifactFile &after);

std::string differenceText(const Difference &difference, const std::string &before, const std::string &after);
Value differenceValue(const Difference &difference, const std::string &before, const std::string &after);

} // namespace kowari::inspect
