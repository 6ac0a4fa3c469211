//===- Roofline.h - predicted time of a plan --------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// A step takes launch + max(flops / peak, bytes / bandwidth): a prediction from the plan alone, nothing is
// run. Flops: 2 m n k of a product, rows x columns x cost_per_point of a kernel. Bytes: the elements of every
// operand once for reading and once for writing, as if caches held nothing between steps. Marks (record,
// wait) are free.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/inspect/Devices.h"
#include "runtime/plan/plan_generated.h"
#include "runtime/support/Value.h"

#include <string>
#include <vector>

namespace kowari::inspect {

struct GroupTime {
  std::string group; // as in the plan: gemm, norm, spline, ...
  int64_t steps = 0;
  double flops = 0, bytes = 0;
  double seconds = 0;        // predicted, launches included
  double launchSeconds = 0;  // of these, launches
  double computeSeconds = 0; // of these, steps that the peak of arithmetic bounds
};

struct EntryTime {
  std::string name;
  std::vector<GroupTime> groups; // slowest first
  GroupTime total;               // group is "total"
};

struct RooflineReport {
  const Device *device = nullptr;
  int64_t rows = 0;
  std::vector<EntryTime> entries;
};

/// Of all entries, or of the one named `entry`, for calls of `rows` rows.
RooflineReport predict(const plan::fb::Manifest &manifest, const Device &device, int64_t rows,
                       const std::string &entry = "");

std::string rooflineText(const RooflineReport &report);
Value rooflineValue(const RooflineReport &report);

} // namespace kowari::inspect
