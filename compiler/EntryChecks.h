//===- EntryChecks.h - whether functions can become plans -------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace kowari {

/// What lower-to-plan relies on and no verifier of one operation sees: that the entries of a module
/// (functions with flow.max_rows) agree on the tensors they share, that what they hand on has a place, and
/// that the kernels they call have a schedule. Reports the first thing that does not hold.
llvm::LogicalResult checkEntries(mlir::ModuleOp module);

} // namespace kowari
