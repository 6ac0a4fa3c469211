//===- FuzzCaseTest.cpp - random cases are valid and shrink ---------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/fuzz/Fuzzer.h"
#include "compiler/fuzz/Isolation.h"
#include "compiler/fuzz/RandomSpec.h"
#include "compiler/interpreter/PlanChecks.h"
#include "compiler/interpreter/PlanNumbers.h"
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
  std::set<std::string> priors;
  int pipelines = 0;
  for (int i = 0; i < 300; ++i) {
    ProgramSpec spec = makeRandomSpec(generator);
    Result<ProgramSpec> read = ProgramSpec::fromJson(spec.toCanonicalJson());
    EXPECT_TRUE(read.isOk()) << read.status().message();
    for (const ProgramSpec &simpler : simplify(spec))
      EXPECT_TRUE(ProgramSpec::fromJson(simpler.toCanonicalJson()).isOk()) << simpler.toCanonicalJson();
    norms.insert(spec.flow.norm);
    features.insert(spec.flow.inputDim);
    priors.insert(spec.data.extrinsicPriors.begin(), spec.data.extrinsicPriors.end());
    pipelines += spec.data.detectors > 0;
    EXPECT_TRUE(spec.data.detectors == 0 || spec.data.detectors == spec.embedding.detectors);
  }
  EXPECT_GE(pipelines, 30);
  EXPECT_EQ(priors.size(), 8u) << "all families with a formula, and a table";
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

TEST(RandomPlans, ParseAndVerifyWhateverIsLeftOut) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<flow::FlowDialect, plan::PlanDialect, mlir::func::FuncDialect>();
  std::mt19937_64 generator(4);
  std::set<PlanStatementKind> kinds;
  int waiting = 0;
  for (int i = 0; i < 150; ++i) {
    RandomPlan plan = makeRandomPlan(generator);
    for (const PlanStatement &statement : plan.statements)
      kinds.insert(statement.kind);
    std::vector<RandomPlan> all = simplify(plan);
    all.push_back(plan);
    for (const RandomPlan &each : all) {
      auto module = mlir::parseSourceString<mlir::ModuleOp>(each.print(), &context);
      ASSERT_TRUE(module && mlir::succeeded(mlir::verify(*module))) << each.print();
      auto program = *module->getOps<plan::ProgramOp>().begin();
      ASSERT_EQ(interpreter::findLayoutFault(program).value_or(""), "") << each.print();
      bool waits = !program.getBlock().getOps<plan::WaitOp>().empty();
      waiting += waits;
      ASSERT_TRUE(!waits || each.streams > 1) << "nobody is there to wait for:\n" << each.print();
    }
  }
  EXPECT_EQ(kinds.size(), static_cast<size_t>(PlanStatementKind::last) + 1);
  EXPECT_GE(waiting, 100);
}

/// With its waits a plan is in order, and without any one of them it is not.
TEST(RandomPlans, NeedEachOfTheirWaits) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<flow::FlowDialect, plan::PlanDialect, mlir::func::FuncDialect>();
  std::mt19937_64 generator(5);
  int dropped = 0;
  for (int i = 0; i < 60; ++i) {
    RandomPlan plan = makeRandomPlan(generator);
    const std::string text = plan.print();
    auto findFault = [&](int missing) -> std::optional<std::string> {
      auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
      auto program = *module->getOps<plan::ProgramOp>().begin();
      auto waits = llvm::to_vector(program.getBlock().getOps<plan::WaitOp>());
      if (missing >= static_cast<int>(waits.size()))
        return std::nullopt;
      if (missing >= 0)
        waits[missing].erase();
      auto outcome = interpreter::runPlan(program, interpreter::makeRandomTensors(program, 5, 1), 5, false);
      EXPECT_FALSE(outcome.unsuited) << *outcome.unsuited;
      return outcome.fault.value_or("");
    };
    EXPECT_EQ(findFault(-1).value_or("?"), "") << text;
    for (int wait = 0;; ++wait) {
      auto fault = findFault(wait);
      if (!fault)
        break;
      ++dropped;
      EXPECT_THAT(*fault, HasSubstr("without a wait for step")) << "wait " << wait << " of\n" << text;
    }
  }
  EXPECT_GE(dropped, 50);
}

TEST(FuzzCases, DependOnSeedAndNumberAlone) {
  for (uint64_t index = 0; index < 20; ++index)
    EXPECT_EQ(FuzzCase::make(7, index).describe(), FuzzCase::make(7, index).describe());
  EXPECT_NE(
      FuzzCase::make(7, 0).getSpec().toCanonicalJson() + FuzzCase::make(7, 1).getSpec().toCanonicalJson(),
      FuzzCase::make(8, 0).getSpec().toCanonicalJson() + FuzzCase::make(8, 1).getSpec().toCanonicalJson());
}

/// What kinds of case there are that the fuzzer must not lose.
std::set<std::string> getKinds(const FuzzCase &fuzzCase) {
  const ProgramSpec spec = fuzzCase.getSpec();
  const std::string text = fuzzCase.print();
  const std::string precision = spec.elementType == ElementType::F64 ? " in f64" : " in f32";
  if (fuzzCase.isPlan())
    return {text.find("plan.wait") == std::string::npos ? "plan" : "plan with waits"};
  if (!fuzzCase.isNetwork())
    return {(text.find("@loss") == std::string::npos ? "function" : "loss") + precision};
  std::set<std::string> kinds{"network" + precision};
  if (spec.data.detectors > 0)
    kinds.insert("input pipeline");
  if (!spec.hasEmbedding)
    kinds.insert("network without embedding");
  return kinds;
}

TEST(FuzzCases, TheFixedSeedOfTheTestsCoversAllKinds) {
  std::set<std::string> kinds;
  for (uint64_t index = 0; index < KOWARI_FUZZ_CASES; ++index)
    kinds.merge(getKinds(FuzzCase::make(KOWARI_FUZZ_SEED, index)));
  EXPECT_THAT(kinds, ::testing::ElementsAre("function in f32", "function in f64", "input pipeline",
                                            "loss in f32", "loss in f64", "network in f32", "network in f64",
                                            "network without embedding", "plan", "plan with waits"));
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
  EXPECT_THAT(runIsolated(hang, 1).value_or(""), HasSubstr("took more than 5 s"));
  auto endless = []() -> std::optional<std::string> {
    for (volatile int turns = 0;; turns = turns + 1) {
    }
  };
  EXPECT_THAT(runIsolated(endless, 1).value_or(""), HasSubstr("computed for more than 1 s"));
}

} // namespace
} // namespace kowari::fuzz
