//===- AdjointTest.cpp - adjoints against finite differences --------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// For a function @f of flow operations, S = sum_i <w_i, result_i> with random w is a number whose derivative
// by every entry of every real argument the adjoints give at once and central differences give one by one.
//
//===----------------------------------------------------------------------===//
#include "FlowModule.h"

#include "mlir/IR/IRMapping.h"

#include <cmath>
#include <set>

using namespace mlir;

namespace kowari::interpreter {
namespace {

/// Arguments of @f; an argument that has none here is random. `fixed` arguments are not differentiated by.
struct Case {
  const char *name;
  const char *text; ///< of @f alone
  std::map<unsigned, Tensor> arguments = {};
  std::set<unsigned> fixed = {};
  double step = 1e-5;
  double tolerance = 1e-7;
};

constexpr int64_t rowCount = 5;

/// Gradients of @f's real arguments, given those of its results, as function @gradient(arguments, result
/// gradients). Null gradients come back as zeros. This reverse pass is the test's own: it knows nothing of
/// the compiler's.
func::FuncOp buildGradient(func::FuncOp f, const std::set<unsigned> &fixed) {
  SmallVector<Type> inputs(f.getArgumentTypes()), outputs;
  llvm::append_range(inputs, f.getResultTypes());
  auto isWanted = [&](unsigned i) {
    return isa<FloatType>(cast<RankedTensorType>(f.getArgumentTypes()[i]).getElementType()) &&
           !fixed.contains(i);
  };
  for (unsigned i = 0; i < f.getNumArguments(); ++i)
    if (isWanted(i))
      outputs.push_back(f.getArgumentTypes()[i]);
  OpBuilder builder(f->getBlock(), std::next(f->getIterator()));
  auto g = func::FuncOp::create(builder, f.getLoc(), "gradient", builder.getFunctionType(inputs, outputs));
  Block *body = g.addEntryBlock();
  builder.setInsertionPointToStart(body);
  IRMapping mapping;
  mapping.map(f.getArguments(), body->getArguments().take_front(f.getNumArguments()));
  SmallVector<Operation *> forward;
  for (Operation &op : f.getBody().front().without_terminator())
    forward.push_back(builder.clone(op, mapping));
  DenseMap<Value, Value> gradients;
  auto add = [&](Value value, Value gradient) {
    Value &sum = gradients[value];
    sum = sum ? flow::AddOp::create(builder, g.getLoc(), gradient.getType(), sum, gradient).getResult()
              : gradient;
  };
  auto seeds = body->getArguments().drop_front(f.getNumArguments());
  for (auto [result, seed] : llvm::zip(f.getBody().front().getTerminator()->getOperands(), seeds))
    add(mapping.lookup(result), seed);
  for (Operation *op : llvm::reverse(forward)) {
    auto adjoint = dyn_cast<flow::AdjointOpInterface>(op);
    if (!adjoint)
      continue;
    SmallVector<Value> resultGradients, operandGradients(op->getNumOperands());
    for (Value result : op->getResults())
      resultGradients.push_back(gradients.lookup(result));
    SmallVector<bool> needed(op->getNumOperands(), true);
    adjoint.buildAdjoint(builder, resultGradients, needed, operandGradients);
    for (auto [operand, gradient] : llvm::zip(op->getOperands(), operandGradients))
      if (gradient)
        add(operand, gradient);
  }
  SmallVector<Value> results;
  for (unsigned i = 0; i < f.getNumArguments(); ++i)
    if (isWanted(i)) {
      Value gradient = gradients.lookup(body->getArgument(i));
      results.push_back(gradient ? gradient
                                 : flow::ZerosOp::create(builder, g.getLoc(), f.getArgumentTypes()[i]));
    }
  func::ReturnOp::create(builder, g.getLoc(), results);
  return g;
}

std::vector<int64_t> getShapeOf(Type type) {
  std::vector<int64_t> shape;
  for (int64_t extent : cast<RankedTensorType>(type).getShape())
    shape.push_back(ShapedType::isDynamic(extent) ? rowCount : extent);
  return shape;
}

double getWeightedSum(const std::vector<Tensor> &results, const std::vector<Tensor> &weights) {
  double sum = 0;
  for (size_t i = 0; i < results.size(); ++i)
    for (int64_t j = 0; j < results[i].getSize(); ++j)
      sum += results[i].getReal(j) * weights[i].getReal(j);
  return sum;
}

void checkCase(const Case &test) {
  SCOPED_TRACE(test.name);
  FlowModule module(test.text);
  ASSERT_TRUE(module.isValid());
  func::FuncOp f = module.getFunction("f"), g = buildGradient(f, test.fixed);
  ASSERT_TRUE(succeeded(verify(module.get())));
  std::mt19937_64 generator(7);
  std::vector<Tensor> arguments, weights;
  for (unsigned i = 0; i < f.getNumArguments(); ++i)
    arguments.push_back(test.arguments.count(i) ? test.arguments.at(i)
                                                : makeRandom(generator, getShapeOf(f.getArgumentTypes()[i])));
  for (Type type : f.getResultTypes())
    weights.push_back(makeRandom(generator, getShapeOf(type)));
  std::vector<Tensor> seeds = arguments;
  seeds.insert(seeds.end(), weights.begin(), weights.end());
  std::vector<Tensor> gradients = module.run("gradient", seeds);
  size_t next = 0;
  for (unsigned i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].isReal() || test.fixed.contains(i))
      continue;
    ASSERT_LT(next, gradients.size());
    const Tensor &gradient = gradients[next++];
    Tensor numeric(ElementKind::F64, gradient.getShape());
    for (int64_t j = 0; j < numeric.getSize(); ++j) {
      double here = arguments[i].getReal(j), ends[2];
      double step = test.step * std::max(1.0, std::fabs(here));
      for (int side : {0, 1}) {
        arguments[i].setReal(j, here + (side ? step : -step));
        ends[side] = getWeightedSum(module.run("f", arguments), weights);
      }
      arguments[i].setReal(j, here);
      numeric.setReal(j, (ends[1] - ends[0]) / (2 * step));
    }
    expectNear(numeric, gradient, test.tolerance, "argument " + std::to_string(i));
  }
  EXPECT_EQ(next, gradients.size());
}

//===-- the cases ---------------------------------------------------------===//

std::string activation(const std::string &kind) {
  return "func.func @f(%x: tensor<?x3xf64>) -> tensor<?x3xf64> { %y = flow.activation %x {kind = "
         "#flow.activation<" +
         kind + ">} : (tensor<?x3xf64>) -> tensor<?x3xf64> return %y : tensor<?x3xf64> }";
}

Tensor awayFromZero() { // the kinks of relu and its kind have no derivative
  return reals({rowCount, 3}, {-50, -3, -1, -0.5, -0.1, -0.01, 0.01, 0.1, 0.5, 1, 2, 3, 4, 50, -20});
}

TEST(Adjoint, ofActivations) {
  for (const char *kind : {"elu", "relu", "leaky_relu", "gelu"}) {
    std::string text = activation(kind);
    checkCase({kind, text.c_str(), {{0, awayFromZero()}}, {}, 1e-6});
  }
}

TEST(Adjoint, ofLinear) {
  checkCase({"linear", R"(
    func.func @f(%x0: tensor<?x2xf64>, %x1: tensor<?x3xf64>, %w: tensor<4x5xf64>, %b: tensor<4xf64>) -> tensor<?x4xf64> {
      %y = flow.linear ins(%x0, %x1 : tensor<?x2xf64>, tensor<?x3xf64>) weight(%w : tensor<4x5xf64>) bias(%b : tensor<4xf64>) -> tensor<?x4xf64>
      return %y : tensor<?x4xf64> })"});
  checkCase({"linear without inputs", R"(
    func.func @f(%x: tensor<?x0xf64>, %w: tensor<4x0xf64>, %b: tensor<4xf64>) -> tensor<?x4xf64> {
      %y = flow.linear ins(%x : tensor<?x0xf64>) weight(%w : tensor<4x0xf64>) bias(%b : tensor<4xf64>) -> tensor<?x4xf64>
      return %y : tensor<?x4xf64> })"});
}

TEST(Adjoint, ofLinearInputThatAccumulates) {
  FlowModule module(R"(
    func.func @f(%dy: tensor<?x4xf64>, %w: tensor<4x5xf64>, %a: tensor<?x3xf64>) -> (tensor<?x3xf64>, tensor<?x3xf64>) {
      %into = flow.linear_grad_input dy(%dy : tensor<?x4xf64>) weight(%w : tensor<4x5xf64>) into(%a : tensor<?x3xf64>) {start = 2 : i64} -> tensor<?x3xf64>
      %dx = flow.linear_grad_input dy(%dy : tensor<?x4xf64>) weight(%w : tensor<4x5xf64>) {start = 2 : i64} -> tensor<?x3xf64>
      %sum = flow.add %a, %dx : (tensor<?x3xf64>, tensor<?x3xf64>) -> tensor<?x3xf64>
      return %into, %sum : tensor<?x3xf64>, tensor<?x3xf64> })");
  std::mt19937_64 generator(1);
  auto results = module.run(
      "f", {makeRandom(generator, {3, 4}), makeRandom(generator, {4, 5}), makeRandom(generator, {3, 3})});
  expectNear(results[1], results[0], 1e-14, "accumulated");
}

TEST(Adjoint, ofColumnMovement) {
  for (int start : {0, 1}) {
    std::string s = std::to_string(start), a = start ? "2" : "3", b = start ? "3" : "2";
    std::string parts = "(tensor<?x" + a + "xf64>, tensor<?x" + b + "xf64>)";
    std::string split = "func.func @f(%x: tensor<?x5xf64>) -> " + parts +
                        " { %a, %b = flow.split_columns %x {start = " + s +
                        " : i64} : (tensor<?x5xf64>) -> " + parts + " return %a, %b : tensor<?x" + a +
                        "xf64>, tensor<?x" + b + "xf64> }";
    std::string join = "func.func @f(%a: tensor<?x" + a + "xf64>, %b: tensor<?x" + b +
                       "xf64>) -> tensor<?x5xf64> { %x = flow.interleave_columns %a, %b {start = " + s +
                       " : i64} : " + parts + " -> tensor<?x5xf64> return %x : tensor<?x5xf64> }";
    checkCase({"split_columns", split.c_str()});
    checkCase({"interleave_columns", join.c_str()});
  }
}

TEST(Adjoint, ofSumsAndGates) {
  checkCase({"add", R"(
    func.func @f(%x: tensor<?x3xf64>, %y: tensor<?x3xf64>) -> tensor<?x3xf64> {
      %z = flow.add %x, %y : (tensor<?x3xf64>, tensor<?x3xf64>) -> tensor<?x3xf64> return %z : tensor<?x3xf64> })"});
  checkCase({"glu",
             R"(
    func.func @f(%t: tensor<?x3xf64>, %g: tensor<?x3xf64>) -> tensor<?x3xf64> {
      %y = flow.glu %t, %g : (tensor<?x3xf64>, tensor<?x3xf64>) -> tensor<?x3xf64> return %y : tensor<?x3xf64> })",
             {{1, reals({rowCount, 3}, {-700, -50, -3, -1, -0.5, 0, 0.1, 0.2, 0.5, 1, 2, 3, 4, 50, 700})}}});
  checkCase({"add_scalar", R"(
    func.func @f(%x: tensor<?xf64>, %s: tensor<f64>) -> tensor<?xf64> {
      %y = flow.add_scalar %x, %s : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64> return %y : tensor<?xf64> })"});
}

TEST(Adjoint, ofDropout) {
  checkCase({"dropout",
             R"(
    func.func @f(%x: tensor<?x3xf64>, %s: tensor<?xi64>, %seed: tensor<i64>, %epoch: tensor<i64>) -> tensor<?x3xf64> {
      %y = flow.dropout %x, %s, %seed, %epoch {probability = 0.4 : f64, site = 3 : i64} : (tensor<?x3xf64>, tensor<?xi64>, tensor<i64>, tensor<i64>) -> tensor<?x3xf64>
      return %y : tensor<?x3xf64> })",
             {{1, Tensor::fromIndices({rowCount}, {4, 9, 2, 77, 123456})},
              {2, Tensor::fromIndices({}, {42})},
              {3, Tensor::fromIndices({}, {3})}}});
}

TEST(Adjoint, ofBatchNorm) {
  checkCase({"training", R"(
    func.func @f(%x: tensor<?x3xf64>, %g: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<?x3xf64> {
      %m, %v = flow.batch_norm_statistics %x : (tensor<?x3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
      %y = flow.batch_norm %x, %m, %v, %g, %b {epsilon = 1.0e-3 : f64, training} : (tensor<?x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
      return %y : tensor<?x3xf64> })"});
  checkCase({"evaluation",
             R"(
    func.func @f(%x: tensor<?x3xf64>, %m: tensor<3xf64>, %v: tensor<3xf64>, %g: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<?x3xf64> {
      %y = flow.batch_norm %x, %m, %v, %g, %b {epsilon = 1.0e-3 : f64} : (tensor<?x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
      return %y : tensor<?x3xf64> })",
             {{2, reals({3}, {0.5, 1.7, 0})}},
             {1, 2}});
}

TEST(Adjoint, ofLayerNorm) {
  const char *text = R"(
    func.func @f(%x: tensor<?x4xf64>, %g: tensor<4xf64>, %b: tensor<4xf64>) -> tensor<?x4xf64> {
      %y, %m, %v = flow.layer_norm %x, %g, %b {epsilon = 1.0e-5 : f64} : (tensor<?x4xf64>, tensor<4xf64>, tensor<4xf64>) -> (tensor<?x4xf64>, tensor<?xf64>, tensor<?xf64>)
      return %y : tensor<?x4xf64> })";
  checkCase({"layer_norm", text});
  std::vector<double> equal(rowCount * 4, 2.0); // no spread in a row: the variance is 0
  checkCase({"layer_norm of equal columns", text, {{0, reals({rowCount, 4}, equal)}}, {}, 1e-7, 1e-6});
}

TEST(Adjoint, ofDensities) {
  checkCase({"base_log_prob", R"(
    func.func @f(%z: tensor<?x3xf64>) -> tensor<?xf64> {
      %l = flow.base_log_prob %z : (tensor<?x3xf64>) -> tensor<?xf64> return %l : tensor<?xf64> })"});
  checkCase({"negative_mean", R"(
    func.func @f(%x: tensor<?xf64>) -> tensor<f64> {
      %l = flow.negative_mean %x : (tensor<?xf64>) -> tensor<f64> return %l : tensor<f64> })"});
}

TEST(Adjoint, ofLuWeight) {
  checkCase({"lu_weight",
             R"(
    func.func @f(%lo: tensor<6xf64>, %up: tensor<6xf64>, %d: tensor<4xf64>, %p: tensor<4xi64>) -> (tensor<4x4xf64>, tensor<f64>) {
      %w, %l = flow.lu_weight %lo, %up, %d, %p : (tensor<6xf64>, tensor<6xf64>, tensor<4xf64>, tensor<4xi64>) -> (tensor<4x4xf64>, tensor<f64>)
      return %w, %l : tensor<4x4xf64>, tensor<f64> })",
             {{2, reals({4}, {-3, 0.54, 19.9, 25})}, {3, Tensor::fromIndices({4}, {2, 0, 3, 1})}}});
}

//===-- splines -----------------------------------------------------------===//

const char *const splineText = R"(
  func.func @f(%x: tensor<?x2xf64>, %u: tensor<?x16xf64>) -> (tensor<?x2xf64>, tensor<?xf64>) {
    %y, %l = flow.rq_spline %x, %u {num_bins = 3 : i64, tail_bound = 2.0 : f64, divisor = 3.0 : f64} : (tensor<?x2xf64>, tensor<?x16xf64>) -> (tensor<?x2xf64>, tensor<?xf64>)
    return %y, %l : tensor<?x2xf64>, tensor<?xf64> })";

TEST(Adjoint, ofSplines) {
  checkCase({"inside",
             splineText,
             {{0, reals({rowCount, 2}, {0.1, -1.9, 1.2, 0.3, -0.7, 0.5, 1.99, -1.1, 0, -0.0})}},
             {},
             1e-6});
  checkCase({"outside",
             splineText,
             {{0, reals({rowCount, 2}, {50, -50, 2.1, -2.1, 200, -300, 3, -3, 2.001, 2.5})}}});
}

TEST(Adjoint, ofSplinesAtTheBound) { // dx is one-sided there, so only the parameters are compared
  checkCase({"bound", splineText, {{0, reals({rowCount, 2}, {2, -2, 2, 2, -2, -2, 1, 2, -2, 0})}}, {0}});
}

TEST(Adjoint, ofSplinesWithExtremeLogits) {
  std::vector<double> logits;
  for (int64_t i = 0; i < rowCount * 16; ++i)
    logits.push_back((i % 3 - 1) * (i % 5 == 0 ? 30.0 : 8.0));
  checkCase({"extreme",
             splineText,
             {{0, reals({rowCount, 2}, {0.1, -1.9, 1.2, 0.3, -0.7, 0.5, 1.9, -1.1, 0.4, -0.3})},
              {1, reals({rowCount, 16}, logits)}},
             {},
             1e-7,
             1e-5});
}

TEST(Adjoint, hasNoNanForAnyInput) {
  FlowModule module(splineText);
  buildGradient(module.getFunction("f"), {});
  for (double size : {1.0, 1e2, 1e4, 1e8})
    for (double x : {0.0, -0.0, 2.0, -2.0, 2.0000001, 50.0, -50.0, 1e6, 1e30}) {
      std::mt19937_64 generator(3);
      std::vector<Tensor> arguments = {reals({1, 2}, {x, -x}), makeRandom(generator, {1, 16}, size),
                                       reals({1, 2}, {1, 1}), reals({1}, {1})};
      for (const Tensor &gradient : module.run("gradient", arguments))
        for (int64_t i = 0; i < gradient.getSize(); ++i)
          EXPECT_TRUE(std::isfinite(gradient.getReal(i))) << "x = " << x << ", logits of size " << size;
    }
}

/// A new differentiable operation belongs into a test above; this one fails until its name stands here.
TEST(Adjoint, isTestedForEveryOperationThatHasOne) {
  const std::set<std::string> tested = {"flow.activation",         "flow.linear",    "flow.split_columns",
                                        "flow.interleave_columns", "flow.add",       "flow.glu",
                                        "flow.add_scalar",         "flow.dropout",   "flow.batch_norm",
                                        "flow.layer_norm",         "flow.lu_weight", "flow.base_log_prob",
                                        "flow.negative_mean",      "flow.rq_spline"};
  std::set<std::string> differentiable;
  for (RegisteredOperationName name : getContext().getRegisteredOperations())
    if (name.hasInterface<flow::AdjointOpInterface>())
      differentiable.insert(name.getStringRef().str());
  EXPECT_EQ(differentiable, tested);
}

} // namespace
} // namespace kowari::interpreter
