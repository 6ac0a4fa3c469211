//===- FuzzCaseTest.cpp - random cases are valid and shrink ---------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/fuzz/Fuzzer.h"
#include "compiler/fuzz/Isolation.h"
#include "compiler/fuzz/RandomSpec.h"
#include "dialects/flow/FlowOps.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <set>
#include <unistd.h>

namespace kowari::fuzz {
namespace {

using ::testing::HasSubstr;

TEST(RandomSpecs, AreValidAndDiffer) {
  std::mt19937_64 generator(1);
  std::set<Norm> norms;
  std::set<int64_t> features;
  for (int i = 0; i < 300; ++i) {
    ProgramSpec spec = makeRandomSpec(generator);
    Result<ProgramSpec> read = ProgramSpec::fromJson(spec.toCanonicalJson());
    EXPECT_TRUE(read.isOk()) << read.status().message();
    for (const ProgramSpec &simpler : simplify(spec))
      EXPECT_TRUE(ProgramSpec::fromJson(simpler.toCanonicalJson()).isOk()) << simpler.toCanonicalJson();
    norms.insert(spec.flow.norm);
    features.insert(spec.flow.inputDim);
  }
  EXPECT_EQ(norms.size(), 3u);
  EXPECT_GE(features.size(), 5u);
}

TEST(RandomFunctions, ParseAndVerifyWhateverIsLeftOut) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<flow::FlowDialect, mlir::func::FuncDialect>();
  std::mt19937_64 generator(2);
  std::set<StatementKind> kinds;
  for (int i = 0; i < 150; ++i) {
    RandomFunction function = makeRandomFunction(generator);
    for (const Statement &statement : function.statements)
      kinds.insert(statement.kind);
    std::vector<RandomFunction> all = simplify(function);
    all.push_back(function);
    for (const RandomFunction &each : all) {
      auto module = mlir::parseSourceString<mlir::ModuleOp>(each.print(), &context);
      ASSERT_TRUE(module && mlir::succeeded(mlir::verify(*module))) << each.print();
    }
  }
  EXPECT_EQ(kinds.size(), static_cast<size_t>(StatementKind::last) + 1);
}

TEST(FuzzCases, DependOnSeedAndNumberAlone) {
  for (uint64_t index = 0; index < 20; ++index)
    EXPECT_EQ(FuzzCase::make(7, index).describe(), FuzzCase::make(7, index).describe());
  EXPECT_NE(
      FuzzCase::make(7, 0).getSpec().toCanonicalJson() + FuzzCase::make(7, 1).getSpec().toCanonicalJson(),
      FuzzCase::make(8, 0).getSpec().toCanonicalJson() + FuzzCase::make(8, 1).getSpec().toCanonicalJson());
}

TEST(Reduction, KeepsWhatMattersAndDropsTheRest) {
  std::mt19937_64 generator(3);
  ProgramSpec spec;
  do
    spec = makeRandomSpec(generator);
  while (spec.flow.norm != Norm::BatchNorm || !spec.hasEmbedding || spec.flow.inputDim < 4);
  auto fails = [](const FuzzCase &fuzzCase) -> std::optional<std::string> {
    ProgramSpec s = fuzzCase.getSpec();
    return s.flow.norm == Norm::BatchNorm && s.flow.inputDim >= 3 ? std::optional<std::string>("bad")
                                                                  : std::nullopt;
  };
  ProgramSpec reduced = reduceCase({FuzzCase(spec), "bad"}, fails, 30).fuzzCase.getSpec();
  EXPECT_EQ(reduced.flow.norm, Norm::BatchNorm);
  EXPECT_EQ(reduced.flow.inputDim, 3);
  EXPECT_EQ(reduced.flow.hiddenDim, 1);
  EXPECT_EQ(reduced.flow.numFlowSteps, 1);
  EXPECT_FALSE(reduced.hasEmbedding);
  EXPECT_EQ(reduced.maxRows, spec.elementType == ElementType::F64 ? 2 : 5);
}

TEST(Isolation, ReportsWhatTheChildFoundAndHowItDied) {
  EXPECT_EQ(runIsolated([] { return std::nullopt; }, 20), std::nullopt);
  EXPECT_EQ(runIsolated([] { return std::optional<std::string>("found"); }, 20), "found");
  auto crash = []() -> std::optional<std::string> {
    std::fputs("last words", stderr);
    std::raise(SIGSEGV);
    return std::nullopt;
  };
  EXPECT_THAT(runIsolated(crash, 20).value_or(""),
              AllOf(HasSubstr("Segmentation fault"), HasSubstr("last words")));
  auto hang = []() -> std::optional<std::string> {
    for (;;)
      ::pause();
  };
  EXPECT_THAT(runIsolated(hang, 1).value_or(""), HasSubstr("took more than 1 s"));
}

} // namespace
} // namespace kowari::fuzz
