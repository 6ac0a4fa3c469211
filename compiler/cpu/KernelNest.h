//===- KernelNest.h - loops and stages of a fused kernel --------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Decides, before any code is built, how a kernel's operations are spread over loops: which axis is the outer
// loop, which the inner, which one the vector lanes run over, and into how many stages sums cut the inner
// loop. A sum always runs over the inner axis; what uses it waits for the next stage, which walks the inner
// axis again.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/flow/FlowOps.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace kowari::codegen {

enum class Axis { Rows, Columns };

/// A set of axes. A matrix has both, a row vector the rows, a column vector the columns, a scalar none.
struct Axes {
  bool rows = false, columns = false;
  bool has(Axis axis) const { return axis == Axis::Rows ? rows : columns; }
  bool any() const { return rows || columns; }
  Axes operator|(Axes o) const { return {rows || o.rows, columns || o.columns}; }
};

/// Axes of a kernel's value.
Axes getAxes(mlir::Value value);
/// Axes of all operands and results together.
Axes getAxes(mlir::Operation *op);

struct KernelNest {
  Axis lane = Axis::Columns;  ///< Contiguous in memory; vectors run over it.
  Axis inner = Axis::Columns; ///< The loop that sums run over.
  bool hasOuter = false;      ///< False when every value lies on one axis, or on none.
  bool hasInner = false;      ///< False in a kernel of scalars.
  unsigned stageCount = 1;
  llvm::DenseMap<mlir::Value, unsigned> stage; ///< First stage that may use the value.
  llvm::DenseMap<mlir::Value, unsigned> width; ///< Consecutive columns of the value that make one point.
  llvm::SmallVector<unsigned> storeStage;      ///< For each result: the stage that stores it.

  Axis outer() const { return inner == Axis::Rows ? Axis::Columns : Axis::Rows; }
  bool isInner(Axes axes) const { return hasInner && axes.has(inner); }
  unsigned widthOf(mlir::Value v) const { return width.lookup(v); }
  /// A value that memory holds when stage `at` runs, because an earlier one stored it as a result.
  std::optional<unsigned> findStored(mlir::func::FuncOp kernel, mlir::Value value, unsigned at) const;
};

/// The kind of result `index` of a kernel's operation.
flow::ResultKind getKind(mlir::Operation *op, unsigned index);

/// Points of the operation side by side that its operands and results with columns have (1 for nearly all).
unsigned getOperationWidth(mlir::Operation *op, const KernelNest &nest);

/// Plans the kernel or reports what in it cannot be compiled.
mlir::FailureOr<KernelNest> planNest(mlir::func::FuncOp kernel);

} // namespace kowari::codegen
