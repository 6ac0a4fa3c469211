//===- LlvmPipeline.cpp - LLVM's optimizer for kernels --------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/cpu/LlvmPipeline.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace kowari::codegen {

void runLlvmPipeline(llvm::Module &module, llvm::TargetMachine &machine,
                     const llvm::PipelineTuningOptions &tuning, llvm::OptimizationLevel level) {
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(level).run(module, modules);
}

} // namespace kowari::codegen
