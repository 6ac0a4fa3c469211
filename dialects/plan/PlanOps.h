//===- PlanOps.h - the plan dialect -----------------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/plan/PlanDialect.h.inc"
#include "dialects/plan/PlanInterfaces.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/plan/PlanTypes.h.inc"
#define GET_OP_CLASSES
#include "dialects/plan/PlanOps.h.inc"

namespace kowari::plan {

/// A dimension that is the row count of the call.
constexpr int64_t rowsOfCall = -1;

/// Bytes of one element.
int64_t getElementBytes(mlir::Type elementType);
/// Elements from the first to behind the last that a view may touch, with the lane dimension rounded up
/// to 16.
int64_t getSpan(ViewType view, int64_t maxRows);
/// The plan.buffer or plan.persistent that a view is part of, and its offset there in elements.
std::pair<mlir::Operation *, int64_t> getBase(mlir::Value view);

} // namespace kowari::plan
