//===- WrongGradient.cpp - a wrong adjoint, for --validate-each to find ---===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Adds @gradient: the loss, and for the parameter that is its second argument the parameter itself as
// gradient.
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
    auto gradient = cast<func::FuncOp>(builder.clone(*loss));
    gradient.setName("gradient");
    auto result = cast<func::ReturnOp>(gradient.getBody().front().getTerminator());
    result.getOperandsMutable().append(gradient.getArgument(1));
    gradient.setFunctionType(builder.getFunctionType(loss.getArgumentTypes(), result.getOperandTypes()));
    StringRef name = loss.getArgAttrOfType<StringAttr>(1, "flow.parameter").getValue();
    auto named = builder.getNamedAttr("flow.output", builder.getStringAttr("gradient/" + name));
    SmallVector<DictionaryAttr> attributes = {loss.getResultAttrDict(0), builder.getDictionaryAttr({named})};
    gradient.setAllResultAttrs(attributes);
  }
};

} // namespace

extern "C" PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "WrongGradient", "1", [] { PassRegistration<WrongGradient>(); }};
}
