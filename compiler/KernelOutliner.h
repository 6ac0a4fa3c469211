//===- KernelOutliner.h - groups as functions of their own ------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/FusionGroups.h"

#include "llvm/ADT/StringMap.h"

namespace kowari {

/// Turns groups into functions with `flow.kernel` at the end of a module. Groups that are equal up to column
/// counts get the same function.
class KernelOutliner {
public:
  explicit KernelOutliner(mlir::ModuleOp module) : module(module) {}

  /// Builds the flow.fused call that replaces the group and redirects all outside uses to it. The group's
  /// operations are left for the caller to erase.
  mlir::Operation *outline(const FusionGroup &group, mlir::OpBuilder &builder);

private:
  mlir::func::FuncOp getKernel(const FusionGroup &group, mlir::ValueRange inputs, mlir::ValueRange outputs);

  mlir::ModuleOp module;
  llvm::StringMap<mlir::func::FuncOp> kernels; // by structure
};

} // namespace kowari
