//===- ModelTest.cpp - commands on models and artifacts -------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "tests/e2e/Kowari.h"

#include "runtime/data/Hdf5File.h"

#include <cmath>
#include <random>

namespace fs = std::filesystem;
using testing::HasSubstr;

namespace kowari::e2e {

namespace {

constexpr int64_t rows = 5, detectors = 2, bins = 109, dim = 6;

/// Random strain, and theta if any, as the commands read them.
void writeInputs(const fs::path &path, const std::vector<double> &theta) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> strain(rows * detectors * 3 * bins);
  for (double &value : strain)
    value = normal(random);
  Result<data::Hdf5File> file = data::Hdf5File::create(path);
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->writeDoubles("inputs/strain", strain, {rows, detectors, 3, bins}));
  if (!theta.empty()) {
    ASSERT_TRUE(file->writeDoubles("inputs/theta", theta, {rows, dim}));
  }
  ASSERT_TRUE(file->close());
}

std::vector<double> readDoubles(const fs::path &path, const std::string &name) {
  Result<data::Hdf5File> file = data::Hdf5File::open(path);
  if (!file)
    return {};
  Result<std::vector<double>> values = file->readDoubles(name);
  return values ? values.take() : std::vector<double>();
}

} // namespace

TEST_F(TrainingTest, SamplesHaveTheirLogProb) {
  ASSERT_EQ(train().code, 0);
  writeInputs(folder / "strain.hdf5", {});
  const Outcome sampled =
      runKowari(folder, {"sample", "--model", "train_dir/model_latest.pt", "--inputs", "strain.hdf5", "--out",
                         "samples.hdf5", "--num_samples", "1", "--seed", "3", "--precision", "64-true"});
  ASSERT_EQ(sampled.code, 0) << sampled.err;
  const std::vector<double> theta = readDoubles(folder / "samples.hdf5", "theta"),
                            expected = readDoubles(folder / "samples.hdf5", "log_prob");
  ASSERT_EQ(theta.size(), size_t(rows * dim));
  writeInputs(folder / "inputs.hdf5", theta);
  const Outcome evaluated = runKowari(folder, {"log_prob", "--model", "train_dir/model_latest.pt", "--inputs",
                                               "inputs.hdf5", "--out", "out.hdf5", "--precision", "64-true"});
  ASSERT_EQ(evaluated.code, 0) << evaluated.err;
  const std::vector<double> logProb = readDoubles(folder / "out.hdf5", "log_prob");
  ASSERT_EQ(logProb.size(), size_t(rows));
  for (size_t i = 0; i < logProb.size(); ++i) {
    EXPECT_NEAR(logProb[i], expected[i], 1e-9) << i;
    EXPECT_TRUE(std::isfinite(logProb[i]));
  }
}

TEST_F(TrainingTest, ModelInputsAreChecked) {
  ASSERT_EQ(train().code, 0);
  writeInputs(folder / "strain.hdf5", {});
  const std::vector<std::string> command = {"log_prob", "--model",  "train_dir/model_latest.pt",
                                            "--out",    "out.hdf5", "--inputs"};
  const auto with = [&](const std::string &file) {
    std::vector<std::string> arguments = command;
    arguments.push_back(file);
    return runKowari(folder, arguments);
  };
  expectError(with("strain.hdf5"), "has no data set theta");
  expectError(with("train_dir/svd_H1.hdf5"), "has no data set theta");
  expectError(with("absent.hdf5"), "absent.hdf5");
  EXPECT_FALSE(fs::exists(folder / "out.hdf5"));
}

TEST_F(TrainingTest, ArtifactTrainsWithoutACompiler) {
  writeText(folder / "settings.yaml", settings());
  const Outcome compiled =
      runKowari(folder, {"compile", "--settings_file", "settings.yaml", "-o", "tiny.kwa"});
  ASSERT_EQ(compiled.code, 0) << compiled.err;
  const RunOptions noCompiler = {
      {}, {{"KOWARI_COMPILE", "/absent"}, {"KOWARI_CACHE_DIR", "/proc/absent"}}, false};
  const std::vector<std::string> command = {"train",      "--settings_file", "settings.yaml",
                                            "--artifact", "tiny.kwa",        "--train_dir"};
  const auto into = [&](const std::string &trainDir) {
    std::vector<std::string> arguments = command;
    arguments.push_back(trainDir);
    return runKowari(folder, arguments, noCompiler);
  };
  const Outcome trained = into("train_dir");
  ASSERT_EQ(trained.code, 0) << trained.err;

  writeText(folder / "settings.yaml", settings({{"hidden_dim: 16", "hidden_dim: 24"}}));
  const Outcome other = into("other");
  expectError(other,
              "tiny.kwa: was compiled from other settings or data: spec.flow.hidden_dim is 24 here and 16");
}

TEST_F(TrainingTest, ArtifactsAreReproducible) {
  writeText(folder / "settings.yaml", settings());
  ASSERT_EQ(runKowari(folder, {"compile", "--settings_file", "settings.yaml", "-o", "first.kwa"}).code, 0);
  fs::create_directory(folder / "elsewhere");
  ASSERT_EQ(
      runKowari(folder, {"compile", "--settings_file", "settings.yaml", "-o", "elsewhere/second.kwa"}).code,
      0);
  EXPECT_TRUE(readText(folder / "first.kwa") == readText(folder / "elsewhere/second.kwa"));
}

TEST_F(TrainingTest, InspectKnowsItsFiles) {
  ASSERT_EQ(train().code, 0);
  const auto inspect = [&](const std::string &file) { return runKowari(folder, {"inspect", file}).out; };
  EXPECT_THAT(inspect("data/tiny_svd.hdf5"), HasSubstr("type: waveform data set\nsamples: 12\n"));
  EXPECT_THAT(inspect("data/tiny_asds.hdf5"), HasSubstr("noise_curves:\n  H1: 3\n  L1: 2\n"));
  EXPECT_THAT(inspect("train_dir/svd_H1.hdf5"), HasSubstr("type: SVD basis\nbins: 129\nsize: 4\n"));
  EXPECT_THAT(inspect("train_dir/model_latest.pt"), HasSubstr("epoch: 5\niteration: 13\n"));
  EXPECT_THAT(inspect("settings.yaml"), HasSubstr("type: train settings\n"));
  expectError(runKowari(folder, {"inspect", "train_dir/history.txt"}), "train_dir/history.txt");
}

TEST_F(TrainingTest, CacheCommands) {
  const RunOptions own = {{}, {{"KOWARI_CACHE_DIR", (folder / "cache").string()}}, false};
  ASSERT_EQ(train({}, "train_dir", own).code, 0);
  const auto cache = [&](const std::vector<std::string> &arguments) {
    std::vector<std::string> all = {"cache"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return runKowari(folder, all, own);
  };
  EXPECT_THAT(cache({"list"}).out, HasSubstr("1 programs in "));
  EXPECT_THAT(cache({"verify"}).out, HasSubstr("1 programs, 0 bad\n"));
  writeText(folder / "settings.yaml", settings({{"hidden_dim: 16", "hidden_dim: 24"}}));
  EXPECT_THAT(cache({"explain", "--settings_file", "settings.yaml"}).out, HasSubstr("spec.flow.hidden_dim"));
  EXPECT_THAT(cache({"prune", "--max_entries", "0"}).out, HasSubstr("1 programs removed"));
  EXPECT_THAT(cache({"list"}).out, HasSubstr("0 programs in "));
}

TEST_F(TrainingTest, ArtifactOfATrainingServesItsModels) {
  ASSERT_EQ(train().code, 0);
  ASSERT_EQ(runKowari(folder, {"compile", "--settings_file", "settings.yaml", "-o", "tiny.kwa"}).code, 0);
  const auto sample = [&](const std::string &out, const std::vector<std::string> &more) {
    std::vector<std::string> arguments = {"sample",
                                          "--model",
                                          "train_dir/model_latest.pt",
                                          "--inputs",
                                          "strain.hdf5",
                                          "--out",
                                          out,
                                          "--num_samples",
                                          "3",
                                          "--seed",
                                          "5"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return runKowari(folder, arguments);
  };
  writeInputs(folder / "strain.hdf5", {});
  const Outcome compiled = sample("compiled.hdf5", {});
  ASSERT_EQ(compiled.code, 0) << compiled.err;
  const Outcome given = sample("given.hdf5", {"--artifact", "tiny.kwa"});
  ASSERT_EQ(given.code, 0) << given.err;
  const std::vector<double> expected = readDoubles(folder / "compiled.hdf5", "theta"),
                            found = readDoubles(folder / "given.hdf5", "theta");
  ASSERT_EQ(found.size(), expected.size());
  ASSERT_FALSE(found.empty());
  for (size_t i = 0; i < found.size(); ++i) // other row counts, other sums
    EXPECT_NEAR(found[i], expected[i], 1e-4) << i;
  expectError(sample("double.hdf5", {"--artifact", "tiny.kwa", "--precision", "64-true"}),
              "spec.element_type is \"f64\" here and \"f32\" in the artifact");
}

} // namespace kowari::e2e
