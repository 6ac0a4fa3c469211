//===- SmallMatrixEmitter.h - kernels of one small matrix op ----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/PointEvaluator.h"

namespace kowari::codegen {

/// Emits the loops of a kernel that holds exactly one SmallMatrixOpInterface operation. Its memrefs are
/// windows of the kernel's pointers: rank 2 is columns x columns, rank 1 says columns entries whatever it
/// holds (entries beyond may be used: triangular factors have D (D - 1)/2), scalars one.
mlir::LogicalResult emitSmallMatrix(mlir::func::FuncOp kernel, const KernelArguments &arguments,
                                    mlir::OpBuilder &builder);

} // namespace kowari::codegen
