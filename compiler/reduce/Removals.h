//===- Removals.h - what can be taken away from a module --------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace kowari::reduce {

/// One kind of item of a module. Items are numbered in the order of the module.
struct Removal {
  size_t (*count)(mlir::ModuleOp module);
  void (*remove)(mlir::ModuleOp module, size_t first, size_t last);
};

/// Functions and programs, results, operations and steps, operations at the end, in the order to try them.
llvm::ArrayRef<Removal> getRemovals();

/// Operations of public functions in order, without their terminators, and steps and outputs of programs.
llvm::SmallVector<mlir::Operation *> collectOperations(mlir::ModuleOp module);

/// Erases pure operations without uses, unused arguments of public functions, and unused private functions.
void eraseUnused(mlir::ModuleOp module);

} // namespace kowari::reduce
