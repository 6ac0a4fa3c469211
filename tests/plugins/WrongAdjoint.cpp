//===- WrongAdjoint.cpp - autodiff with a wrong adjoint -------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Differentiates and then turns the sign of the gradient through one activation or spline of @gradient.
// Nothing is left to compare @gradient with but the loss itself.
//
//===----------------------------------------------------------------------===//
#include "dialects/flow/FlowOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

namespace {

struct WrongAdjoint : PassWrapper<WrongAdjoint, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WrongAdjoint)
  StringRef getArgument() const final { return "wrong-adjoint"; }
  StringRef getDescription() const final { return "autodiff with a gradient of the wrong sign"; }

  void runOnOperation() final {
    PassManager manager(&getContext()); // of its own: nobody validates what it leaves
    if (failed(parsePassPipeline("autodiff", manager)) || failed(manager.run(getOperation())))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      Operation *wrong = nullptr;
      function.walk([&](Operation *op) {
        if (isa<kowari::flow::ActivationGradOp, kowari::flow::RqSplineGradOp>(op))
          wrong = op;
      });
      if (!wrong)
        continue;
      OpBuilder builder(getOperation().getContext());
      builder.setInsertionPointAfter(wrong);
      Value gradient = wrong->getResult(wrong->getNumResults() - 1);
      auto negated = kowari::flow::NegateOp::create(builder, wrong->getLoc(), gradient.getType(), gradient);
      gradient.replaceAllUsesExcept(negated.getResult(), negated);
    }
  }
};

} // namespace

extern "C" PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "WrongAdjoint", "1", [] { PassRegistration<WrongAdjoint>(); }};
}
