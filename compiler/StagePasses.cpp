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

/// What plan-memory leaves.
Status checkPlaced(ModuleOp module) {
  for (const char *name : {"plan.max_rows", "plan.persistent_bytes", "plan.arena_bytes"})
    if (!module->getAttrOfType<IntegerAttr>(name))
      return Status::error(std::string("emit-artifact needs a planned module, and this one has no ") + name +
                           ": run plan-memory, or compile-stages");
  for (auto program : module.getOps<plan::ProgramOp>())
    for (auto buffer : program.getBlock().getOps<plan::BufferOp>())
      if (!buffer.getOffset())
        return Status::error("emit-artifact: a buffer of @" + program.getSymName().str() +
                             " has no place: run plan-memory");
  return Status::ok();
}

/// Whether the module can be a program of the spec: rows, and an entry for every stage.
Status checkSpec(ModuleOp module, const ProgramSpec &spec) {
  const int64_t rows = module->getAttrOfType<IntegerAttr>("plan.max_rows").getInt();
  if (rows != spec.maxRows)
    return Status::error("flow.spec is of " + std::to_string(spec.maxRows) + " rows and the plan of " +
                         std::to_string(rows) + "; start from what `kowari compile --stop-after` wrote");
  std::vector<std::string> entries = {"log_prob", "sample"};
  for (size_t stage = 0; stage < spec.stages.size(); ++stage)
    entries.push_back("train_step_" + std::to_string(stage));
  SymbolTable symbols(module);
  for (const std::string &entry : entries)
    if (!symbols.lookup<plan::ProgramOp>(entry))
      return Status::error("the module has no plan of @" + entry +
                           ", which flow.spec asks for: did it go through all passes?");
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
    KOWARI_TRY(checkPlaced(getOperation()));
    KOWARI_TRY(checkKernels(getOperation()));
    KOWARI_ASSIGN(ProgramSpec spec, getSpec(getOperation()));
    KOWARI_TRY(checkSpec(getOperation(), spec));
    if (!target.empty())
      spec.target = target;
    return emitArtifact(getOperation(), spec, output);
  }
};

} // namespace
} // namespace kowari
