//===- KernelEmitter.h - the loops of a fused kernel ------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/flow/FlowOps.h"

namespace kowari::codegen {

/// Replaces the body and type of a `flow.kernel` function: it becomes `name(!llvm.ptr to KowariKernelArgs)`
/// of scf loops, arith, math and vector operations and llvm loads and stores. `lanes` is the target's float32
/// vector length; kernels whose matrices and vectors are all of 8 bytes an entry use half of it.
mlir::LogicalResult emitKernel(mlir::func::FuncOp kernel, unsigned lanes);

} // namespace kowari::codegen
