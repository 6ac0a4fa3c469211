//===- Autodiff.cpp - train steps from the loss ---------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/Passes.h"
#include "compiler/Stages.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace kowari {

#define GEN_PASS_DEF_AUTODIFF
#include "compiler/Passes.h.inc"

namespace {

/// Reverse-mode differentiation of one straight-line function.
class ReverseWalk {
public:
  ReverseWalk(func::FuncOp differentiated, OpBuilder &opBuilder)
      : function(differentiated), builder(opBuilder) {}

  /// Marks what depends on the values to differentiate by.
  void activate(ValueRange seeds) {
    active.insert(seeds.begin(), seeds.end());
    for (Operation &op : function.getBody().front())
      if (llvm::any_of(op.getOperands(), [&](Value v) { return active.contains(v); }))
        active.insert(op.result_begin(), op.result_end());
  }

  /// Builds the gradients of `loss`; the builder stands at the end of the forward pass.
  LogicalResult run(Value loss) {
    SmallVector<Operation *> forward;
    for (Operation &op : function.getBody().front().without_terminator())
      forward.push_back(&op);
    gradients[loss] = flow::OneOp::create(builder, loss.getLoc(), loss.getType());
    for (Operation *op : llvm::reverse(forward))
      if (failed(visit(op)))
        return failure();
    return success();
  }

  /// Null where no gradient arrives.
  Value getGradient(Value v) const { return gradients.lookup(v); }

private:
  LogicalResult visit(Operation *op) {
    SmallVector<Value> resultGradients;
    for (Value result : op->getResults())
      resultGradients.push_back(gradients.lookup(result));
    SmallVector<bool> needed;
    for (Value operand : op->getOperands())
      needed.push_back(active.contains(operand));
    if (llvm::none_of(resultGradients, [](Value g) { return bool(g); }) ||
        llvm::none_of(needed, [](bool n) { return n; }))
      return success();
    auto adjoint = dyn_cast<flow::AdjointOpInterface>(op);
    if (!adjoint)
      return op->emitOpError("stands between the loss and a parameter but has no adjoint");
    SmallVector<Value> operandGradients(op->getNumOperands());
    adjoint.buildAdjoint(builder, resultGradients, needed, operandGradients);
    for (auto [operand, gradient, need] : llvm::zip(op->getOperands(), operandGradients, needed))
      if (gradient && need)
        accumulate(operand, gradient);
    return success();
  }

  void accumulate(Value value, Value gradient) {
    Value &sum = gradients[value];
    if (!sum) {
      sum = gradient;
      return;
    }
    auto product = gradient.getDefiningOp<flow::LinearGradInputOp>();
    if (product && !product.getAccumulator() && isOwn(sum))
      product.getAccumulatorMutable().assign(sum);
    else
      gradient = flow::AddOp::create(builder, gradient.getLoc(), gradient.getType(), sum, gradient);
    sum = gradient;
  }

  /// Whether a sum may be added to in place: a product nobody reads and no other value's gradient (both
  /// operands of an addition get the same one).
  bool isOwn(Value sum) {
    return sum.use_empty() && sum.getDefiningOp<flow::LinearGradInputOp>() &&
           llvm::count_if(gradients, [&](const auto &entry) { return entry.second == sum; }) == 1;
  }

  func::FuncOp function;
  OpBuilder &builder;
  DenseSet<Value> active;
  DenseMap<Value, Value> gradients;
};

/// A copy of @loss that becomes a train step or the gradient entry.
class StepBuilder {
public:
  StepBuilder(func::FuncOp loss, StringRef name) : builder(loss.getContext()) {
    builder.setInsertionPointToEnd(loss->getParentOfType<ModuleOp>().getBody());
    function = cast<func::FuncOp>(builder.clone(*loss));
    function.setName(name);
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      argumentAttributes.push_back(function.getArgAttrDict(i));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      resultAttributes.push_back(function.getResultAttrDict(i));
    terminator = cast<func::ReturnOp>(function.getBody().front().getTerminator());
    results = llvm::to_vector(terminator.getOperands());
    builder.setInsertionPoint(terminator);
  }

  static bool hasLoss(func::FuncOp function) {
    if (function.isExternal())
      return false;
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (function.getResultAttrOfType<StringAttr>(i, "flow.output") ==
          StringAttr::get(function.getContext(), "loss"))
        return flow::getShape(function.getResultTypes()[i]) == flow::Shape::Scalar;
    return false;
  }

  /// Parameters with entries, without frozen ones.
  SmallVector<BlockArgument> getParameters(bool freezeRb) {
    SmallVector<BlockArgument> parameters;
    for (BlockArgument argument : function.getArguments()) {
      auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "flow.parameter");
      bool empty = cast<RankedTensorType>(argument.getType()).getNumElements() == 0;
      if (name && !empty && !(freezeRb && name.getValue().contains("layers_rb")))
        parameters.push_back(argument);
    }
    return parameters;
  }

  StringRef getName(BlockArgument parameter) {
    return function.getArgAttrOfType<StringAttr>(parameter.getArgNumber(), "flow.parameter").getValue();
  }

  Value addArgument(StringRef role, const Twine &name, Type type) {
    argumentAttributes.push_back(
        builder.getDictionaryAttr({builder.getNamedAttr(role, builder.getStringAttr(name))}));
    return function.getBody().front().addArgument(type, function.getLoc());
  }

  void addResult(StringRef role, const Twine &name, Value value) {
    resultAttributes.push_back(
        builder.getDictionaryAttr({builder.getNamedAttr(role, builder.getStringAttr(name))}));
    results.push_back(value);
  }

  void finish() {
    terminator.getOperandsMutable().assign(results);
    function.setFunctionType(builder.getFunctionType(function.getBody().front().getArgumentTypes(),
                                                     llvm::to_vector(ValueRange(results).getTypes())));
    function.setAllArgAttrs(argumentAttributes);
    function.setAllResultAttrs(resultAttributes);
  }

  /// The result with flow.output = "loss"; the pass has checked that it is there.
  Value getLoss() const {
    for (auto [attributes, value] : llvm::zip(resultAttributes, results))
      if (auto name = attributes ? attributes.getAs<StringAttr>("flow.output") : StringAttr())
        if (name.getValue() == "loss")
          return value;
    return Value();
  }

  OpBuilder builder;
  func::FuncOp function;

private:
  func::ReturnOp terminator;
  SmallVector<DictionaryAttr> argumentAttributes, resultAttributes;
  SmallVector<Value> results;
};

/// Writes a stage's updates.
class OptimizerBuilder {
public:
  OptimizerBuilder(StepBuilder &stepBuilder, DictionaryAttr stageOptions)
      : step(stepBuilder), b(step.builder), loc(step.function.getLoc()), stage(stageOptions) {
    Type f64 = RankedTensorType::get({}, b.getF64Type());
    Value loss = step.getLoss();
    scalar = loss.getType();
    rate = step.addArgument("flow.scalar", "learning_rate", f64);
    count = step.addArgument("flow.scalar", "step", f64);
    ok = flow::IsFiniteOp::create(b, loc, scalar, loss);
    typedRate = flow::ConvertOp::create(b, loc, scalar, rate);
    if (getOptimizer() == "sgd") {
      typedCount = flow::ConvertOp::create(b, loc, scalar, count);
      return;
    }
    auto correction = flow::AdamCorrectionOp::create(b, loc, scalar, scalar, rate, count, getReal("beta1"),
                                                     getReal("beta2"));
    stepSize = correction.getStepSize();
    root = correction.getRoot();
  }

  void update(BlockArgument parameter, Value gradient) {
    if (getOptimizer() == "sgd")
      updateSgd(parameter, gradient);
    else
      updateAdam(parameter, gradient);
  }

private:
  StringRef getOptimizer() const { return stage.getAs<StringAttr>("optimizer").getValue(); }
  FloatAttr getReal(StringRef name) const { return stage.getAs<FloatAttr>(name); }
  UnitAttr getUnit(StringRef name) {
    return stage.getAs<BoolAttr>(name).getValue() ? b.getUnitAttr() : UnitAttr();
  }

  Value addState(StringRef kind, BlockArgument parameter) {
    return step.addArgument("flow.optimizer", kind + "/" + step.getName(parameter), parameter.getType());
  }

  void updateAdam(BlockArgument w, Value gradient) {
    Value m = addState("exp_avg", w), v = addState("exp_avg_sq", w);
    Value maximum = stage.getAs<BoolAttr>("amsgrad").getValue() ? addState("max_exp_avg_sq", w) : Value();
    auto op =
        flow::AdamOp::create(b, loc, w.getType(), w.getType(), w.getType(), maximum ? w.getType() : Type(), w,
                             gradient, m, v, stepSize, root, typedRate, ok, maximum, getReal("beta1"),
                             getReal("beta2"), getReal("epsilon"), getReal("weight_decay"),
                             getOptimizer() == "adamw" ? b.getUnitAttr() : UnitAttr(), getUnit("maximize"));
    step.addResult("flow.parameter", step.getName(w), op.getNewParameter());
    step.addResult("flow.optimizer", "exp_avg/" + step.getName(w), op.getNewMean());
    step.addResult("flow.optimizer", "exp_avg_sq/" + step.getName(w), op.getNewSquare());
    if (maximum)
      step.addResult("flow.optimizer", "max_exp_avg_sq/" + step.getName(w), op.getNewMaximum());
  }

  void updateSgd(BlockArgument w, Value gradient) {
    bool moves = getReal("momentum").getValueAsDouble() != 0.0;
    Value buffer = moves ? addState("momentum_buffer", w) : Value();
    auto op = flow::SgdOp::create(b, loc, w.getType(), moves ? w.getType() : Type(), w, gradient, typedRate,
                                  typedCount, ok, buffer, getReal("momentum"), getReal("dampening"),
                                  getReal("weight_decay"), getUnit("nesterov"), getUnit("maximize"));
    step.addResult("flow.parameter", step.getName(w), op.getNewParameter());
    if (moves)
      step.addResult("flow.optimizer", "momentum_buffer/" + step.getName(w), op.getNewBuffer());
  }

  StepBuilder &step;
  OpBuilder &b;
  Location loc;
  DictionaryAttr stage;
  Type scalar;
  Value rate, count, ok, typedRate, typedCount, stepSize, root;
};

struct AutodiffPass : impl::AutodiffBase<AutodiffPass> {
  void runOnOperation() override {
    auto loss = getOperation().lookupSymbol<func::FuncOp>("loss");
    auto stages = getOperation()->getAttrOfType<ArrayAttr>("flow.stages");
    if (!loss || !stages || !StepBuilder::hasLoss(loss)) {
      getOperation().emitError(
          "autodiff needs a function @loss with a scalar result flow.output = \"loss\" and the attribute "
          "flow.stages");
      return signalPassFailure();
    }
    for (auto [i, stage] : llvm::enumerate(stages.getAsRange<DictionaryAttr>()))
      if (failed(buildTrainStep(loss, i, stage)))
        return signalPassFailure();
    if (getOperation()->hasAttr("flow.gradient_entry") && failed(buildGradientEntry(loss)))
      return signalPassFailure();
    loss.erase();
    markReached(getOperation(), "grad");
  }

  LogicalResult buildTrainStep(func::FuncOp loss, size_t index, DictionaryAttr stage) {
    StepBuilder step(loss, ("train_step_" + Twine(index)).str());
    SmallVector<BlockArgument> parameters =
        step.getParameters(stage.getAs<BoolAttr>("freeze_rb_layer").getValue());
    ReverseWalk walk(step.function, step.builder);
    walk.activate(SmallVector<Value>(parameters.begin(), parameters.end()));
    OptimizerBuilder optimizer(
        step, stage); // its scalars stand before the backward pass: updates need not wait for it
    if (failed(walk.run(step.getLoss())))
      return failure();
    for (BlockArgument parameter : parameters)
      if (Value gradient = walk.getGradient(parameter))
        optimizer.update(parameter, gradient);
    step.finish();
    return success();
  }

  LogicalResult buildGradientEntry(func::FuncOp loss) {
    StepBuilder step(loss, "gradient");
    SmallVector<BlockArgument> parameters = step.getParameters(/*freezeRb=*/false);
    ReverseWalk walk(step.function, step.builder);
    walk.activate(SmallVector<Value>(parameters.begin(), parameters.end()));
    if (failed(walk.run(step.getLoss())))
      return failure();
    for (BlockArgument parameter : parameters)
      if (Value gradient = walk.getGradient(parameter))
        step.addResult("flow.output", "gradient/" + step.getName(parameter), gradient);
    step.finish();
    return success();
  }
};

} // namespace
} // namespace kowari
