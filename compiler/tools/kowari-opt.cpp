//===- kowari-opt.cpp - runs passes on IR files ---------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// mlir-opt with Kowari's dialects and passes, and options of its own: --stop-after and --artifact go on with
// a compilation behind the passes of the command line, --validate-each runs the functions through the
// reference interpreter before and after every pass, --dump-ir DIR leaves the IR after every pass in a
// folder.
//
//===----------------------------------------------------------------------===//
#include "compiler/PassStatistics.h"
#include "compiler/Passes.h"
#include "compiler/Stages.h"
#include "compiler/interpreter/ValidateEach.h"
#include "compiler/tools/KowariDialects.h"

#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

namespace {

/// Made in main: LLVM's code generator has an option --stop-after too, which must be out of the way first.
struct OwnOptions {
  OwnOptions() {
    if (llvm::cl::Option *option = llvm::cl::getRegisteredOptions().lookup("stop-after"))
      option->setArgStr("llvm-stop-after");
    stopAfter.emplace(
        "stop-after", llvm::cl::value_desc("stage"),
        llvm::cl::desc("Go on with the compilation up to this stage (graph, grad, fused, planned), "
                       "behind the passes that are named"));
  }

  std::optional<llvm::cl::opt<std::string>> stopAfter;
  llvm::cl::opt<std::string> artifact{
      "artifact", llvm::cl::value_desc("file"),
      llvm::cl::desc("Go on with the compilation, behind the passes that are named, and write the artifact")};
  llvm::cl::opt<bool> validateEach{
      "validate-each",
      llvm::cl::desc(
          "Interpret all functions on random inputs before and after every pass; name the first pass "
          "that changes a number, reduce what it was given, and exit with 1")};
  llvm::cl::opt<std::string> failureFolder{
      "validate-output", llvm::cl::value_desc("folder"), llvm::cl::init("kowari-opt-failures"),
      llvm::cl::desc("Where --validate-each writes the smallest module that shows a fault; empty: nothing is "
                     "reduced")};
  llvm::cl::opt<double> reduceSeconds{"validate-reduce-seconds", llvm::cl::init(30.0),
                                      llvm::cl::desc("How long --validate-each reduces")};
  llvm::cl::opt<bool> statistics{"pass-statistics",
                                 llvm::cl::desc("Say after every pass which operations it has "
                                                "left more or fewer of")};
  llvm::cl::opt<std::string> dumpFolder{
      "dump-ir", llvm::cl::value_desc("folder"),
      llvm::cl::desc("Write the module after every pass that changed it into "
                     "files numbered by pass")};

  /// Adds the passes that go on with the compilation, if any.
  void addContinuation(PassManager &manager) const {
    if (!artifact.empty() || !stopAfter->empty()) {
      kowari::CompileStagesOptions stages;
      if (!stopAfter->empty())
        stages.stopAfter = stopAfter->getValue();
      manager.addPass(kowari::createCompileStages(stages));
    }
    if (!artifact.empty()) {
      kowari::EmitArtifactOptions emission;
      emission.output = artifact.getValue();
      manager.addPass(kowari::createEmitArtifact(emission));
    }
  }
};

/// Files of --load-pass-plugin, which MLIR's own option leaves unmentioned if they are not there.
std::vector<std::string> getPlugins(int argc, char **argv) {
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    auto [name, value] = llvm::StringRef(argv[i]).split('=');
    if (name.ltrim('-') == "load-pass-plugin")
      files.push_back(!value.empty() || i + 1 == argc ? value.str() : argv[i + 1]);
  }
  return files;
}

/// Adds what our own options ask for to the pipeline of the command line.
void extendPipeline(const OwnOptions &own, const std::vector<std::string> &plugins, PassManager &manager,
                    std::shared_ptr<bool> foundDifference) {
  own.addContinuation(manager);
  if (own.validateEach || own.statistics || !own.dumpFolder.empty())
    manager.getContext()->disableMultithreading(); // all look at the whole module from within nested passes
  if (own.statistics)
    manager.addInstrumentation(std::make_unique<kowari::PassStatistics>(llvm::errs()));
  if (own.validateEach) {
    kowari::interpreter::FailureReport report{own.failureFolder, own.reduceSeconds, ""};
    for (const std::string &plugin : plugins)
      report.toolOptions += "--load-pass-plugin=" + plugin + " ";
    manager.addInstrumentation(std::make_unique<kowari::interpreter::ValidateEach>(
        kowari::interpreter::NumbersOptions(), foundDifference, std::move(report)));
  }
  if (!own.dumpFolder.empty())
    manager.enableIRPrintingToFileTree([](Pass *, Operation *) { return false; },
                                       [](Pass *, Operation *) { return true; }, /*printModuleScope=*/true,
                                       /*printAfterOnlyOnChange=*/true, /*printAfterOnlyOnFailure=*/false,
                                       own.dumpFolder);
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM initializer(argc, argv);
  OwnOptions own;
  const std::vector<std::string> plugins = getPlugins(argc, argv);
  for (const std::string &plugin : plugins)
    if (!llvm::sys::fs::exists(plugin)) {
      llvm::errs() << "kowari-opt: --load-pass-plugin=" << plugin << ": there is no such file\n";
      return EXIT_FAILURE;
    }
  registerAllPasses();
  kowari::registerKowariPasses();
  kowari::registerStagePipelines();
  DialectRegistry registry;
  kowari::registerDialects(registry);
  auto [inputName, outputName] = registerAndParseCLIOptions(argc, argv, "Kowari's pass runner\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (!own.artifact.empty() && !config.inputSplitMarker().empty()) {
    llvm::errs() << "kowari-opt: --artifact writes one file, and --split-input-file makes several modules\n";
    return EXIT_FAILURE;
  }
  if (std::error_code code = llvm::sys::fs::create_directories(own.dumpFolder);
      !own.dumpFolder.empty() && code) {
    llvm::errs() << "kowari-opt: --dump-ir=" << own.dumpFolder << ": " << code.message() << "\n";
    return EXIT_FAILURE;
  }
  auto foundDifference = std::make_shared<bool>(false);
  config.setPassPipelineSetupFn([&, base = config](PassManager &manager) {
    if (failed(base.setupPassPipeline(manager)))
      return failure();
    extendPipeline(own, plugins, manager, foundDifference);
    return success();
  });

  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputName, &error);
  if (!input) {
    llvm::errs() << error << "\n";
    return EXIT_FAILURE;
  }
  std::unique_ptr<llvm::ToolOutputFile> output = openOutputFile(outputName, &error);
  if (!output) {
    llvm::errs() << error << "\n";
    return EXIT_FAILURE;
  }
  if (failed(MlirOptMain(output->os(), std::move(input), registry, config)))
    return EXIT_FAILURE;
  output->keep();
  // Under --verify-diagnostics the difference was an expected error.
  return *foundDifference && !config.shouldVerifyDiagnostics() ? EXIT_FAILURE : EXIT_SUCCESS;
}
