//===- PlanInterpreter.h - runs plans and watches their memory --*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Executes a plan.program step by step: kernels through the interpreter of the flow dialect on tensors
// gathered from their views, everything else with plain loops. What a kernel may leave beyond its lanes
// (runtime/plan/KernelAbi.h) is spoilt after it, so that nothing can depend on it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/Tensor.h"
#include "dialects/plan/PlanOps.h"

#include <map>
#include <optional>
#include <string>

namespace kowari::interpreter {

/// Tensors by role and name, as getArgumentKey spells them: "flow.parameter net.weight".
using NamedTensors = std::map<std::string, Tensor>;

/// The key of a persistent tensor.
std::string getTensorKey(plan::TensorOp tensor);

struct PlanOutcome {
  /// The named outputs ("flow.output loss") and every persistent tensor that the program wrote to; empty
  /// after a fault.
  NamedTensors outputs;
  /// What the plan does wrong, in words: it reads bytes nobody wrote or that hold another buffer by now,
  /// overlaps live buffers, leaves the arena, or lets two streams touch bytes without a wait between them.
  std::optional<std::string> fault;
  /// Why these inputs do not suit the program (an index outside its table), which is no fault of the plan.
  std::optional<std::string> unsuited;
};

/// Runs a program on `rows` rows, at most the module's plan.max_rows, over persistent tensors of these values
/// (others are undefined). With `inDouble`, f32 programs are computed in double throughout.
PlanOutcome runPlan(plan::ProgramOp program, const NamedTensors &tensors, int64_t rows, bool inDouble);

} // namespace kowari::interpreter
