//===- DecomposeTest.cpp - operations equal their parts -------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "FlowModule.h"

#include <set>

using namespace mlir;

namespace kowari::interpreter {
namespace {

const std::pair<const char *, const char *> cases[] = {{"flow.batch_norm_statistics", R"(
  func.func @f(%x: tensor<?x3xf64>) -> (tensor<3xf64>, tensor<3xf64>) {
    %m, %v = flow.batch_norm_statistics %x : (tensor<?x3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
    return %m, %v : tensor<3xf64>, tensor<3xf64> })"},
                                                       {"flow.layer_norm", R"(
  func.func @f(%x: tensor<?x3xf64>, %g: tensor<3xf64>, %b: tensor<3xf64>) -> (tensor<?x3xf64>, tensor<?xf64>, tensor<?xf64>) {
    %y, %m, %v = flow.layer_norm %x, %g, %b {epsilon = 1.0e-5 : f64} : (tensor<?x3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<?x3xf64>, tensor<?xf64>, tensor<?xf64>)
    return %y, %m, %v : tensor<?x3xf64>, tensor<?xf64>, tensor<?xf64> })"},
                                                       {"flow.layer_norm_grad_input", R"(
  func.func @f(%dy: tensor<?x3xf64>, %x: tensor<?x3xf64>, %g: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<?x3xf64> {
    %y, %m, %v = flow.layer_norm %x, %g, %b {epsilon = 1.0e-5 : f64} : (tensor<?x3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<?x3xf64>, tensor<?xf64>, tensor<?xf64>)
    %dx = flow.layer_norm_grad_input %dy, %x, %m, %v, %g {epsilon = 1.0e-5 : f64} : (tensor<?x3xf64>, tensor<?x3xf64>, tensor<?xf64>, tensor<?xf64>, tensor<3xf64>) -> tensor<?x3xf64>
    return %dx : tensor<?x3xf64> })"}};

/// Replaces every operation named `name` by its parts.
void decomposeAll(ModuleOp module, StringRef name) {
  module.walk([&](flow::DecomposableOpInterface op) {
    if (op->getName().getStringRef() != name)
      return;
    OpBuilder builder(op);
    SmallVector<Value> parts = op.decompose(builder);
    op->replaceAllUsesWith(parts);
    op->erase();
  });
}

TEST(Decompose, keepsTheNumbers) {
  for (auto [name, text] : cases) {
    SCOPED_TRACE(name);
    FlowModule whole(text), parts(text);
    decomposeAll(parts.get(), name);
    ASSERT_TRUE(succeeded(verify(parts.get())));
    for (int64_t rows : {1, 2, 7}) {
      std::mt19937_64 generator(rows);
      std::vector<Tensor> arguments;
      for (Type type : whole.getFunction("f").getArgumentTypes())
        arguments.push_back(makeRandom(generator, flow::getShape(type) == flow::Shape::Matrix
                                                      ? std::vector<int64_t>{rows, 3}
                                                      : std::vector<int64_t>{3}));
      auto expected = whole.run("f", arguments), actual = parts.run("f", arguments);
      ASSERT_EQ(expected.size(), actual.size());
      for (size_t i = 0; i < expected.size(); ++i)
        expectNear(expected[i], actual[i], 1e-13, "result " + std::to_string(i));
    }
  }
}

TEST(Decompose, isTestedForEveryOperationThatCan) {
  std::set<std::string> tested, decomposable;
  for (auto [name, text] : cases)
    tested.insert(name);
  for (RegisteredOperationName name : getContext().getRegisteredOperations())
    if (name.hasInterface<flow::DecomposableOpInterface>())
      decomposable.insert(name.getStringRef().str());
  EXPECT_EQ(decomposable, tested);
}

} // namespace
} // namespace kowari::interpreter
