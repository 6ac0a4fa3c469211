//===- KernelCompiler.cpp - one kernel to one object file -----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/cpu/KernelCompiler.h"

#include "compiler/cpu/KernelEmitter.h"
#include "compiler/cpu/ObjectEmitter.h"
#include "compiler/cpu/VectorMath.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace kowari::codegen {

struct KernelCompiler::State {
  explicit State(const CpuTarget &target) : target(target), context(MLIRContext::Threading::DISABLED) {
    DialectRegistry registry;
    registry.insert<flow::FlowDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect,
                    memref::MemRefDialect, func::FuncDialect, vector::VectorDialect, cf::ControlFlowDialect,
                    LLVM::LLVMDialect>();
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  CpuTarget target;
  MLIRContext context;
};

KernelCompiler::KernelCompiler(const CpuTarget &target) : state(std::make_unique<State>(target)) {}
KernelCompiler::~KernelCompiler() = default;

static LogicalResult lowerToLlvmDialect(ModuleOp module) {
  PassManager passes(module.getContext());
  passes.enableVerifier(false);
  passes.addPass(createCSEPass());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertVectorToLLVMPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createFinalizeMemRefToLLVMConversionPass());
  passes.addPass(createConvertFuncToLLVMPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  return passes.run(module);
}

Result<std::string> KernelCompiler::compile(llvm::StringRef text, llvm::StringRef kernelName) {
  std::string messages;
  ScopedDiagnosticHandler handler(&state->context, [&](Diagnostic &diagnostic) {
    messages += diagnostic.str() + "\n";
    return success();
  });
  auto fail = [&](const char *stage) {
    return Status::error("kernel " + kernelName.str() + ": " + stage + ": " + messages);
  };
  ParserConfig config(&state->context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, config);
  if (!module)
    return fail("parsing");
  for (auto kernel : llvm::make_early_inc_range(module->getOps<func::FuncOp>()))
    if (kernel->hasAttr("flow.kernel") && failed(emitKernel(kernel, state->target.lanes)))
      return fail("building loops");
  expandMath(*module);
  if (failed(lowerToLlvmDialect(*module)))
    return fail("lowering");
  return emitObject(*module, state->target, kernelName);
}

} // namespace kowari::codegen
