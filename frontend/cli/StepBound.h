//===- StepBound.h - the least time a step can take -------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/settings/ProgramSpec.h"
#include "runtime/plan/Program.h"

#include <cstdint>
#include <string>

namespace kowari::cli {

struct StepBound {
  double productSeconds = 0.0; // each distinct product of the entry alone, with the better library
  double trafficSeconds = 0.0; // trained parameters, their gradients and optimizer state once through memory
  int64_t products = 0;
  double total() const { return productSeconds + trafficSeconds; }
};

/// Measures the bound of an entry of the artifact at `path` for `rows` rows. `trained` counts the elements
/// that the optimizer updates.
Result<StepBound> measureStepBound(const std::string &path, const std::string &entry, int64_t rows,
                                   int threads, int64_t trained, const OptimizerSpec &optimizer,
                                   ElementType element);

} // namespace kowari::cli
