//===- DataCheck.h - split, detectors and priors ----------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/refcheck/Measures.h"
#include "runtime/support/Status.h"

#include <string>

namespace kowari::refcheck {

/// Permutations and training sizes, bit for bit: the difference is the number of wrong entries.
Result<CaseResult> checkSplit(const std::string &path);
/// Sidereal time, leap seconds, geometry, delays and antenna patterns of every detector.
Result<CaseResult> checkDetectors(const std::string &path);
/// Class, bounds, quantiles and moments of every prior, and the defaults.
Result<CaseResult> checkPriors(const std::string &path);

} // namespace kowari::refcheck
