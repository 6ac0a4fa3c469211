//===- ModuleReducer.h - the smallest module that still fails ---*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Takes functions, results, operations and plan steps away, in ever smaller portions, for as long as a test
// finds the module interesting. The result of an operation that goes becomes an argument of the function, so
// that what is behind it stays; where a last operation goes, what it read is returned.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace kowari::reduce {

struct ReductionLimits {
  double seconds = 30; ///< no further test is begun after that
};

struct Reduction {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  unsigned tests = 0;
  bool finished = false; ///< nothing more can be taken away; false: time ran out
};

/// `module` must be interesting itself, and is not changed. Only modules that verify are tested.
Reduction reduceModule(mlir::ModuleOp module, llvm::function_ref<bool(mlir::ModuleOp)> isInteresting,
                       const ReductionLimits &limits = {});

/// Operations of public functions, and steps of plan programs.
int64_t countOperations(mlir::ModuleOp module);

/// Their names in order, each once, at most five: "flow.linear, flow.elu, ...".
std::string listOperations(mlir::ModuleOp module);

} // namespace kowari::reduce
