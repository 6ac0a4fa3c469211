//===- ReduceModulePass.cpp - reduction by a script, as a pass ------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/reduce/ReduceModulePass.h"
#include "compiler/IrFile.h"
#include "compiler/reduce/ModuleReducer.h"
#include "runtime/support/Status.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Program.h"

using namespace mlir;

namespace kowari::reduce {

namespace {

constexpr unsigned secondsOfOneTest = 120;

/// Whether the script ends with a code other than 0 on the module; an error if it crashes or takes too long.
Result<bool> runScript(const std::string &script, ModuleOp module) {
  llvm::SmallString<128> path;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile("kowari-reduce", "mlir", path))
    return Status::error("cannot make a temporary file: " + code.message());
  llvm::FileRemover remover(path);
  KOWARI_TRY(writeIrFile(path.str().str(), module));
  std::string message;
  const int code = llvm::sys::ExecuteAndWait(script, {script, path}, std::nullopt, {}, secondsOfOneTest,
                                             /*MemoryLimit=*/0, &message);
  if (code < 0)
    return Status::error(script + " did not end by itself: " + message);
  return code != 0;
}

class ReduceModule : public PassWrapper<ReduceModule, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReduceModule)
  ReduceModule() = default;
  ReduceModule(const ReduceModule &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "reduce-module"; }
  StringRef getDescription() const final {
    return "Takes functions, results, operations and steps away while a script finds the module interesting";
  }

  void runOnOperation() final {
    ModuleOp module = getOperation();
    if (!llvm::sys::fs::can_execute(test)) {
      emitError(UnknownLoc::get(&getContext()))
          << "reduce-module: test=" << test
          << " is no program that can run; name an executable file (the PATH is not searched)";
      return signalPassFailure();
    }
    Result<bool> first = runScript(test, module);
    if (!first || !*first) {
      emitError(UnknownLoc::get(&getContext()))
          << "reduce-module: "
          << (first ? test + " does not find the module interesting (it ends with exit code 0); run it by "
                             "hand to see"
                    : first.status().message());
      return signalPassFailure();
    }
    auto isInteresting = [&](ModuleOp candidate) {
      Result<bool> result = runScript(test, candidate);
      if (!result)
        llvm::errs() << "reduce-module: " << result.status().message() << "; this module is left as it was\n";
      return result && *result;
    };
    Reduction reduction = reduceModule(module, isInteresting, {seconds});
    llvm::errs() << "reduce-module: " << countOperations(module) << " -> "
                 << countOperations(*reduction.module) << " operations in " << reduction.tests << " tests"
                 << (reduction.finished ? "" : ", stopped by the time limit") << "\n";
    module->setAttrs((*reduction.module)->getAttrDictionary());
    module.getBodyRegion().takeBody(reduction.module->getBodyRegion());
  }

private:
  Option<std::string> test{*this, "test",
                           llvm::cl::desc("Script that decides whether an IR file is interesting")};
  Option<double> seconds{*this, "seconds", llvm::cl::desc("How long to reduce"), llvm::cl::init(600.0)};
};

} // namespace

void registerReduceModulePass() { PassRegistration<ReduceModule>(); }

} // namespace kowari::reduce
