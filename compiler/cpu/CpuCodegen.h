//===- CpuCodegen.h - fused kernels to machine code -------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// From a module of `flow.kernel` functions to the bytes of one x86-64 shared object. docs/cpu-kernels.md
// tells what a kernel may hold and how its loops are built; runtime/plan/KernelAbi.h how the result is
// called.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/CpuTarget.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include <functional>
#include <string>

namespace kowari::codegen {

/// Told after each kernel: how many are done, of how many, and the one just compiled. Called from one thread
/// at a time.
using KernelProgress = std::function<void(size_t done, size_t total, llvm::StringRef kernel)>;

/// Compiles every func.func of `module` that carries `flow.kernel` (others are left alone) into one shared
/// object with one external function `void name(const KowariKernelArgs *)` each. The object needs no library;
/// undefined symbols are functions of libm (exp, log, log1p, erf, pow, sin, cos, ...; float64 and rare
/// float32 functions alone) and of libc (memset, memcpy), which the process that loads it provides. Equal
/// modules and targets give equal bytes. Kernels are compiled on several threads. Errors are diagnostics at
/// the operations.
mlir::FailureOr<std::string> compileKernels(mlir::ModuleOp module, const CpuTarget &target,
                                            const KernelProgress &progress = {});

} // namespace kowari::codegen
