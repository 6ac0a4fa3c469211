//===- StageTest.cpp - looking into a compilation -------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// What kowari-opt makes of the stages is in tests/lit/tools.
//
//===----------------------------------------------------------------------===//

#include "tests/e2e/Kowari.h"

#include <csignal>
#include <sys/stat.h>

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

namespace kowari::e2e {

namespace {

class StageTest : public TrainingTest {
protected:
  StageTest() {
    writeText(folder / "settings.yaml", settings());
    fs::create_directory(folder / "out");
  }
};

} // namespace

TEST_F(StageTest, StopAfterWritesIt) {
  for (const std::string stage : {"graph", "grad", "fused", "planned"}) {
    const Outcome outcome = compile({"--stop-after", stage, "-o", stage + ".mlir"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const std::string text = readText(folder / (stage + ".mlir"));
    EXPECT_THAT(text, HasSubstr("flow.reached = \"" + stage + "\""));
    EXPECT_EQ(text.find("func.func @loss") != std::string::npos, stage == "graph");
    EXPECT_EQ(text.find("plan.program @train_step_0") != std::string::npos, stage == "planned");
  }
  expectError(compile({"--stop-after", "linked", "-o", "x.mlir"}),
              "unknown stage 'linked'; the stages are graph, grad, fused, planned");
  expectError(compile({"--stop-after", "graph"}), "say with -o where its result goes");
}

TEST_F(StageTest, DumpsTimesAndStatistics) {
  const Outcome outcome =
      compile({"--dump-ir", "ir", "--time-passes", "--pass-statistics", "-o", "program.kwa"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char *file : {"0-graph.mlir", "1-grad.mlir", "2-fused.mlir", "3-planned.mlir"})
    EXPECT_TRUE(fs::exists(folder / "ir" / file)) << file;
  EXPECT_THAT(outcome.out, HasSubstr("Execution time report"));
  EXPECT_THAT(outcome.out, HasSubstr("pass fuse: "));
  EXPECT_THAT(outcome.out, testing::ContainsRegex("flow.fused +0 -> [0-9]+\n"));
  EXPECT_THAT(outcome.out, HasSubstr("program.kwa: "));
}

TEST_F(StageTest, KilledLeavesNothingBesideItsOutput) {
  for (const char *stage : {"compiler: graph", "compiler: planned", "compiler: lowered"}) {
    const Outcome outcome =
        runKowari(folder, {"compile", "--settings_file", "settings.yaml", "-o", "out/x.kwa"},
                  {{{stage, SIGKILL}}, {}, false});
    EXPECT_EQ(outcome.code, 128 + SIGKILL) << outcome.err;
    EXPECT_TRUE(fs::is_empty(folder / "out")) << stage;
  }
}

TEST_F(StageTest, OutputThatIsNoFileIsLeftAlone) {
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  expectError(compile({"-o", "pipe"}), "cannot write pipe: it is not a regular file");
  EXPECT_TRUE(fs::is_fifo(folder / "pipe"));
  expectError(compile({"-o", "out"}), "cannot write out: it is not a regular file");
  expectError(compile({"-o", "-"}), "give a file");
  writeText(folder / "target.kwa", "");
  fs::create_symlink("target.kwa", folder / "link.kwa");
  ASSERT_EQ(compile({"-o", "link.kwa"}).code, 0);
  EXPECT_TRUE(fs::is_symlink(folder / "link.kwa"));
  EXPECT_GT(fs::file_size(folder / "target.kwa"), 1000U);
}

TEST_F(StageTest, ShrunkNetworkIsNarrow) {
  ASSERT_EQ(compile({"--stop-after", "graph", "-o", "whole.mlir"}).code, 0);
  ASSERT_EQ(compile({"--stop-after", "graph", "--shrink_width", "3", "-o", "narrow.mlir"}).code, 0);
  const std::string whole = readText(folder / "whole.mlir"), narrow = readText(folder / "narrow.mlir");
  EXPECT_THAT(whole, HasSubstr("tensor<16x16xf32>"));
  EXPECT_THAT(narrow, Not(HasSubstr("x16xf32>")));
  EXPECT_THAT(narrow, HasSubstr("tensor<3x3xf32>"));
}

} // namespace kowari::e2e
