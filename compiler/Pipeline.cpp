//===- Pipeline.cpp - from a spec to an artifact --------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/Pipeline.h"
#include "compiler/Artifact.h"
#include "compiler/IrFile.h"
#include "compiler/PassStatistics.h"
#include "compiler/cpu/CpuCodegen.h"
#include "frontend/graph/BuildGraph.h"
#include "runtime/plan/ArtifactFile.h"

#include "llvm/Support/FileSystem.h"

using namespace mlir;

namespace kowari {

namespace {

/// Runs the stages one after the other, with dumps and early stops between them.
class StageRunner {
public:
  StageRunner(ModuleOp compiled, const ProgramSpec &programSpec, const CompileOptions &compileOptions)
      : module(compiled), spec(programSpec), options(compileOptions) {}

  Status run(const std::string &output) {
    std::string diagnostics;
    ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diagnostic) {
      llvm::raw_string_ostream(diagnostics) << diagnostic.getLocation() << ": " << diagnostic << "\n";
    });
    for (const std::string &stage : getStageNames()) {
      options.progress(stage, 0.0);
      KOWARI_TRY(withDiagnostics(runStage(stage), diagnostics));
      KOWARI_TRY(dump(stage));
      if (options.stopAfter == stage)
        return writeIrFile(output, module);
    }
    options.progress("lowered", 0.0);
    Status written =
        emitArtifact(module, spec, output, [&](double fraction) { options.progress("lowered", fraction); });
    return withDiagnostics(std::move(written), diagnostics);
  }

private:
  static Status withDiagnostics(Status status, const std::string &diagnostics) {
    if (status.isOk() || diagnostics.empty())
      return status;
    return Status::error(status.message() + ":\n" + diagnostics);
  }

  Status runStage(const std::string &stage) {
    PassManager manager(module.getContext());
    if (options.timePasses)
      manager.enableTiming();
    if (options.statistics)
      manager.addInstrumentation(std::make_unique<PassStatistics>(llvm::errs()));
    addStagePasses(stage, manager);
    return succeeded(manager.run(module)) ? Status::ok()
                                          : Status::error("the compiler failed in stage " + stage);
  }

  Status dump(const std::string &stage) {
    if (options.dumpFolder.empty())
      return Status::ok();
    if (std::error_code error = llvm::sys::fs::create_directories(options.dumpFolder))
      return Status::error("cannot make " + options.dumpFolder + ": " + error.message());
    return writeIrFile(options.dumpFolder + "/" + std::to_string(number++) + "-" + stage + ".mlir", module);
  }

  ModuleOp module;
  const ProgramSpec &spec;
  const CompileOptions &options;
  int number = 0;
};

} // namespace

Status emitArtifact(ModuleOp module, const ProgramSpec &spec, const std::string &output,
                    const std::function<void(double)> &progress) {
  KOWARI_ASSIGN(codegen::CpuTarget target, codegen::CpuTarget::get(spec.target));
  auto code = codegen::compileKernels(
      module, target, [&](size_t done, size_t total, StringRef) { progress(double(done) / double(total)); });
  if (failed(code))
    return Status::error("the compiler failed in stage lowered");
  std::vector<uint8_t> manifest = buildManifest(module, spec, target);
  return plan::writeArtifact(output, manifest,
                             {reinterpret_cast<const uint8_t *>(code->data()), code->size()});
}

Status compileProgram(const ProgramSpec &spec, const CompileOptions &options, const std::string &output) {
  if (!options.stopAfter.empty())
    KOWARI_TRY(checkStageName(options.stopAfter));
  MLIRContext context;
  context.disableMultithreading();
  OwningOpRef<ModuleOp> module = graph::buildGraph(context, spec);
  return StageRunner(*module, spec, options).run(output);
}

} // namespace kowari
