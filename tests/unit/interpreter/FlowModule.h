//===- FlowModule.h - functions of flow operations from text ----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/Interpreter.h"
#include "dialects/flow/FlowOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

namespace kowari::interpreter {

/// The context all tests share; loading dialects takes longer than any of them.
inline mlir::MLIRContext &getContext() {
  static auto *context = [] {
    auto *c = new mlir::MLIRContext(mlir::MLIRContext::Threading::DISABLED);
    c->loadDialect<flow::FlowDialect, mlir::func::FuncDialect>();
    return c;
  }();
  return *context;
}

class FlowModule {
public:
  explicit FlowModule(const std::string &text)
      : module(mlir::parseSourceString<mlir::ModuleOp>(text, &getContext())) {
    if (!module)
      ADD_FAILURE() << "does not parse:\n" << text;
  }

  bool isValid() const { return static_cast<bool>(module); }
  mlir::ModuleOp get() { return *module; }
  mlir::func::FuncOp getFunction(llvm::StringRef name) {
    return module->lookupSymbol<mlir::func::FuncOp>(name);
  }
  std::vector<Tensor> run(llvm::StringRef name, const std::vector<Tensor> &arguments,
                          const InterpretOptions &options = {}) {
    auto results = interpret(getFunction(name), arguments, options);
    if (mlir::failed(results)) {
      ADD_FAILURE() << "@" << name.str() << " was not interpreted";
      return {};
    }
    return *results;
  }

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

inline Tensor reals(std::vector<int64_t> shape, std::vector<double> entries) {
  return Tensor::fromReals(ElementKind::F64, std::move(shape), entries);
}

/// Normal numbers times `scale`.
inline Tensor makeRandom(std::mt19937_64 &generator, std::vector<int64_t> shape, double scale = 1) {
  Tensor tensor(ElementKind::F64, std::move(shape));
  std::normal_distribution<double> normal;
  for (int64_t i = 0; i < tensor.getSize(); ++i)
    tensor.setReal(i, scale * normal(generator));
  return tensor;
}

inline void expectNear(const Tensor &expected, const Tensor &actual, double tolerance,
                       const std::string &what) {
  ASSERT_EQ(expected.describe(), actual.describe()) << what;
  Difference difference = findLargestDifference(expected, actual);
  EXPECT_LE(difference.relative, tolerance)
      << what << ", entry " << difference.position << ": " << expected.getReal(difference.position) << " and "
      << actual.getReal(difference.position);
}

} // namespace kowari::interpreter
