//===- ShrinkSpec.h - a production network made narrow ----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/settings/ProgramSpec.h"

namespace kowari {

/// The same network with no width above `width` (at least 1): hidden layers, embedding, reduced bases,
/// frequency bins, stored coefficients and noise curves. Steps, blocks, norms, splines, features, detectors,
/// stages and rows stay, so that every pass meets the structure of the real network in a size that the
/// reference interpreter can run.
ProgramSpec shrinkWidths(ProgramSpec spec, int64_t width);

} // namespace kowari
