//===- ArtifactReport.h - what is in an artifact ----------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Counts that summaries and comparisons share, and the sections of `kowari inspect` that list what is there.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/ArtifactFile.h"
#include "runtime/plan/plan_generated.h"
#include "runtime/support/Value.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kowari::inspect {

struct EntryCounts {
  std::string name;
  int64_t steps = 0, kernels = 0, gemms = 0;
  std::map<std::string, int64_t> others; // copy, fill, gather, all_reduce, ...: those that occur
};

struct KernelUse {
  std::string symbol, lanes, chunks; // as in plan.fbs
  double costPerPoint = 0;
  int64_t outputs = 0;
  std::vector<std::pair<std::string, std::vector<int64_t>>> steps; // by entry that uses it: its steps
  int64_t uses() const;
};

EntryCounts countSteps(const plan::fb::Entry &entry);
std::vector<KernelUse> findKernelUses(const plan::fb::Manifest &manifest);

/// The network in one line; the JSON text itself where it is no spec of this version.
std::string specText(const std::string &spec);

std::string summaryText(const plan::ArtifactFile &file);
Value summaryValue(const plan::ArtifactFile &file);
std::string kernelsText(const plan::fb::Manifest &manifest);
Value kernelsValue(const plan::fb::Manifest &manifest);
std::string tensorsText(const plan::fb::Manifest &manifest, const std::string &entry);
Value tensorsValue(const plan::fb::Manifest &manifest, const std::string &entry);
/// Steps in order with their operands; of all entries, or of the one named `entry`.
std::string planText(const plan::fb::Manifest &manifest, const std::string &entry);
Value planValue(const plan::fb::Manifest &manifest, const std::string &entry);

} // namespace kowari::inspect
