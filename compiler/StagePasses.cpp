//===- StagePasses.cpp - stages and the artifact as passes ----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/Passes.h"
#include "compiler/Pipeline.h"
#include "compiler/Stages.h"

using namespace mlir;

namespace kowari {

#define GEN_PASS_DEF_COMPILESTAGES
#define GEN_PASS_DEF_EMITARTIFACT
#include "compiler/Passes.h.inc"

namespace {

struct CompileStagesPass : impl::CompileStagesBase<CompileStagesPass> {
  using CompileStagesBase::CompileStagesBase;

  void runOnOperation() override {
    Result<std::vector<std::string>> stages = getRemainingStages(getOperation(), stopAfter);
    if (!stages) {
      emitError(UnknownLoc::get(&getContext())) << stages.status().message();
      return signalPassFailure();
    }
    OpPassManager pipeline(ModuleOp::getOperationName());
    for (const std::string &stage : *stages)
      addStagePasses(stage, pipeline);
    if (failed(runPipeline(pipeline, getOperation())))
      signalPassFailure();
  }
};

/// A plan that was read back from an artifact names its kernels without holding them.
Status checkKernels(ModuleOp module) {
  SymbolTable symbols(module);
  for (auto program : module.getOps<plan::ProgramOp>())
    for (auto step : program.getBlock().getOps<plan::KernelOp>())
      if (!symbols.lookup<func::FuncOp>(step.getKernel()))
        return Status::error("emit-artifact needs the kernel @" + step.getKernel().str() +
                             ", which the module does not hold; start from what `kowari compile "
                             "--stop-after` wrote");
  return Status::ok();
}

struct EmitArtifactPass : impl::EmitArtifactBase<EmitArtifactPass> {
  using EmitArtifactBase::EmitArtifactBase;

  void runOnOperation() override {
    if (Status status = emit(); !status) {
      emitError(UnknownLoc::get(&getContext())) << status.message();
      signalPassFailure();
    }
    markAllAnalysesPreserved();
  }

  Status emit() {
    if (output.empty())
      return Status::error("emit-artifact needs a file: emit-artifact{output=FILE}");
    if (!getOperation()->hasAttr("plan.arena_bytes"))
      return Status::error("emit-artifact needs a planned module: run plan-memory, or compile-stages");
    KOWARI_TRY(checkKernels(getOperation()));
    KOWARI_ASSIGN(ProgramSpec spec, getSpec(getOperation()));
    if (!target.empty())
      spec.target = target;
    return emitArtifact(getOperation(), spec, output);
  }
};

} // namespace
} // namespace kowari
