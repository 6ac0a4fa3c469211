//===- PreparationCheck.h - input preparation against Dingo's ---*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/refcheck/CompileCase.h"
#include "frontend/refcheck/Measures.h"

namespace kowari::refcheck {

/// Compares a recorded batch with the formulas of data::Preparation and, where the waveform data set is
/// there, with the compiled entry `prepare` in float64 and float32 and the statistics of the data set.
Result<CaseResult> checkPreparation(const Compiler &compiler, const std::string &path);

} // namespace kowari::refcheck
