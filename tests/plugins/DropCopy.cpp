//===- DropCopy.cpp - a wrong pass: a copy that is missing ---------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Removes the first copy of each plan, if there is one.
//
//===----------------------------------------------------------------------===//
#include "dialects/plan/PlanOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

namespace {

struct DropCopy : PassWrapper<DropCopy, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DropCopy)
  StringRef getArgument() const final { return "drop-copy"; }
  StringRef getDescription() const final { return "Removes the first copy"; }

  void runOnOperation() final {
    for (auto program : getOperation().getOps<kowari::plan::ProgramOp>()) {
      auto steps = program.getBlock().getOps<kowari::plan::CopyOp>();
      if (!steps.empty())
        (*steps.begin()).erase();
    }
  }
};

} // namespace

extern "C" PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "DropCopy", "1", [] { PassRegistration<DropCopy>(); }};
}
