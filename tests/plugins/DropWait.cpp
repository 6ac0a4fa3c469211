//===- DropWait.cpp - a wrong pass: a step that no longer waits ----------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Removes the first wait of each plan, if there is one.
//
//===----------------------------------------------------------------------===//
#include "dialects/plan/PlanOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

namespace {

struct DropWait : PassWrapper<DropWait, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DropWait)
  StringRef getArgument() const final { return "drop-wait"; }
  StringRef getDescription() const final { return "Removes the first wait"; }

  void runOnOperation() final {
    for (auto program : getOperation().getOps<kowari::plan::ProgramOp>()) {
      auto steps = program.getBlock().getOps<kowari::plan::WaitOp>();
      if (!steps.empty())
        (*steps.begin()).erase();
    }
  }
};

} // namespace

extern "C" PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "DropWait", "1", [] { PassRegistration<DropWait>(); }};
}
