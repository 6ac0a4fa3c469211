//===- BuildGraph.h - a network as a flow module ----------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Writes the network of a ProgramSpec as a module of pure functions that share their parameters:
//   @loss      training mode: batch -> loss, and the batch-norm statistics' new values
//   @log_prob  evaluation mode: batch -> log_prob (rows), loss (its negative mean), embedding
//   @sample    evaluation mode: base noise, strain -> theta, log_prob
// The module attribute flow.stages holds each stage's optimizer and whether layers_rb is frozen; Autodiff
// makes the train steps from @loss. Parameter names, shapes and initial distributions are Dingo's. flow.spec
// and flow.reached let a compilation that was stopped go on (compiler/Stages.h).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/settings/ProgramSpec.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace kowari::graph {

inline constexpr llvm::StringLiteral specAttribute = "flow.spec";       ///< canonical JSON
inline constexpr llvm::StringLiteral reachedAttribute = "flow.reached"; ///< the last stage, here "graph"

/// The spec must have passed ProgramSpec::fromJson's checks.
mlir::OwningOpRef<mlir::ModuleOp> buildGraph(mlir::MLIRContext &context, const ProgramSpec &spec);

} // namespace kowari::graph
