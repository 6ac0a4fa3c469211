//===- WrongPassTest.cpp - passes that are wrong are found ----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Each plug-in of tests/plugins breaks one thing. The check of a case names it, where without them the same
// case passes, and the fuzzer comes across it within a few cases, reduces what it found and writes it down.
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
namespace fs = std::filesystem;

ProgramSpec smallNetwork(ElementType element) {
  ProgramSpec spec;
  spec.elementType = element;
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

/// A pass in place of, or behind, one of the pipeline's.
struct WrongPass {
  const char *pass, *place;
  bool replaces;
  uint64_t cases;        ///< within which the fuzzer must come across it
  const char *complaint; ///< what the report of the reduced case says

  void putInto(CheckOptions &options) const { (replaces ? options.replaced : options.added)[place] = pass; }
};

class WrongPasses : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    registerKowariPasses();
    mlir::registerTransformsPasses();
    for (const char *name : {"WrongAdjoint", "OverlapBuffers", "DropCopy", "DropWait", "WrongConstant"}) {
      auto plugin = mlir::PassPlugin::load(std::string(KOWARI_PLUGIN_FOLDER) + "/" + name + ".so");
      ASSERT_TRUE(static_cast<bool>(plugin)) << llvm::toString(plugin.takeError());
      plugin->registerPassRegistryCallbacks();
    }
  }

  void SetUp() override {
    options.scratchFolder = ::testing::TempDir() + "kowari-wrong-passes-" + std::to_string(::getpid());
    fs::create_directories(options.scratchFolder);
  }
  void TearDown() override { fs::remove_all(options.scratchFolder); }

  std::string check(ElementType element = ElementType::F64) {
    return checkCase(FuzzCase(smallNetwork(element)), options).value_or("agrees");
  }

  CheckOptions options;
};

TEST_F(WrongPasses, WithoutThemAllAgrees) {
  EXPECT_EQ(check(), "agrees");
  EXPECT_EQ(check(ElementType::F32), "agrees");
}

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

TEST_F(WrongPasses, AFloat32ConstantThatIsOffByOneInTenThousandIsSeen) {
  options.added[codeGeneration] = "wrong-constant";
  EXPECT_THAT(check(ElementType::F32), AllOf(HasSubstr("compiled @"), HasSubstr("(plan.kernel @k"),
                                             HasSubstr("compiled from the same operands")));
  EXPECT_EQ(check(ElementType::F64), "agrees") << "its kernels have nothing in float32";
}

TEST_F(WrongPasses, APassThatIsNotInThePipelineIsRefused) {
  FuzzOptions fuzz;
  fuzz.cases = 0;
  fuzz.check.added["plan-memry"] = "drop-wait";
  Result<FuzzResult> result = runFuzzer(fuzz, [](const FuzzResult &) {});
  ASSERT_FALSE(result.isOk());
  EXPECT_THAT(result.status().message(),
              HasSubstr("'plan-memry' is no pass of the pipeline; these are: autodiff, "));
  fuzz.check.added = {{codeGeneration, "drop-wait"}};
  EXPECT_TRUE(runFuzzer(fuzz, [](const FuzzResult &) {}).isOk());
}

class FuzzerWithWrongPass : public WrongPasses, public ::testing::WithParamInterface<WrongPass> {};

std::string readFile(const fs::path &path) {
  std::ifstream file(path);
  return std::string((std::istreambuf_iterator<char>(file)), {});
}

/// Lines of a module, characters of a spec.
size_t measure(const fs::path &folder) {
  return readFile(folder / (fs::exists(folder / "spec.json") ? "spec.json" : "module.mlir")).size();
}

TEST_P(FuzzerWithWrongPass, FindsReducesAndReportsIt) {
  FuzzOptions fuzz;
  fuzz.cases = GetParam().cases;
  fuzz.maximumFailures = 1;
  fuzz.reductionSeconds = 3;
  fuzz.outputFolder = options.scratchFolder + "/failures";
  GetParam().putInto(fuzz.check);
  Result<FuzzResult> result = runFuzzer(fuzz, [](const FuzzResult &) {});
  ASSERT_TRUE(result.isOk()) << result.status().message();
  ASSERT_EQ(result->failures, 1u) << "in " << result->cases << " cases";
  const fs::path folder = fs::path(fuzz.outputFolder) / ("seed-1-case-" + std::to_string(result->cases - 1));
  EXPECT_THAT(readFile(folder / "report.txt"), HasSubstr(GetParam().complaint));
  EXPECT_LT(measure(folder), measure(folder / "original")) << "is not reduced";

  // What was written down still fails, and does so because of the pass.
  const fs::path file = folder / (fs::exists(folder / "spec.json") ? "spec.json" : "module.mlir");
  Result<FuzzCase> reduced = FuzzCase::read(file.string());
  ASSERT_TRUE(reduced.isOk()) << reduced.status().message();
  EXPECT_EQ(checkCase(*reduced, options).value_or("agrees"), "agrees");
  GetParam().putInto(options);
  EXPECT_THAT(checkCase(*reduced, options).value_or("agrees"), HasSubstr(GetParam().complaint));
}

INSTANTIATE_TEST_SUITE_P(
    , FuzzerWithWrongPass,
    ::testing::Values(
        WrongPass{"wrong-adjoint", "autodiff", true, 12, "pass 'wrong-adjoint' changes numbers"},
        WrongPass{"overlap-buffers", "plan-memory", false, 6, "pass 'overlap-buffers' leaves a plan"},
        WrongPass{"drop-copy", "lower-to-plan", false, 12, "pass 'drop-copy' leaves a plan"},
        WrongPass{"drop-wait", "plan-memory", false, 30, "pass 'drop-wait' leaves a plan at fault"},
        WrongPass{"wrong-constant", codeGeneration, false, 12, "compiled from the same operands"}),
    [](const auto &instance) {
      std::string name = instance.param.pass;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

} // namespace
} // namespace kowari::fuzz
