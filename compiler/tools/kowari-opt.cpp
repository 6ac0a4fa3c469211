//===- kowari-opt.cpp - runs passes on IR files ---------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// mlir-opt with Kowari's dialects and passes. Two options are its own: --validate-each runs the functions
// through the reference interpreter before and after every pass, --dump-ir DIR leaves the IR after every pass
// in a folder.
//
//===----------------------------------------------------------------------===//
#include "compiler/Passes.h"
#include "compiler/interpreter/ValidateEach.h"
#include "compiler/tools/KowariDialects.h"

#include "mlir/InitAllPasses.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

namespace {

llvm::cl::opt<bool> validateEach(
    "validate-each",
    llvm::cl::desc(
        "Interpret all functions on random inputs before and after every pass; name the first pass that "
        "changes a number and exit with 1"));
llvm::cl::opt<std::string>
    dumpFolder("dump-ir", llvm::cl::value_desc("folder"),
               llvm::cl::desc("Write the module after every pass that changed it into files "
                              "numbered by pass"));

/// The pipeline of the command line, with the instrumentation that our own options ask for.
void instrument(MlirOptMainConfig &config, std::shared_ptr<bool> foundDifference) {
  config.setPassPipelineSetupFn([base = config, foundDifference](PassManager &manager) -> LogicalResult {
    if (failed(base.setupPassPipeline(manager)))
      return failure();
    if (validateEach || !dumpFolder.empty())
      manager.getContext()
          ->disableMultithreading(); // both look at the whole module from within nested passes
    if (validateEach)
      manager.addInstrumentation(std::make_unique<kowari::interpreter::ValidateEach>(
          kowari::interpreter::NumbersOptions(), foundDifference));
    if (!dumpFolder.empty())
      manager.enableIRPrintingToFileTree([](Pass *, Operation *) { return false; },
                                         [](Pass *, Operation *) { return true; }, /*printModuleScope=*/true,
                                         /*printAfterOnlyOnChange=*/true, /*printAfterOnlyOnFailure=*/false,
                                         dumpFolder);
    return success();
  });
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM initializer(argc, argv);
  registerAllPasses();
  kowari::registerKowariPasses();
  DialectRegistry registry;
  kowari::registerDialects(registry);
  auto [inputName, outputName] = registerAndParseCLIOptions(argc, argv, "Kowari's pass runner\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  auto foundDifference = std::make_shared<bool>(false);
  instrument(config, foundDifference);

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
