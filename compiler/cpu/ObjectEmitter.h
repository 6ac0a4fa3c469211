//===- ObjectEmitter.h - LLVM dialect to machine code -----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Apart from KernelCompiler so that LLVM's headers stay in one file.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/CpuTarget.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace kowari::codegen {

/// Optimizes a module of the LLVM dialect for the target and returns a relocatable ELF object.
Result<std::string> emitObject(mlir::ModuleOp module, const CpuTarget &target, llvm::StringRef name);

} // namespace kowari::codegen
