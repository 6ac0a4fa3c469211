//===- PlanNumbers.h - random inputs of plan programs -----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/PlanInterpreter.h"

namespace kowari::interpreter {

/// Multiply-adds of a program's matrix products with one row.
double countMultiplyAdds(plan::ProgramOp program);

/// Whether any of its tensors or buffers holds f32 numbers.
bool usesF32(plan::ProgramOp program);

/// Values for all persistent tensors of the program's module, the same as makeRandomArguments gives to
/// arguments of the same role and name.
NamedTensors makeRandomTensors(plan::ProgramOp program, int64_t rows, uint64_t seed, double perturbation = 0);

} // namespace kowari::interpreter
