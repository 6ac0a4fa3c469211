//===- NegateTwice.cpp - a pass in a plug-in: -(-x) is x ------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The worked example of docs/add-a-pass.md.
//
//===----------------------------------------------------------------------===//
#include "dialects/flow/FlowOps.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

namespace {

struct NegateTwice : PassWrapper<NegateTwice, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NegateTwice)
  StringRef getArgument() const final { return "negate-twice"; }
  StringRef getDescription() const final { return "Replaces -(-x) by x"; }

  void runOnOperation() final {
    getOperation().walk([](kowari::flow::NegateOp outer) {
      if (auto inner = outer.getX().getDefiningOp<kowari::flow::NegateOp>())
        outer.replaceAllUsesWith(inner.getX());
    });
  }
};

} // namespace

extern "C" PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "NegateTwice", "1", [] { PassRegistration<NegateTwice>(); }};
}
