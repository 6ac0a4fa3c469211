//===- WrongGradient.cpp - a wrong adjoint, for --validate-each to find ---===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Adds @gradient for the parameter that is the second argument of @loss, and returns the parameter itself.
//
//===----------------------------------------------------------------------===//
#include "dialects/flow/FlowOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

namespace {

struct WrongGradient : PassWrapper<WrongGradient, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WrongGradient)
  StringRef getArgument() const final { return "wrong-gradient"; }
  StringRef getDescription() const final { return "Adds a @gradient that is wrong"; }

  void runOnOperation() final {
    auto loss = getOperation().lookupSymbol<func::FuncOp>("loss");
    OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
    Type type = loss.getArgumentTypes()[1];
    auto gradient = func::FuncOp::create(builder, loss.getLoc(), "gradient",
                                         builder.getFunctionType(loss.getArgumentTypes(), {type}));
    StringRef name = loss.getArgAttrOfType<StringAttr>(1, "flow.parameter").getValue();
    gradient.setResultAttr(0, "flow.output", builder.getStringAttr("gradient/" + name));
    for (unsigned i = 0; i < loss.getNumArguments(); ++i)
      gradient.setArgAttrs(i, loss.getArgAttrDict(i));
    builder.setInsertionPointToStart(gradient.addEntryBlock());
    func::ReturnOp::create(builder, loss.getLoc(), gradient.getArgument(1));
  }
};

} // namespace

extern "C" PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "WrongGradient", "1", [] { PassRegistration<WrongGradient>(); }};
}
