//===- LlvmPipeline.h - LLVM's optimizer for kernels ------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/Passes/PassBuilder.h"

namespace kowari::codegen {

/// Runs LLVM's default pipeline of a level over a module, for processors and GPUs alike.
void runLlvmPipeline(llvm::Module &module, llvm::TargetMachine &machine,
                     const llvm::PipelineTuningOptions &tuning, llvm::OptimizationLevel level);

} // namespace kowari::codegen
