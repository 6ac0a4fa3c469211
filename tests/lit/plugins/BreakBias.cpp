//===- BreakBias.cpp - a wrong pass, for --validate-each to find ----------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Subtracts every bias that ought to be added.
//
//===----------------------------------------------------------------------===//
#include "dialects/flow/FlowOps.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

namespace {

struct BreakBias : PassWrapper<BreakBias, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakBias)
  StringRef getArgument() const final { return "break-bias"; }
  StringRef getDescription() const final { return "Replaces flow.add_bias by flow.sub_bias"; }

  void runOnOperation() final {
    getOperation().walk([](kowari::flow::AddBiasOp add) {
      OpBuilder builder(add);
      auto sub =
          kowari::flow::SubBiasOp::create(builder, add.getLoc(), add.getType(), add.getX(), add.getBias());
      add.replaceAllUsesWith(sub.getResult());
      add.erase();
    });
  }
};

} // namespace

extern "C" PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "BreakBias", "1", [] { PassRegistration<BreakBias>(); }};
}
