//===- KernelLoops.cpp - kernels as the loops that are compiled -----------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/Passes.h"
#include "compiler/cpu/KernelEmitter.h"
#include "compiler/cpu/VectorMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace kowari {

#define GEN_PASS_DEF_KERNELLOOPS
#include "compiler/Passes.h.inc"

namespace {

struct KernelLoopsPass : impl::KernelLoopsBase<KernelLoopsPass> {
  using KernelLoopsBase::KernelLoopsBase;

  void runOnOperation() override {
    if (lanes != 4 && lanes != 8 && lanes != 16) {
      emitError(UnknownLoc::get(&getContext())) << "kernel-loops: lanes must be 4, 8 or 16";
      return signalPassFailure();
    }
    for (Operation &op : llvm::make_early_inc_range(*getOperation().getBody()))
      if (!op.hasAttr("flow.kernel"))
        op.erase();
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (failed(codegen::emitKernel(kernel, lanes)))
        return signalPassFailure();
    codegen::expandMath(getOperation());
  }
};

} // namespace
} // namespace kowari
