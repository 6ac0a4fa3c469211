//===- WrongConstant.cpp - float32 kernels that are a little off ----------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Multiplies one value of each float32 kernel by 1.0001. Run behind the code generator's back
// (`kowari-fuzz --after code=wrong-constant`), it is what a wrong coefficient in a kernel would be: nothing
// but the numbers of the compiled code shows it.
//
//===----------------------------------------------------------------------===//
#include "dialects/flow/FlowOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;
using namespace kowari::flow;

namespace {

struct WrongConstant : PassWrapper<WrongConstant, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WrongConstant)
  StringRef getArgument() const final { return "wrong-constant"; }
  StringRef getDescription() const final { return "Multiplies a float32 value of each kernel by 1.0001"; }

  void runOnOperation() final {
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr("flow.kernel"))
        spoil(kernel);
  }

  static void spoil(func::FuncOp kernel) {
    for (Operation &op : kernel.getBody().front())
      if (isa<ActivationOp, AddBiasOp, AddOp, SubOp, NegateOp, BatchNormOp, NormalizeRowsOp, GluOp>(op) &&
          getElementType(op.getResult(0)).isF32())
        return scale(op.getResult(0));
  }

  /// With l(x) the leaky ReLU of slope 0.01: l(l(x)) - l(l(-x)) = 1.0001 x.
  static void scale(Value x) {
    OpBuilder builder(x.getContext());
    builder.setInsertionPointAfterValue(x);
    Location loc = x.getLoc();
    Type type = x.getType();
    auto leak = [&](Value value) {
      for (int time = 0; time < 2; ++time)
        value = ActivationOp::create(builder, loc, type, value, ActivationKind::LeakyRelu);
      return value;
    };
    auto negated = NegateOp::create(builder, loc, type, x);
    Value above = leak(x), below = leak(negated);
    auto scaled = SubOp::create(builder, loc, type, above, below);
    SmallPtrSet<Operation *, 4> own{negated, above.getDefiningOp()->getOperand(0).getDefiningOp()};
    x.replaceAllUsesExcept(scaled, own);
  }
};

} // namespace

extern "C" PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "WrongConstant", "1", [] { PassRegistration<WrongConstant>(); }};
}
