//===- StepCheck.h - each compiled step against the interpreter -*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Rounding errors grow from step to step, and a bound for a whole float32 program must be so wide that a
// wrong kernel fits in. So every step is looked at alone: the interpreter is given what the compiled step is
// given, bit for bit, and only the rounding of one step lies between the two results. docs/fuzzing.md says
// what is accepted and why.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/PlanInterpreter.h"
#include "runtime/plan/Program.h"

namespace kowari::fuzz {

/// Runs a planned program of one stream step by step on `rows` rows, by the entries that withStepEntries
/// made, and each step in the interpreter. The program's inputs must have been written, and be those of
/// `inputs`. Returns the first step whose results differ by more than rounding, in words. Programs of several
/// streams are not looked at.
std::optional<std::string> findWrongStep(plan::Program &compiled, plan::ProgramOp program, int64_t rows,
                                         const interpreter::NamedTensors &inputs, uint64_t seed);

} // namespace kowari::fuzz
