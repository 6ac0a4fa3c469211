//===- KowariDialects.h - dialects the tools understand ---------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/flow/FlowOps.h"
#include "dialects/plan/PlanOps.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"

namespace kowari {

/// Kowari's own dialects and MLIR's, with what MLIR's need to be lowered.
inline void registerDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<flow::FlowDialect, plan::PlanDialect>();
}

} // namespace kowari
