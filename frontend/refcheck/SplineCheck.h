//===- SplineCheck.h - the spline alone against recorded numbers -*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/refcheck/CompileCase.h"
#include "frontend/refcheck/Measures.h"

namespace kowari::refcheck {

/// Compares value, log determinant, gradients and inverse of the spline in every group of the file, through a
/// network that hands its context to one spline unchanged (SplineNetwork.h).
Result<CaseResult> checkSpline(const Compiler &compiler, const std::string &path);

} // namespace kowari::refcheck
