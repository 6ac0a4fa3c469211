//===- InspectArtifactTest.cpp - whole reports and their errors -*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "InspectTesting.h"

#include "frontend/inspect/ArtifactReport.h"
#include "frontend/inspect/Difference.h"
#include "frontend/inspect/InspectArtifact.h"
#include "frontend/inspect/StepAccess.h"
#include "frontend/settings/ProgramSpec.h"

#include <nlohmann/json.hpp>
#include <sstream>

using namespace kowari;
using namespace kowari::inspect;
using namespace kowari::inspect::test;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Json = nlohmann::json;

namespace {

class InspectArtifactTest : public plan::test::PlanTest {
protected:
  std::string store(const std::string &name, const std::vector<uint8_t> &manifest,
                    const std::vector<uint8_t> &code = {}) {
    const std::string path = (folder / name).string();
    const Status written = plan::writeArtifact(path, manifest, code);
    EXPECT_TRUE(written.isOk()) << written.message();
    return path;
  }

  std::string inspect(const std::string &path, const InspectOptions &options = {}) {
    std::ostringstream out;
    const Status status = inspectArtifact(path, options, out);
    EXPECT_TRUE(status.isOk()) << status.message();
    return out.str();
  }

  std::string errorOf(const std::string &path, const InspectOptions &options) {
    std::ostringstream out;
    const Status status = inspectArtifact(path, options, out);
    EXPECT_TRUE(out.str().empty());
    return status.message();
  }
};

TEST_F(InspectArtifactTest, Summary) {
  PlanBuilder plan;
  plan.features = {"avx2", "fma"};
  addSmallEntry(plan);
  const std::string path = store("a.kwa", plan.finish(8, 3200, 1024), {1, 2, 3});
  const auto file = plan::ArtifactFile::open(path);
  ASSERT_TRUE(file.isOk());
  EXPECT_EQ(inspect(path), path + ": artifact of format " + std::to_string(plan::formatVersion) +
                               "\n"
                               "  network       {}\n"
                               "  element type  f32\n"
                               "  rows          up to 8\n"
                               "  target        x86-64-v3\n"
                               "  needs         avx2 fma\n"
                               "  compiler      test build\n"
                               "  digest        " +
                               file->digest() + "\n  size          " + bytesText(file->fileBytes()) +
                               ": manifest " + bytesText(int64_t(file->manifestBytes().size())) +
                               ", code 3 bytes" +
                               "\n"
                               "  arena         3.2 kB, of it persistent 1.0 kB\n"
                               "  tensors       3\n"
                               "  kernels       2\n"
                               "  entries\n"
                               "    step: 7 steps: 2 kernels, 2 gemms, 2 copy, 1 fill\n");
}

TEST_F(InspectArtifactTest, Plan) {
  const std::string text = inspect(store("a.kwa", smallManifest()), {.plan = true});
  EXPECT_THAT(text, HasSubstr("plan of step\n"
                              "  0 gemm rows x 4 x 8 + bias [gemm]\n"
                              "      a: rows x 4 f32 @640 (4, 1)\n"
                              "      b: 4 x 8 f32 @0 (1, 16)\n"
                              "      bias: 8 x 1 f32 @512 (1, 1)\n"
                              "      c: rows x 8 f32 @1024 (16, 1)\n"
                              "  1 kernel k0_elu rows x 8 [elementwise]\n"
                              "      in: rows x 8 f32 @1024 (16, 1)\n"
                              "      out: rows x 8 f32 @1536 (16, 1)\n"));
  EXPECT_THAT(text, HasSubstr("  3 fill 0.5 [copy]\n"));
  EXPECT_THAT(text, HasSubstr("  4 gemm rows x 8 x 4 accumulate [gemm]\n"));
}

TEST_F(InspectArtifactTest, KernelsAndTensors) {
  PlanBuilder plan;
  addSmallEntry(plan);
  plan.run(0, -1, 4, {rowMajor(1024, -1, 4, 4), rowMajor(2048, -1, 4, 4)});
  plan.run(0, -1, 4, {rowMajor(2048, -1, 4, 4), rowMajor(1024, -1, 4, 4)});
  plan.entry("twice");
  const std::string path = store("a.kwa", plan.finish(8, 3200, 1024));
  const std::string text = inspect(path, {.kernels = true, .tensors = true});
  EXPECT_THAT(text,
              HasSubstr("  k0_elu: 3 uses, lanes over Columns, chunks of Rows, cost 4, outputs 1\n"
                        "    step: step 1\n"
                        "    twice: step 0 1\n"
                        "  k1_sums: 1 uses, lanes over Rows, chunks of None, cost 400000, outputs 2\n"));
  EXPECT_THAT(text, HasSubstr("  b Parameter (8): 8 x 1 f32 @512 (1, 1)\n"));
  EXPECT_THAT(text, HasSubstr("inputs and outputs of step\n"
                              "  x Input (rows, 4): rows x 4 f32 @640 (4, 1)\n"
                              "  o Output (rows, 8): rows x 8 f32 @2688 (16, 1)\n"));
}

TEST_F(InspectArtifactTest, JsonHasEverySection) {
  const std::string path = store("a.kwa", smallManifest());
  const InspectOptions options = {.plan = true,
                                  .memory = true,
                                  .kernels = true,
                                  .tensors = true,
                                  .json = true,
                                  .roofline = "h200",
                                  .diff = path,
                                  .rows = 4};
  const Json json = Json::parse(inspect(path, options));
  EXPECT_EQ(json["entries"]["step"],
            (Json{{"steps", 7}, {"kernels", 2}, {"gemms", 2}, {"copy", 2}, {"fill", 1}}));
  EXPECT_EQ(json["memory"]["peak_bytes"], 2112);
  EXPECT_EQ(json["memory"]["entries"]["step"]["scratch_bytes_by_step"],
            (Json{512, 1024, 1088, 1024, 1024, 1024, 1024}));
  EXPECT_EQ(
      json["memory"]["entries"]["step"]["alive_at_peak"][0],
      (Json{{"label", "k0_elu"}, {"offset", 1536}, {"bytes", 512}, {"first_step", 1}, {"last_step", 2}}));
  EXPECT_EQ(json["kernel_list"][1]["steps"], (Json{{"step", {2}}}));
  EXPECT_EQ(json["tensor_list"]["persistent"]["w"]["shape"], (Json{8, 4}));
  EXPECT_EQ(json["plan"]["step"].size(), 7u);
  EXPECT_EQ(json["plan"]["step"][4]["operands"][2],
            Json::parse(R"({"role": "c", "read": true, "written": true, "view":
                         {"offset": 2112, "dims": [-1, 4], "strides": [16, 1], "type": "f32"}})"));
  EXPECT_EQ(json["roofline"]["kind"], "prediction");
  EXPECT_EQ(json["roofline"]["rows"], 4);
  EXPECT_EQ(json["roofline"]["entries"]["step"]["groups"]["gemm"]["flops"], 512);
  EXPECT_EQ(json["difference"]["identical"], true);
}

TEST_F(InspectArtifactTest, PictureIsWritten) {
  const std::string svg = (folder / "memory.svg").string();
  inspect(store("a.kwa", smallManifest()), {.svg = svg});
  std::ifstream file(svg);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text.rfind("<svg xmlns=", 0), 0u);
  EXPECT_THAT(errorOf(store("b.kwa", smallManifest()), {.svg = "/proc/no/such.svg"}),
              AllOf(HasSubstr("/proc/no/such.svg"), HasSubstr("No such file")));
}

TEST_F(InspectArtifactTest, OneEntry) {
  PlanBuilder plan;
  addSmallEntry(plan);
  plan.fill(vector(1024, 4), 0);
  plan.entry("other");
  const std::string path = store("a.kwa", plan.finish(8, 3200, 1024));
  const std::string text = inspect(path, {.plan = true, .memory = true, .entry = "other"});
  EXPECT_THAT(text, HasSubstr("plan of other\n"));
  EXPECT_THAT(text, HasSubstr("  entry other: peak 1.1 kB"));
  EXPECT_THAT(text, testing::Not(HasSubstr("plan of step")));
  EXPECT_THAT(errorOf(path, {.plan = true, .entry = "sample"}),
              HasSubstr("--entry sample is not in the artifact; it has step, other"));
}

TEST_F(InspectArtifactTest, OptionsThatDoNotFit) {
  const std::string path = store("a.kwa", smallManifest());
  EXPECT_THAT(errorOf(path, {.mlir = true}), HasSubstr("--plan --mlir"));
  EXPECT_THAT(errorOf(path, {.plan = true, .mlir = true, .json = true}), HasSubstr("nothing else"));
  EXPECT_THAT(errorOf(path, {.roofline = "b300"}),
              HasSubstr("b300 is no device of the table; known are generic, avx2-2c, zen4-16c"));
  EXPECT_THAT(errorOf(path, {.roofline = "h100", .rows = 9}), HasSubstr("between 1 and the 8 rows"));
  EXPECT_THAT(errorOf(path, {.diff = (folder / "none.kwa").string()}), HasSubstr("none.kwa"));
  EXPECT_THAT(errorOf((folder / "none.kwa").string(), {}), HasSubstr("No such file"));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  EXPECT_THAT(errorOf(path, {}), HasSubstr("truncated or damaged"));
}

class DifferenceTest : public InspectArtifactTest {
protected:
  Difference compareFiles(const std::string &before, const std::string &after) {
    const auto a = plan::ArtifactFile::open(before), b = plan::ArtifactFile::open(after);
    EXPECT_TRUE(a.isOk() && b.isOk());
    return compare(*a, *b);
  }

  static std::vector<std::string> lines(const std::vector<Change> &changes) {
    std::vector<std::string> result;
    for (const Change &change : changes)
      result.push_back(change.name + ": " + change.before + " -> " + change.after);
    return result;
  }
};

TEST_F(DifferenceTest, NamesWhatChanged) {
  PlanBuilder before, after;
  before.spec = R"({"flow":{"hidden_dim":64,"norm":"BatchNorm"},"sizes":[4,2]})";
  after.spec = R"({"flow":{"hidden_dim":128,"norm":"BatchNorm"},"sizes":[4],"target":"znver4"})";
  before.features = {"avx2", "fma"};
  after.features = {"fma", "avx2"}; // a set
  addSmallEntry(before);
  after.kernel("k0_new", fb::Lanes::Columns, fb::Chunks::Rows,
               1); // others keep their names behind the number
  after.kernel("k1_elu", fb::Lanes::Columns, fb::Chunks::Rows, 1);
  after.fill(vector(1024, 16), 0);
  after.copy(vector(1024, 16), vector(1088, 16));
  after.entry("step");
  const std::string a = store("a.kwa", before.finish(8, 3200, 1024)),
                    b = store("b.kwa", after.finish(8, 2048, 1024), {1});
  const Difference difference = compareFiles(a, b);
  EXPECT_FALSE(difference.identical);
  EXPECT_THAT(lines(difference.settings),
              ElementsAre("flow.hidden_dim: 64 -> 128", "sizes.1: 2 -> ", "target:  -> znver4"));
  EXPECT_THAT(difference.addedKernels, ElementsAre("new"));
  EXPECT_THAT(difference.removedKernels, ElementsAre("sums"));
  const std::vector<std::string> numbers = lines(difference.numbers);
  EXPECT_THAT(numbers, testing::IsSupersetOf({"bytes of code: 0 -> 1", "bytes of the arena: 3200 -> 2048",
                                              "step: steps: 7 -> 2", "step: kernels: 2 -> 0",
                                              "step: gemms: 2 -> 0", "step: copy: 2 -> 1",
                                              "step: peak bytes: 2112 -> 1152", "tensors: 3 -> 0"}));
  EXPECT_THAT(numbers, testing::Not(testing::Contains(HasSubstr("step: fill")))) << "one in both";
  const std::string text = inspect(b, {.diff = a});
  EXPECT_THAT(text, HasSubstr("difference: " + a + " -> " + b + "\n"));
  EXPECT_THAT(text, HasSubstr("    flow.hidden_dim: 64 -> 128 (+64)\n    sizes.1: 2 -> (none)\n"));
  EXPECT_THAT(text, HasSubstr("    step: steps: 7 -> 2 (-5)\n"));
  EXPECT_THAT(text, HasSubstr("  + kernel new\n  - kernel sums\n"));
}

TEST_F(DifferenceTest, EqualContentAndEqualCounts) {
  const std::string a = store("a.kwa", smallManifest()), b = store("b.kwa", smallManifest());
  EXPECT_TRUE(compareFiles(a, b).identical);
  EXPECT_THAT(inspect(b, {.diff = a}), HasSubstr("  equal content (the same digest)\n"));
  const std::string c = store("c.kwa", smallManifest(), {1, 2}), d = store("d.kwa", smallManifest(), {1, 3});
  const Difference difference = compareFiles(c, d);
  EXPECT_FALSE(difference.identical);
  EXPECT_THAT(difference.numbers, IsEmpty());
  EXPECT_THAT(inspect(d, {.diff = c}), HasSubstr("operands, offsets or code differ"));
}

TEST(SpecTextTest, TheNetworkInOneLine) {
  ProgramSpec spec;
  spec.maxRows = 64;
  spec.flow.inputDim = 11;
  spec.flow.numFlowSteps = 5;
  spec.hasEmbedding = false;
  spec.contextParameters = 2;
  spec.stages = {StageSpec()};
  EXPECT_EQ(specText(spec.toCanonicalJson()),
            "5 flow steps of 11 parameters, hidden 512 x 2 blocks, 8 spline "
            "bins; 2 context parameters; 1 training stages");
  EXPECT_EQ(specText("no JSON"), "no JSON");
}

} // namespace
