//===- RandomSpec.h - small networks at random ------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/settings/ProgramSpec.h"

#include <random>

namespace kowari::fuzz {

/// A spec that ProgramSpec::fromJson accepts: all norms, activations and optimizers, few rows, features and
/// widths, odd ones and the smallest among them. It has a gradient entry, and some have an input pipeline.
ProgramSpec makeRandomSpec(std::mt19937_64 &generator);

/// Specs that differ from this one in one thing and are simpler, the largest simplifications first; none for
/// the simplest.
std::vector<ProgramSpec> simplify(const ProgramSpec &spec);

} // namespace kowari::fuzz
