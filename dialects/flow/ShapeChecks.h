//===- ShapeChecks.h - what verifiers of flow operations share --*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// A check reports against the constraint's number in the operation's description, as (C1).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/flow/FlowOps.h"

namespace kowari::flow {

inline mlir::LogicalResult check(mlir::Operation *op, bool holds, int constraint,
                                 const llvm::Twine &message) {
  if (holds)
    return mlir::success();
  return op->emitOpError("(C") << constraint << ") " << message;
}

/// All values have the first one's type.
inline mlir::LogicalResult checkSameType(mlir::Operation *op, int constraint, mlir::ValueRange values) {
  for (mlir::Value v : values.drop_front())
    if (v.getType() != values.front().getType())
      return op->emitOpError("(C") << constraint << ") needs equal types, has " << values.front().getType()
                                   << " and " << v.getType();
  return mlir::success();
}

/// All values have the given shape, `like`'s element type and, as column vectors, its column count.
inline mlir::LogicalResult checkShape(mlir::Operation *op, int constraint, Shape shape, mlir::Value like,
                                      mlir::ValueRange values) {
  for (mlir::Value v : values) {
    bool holds = getShape(v.getType()) == shape && getElementType(v) == getElementType(like);
    if (shape == Shape::ColumnVector)
      holds = holds && getColumns(v.getType()) == getColumns(like.getType());
    if (!holds)
      return op->emitOpError("(C") << constraint << ") " << v.getType() << " does not fit " << like.getType();
  }
  return mlir::success();
}

} // namespace kowari::flow
