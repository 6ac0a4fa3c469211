//===- ReferenceCheckTest.cpp - does the check notice wrong numbers? ------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/cli/ChildProcess.h"
#include "frontend/refcheck/Measures.h"
#include "runtime/data/Hdf5File.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <filesystem>
#include <functional>
#include <limits>

namespace fs = std::filesystem;

namespace kowari::refcheck {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

struct Outcome {
  int exitCode;
  std::string output, errors;
};

Outcome check(const std::vector<std::string> &arguments) {
  std::string output;
  Result<cli::ChildResult> child = cli::runChild(KOWARI_REFERENCE_CHECK, arguments,
                                                 [&](const std::string &line) { output += line + "\n"; });
  EXPECT_TRUE(child.isOk()) << child.status().message();
  return child ? Outcome{child->exitCode, output, child->errorOutput} : Outcome{-1, output, ""};
}

/// A folder with a copy of a reference file.
class CopiedCase {
public:
  explicit CopiedCase(const std::string &relative)
      : folder(::testing::TempDir() + "kowari-reference-check-test-" + std::to_string(::getpid())) {
    fs::remove_all(folder);
    fs::create_directories(folder);
    fs::copy_file(std::string(KOWARI_TEST_DATA "/reference/") + relative, path(relative));
    fs::permissions(path(relative), fs::perms::owner_write, fs::perm_options::add);
  }
  ~CopiedCase() { fs::remove_all(folder); }
  std::string path(const std::string &relative) const {
    return folder + "/" + fs::path(relative).filename().string();
  }

  /// Changes every element of a data set of numbers.
  void change(const std::string &file, const std::string &dataset,
              const std::function<double(double)> &function) {
    const hid_t handle = H5Fopen(path(file).c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t data = H5Dopen2(handle, dataset.c_str(), H5P_DEFAULT);
    const hid_t space = H5Dget_space(data);
    std::vector<double> values(static_cast<size_t>(H5Sget_simple_extent_npoints(space)));
    ASSERT_GE(H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << dataset;
    for (double &value : values)
      value = function(value);
    ASSERT_GE(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << dataset;
    H5Sclose(space);
    H5Dclose(data);
    H5Fclose(handle);
  }

  std::string folder;
};

TEST(ReferenceCheck, AnUnchangedCasePasses) {
  CopiedCase copy("models/batch1.hdf5");
  const Outcome outcome = check({copy.folder});
  EXPECT_EQ(outcome.exitCode, 0) << outcome.output << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("\n1 passed, 0 failed\n"));
}

TEST(ReferenceCheck, ADifferenceInTheEleventhDigitFails) {
  CopiedCase copy("models/batch1.hdf5");
  copy.change("batch1.hdf5", "eval_float64/log_prob", [](double v) { return v * (1 + 1e-11); });
  const Outcome outcome = check({copy.folder, "--device", "cpu"});
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.output, ContainsRegex("FAILED +f64 log_prob"));
  EXPECT_THAT(outcome.output, ContainsRegex("ok +f32 log_prob"));
  EXPECT_THAT(outcome.output, HasSubstr("\n0 passed, 1 failed\n"));
}

TEST(ReferenceCheck, NumbersThatAreNoneFail) {
  CopiedCase copy("models/batch1.hdf5");
  copy.change("batch1.hdf5", "eval_float64/embedding",
              [](double) { return std::numeric_limits<double>::quiet_NaN(); });
  const Outcome outcome = check({copy.folder});
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.output, ContainsRegex("FAILED +f64 embedding"));
}

TEST(ReferenceCheck, AWrongPermutationFails) {
  CopiedCase copy("split.hdf5");
  copy.change("split.hdf5", "100/permutation", [](double v) { return v == 17 ? 18 : v; });
  const Outcome outcome = check({copy.folder});
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.output, ContainsRegex("FAILED +100 samples"));
  EXPECT_THAT(outcome.output, ContainsRegex("ok +1000 samples"));
}

TEST(ReferenceCheck, AnAntennaPatternOffByAMillionthFails) {
  CopiedCase copy("detectors.hdf5");
  copy.change("detectors.hdf5", "detectors/L1/cross", [](double v) { return v + 1e-6; });
  const Outcome outcome = check({copy.folder});
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.output, ContainsRegex("FAILED +L1 cross"));
}

TEST(ReferenceCheck, UnservedCasesAreSkippedAndNamed) {
  CopiedCase copy("optimizers_schedulers.hdf5");
  const Outcome outcome = check({copy.folder});
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_THAT(outcome.output, HasSubstr("optimizers_schedulers\n  skipped: "));
  EXPECT_THAT(outcome.output, HasSubstr("0 passed, 0 failed, 1 skipped\n"));
}

TEST(ReferenceCheck, ADamagedFileFails) {
  CopiedCase copy("models/batch1.hdf5");
  fs::resize_file(copy.path("batch1.hdf5"), 20000);
  const Outcome outcome = check({copy.folder});
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.output, HasSubstr("0 passed, 1 failed\n"));
}

TEST(ReferenceCheck, AFolderWithoutCasesIsAnError) {
  CopiedCase copy("models/batch1.hdf5");
  const Outcome none = check({copy.folder, "--only", "coupling*"});
  EXPECT_EQ(none.exitCode, 1);
  EXPECT_THAT(none.errors, HasSubstr("holds no case that fits --only coupling*"));
  const Outcome missing = check({copy.folder + "/nowhere"});
  EXPECT_EQ(missing.exitCode, 1);
  EXPECT_THAT(missing.errors, HasSubstr("cannot be read"));
}

TEST(Measures, WhatIsNoNumberIsInfinitelyFarAway) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(absoluteDifference<double>({nan}, {nan}), inf);
  EXPECT_EQ(absoluteDifference<double>({1.0}, {1.0, 2.0}), inf);
  EXPECT_EQ(absoluteDifference<double>({inf, 1.0}, {inf, 3.0}), 2.0);
  EXPECT_EQ(scaledDifference<double>({1.0, 2.0}, {1.0, 4.0}), 0.5);
  EXPECT_EQ(scaledDifference<double>({1e-300}, {0.0}), inf);
  EXPECT_EQ(mixedDifference<double>({0.25, 8.0}, {0.5, 4.0}), 1.0);
  EXPECT_FALSE((Measure{"x", nan, 1.0, ""}.passed()));
}

} // namespace
} // namespace kowari::refcheck
