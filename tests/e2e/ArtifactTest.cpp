//===- ArtifactTest.cpp - compiling ahead of time -------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "tests/e2e/Kowari.h"

#include "runtime/cpu/CpuFeatures.h"

#include <nlohmann/json.hpp>

#include <set>

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace kowari::e2e {

namespace {

class ArtifactTest : public TrainingTest {
protected:
  ArtifactTest() { writeText(folder / "settings.yaml", settings()); }

  Outcome trainWith(const std::string &artifact, const std::string &trainDir) const {
    return runKowari(folder, {"train", "--settings_file", "settings.yaml", "--artifact", artifact,
                              "--train_dir", trainDir});
  }
  Outcome resumeWith(const std::string &artifact, const std::string &trainDir) const {
    return runKowari(folder, {"train", "--checkpoint", trainDir + "/model_latest.pt", "--artifact", artifact,
                              "--train_dir", trainDir});
  }
};

} // namespace

TEST_F(ArtifactTest, OfOneStageTrainsThatStage) {
  ASSERT_EQ(compile({"--stage", "0", "-o", "zero.kwa"}).code, 0);
  ASSERT_EQ(compile({"--stage", "1", "-o", "one.kwa"}).code, 0);
  ASSERT_EQ(train({}, "whole").code, 0);

  expectError(
      trainWith("one.kwa", "other"),
      "one.kwa: has no train step of stage 0, with which this training goes on; make one that has it: "
      "kowari compile --settings_file settings.yaml --stage 0 -o FILE.kwa (or --stage all)");
  const Outcome first = trainWith("zero.kwa", "parts");
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("Note: zero.kwa has no train step of stage 1: this run ends before it\n"));
  EXPECT_THAT(first.out,
              HasSubstr("zero.kwa has no train step of stage 1. Make one that has it: kowari compile "
                        "--settings_file settings.yaml --stage 1 -o FILE.kwa\nGo on with: kowari train "
                        "--checkpoint parts/model_latest.pt --train_dir parts --artifact FILE.kwa\n"));
  expectError(resumeWith("zero.kwa", "parts"), "zero.kwa: has no train step of stage 1");
  const Outcome second = resumeWith("one.kwa", "parts");
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_THAT(second.out, HasSubstr("All training stages complete."));
  EXPECT_EQ(readText(folder / "whole/history.txt"), readText(folder / "parts/history.txt"));
  for (const char *file : {"model_latest.pt", "model_stage_0.pt", "model_stage_1.pt"})
    EXPECT_THAT(differences(folder / "whole" / file, folder / "parts" / file), IsEmpty()) << file;
  EXPECT_EQ(resumeWith("zero.kwa", "parts").code, 0); // nothing is left to do
}

TEST_F(ArtifactTest, FromShapesAloneEqualsTheOneFromFiles) {
  ASSERT_EQ(compile({"-o", "files.kwa"}).code, 0);
  fs::remove_all(folder / "data");
  const std::vector<std::string> shapes = {"--bins",       "129", "--min_index", "20",
                                           "--detectors",  "2",   "--svd_size",  "6",
                                           "--asd_curves", "3",   "-o",          "shapes.kwa"};
  const Outcome compiled = compile(shapes);
  ASSERT_EQ(compiled.code, 0) << compiled.err;
  EXPECT_TRUE(readText(folder / "files.kwa") == readText(folder / "shapes.kwa"))
      << runKowari(folder, {"inspect", "files.kwa", "--diff", "shapes.kwa"}).out;
  expectError(compile({"-o", "absent.kwa"}), "data/tiny_svd.hdf5: no such file");
  expectError(compile({"-o", "absent.kwa"}),
              "; --bins, --min_index, --svd_size and --asd_curves can stand in for it");
  expectError(compile({"--bins", "129", "--detectors", "3", "-o", "absent.kwa"}),
              "--detectors 3: the settings name 2");
  EXPECT_FALSE(fs::exists(folder / "absent.kwa"));
}

TEST_F(ArtifactTest, IsTheSameWhereverItIsMade) {
  ASSERT_EQ(compile({"--target", "x86-64-v3", "-o", "first.kwa"}).code, 0);
  fs::create_directories(folder / "other/place/tmp");
  fs::copy(folder / "data", folder / "other/place/data");
  fs::copy_file(folder / "settings.yaml", folder / "other/place/renamed.yaml");
  RunOptions elsewhere;
  elsewhere.environment = {{"LC_ALL", "tr_TR.UTF-8"},
                           {"TZ", "Asia/Tokyo"},
                           {"HOME", "/nowhere"},
                           {"USER", "somebody"},
                           {"OMP_NUM_THREADS", "1"},
                           {"TMPDIR", "tmp"},
                           {"KOWARI_CACHE_DIR", (folder / "other/cache").string()}};
  const Outcome made = runKowari(
      folder / "other/place",
      {"compile", "--settings_file", "renamed.yaml", "--target", "x86-64-v3", "-o", "second.kwa"}, elsewhere);
  ASSERT_EQ(made.code, 0) << made.err;
  const Outcome cached =
      runKowari(folder / "other/place",
                {"compile", "--settings_file", "renamed.yaml", "--target", "x86-64-v3"}, elsewhere);
  ASSERT_EQ(cached.code, 0) << cached.err;
  const std::string path = cached.out.substr(cached.out.rfind('\n', cached.out.size() - 2) + 1);
  const std::string first = readText(folder / "first.kwa");
  EXPECT_TRUE(readText(folder / "other/place/second.kwa") == first);
  EXPECT_TRUE(readText(path.substr(0, path.find(": "))) == first) << path;
  for (const std::string &text : {folder.string(), std::string("settings.yaml"), std::string("/tmp")})
    EXPECT_EQ(first.find(text), std::string::npos) << text;
}

TEST_F(ArtifactTest, ManifestSaysWhatDecidedIt) {
  ASSERT_EQ(compile({"--target", "x86-64-v3", "-o", "tiny.kwa"}).code, 0);
  const json all = json::parse(
      runKowari(folder, {"inspect", "tiny.kwa", "--json", "--tensors", "--kernels", "--plan"}).out);
  EXPECT_EQ(all.at("target"), "x86-64-v3");
  EXPECT_EQ(all.at("build_id").get<std::string>().size(), 16u);
  EXPECT_EQ(all.at("digest").get<std::string>().size(), 32u);
  EXPECT_FALSE(all.at("cpu_features").empty());
  const json spec = json::parse(all.at("spec").get<std::string>());
  EXPECT_EQ(spec.at("flow").at("hidden_dim"), 16);
  EXPECT_EQ(spec.at("stages").size(), 2u);
  std::set<std::string> entries;
  for (const auto &item : all.at("entries").items())
    entries.insert(item.key());
  EXPECT_THAT(entries, testing::UnorderedElementsAre("train_step_0", "train_step_1", "log_prob", "sample",
                                                     "draw", "prepare"));
  EXPECT_EQ(all.at("plan").size(), entries.size());
  EXPECT_GT(all.at("kernel_list").size(), 10u);
}

TEST_F(ArtifactTest, OfAnotherProcessorIsRefusedNamingBothSets) {
  ASSERT_EQ(compile({"--target", "x86-64-v3", "-o", "v3.kwa"}).code, 0);
  EXPECT_EQ(trainWith("v3.kwa", "v3").code, 0);
  const Outcome compiled = compile({"--target", "x86-64-v4", "-o", "v4.kwa"});
  ASSERT_EQ(compiled.code, 0) << compiled.err; // on any machine
  const Outcome trained = trainWith("v4.kwa", "v4");
  if (cpu::cpuLevel() == "x86-64-v4") {
    EXPECT_EQ(trained.code, 0) << trained.err;
    return;
  }
  expectError(trained, "v4.kwa: it was compiled for x86-64-v4, but this processor (");
  for (const char *text : {"lacks: ", "avx512f", "The artifact needs: ", "The processor has: ",
                           "Compile it again with --target x86-64-v3"})
    EXPECT_THAT(trained.err, HasSubstr(text));
}

TEST_F(ArtifactTest, DamageAndTooManyRowsAreNamed) {
  ASSERT_EQ(compile({"-o", "tiny.kwa"}).code, 0);
  const std::string bytes = readText(folder / "tiny.kwa");
  for (const size_t at : {size_t(0), size_t(9), size_t(30), size_t(41), bytes.size() / 2, bytes.size() - 1}) {
    std::string bad = bytes;
    bad[at] ^= 16;
    writeText(folder / "bad.kwa", bad);
    expectError(trainWith("bad.kwa", "bad"), "bad.kwa");
    expectError(runKowari(folder, {"inspect", "bad.kwa"}), "bad.kwa");
  }
  writeText(folder / "bad.kwa", bytes.substr(0, bytes.size() - 1));
  expectError(trainWith("bad.kwa", "bad"), "bad.kwa");
  writeText(folder / "settings.yaml", settings({{"batch_size: 3", "batch_size: 8"}}));
  expectError(trainWith("tiny.kwa", "more"),
              "tiny.kwa: was compiled for 4 rows, 8 are needed; compile it with --rows 8");
  ASSERT_EQ(compile({"--rows", "64", "-o", "wide.kwa"}).code, 0);
  EXPECT_EQ(trainWith("wide.kwa", "more").code, 0); // fewer rows than compiled are no problem
}

TEST_F(ArtifactTest, TraceHasOneEventAStepUnderTheKernelsNames) {
  ASSERT_EQ(compile({"--rows", "16", "-o", "tiny.kwa"}).code, 0);
  const Outcome timed =
      runKowari(folder, {"bench", "step", "settings.yaml", "--rows", "16", "--bins", "109", "--steps", "2",
                         "--artifact", "tiny.kwa", "--freeze_rb_layer", "--trace", "trace.json", "--json"});
  ASSERT_EQ(timed.code, 0) << timed.err;
  EXPECT_GT(json::parse(timed.out).at("step_s").at("median").get<double>(), 0.0);
  const json events = json::parse(readText(folder / "trace.json")).at("traceEvents");
  const std::string plan =
      runKowari(folder, {"inspect", "tiny.kwa", "--plan", "--mlir", "--entry", "train_step_0"}).out;
  size_t steps = 0;
  for (const char *step : {"plan.kernel @", "plan.gemm", "plan.copy", "plan.fill", "plan.gather"})
    for (size_t at = 0; (at = plan.find(step, at)) != std::string::npos; ++at)
      ++steps;
  EXPECT_EQ(events.size(), steps);
  const std::string kernels = runKowari(folder, {"inspect", "tiny.kwa", "--kernels"}).out;
  double end = 0.0;
  size_t named = 0;
  for (const json &event : events) {
    EXPECT_EQ(event.at("ph"), "X");
    EXPECT_GE(event.at("ts").get<double>(), end - 1e-3);
    end = event.at("ts").get<double>() + event.at("dur").get<double>();
    const std::string name = event.at("name");
    if (name.rfind("k", 0) == 0) {
      EXPECT_THAT(kernels, HasSubstr(name));
      ++named;
    }
  }
  EXPECT_GT(named, 10u);
}

TEST_F(ArtifactTest, KernelsLieInAFileForPerf) {
  ASSERT_EQ(compile({"-o", "tiny.kwa"}).code, 0);
  fs::create_directory(folder / "code");
  const Outcome timed = runKowari(folder,
                                  {"bench", "step", "settings.yaml", "--rows", "4", "--bins", "109",
                                   "--steps", "1", "--artifact", "tiny.kwa", "--freeze_rb_layer"},
                                  {{}, {{"KOWARI_CODE_DIR", (folder / "code").string()}}, false});
  ASSERT_EQ(timed.code, 0) << timed.err;
  std::string code;
  for (const fs::directory_entry &file : fs::directory_iterator(folder / "code"))
    code = readText(file.path());
  EXPECT_THAT(code.substr(0, 4), testing::StrEq("\x7f"
                                                "ELF"));
  EXPECT_THAT(code, HasSubstr("k_adam0"));
}

} // namespace kowari::e2e
