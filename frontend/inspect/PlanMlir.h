//===- PlanMlir.h - an artifact's plan as MLIR text -------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/plan_generated.h"

#include <string>

namespace kowari::inspect {

/// The plan as a module of the `plan` dialect, which kowari-opt reads: persistent tensors, then a
/// plan.program for every entry, or for the one named `entry`. Buffers are those of findBufferLives, with
/// their offsets. Kernels are symbols without bodies: their formulas are not in an artifact.
std::string planMlir(const plan::fb::Manifest &manifest, const std::string &entry = "");

} // namespace kowari::inspect
