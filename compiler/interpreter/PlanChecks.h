//===- PlanChecks.h - places and lives of a plan's buffers ------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/plan/PlanOps.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>

namespace kowari::interpreter {

/// What the module says about the arena, in bytes; nothing where an attribute is missing.
struct ArenaBounds {
  int64_t maxRows = 0;
  int64_t persistentBytes = 0;
  std::optional<int64_t> arenaBytes; ///< from plan-memory on
};
std::optional<ArenaBounds> getArenaBounds(mlir::ModuleOp module);

/// "step 12 (plan.kernel @k3)"
std::string describeStep(mlir::Operation *op, int64_t number);

/// The stream a step runs on: its own operand, an attribute `stream` on other steps, or 0.
int64_t getStream(mlir::Operation *op);

/// The first thing that is wrong with the places of a program's buffers, in words: a view beyond its buffer,
/// a buffer or persistent window outside its part of the arena, two buffers that overlap while both are live.
/// Buffers without an offset have no place yet.
std::optional<std::string> findLayoutFault(plan::ProgramOp program);

} // namespace kowari::interpreter
