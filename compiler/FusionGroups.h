//===- FusionGroups.h - which operations share a kernel ---------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Assigns the rowwise operations of one function to groups. Every operation has a level: groups are run
// whole, so an operation is either in the group of the operand computed last or at a later level than it. Two
// connected operations of one level have no path between them through another group, so joining them makes no
// cycle.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/flow/FlowOps.h"

namespace kowari {

/// What an operation does to the points of a batch, which decides whom it can share a kernel with.
enum class PointClass {
  Pointwise,    // matrices in, matrices out
  RowSum,       // reduces matrices along rows
  ColumnSum,    // reduces matrices along columns
  RowVector,    // row vectors only
  RowVectorSum, // a row vector to a scalar
  ColumnVector, // column vectors only
  Scalar,       // scalars only
  None          // no part of any kernel
};
PointClass classify(mlir::Operation *op);

struct FusionGroup {
  llvm::SmallVector<mlir::Operation *> ops; // in program order
  int64_t columns = 0;                      // of the points; 0: no matrix, no column vector
  bool has(PointClass c) const { return classes & (1u << static_cast<unsigned>(c)); }
  unsigned classes = 0; // set of PointClass
};

/// Groups in program order of their first operation. Every operation with a class is in exactly one.
std::vector<FusionGroup> findFusionGroups(mlir::Block &block);

/// Columns of the points an operation computes; 0 if it has neither a matrix nor a column vector.
int64_t getPointColumns(mlir::Operation *op);

} // namespace kowari
