//===- PointArithmetic.h - runs what emitPoint builds -----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Scalar arith and math operations on doubles: enough to evaluate the arithmetic of one point without a
// compiler.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/flow/FlowOps.h"

#include "llvm/ADT/DenseMap.h"

namespace kowari::interpreter {

class PointArithmetic {
public:
  void bind(mlir::Value value, double number) { numbers[value] = number; }
  double lookup(mlir::Value value) const { return numbers.lookup(value); }
  /// Evaluates the block's operations in order; fails at one it does not know.
  mlir::LogicalResult run(mlir::Block &block);

private:
  mlir::LogicalResult evaluate(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, double> numbers; ///< i1 as 0 or 1
};

} // namespace kowari::interpreter
