//===- BadInputTest.cpp - what users get wrong ----------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "tests/e2e/Kowari.h"

#include "BuildId.h"

#include <algorithm>
#include <csignal>

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

namespace kowari::e2e {

namespace {

using Replacements = std::vector<std::pair<std::string, std::string>>;

/// What is in a folder: names, sizes and times of change.
std::vector<std::string> snapshot(const fs::path &folder) {
  std::vector<std::string> list;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(folder))
    list.push_back(entry.path().string() + " " +
                   std::to_string(entry.is_regular_file() ? entry.file_size() : 0) + " " +
                   std::to_string(entry.last_write_time().time_since_epoch().count()));
  std::sort(list.begin(), list.end());
  return list;
}

} // namespace

struct BadCase {
  const char *name;
  Replacements replacements;
  std::string message;
};

class BadSettings : public TrainingTest, public testing::WithParamInterface<BadCase> {};

TEST_P(BadSettings, EndsWithOneMessage) {
  const Outcome outcome = train(GetParam().replacements);
  expectError(outcome, GetParam().message);
  EXPECT_FALSE(fs::exists(folder / "train_dir/local_settings.yaml"));
  EXPECT_FALSE(fs::exists(folder / "train_dir/history.txt"));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BadSettings,
    testing::Values(
        BadCase{"MisspeltKey", {{"num_flow_steps", "num_flow_step"}}, "did you mean num_flow_steps"},
        BadCase{"NegativeRate", {{"lr: 0.001", "lr: -0.001"}}, "settings.yaml:41"},
        BadCase{"WrongType", {{"hidden_dim: 16", "hidden_dim: wide"}}, "wide"},
        BadCase{"BatchTooLarge",
                {{"batch_size: 3", "batch_size: 300"}},
                "300 is more than the 8 training samples"},
        BadCase{"BatchOfOneRow", {{"batch_size: 3", "batch_size: 7"}}, "leaves a training batch of one row"},
        BadCase{"Cuda", {{"device: cpu", "device: cuda"}}, "write device: cpu"},
        BadCase{"MissingWaveforms", {{"tiny_svd.hdf5", "absent.hdf5"}}, "data/absent.hdf5"},
        BadCase{"MissingAsds", {{"tiny_asds.hdf5", "absent.hdf5"}}, "settings.yaml:39: data/absent.hdf5"},
        BadCase{"LaterStageMissingAsds",
                {{"tiny_asds.hdf5\n    freeze_rb_layer: False", "absent.hdf5\n    freeze_rb_layer: False"}},
                "data/absent.hdf5"},
        BadCase{"AsdsAsWaveforms", {{"tiny_svd.hdf5", "tiny_asds.hdf5"}}, "data/tiny_asds.hdf5"},
        BadCase{"WaveformsAsAsds", {{"tiny_asds.hdf5", "tiny_svd.hdf5"}}, "data/tiny_svd.hdf5"},
        BadCase{"UnknownDetector", {{"[H1, L1]", "[H1, L9]"}}, "L9"},
        BadCase{"AbsentDetector", {{"[H1, L1]", "[H1, V1]"}}, "V1"},
        BadCase{"UnknownParameter", {{"chi_1, theta_jn", "chi_9, theta_jn"}}, "chi_9"},
        BadCase{"SvdTooLarge", {{"      size: 4", "      size: 400"}}, "400"}),
    [](const testing::TestParamInfo<BadCase> &info) { return std::string(info.param.name); });

struct BrokenFile {
  const char *file, *message;
};

class BrokenFiles : public TrainingTest, public testing::WithParamInterface<BrokenFile> {};

TEST_P(BrokenFiles, AreNamed) {
  const std::string file = std::string(GetParam().file) + ".hdf5";
  fs::copy_file(fs::path(KOWARI_TEST_DATA) / "reference/broken" / file, folder / "data" / file);
  Replacements replacements;
  if (file.rfind("asd_", 0) == 0)
    replacements = {{"tiny_svd.hdf5", "tiny_fd.hdf5"}, {"tiny_asds.hdf5", file}};
  else
    replacements = {{"tiny_svd.hdf5", file}};
  const Outcome outcome = train(replacements);
  expectError(outcome, "data/" + file);
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().message));
  EXPECT_FALSE(fs::exists(folder / "train_dir/local_settings.yaml"));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BrokenFiles,
    testing::Values(
        BrokenFile{"wf_truncated", "truncated"}, BrokenFile{"wf_nan_rows", "h_cross is not finite in row 7"},
        BrokenFile{"wf_wrong_delta_f", "257"}, BrokenFile{"wf_unknown_domain", "WaveletDomain"},
        BrokenFile{"wf_no_settings", "settings"}, BrokenFile{"wf_settings_call", "int"},
        BrokenFile{"wf_intrinsic_and_extrinsic", "luminosity_distance"},
        BrokenFile{"wf_geocent_time_nonzero", "geocent_time"}, BrokenFile{"wf_constant_parameter", "chi_1"},
        BrokenFile{"wf_unequal_lengths", "11"}, BrokenFile{"wf_missing_h_cross", "h_cross"},
        BrokenFile{"wf_missing_parameter", "chirp_mass"}, BrokenFile{"wf_svd_missing", "svd"},
        BrokenFile{"wf_svd_columns", "5"}, BrokenFile{"asd_zero_bins", "bins 50 to 54"},
        BrokenFile{"asd_nan", "70"}, BrokenFile{"asd_missing_detector", "L1"},
        BrokenFile{"asd_wrong_delta_f", "0.25"}, BrokenFile{"asd_bins_mismatch", "161"},
        BrokenFile{"asd_empty", "H1"}, BrokenFile{"asd_short", "48"}, BrokenFile{"asd_f_min_too_high", "20"}),
    [](const testing::TestParamInfo<BrokenFile> &info) { return std::string(info.param.file); });

TEST_F(TrainingTest, OtherRunsFolderIsNotTouched) {
  ASSERT_EQ(train().code, 0);
  const std::vector<std::string> before = snapshot(folder / "train_dir");
  expectError(train(), "holds another run (history.txt)");
  EXPECT_EQ(snapshot(folder / "train_dir"), before);
}

TEST_F(TrainingTest, ReadOnlyTrainDir) {
  fs::create_directory(folder / "train_dir");
  fs::permissions(folder / "train_dir", fs::perms::owner_read | fs::perms::owner_exec |
                                            fs::perms::others_read | fs::perms::others_exec);
  expectError(train({}, "train_dir", {{}, {}, true}), "train directory train_dir: cannot be written");
  EXPECT_TRUE(fs::is_empty(folder / "train_dir"));
}

TEST_F(TrainingTest, TrainDirIsAFile) {
  writeText(folder / "occupied", "text");
  expectError(train({}, "occupied"), "train directory occupied");
  EXPECT_EQ(readText(folder / "occupied"), "text");
}

TEST_F(TrainingTest, TruncatedCheckpoint) {
  ASSERT_EQ(train().code, 0);
  const fs::path checkpoint = folder / "train_dir/model_latest.pt";
  const auto size = fs::file_size(checkpoint);
  for (const double part : {0.0, 0.3, 0.9, 0.999}) {
    fs::resize_file(checkpoint, static_cast<std::uintmax_t>(part * static_cast<double>(size)));
    expectError(resume(), "train_dir/model_latest.pt");
  }
}

TEST_F(TrainingTest, CheckpointOfAnotherNetwork) {
  ASSERT_EQ(train().code, 0);
  Result<train::ModelFile> file = train::ModelFile::read(folder / "train_dir/model_latest.pt");
  ASSERT_TRUE(file);
  Value *settings = file->metadata.asDict().find("train_settings");
  Value &base = settings->asDict()["model"].asDict()["posterior_kwargs"].asDict()["base_transform_kwargs"];
  base.asDict()["hidden_dim"] = 24;
  ASSERT_TRUE(file->loadAll());
  ASSERT_TRUE(file->write(folder / "train_dir/other.pt"));
  const Outcome outcome =
      runKowari(folder, {"train", "--checkpoint", "train_dir/other.pt", "--train_dir", "train_dir"});
  expectError(outcome, "train_dir/other.pt");
  EXPECT_THAT(outcome.err, HasSubstr("transform_net.initial_layer.weight"));
}

TEST_F(TrainingTest, CheckpointThatIsNoTraining) {
  ASSERT_EQ(train().code, 0);
  fs::copy_file(fs::path(KOWARI_TEST_DATA) / "models/coupling_batchnorm_elu.pt", folder / "reference.pt");
  expectError(runKowari(folder, {"train", "--checkpoint", "reference.pt", "--train_dir", "train_dir"}),
              "reference.pt");
  expectError(runKowari(folder, {"train", "--checkpoint", "absent.pt", "--train_dir", "train_dir"}),
              "absent.pt");
  expectError(runKowari(folder, {"train", "--checkpoint", "data/tiny_fd.hdf5", "--train_dir", "train_dir"}),
              "data/tiny_fd.hdf5");
  expectError(
      runKowari(folder, {"train", "--checkpoint", "train_dir/model_latest.pt", "--train_dir", "elsewhere"}),
      "elsewhere");
}

TEST_F(TrainingTest, LossThatIsNotFinite) {
  const Outcome outcome = train({{"lr: 0.001", "lr: 1.0e+30"}});
  expectError(outcome, "the loss is ");
  EXPECT_THAT(outcome.err,
              testing::ContainsRegex("in epoch [0-9]+, step [0-9]+ \\(samples [0-9, ]+ of the waveform"));
}

TEST_F(TrainingTest, CompilerTrouble) {
  const fs::path crash = folder / "crash";
  writeText(crash, "#!/bin/sh\nif [ \"$1\" = --build-id ]; then echo " KOWARI_BUILD_ID "; exit 0; fi\n"
                   "echo 'last words' >&2\nkill -SEGV $$\n");
  fs::permissions(crash, fs::perms::owner_all);
  const Replacements fresh = {{"num_bins: 4", "num_bins: 5"}}; // in no test's cache
  const Outcome crashed = train(fresh, "train_dir", {{}, {{"KOWARI_COMPILE", crash.string()}}, false});
  expectError(crashed, "the compiler crashed with SIGSEGV");
  EXPECT_THAT(crashed.err, HasSubstr("last words"));
  writeText(crash, "#!/bin/sh\necho other\n");
  expectError(train(fresh, "train_dir", {{}, {{"KOWARI_COMPILE", crash.string()}}, false}),
              "is of another build");
  expectError(train(fresh, "train_dir", {{}, {{"KOWARI_COMPILE", "/absent"}}, false}),
              "/absent: cannot be started");
}

TEST_F(TrainingTest, UnknownArguments) {
  expectError(runKowari(folder, {"train", "--setings_file", "x", "--train_dir", "y"}),
              "--setings_file is not known (did you mean --settings_file?)");
  expectError(runKowari(folder, {"trian"}), "trian is not known (did you mean train?)");
  expectError(runKowari(folder, {"train", "--train_dir", "y"}), "one of --settings_file and --checkpoint");
  expectError(runKowari(folder, {"compile", "--settings_file", "x", "--device", "cuda"}), "CUDA");
  expectError(runKowari(folder, {"compile", "--settings_file", "x", "--target", "sm_90"}), "sm_90");
  expectError(runKowari(folder, {"compile", "--settings_file", "x", "--target", "zenver4"}),
              "did you mean znver4?");
  expectError(runKowari(folder, {"compile", "--settings_file", "x", "--rows", "0"}),
              "--rows 0: must be a number greater than 0; see kowari --help");
  expectError(runKowari(folder, {"cache", "prune", "--max_gb", "-1"}),
              "--max_gb -1: must be a number of 0 or more; see kowari --help");
  expectError(runKowari(folder, {"inspect", "absent"}), "absent: cannot be read");
}

} // namespace kowari::e2e
