//===- WrongPassTest.cpp - passes that are wrong are found ----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Each plug-in of tests/plugins breaks one thing; the check of a case names it. Without them the same case
// passes.
//
//===----------------------------------------------------------------------===//
#include "compiler/Passes.h"
#include "compiler/fuzz/Fuzzer.h"

#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Transforms/Passes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace kowari::fuzz {
namespace {

using ::testing::HasSubstr;

ProgramSpec smallNetwork() {
  ProgramSpec spec;
  spec.elementType = ElementType::F64;
  spec.maxRows = 5;
  spec.flow = {.inputDim = 3,
               .numFlowSteps = 1,
               .hiddenDim = 4,
               .numTransformBlocks = 1,
               .activation = Activation::Elu,
               .norm = Norm::LayerNorm,
               .numBins = 3};
  spec.hasEmbedding = false;
  spec.contextParameters = 2;
  spec.stages = {StageSpec()};
  spec.gradientEntry = true;
  return spec;
}

class WrongPasses : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    registerKowariPasses();
    mlir::registerTransformsPasses();
    for (const char *name : {"WrongAdjoint", "OverlapBuffers", "DropCopy"}) {
      auto plugin = mlir::PassPlugin::load(std::string(KOWARI_PLUGIN_FOLDER) + "/" + name + ".so");
      ASSERT_TRUE(static_cast<bool>(plugin)) << llvm::toString(plugin.takeError());
      plugin->registerPassRegistryCallbacks();
    }
  }

  void SetUp() override {
    options.scratchFolder = ::testing::TempDir() + "kowari-wrong-passes-" + std::to_string(::getpid());
    std::filesystem::create_directories(options.scratchFolder);
  }
  void TearDown() override { std::filesystem::remove_all(options.scratchFolder); }

  std::string check() { return checkCase(FuzzCase(smallNetwork()), options).value_or("agrees"); }

  CheckOptions options;
};

TEST_F(WrongPasses, WithoutThemAllAgrees) { EXPECT_EQ(check(), "agrees"); }

TEST_F(WrongPasses, AWrongAdjointDisagreesWithTheLoss) {
  options.replaced["autodiff"] = "wrong-adjoint";
  EXPECT_THAT(check(), AllOf(HasSubstr("pass 'wrong-adjoint' changes numbers: @gradient of"),
                             HasSubstr("along a direction in which the loss changes by")));
}

TEST_F(WrongPasses, OverlappingBuffersAreSeen) {
  options.added["plan-memory"] = "overlap-buffers";
  EXPECT_THAT(check(), AllOf(HasSubstr("pass 'overlap-buffers' leaves a plan at fault"),
                             HasSubstr("overlaps the one")));
}

TEST_F(WrongPasses, ADroppedCopyLeavesBytesUnwritten) {
  options.added["lower-to-plan"] = "drop-copy";
  EXPECT_THAT(check(),
              AllOf(HasSubstr("pass 'drop-copy' leaves a plan at fault"), HasSubstr("which nobody wrote")));
}

TEST_F(WrongPasses, TheFuzzerReducesAndReportsThem) {
  FuzzOptions fuzz;
  fuzz.cases = 1;
  fuzz.check.added["plan-memory"] = "overlap-buffers";
  fuzz.reductionSeconds = 2;
  fuzz.outputFolder = options.scratchFolder + "/failures";
  while (!FuzzCase::make(fuzz.seed, fuzz.firstCase).isNetwork())
    ++fuzz.firstCase;
  Result<FuzzResult> result = runFuzzer(fuzz, [](const FuzzResult &) {});
  ASSERT_TRUE(result.isOk()) << result.status().message();
  EXPECT_EQ(result->failures, 1u);
  std::string folder = fuzz.outputFolder + "/seed-1-case-" + std::to_string(fuzz.firstCase);
  std::ifstream report(folder + "/report.txt");
  std::string text((std::istreambuf_iterator<char>(report)), {});
  EXPECT_THAT(text, HasSubstr("overlap-buffers"));
  Result<FuzzCase> reduced = FuzzCase::read(folder + "/spec.json");
  ASSERT_TRUE(reduced.isOk()) << reduced.status().message();
  EXPECT_LE(reduced->getSpec().toCanonicalJson().size(),
            FuzzCase::make(fuzz.seed, fuzz.firstCase).getSpec().toCanonicalJson().size());
}

} // namespace
} // namespace kowari::fuzz
