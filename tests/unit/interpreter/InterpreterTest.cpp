//===- InterpreterTest.cpp - operations against numbers worked out apart --===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "FlowModule.h"

#include <cmath>

using namespace mlir;

namespace kowari::interpreter {
namespace {

//===-- running functions -------------------------------------------------===//

TEST(Interpreter, hasAnEvaluatorForEveryOperation) {
  for (RegisteredOperationName name : getContext().getRegisteredOperations()) {
    if (name.getDialectNamespace() != "flow" || name.getStringRef() == "flow.fused")
      continue;
    OpBuilder builder(&getContext());
    auto function =
        func::FuncOp::create(builder, builder.getUnknownLoc(), "f", builder.getFunctionType({}, {}));
    builder.setInsertionPointToStart(function.addEntryBlock());
    builder.create(OperationState(builder.getUnknownLoc(), name));
    func::ReturnOp::create(builder, builder.getUnknownLoc());
    EXPECT_TRUE(isInterpretable(function)) << name.getStringRef().str();
    function.erase();
  }
}

TEST(Interpreter, runsKernelsWithTheColumnsOfTheUse) {
  FlowModule module(R"(
    func.func private @mean_and_twice(%x: tensor<?x2xf64>) -> (tensor<?xf64>, tensor<?x2xf64>) attributes {flow.kernel} {
      %m = flow.row_mean %x : (tensor<?x2xf64>) -> tensor<?xf64>
      %y = flow.add %x, %x : (tensor<?x2xf64>, tensor<?x2xf64>) -> tensor<?x2xf64>
      return %m, %y : tensor<?xf64>, tensor<?x2xf64> }
    func.func @f(%x: tensor<?x4xf64>) -> (tensor<?xf64>, tensor<?x4xf64>) {
      %m, %y = flow.fused @mean_and_twice(%x) : (tensor<?x4xf64>) -> (tensor<?xf64>, tensor<?x4xf64>)
      return %m, %y : tensor<?xf64>, tensor<?x4xf64> })");
  auto results = module.run("f", {reals({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})});
  expectNear(reals({2}, {2.5, 6.5}), results[0], 0, "mean");
  expectNear(reals({2, 4}, {2, 4, 6, 8, 10, 12, 14, 16}), results[1], 0, "twice");
}

TEST(Interpreter, roundsToTheElementType) {
  const std::string text = R"(
    func.func @f(%a: tensor<?xf32>, %s: tensor<f32>) -> tensor<?xf32> {
      %y = flow.add_scalar %a, %s : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32> return %y : tensor<?xf32> })";
  FlowModule module(text);
  std::vector<Tensor> arguments = {reals({1}, {1.0}), reals({}, {1e-9})};
  EXPECT_EQ(module.run("f", arguments)[0].getReal(0), 1.0);
  EXPECT_EQ(module.run("f", arguments)[0].getKind(), ElementKind::F32);
  EXPECT_EQ(module.run("f", arguments, {.rows = {}, .inDouble = true})[0].getReal(0), 1.0 + 1e-9);
}

TEST(Interpreter, takesTheRowCountOfTheOptions) {
  FlowModule module("func.func @f() -> tensor<?x2xf32> { %z = flow.zeros : () -> tensor<?x2xf32> return %z : "
                    "tensor<?x2xf32> }");
  EXPECT_EQ(module.run("f", {}, {.rows = 3})[0].describe(), "f32 3x2");
}

class Errors : public testing::Test {
protected:
  /// The messages of interpreting @f.
  std::string getMessages(FlowModule &module, std::vector<Tensor> arguments) {
    std::string messages;
    ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &d) { messages += d.str() + "\n"; });
    EXPECT_TRUE(failed(interpret(module.getFunction("f"), std::move(arguments))));
    return messages;
  }
};

TEST_F(Errors, nameTheArgument) {
  FlowModule module("func.func @f(%x: tensor<?x2xf64>, %y: tensor<?xf64>) { return }");
  EXPECT_THAT(getMessages(module, {reals({1, 2}, {1, 2})}), testing::HasSubstr("has 2 arguments, got 1"));
  EXPECT_THAT(getMessages(module, {reals({1, 2}, {1, 2}), reals({2}, {1, 2})}),
              testing::HasSubstr("argument #1 of type 'tensor<?xf64>' got f64 2: the batch has 1 rows"));
  EXPECT_THAT(getMessages(module, {reals({1, 1}, {1}), reals({1}, {1})}),
              testing::HasSubstr("dimension 1 does not fit"));
  EXPECT_THAT(getMessages(module, {reals({1, 2}, {1, 2}), Tensor::fromIndices({1}, {1})}),
              testing::HasSubstr("the element type does not fit"));
}

TEST_F(Errors, nameTheOperation) {
  getContext().loadDialect<arith::ArithDialect>();
  FlowModule module("func.func @f() { %c = arith.constant dense<1.0> : tensor<2xf64> return }");
  EXPECT_THAT(getMessages(module, {}), testing::HasSubstr("no evaluator for arith.constant"));
  EXPECT_FALSE(isInterpretable(module.getFunction("f")));
}

//===-- single operations -------------------------------------------------===//

TEST(Evaluators, applyTheLuMatrixBehindThePermutation) {
  // L = [1 0; 2 1], U = [d0 3; 0 d1], y = L U (x1, x0)
  FlowModule module(R"(
    func.func @f(%lo: tensor<1xf64>, %up: tensor<1xf64>, %d: tensor<2xf64>, %p: tensor<2xi64>)
        -> (tensor<2x2xf64>, tensor<f64>, tensor<2x2xf64>, tensor<f64>) {
      %w, %l = flow.lu_weight %lo, %up, %d, %p : (tensor<1xf64>, tensor<1xf64>, tensor<2xf64>, tensor<2xi64>) -> (tensor<2x2xf64>, tensor<f64>)
      %i, %m = flow.lu_weight_inverse %lo, %up, %d, %p : (tensor<1xf64>, tensor<1xf64>, tensor<2xf64>, tensor<2xi64>) -> (tensor<2x2xf64>, tensor<f64>)
      return %w, %l, %i, %m : tensor<2x2xf64>, tensor<f64>, tensor<2x2xf64>, tensor<f64> })");
  auto results = module.run(
      "f", {reals({1}, {2}), reals({1}, {3}), reals({2}, {0, 30}), Tensor::fromIndices({2}, {1, 0})});
  double d0 = std::log(2.0) + 1e-3, d1 = 30 + 1e-3;
  expectNear(reals({2, 2}, {3, d0, 6 + d1, 2 * d0}), results[0], 1e-15, "weight");
  expectNear(reals({}, {std::log(d0) + std::log(d1)}), results[1], 1e-15, "logabsdet");
  double determinant = 3 * 2 * d0 - d0 * (6 + d1);
  expectNear(
      reals({2, 2}, {2 * d0 / determinant, -d0 / determinant, -(6 + d1) / determinant, 3 / determinant}),
      results[2], 1e-14, "inverse");
  expectNear(reals({}, {-results[1].getReal(0)}), results[3], 0, "logabsdet of the inverse");
}

TEST(Evaluators, invertSplines) {
  FlowModule module(R"(
    func.func @f(%x: tensor<?x2xf64>, %u: tensor<?x16xf64>) -> (tensor<?x2xf64>, tensor<?xf64>, tensor<?xf64>) {
      %y, %l = flow.rq_spline %x, %u {num_bins = 3 : i64, tail_bound = 2.0 : f64, divisor = 3.0 : f64} : (tensor<?x2xf64>, tensor<?x16xf64>) -> (tensor<?x2xf64>, tensor<?xf64>)
      %z, %m = flow.rq_spline_inverse %y, %u {num_bins = 3 : i64, tail_bound = 2.0 : f64, divisor = 3.0 : f64} : (tensor<?x2xf64>, tensor<?x16xf64>) -> (tensor<?x2xf64>, tensor<?xf64>)
      return %z, %l, %m : tensor<?x2xf64>, tensor<?xf64>, tensor<?xf64> })");
  std::mt19937_64 generator(5);
  Tensor x = makeRandom(generator, {50, 2}, 1.2);
  auto results = module.run("f", {x, makeRandom(generator, {50, 16}, 2)});
  expectNear(x, results[0], 1e-12, "x");
  for (int64_t r = 0; r < 50; ++r)
    EXPECT_NEAR(results[1].getReal(r), -results[2].getReal(r), 1e-11);
}

TEST(Evaluators, dropTheSameEntriesForAnyBatch) {
  FlowModule module(R"(
    func.func @f(%x: tensor<?x3xf64>, %s: tensor<?xi64>, %seed: tensor<i64>, %epoch: tensor<i64>) -> tensor<?x3xf64> {
      %y = flow.dropout %x, %s, %seed, %epoch {probability = 0.25 : f64, site = 3 : i64} : (tensor<?x3xf64>, tensor<?xi64>, tensor<i64>, tensor<i64>) -> tensor<?x3xf64>
      return %y : tensor<?x3xf64> })");
  constexpr int64_t rows = 4000;
  std::vector<int64_t> samples(rows);
  for (int64_t r = 0; r < rows; ++r)
    samples[r] = r * 3;
  Tensor seed = Tensor::fromIndices({}, {0x123456789abcdef}), epoch = Tensor::fromIndices({}, {7});
  Tensor ones = reals({rows, 3}, std::vector<double>(rows * 3, 1.0));
  Tensor all = module.run("f", {ones, Tensor::fromIndices({rows}, samples), seed, epoch})[0];
  int64_t kept = 0;
  for (int64_t i = 0; i < all.getSize(); ++i) {
    EXPECT_TRUE(all.getReal(i) == 0 || all.getReal(i) == 1 / 0.75);
    kept += all.getReal(i) != 0;
  }
  EXPECT_NEAR(kept / double(rows * 3), 0.75, 0.02);
  Tensor one =
      module.run("f", {reals({1, 3}, {1, 1, 1}), Tensor::fromIndices({1}, {samples[1234]}), seed, epoch})[0];
  for (int64_t c = 0; c < 3; ++c)
    EXPECT_EQ(one.getReal(c), all.getReal(1234 * 3 + c));
  Tensor later =
      module.run("f", {ones, Tensor::fromIndices({rows}, samples), seed, Tensor::fromIndices({}, {8})})[0];
  EXPECT_NE(later.getReals<double>(), all.getReals<double>());
}

TEST(Evaluators, moveRunningStatistics) {
  FlowModule module(R"(
    func.func @f(%x: tensor<?x2xf64>, %a: tensor<2xf64>, %b: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
      %m, %v = flow.batch_norm_statistics %x : (tensor<?x2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
      %c, %d = flow.batch_norm_running %a, %b, %m, %v {momentum = 0.1 : f64} : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
      return %c, %d : tensor<2xf64>, tensor<2xf64> })");
  auto results =
      module.run("f", {reals({3, 2}, {1, 10, 2, 10, 6, 10}), reals({2}, {1, 0}), reals({2}, {2, 1})});
  expectNear(reals({2}, {0.9 + 0.3, 1.0}), results[0], 1e-15, "mean"); // batch mean 3
  expectNear(reals({2}, {1.8 + 0.1 * (4 + 1 + 9) / 2, 0.9}), results[1], 1e-15, "variance");
}

/// Two steps of Adam on one weight, worked out by hand from torch's definition.
TEST(Evaluators, stepAdam) {
  FlowModule module(R"(
    func.func @f(%w: tensor<1xf64>, %g: tensor<1xf64>, %m: tensor<1xf64>, %v: tensor<1xf64>, %x: tensor<1xf64>, %rate: tensor<f64>, %step: tensor<f64>, %ok: tensor<f64>)
        -> (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) {
      %s, %r = flow.adam_correction %rate, %step {beta1 = 0.8 : f64, beta2 = 0.5 : f64} : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
      %w1, %m1, %v1, %x1 = flow.adam state(%w, %g, %m, %v : tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) scalars(%s, %r, %rate, %ok : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) maximum(%x : tensor<1xf64>) {beta1 = 0.8 : f64, beta2 = 0.5 : f64, epsilon = 0.25 : f64, weight_decay = 0.5 : f64, decoupled} -> tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>
      return %w1, %m1, %v1, %x1 : tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64> })");
  Tensor rate = reals({}, {0.1}), zero = reals({1}, {0}), ok = reals({}, {1});
  auto first =
      module.run("f", {reals({1}, {2}), reals({1}, {3}), zero, zero, zero, rate, reals({}, {1}), ok});
  // w = 2 (1 - 0.05) = 1.9, m = 0.6, v = 4.5; m/(1 - 0.8) = 3, sqrt(v/(1 - 0.5)) = 3
  double w = 1.9 - 0.1 * 3 / (3 + 0.25);
  expectNear(reals({1}, {w}), first[0], 1e-15, "w");
  expectNear(reals({1}, {0.6}), first[1], 1e-15, "m");
  expectNear(reals({1}, {4.5}), first[2], 1e-15, "v");
  auto second =
      module.run("f", {first[0], reals({1}, {-1}), first[1], first[2], first[3], rate, reals({}, {2}), ok});
  // m = 0.48 - 0.2 = 0.28, v = 2.25 + 0.5 = 2.75 < 4.5 = maximum
  double denominator = std::sqrt(4.5) / std::sqrt(0.75) + 0.25;
  expectNear(reals({1}, {w * 0.95 - 0.1 / 0.36 * 0.28 / denominator}), second[0], 1e-15, "w");
  expectNear(reals({1}, {4.5}), second[3], 1e-15, "maximum");
  auto skipped = module.run(
      "f", {first[0], reals({1}, {-1}), first[1], first[2], first[3], rate, reals({}, {2}), reals({}, {0})});
  for (int i = 0; i < 4; ++i)
    expectNear(first[i], skipped[i], 0, "skipped");
}

TEST(Evaluators, stepSgdWithMomentum) {
  FlowModule module(R"(
    func.func @f(%w: tensor<1xf64>, %g: tensor<1xf64>, %b: tensor<1xf64>, %rate: tensor<f64>, %step: tensor<f64>, %ok: tensor<f64>) -> (tensor<1xf64>, tensor<1xf64>) {
      %w1, %b1 = flow.sgd state(%w, %g : tensor<1xf64>, tensor<1xf64>) scalars(%rate, %step, %ok : tensor<f64>, tensor<f64>, tensor<f64>) buffer(%b : tensor<1xf64>) {momentum = 0.5 : f64, dampening = 0.25 : f64, weight_decay = 0.5 : f64, nesterov, maximize} -> tensor<1xf64>, tensor<1xf64>
      return %w1, %b1 : tensor<1xf64>, tensor<1xf64> })");
  Tensor rate = reals({}, {0.1}), ok = reals({}, {1});
  // g' = -3 + 0.5*2 = -2; step 1: b = -2, direction -2 + 0.5*-2 = -3
  auto first =
      module.run("f", {reals({1}, {2}), reals({1}, {3}), reals({1}, {100}), rate, reals({}, {1}), ok});
  expectNear(reals({1}, {2.3}), first[0], 1e-15, "w");
  expectNear(reals({1}, {-2}), first[1], 1e-15, "b");
  // g' = -3 + 1 = -2; b = 0.5*4 + 0.75*-2 = 0.5; direction -2 + 0.25
  auto second =
      module.run("f", {reals({1}, {2}), reals({1}, {3}), reals({1}, {4}), rate, reals({}, {2}), ok});
  expectNear(reals({1}, {2.175}), second[0], 1e-15, "w");
  expectNear(reals({1}, {0.5}), second[1], 1e-15, "b");
}

TEST(Evaluators, tellFiniteFromTheRest) {
  FlowModule module(
      "func.func @f(%x: tensor<f64>) -> tensor<f64> { %y = flow.is_finite %x : (tensor<f64>) -> tensor<f64> "
      "return %y : tensor<f64> }");
  for (auto [x, expected] :
       {std::pair{1.0, 1.0}, {-1e308, 1.0}, {INFINITY, 0.0}, {-INFINITY, 0.0}, {NAN, 0.0}})
    EXPECT_EQ(module.run("f", {reals({}, {x})})[0].getReal(0), expected);
}

} // namespace
} // namespace kowari::interpreter
