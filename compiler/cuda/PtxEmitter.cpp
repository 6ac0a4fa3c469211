//===- PtxEmitter.cpp - fused kernels to PTX ------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/cuda/PtxEmitter.h"

#include "compiler/cuda/NvptxCode.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace kowari::cuda {

struct PtxEmitter::State {
  State() : context(MLIRContext::Threading::DISABLED) {
    DialectRegistry registry;
    registry.insert<flow::FlowDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect,
                    memref::MemRefDialect, func::FuncDialect, cf::ControlFlowDialect, gpu::GPUDialect,
                    vector::VectorDialect>();
    arith::registerConvertArithToLLVMInterface(registry);
    cf::registerConvertControlFlowToLLVMInterface(registry);
    registerConvertMemRefToLLVMInterface(registry);
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    registerGPUDialectTranslation(registry);
    registerNVVMDialectTranslation(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  LogicalResult lower(StringRef text);
  gpu::GPUModuleOp getDevice() { return *module->getOps<gpu::GPUModuleOp>().begin(); }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::vector<GpuLaunch> launches;
};

std::vector<std::string> getChips() { return {"sm_80", "sm_90", "sm_100"}; }

static void addPasses(PassManager &passes) {
  OpPassManager &device = passes.nest<gpu::GPUModuleOp>();
  device.addPass(createCanonicalizerPass());
  device.addPass(createCSEPass());
  device.addPass(createSCFToControlFlowPass());
  device.addPass(createConvertGpuOpsToNVVMOps());
  device.addPass(createReconcileUnrealizedCastsPass());
}

LogicalResult PtxEmitter::State::lower(StringRef text) {
  ParserConfig config(&context);
  module = parseSourceString<ModuleOp>(text, config);
  if (!module)
    return failure();
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  auto device = gpu::GPUModuleOp::create(b, module->getLoc(), "kernels");
  b.setInsertionPointToStart(device.getBody());
  for (auto kernel : llvm::make_early_inc_range(module->getOps<func::FuncOp>())) {
    FailureOr<GpuLaunch> launch = emitGpuKernel(kernel, b);
    if (failed(launch))
      return failure();
    launches.push_back(std::move(*launch));
    kernel.erase();
  }
  PassManager passes(&context);
  addPasses(passes);
  return passes.run(*module);
}

PtxEmitter::PtxEmitter(std::unique_ptr<State> lowered) : state(std::move(lowered)) {}
PtxEmitter::PtxEmitter(PtxEmitter &&) noexcept = default;
PtxEmitter::~PtxEmitter() = default;

const std::vector<GpuLaunch> &PtxEmitter::getLaunches() const { return state->launches; }

/// The kernels go through text into a context of their own, which has the dialects that code generation
/// needs.
Result<PtxEmitter> PtxEmitter::create(ModuleOp source) {
  std::string text, messages;
  llvm::raw_string_ostream stream(text);
  for (auto kernel : source.getOps<func::FuncOp>()) {
    if (!kernel->hasAttr("flow.kernel"))
      continue;
    if (kernel.isExternal() || !llvm::hasSingleElement(kernel.getBody()))
      return Status::error("kernel " + kernel.getName().str() + " needs a body of one block");
    kernel->print(stream, OpPrintingFlags().printGenericOpForm().useLocalScope());
    stream << "\n";
  }
  auto state = std::make_unique<State>();
  ScopedDiagnosticHandler handler(&state->context, [&](Diagnostic &diagnostic) {
    messages += diagnostic.str() + "\n";
    return success();
  });
  if (failed(state->lower(text)))
    return Status::error("the kernels do not lower to nvvm: " + messages);
  return PtxEmitter(std::move(state));
}

Result<std::unique_ptr<llvm::Module>> PtxEmitter::translate(llvm::LLVMContext &context) const {
  std::string messages;
  ScopedDiagnosticHandler handler(&state->context, [&](Diagnostic &diagnostic) {
    messages += diagnostic.str() + "\n";
    return success();
  });
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(state->getDevice(), context, "kernels");
  if (!code)
    return Status::error("the kernels do not translate to LLVM IR: " + messages);
  return code;
}

Result<std::string> PtxEmitter::emit(const std::string &chip, const std::string &libdevice) const {
  llvm::LLVMContext context;
  KOWARI_ASSIGN(std::unique_ptr<llvm::Module> code, translate(context));
  return emitPtx(*code, chip, libdevice);
}

} // namespace kowari::cuda
