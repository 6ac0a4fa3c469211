//===- ReduceModulePass.cpp - reduction by a script, as a pass ------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/reduce/ReduceModulePass.h"
#include "compiler/reduce/ModuleReducer.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Reducer/Tester.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;

namespace kowari::reduce {

namespace {

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
    const Tester tester(test, {});
    auto isInteresting = [&](ModuleOp candidate) {
      return tester.isInteresting(candidate).first == Tester::Interestingness::True;
    };
    if (!isInteresting(module)) {
      emitError(UnknownLoc::get(&getContext()))
          << "reduce-module: " << test << " does not find the module interesting (it ends with exit code 0)";
      return signalPassFailure();
    }
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
