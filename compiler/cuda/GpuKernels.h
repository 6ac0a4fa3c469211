//===- GpuKernels.h - fused kernels as gpu functions ------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Builds a gpu.func from a `flow.kernel` function. The stages are those of the CPU
// (compiler/cpu/KernelNest.h); here it is decided which thread computes what. Every loop over points starts
// at the thread's own place and steps by the launch's size, so a grid may have any number of blocks. No
// atomics: results repeat bit for bit.
//
// Arguments of the gpu.func: one !llvm.ptr for each operand, then each result; one i64 stride for each of
// them (elements from row to row, or from column to column with lanes along rows; unused for vectors and
// scalars); i64 rows; i64 columns (points side by side: features, for the spline).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/flow/FlowOps.h"

#include <string>

namespace kowari::cuda {

/// What one thread computes.
enum class ThreadMapping {
  Points, ///< One point: pointwise kernels.
  Outer,  ///< One place of the contiguous axis, walking the other: column sums of row-major matrices.
  Warps,  ///< A 32nd of the contiguous axis for one place of the other: row sums of row-major matrices.
  Single, ///< Everything: scalars, LU factors.
};

/// How a kernel wants to be launched: grids of one row of blocks, but for Points of matrices.
struct GpuLaunch {
  std::string kernel;
  ThreadMapping mapping = ThreadMapping::Single;
  unsigned blockX = 1, blockY = 1; ///< Threads of a block; part of the compiled code.
  bool oneBlock = false;           ///< The grid must be a single block.
};

/// Adds the kernel to the gpu.module that `builder` stands in, or reports at the operation why it cannot be
/// compiled.
mlir::FailureOr<GpuLaunch> emitGpuKernel(mlir::func::FuncOp kernel, mlir::OpBuilder &builder);

} // namespace kowari::cuda
