//===- BrokenFilesTest.cpp - files that must be refused before training ---===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "ReferenceFiles.h"
#include "runtime/data/AsdDataset.h"
#include "runtime/data/WaveformDataset.h"

#include <gmock/gmock.h>

namespace kowari::data {
namespace {

struct Case {
  const char *file;
  std::vector<const char *> says; ///< all of them, besides the path
};

void PrintTo(const Case &c, std::ostream *out) { *out << c.file; }

/// Everything that is looked at before a training: with the settings of the valid partner files.
Status openWaveforms(const std::string &path, bool onDisk) {
  KOWARI_ASSIGN(WaveformDataset dataset, WaveformDataset::open({.path = path, .leaveOnDisk = onDisk}));
  return dataset.checkParameters({"chirp_mass", "chi_1", "luminosity_distance", "ra"},
                                 {"dec", "ra", "geocent_time", "psi", "luminosity_distance"}, {});
}

class BrokenWaveforms : public ::testing::TestWithParam<Case> {};

TEST_P(BrokenWaveforms, AreRefused) {
  std::string path = referenceFile(std::string("broken/") + GetParam().file + ".hdf5");
  for (bool onDisk : {true, false}) {
    Status status = openWaveforms(path, onDisk);
    ASSERT_FALSE(status.isOk());
    EXPECT_THAT(status.message(), ::testing::StartsWith(path));
    for (const char *text : GetParam().says)
      EXPECT_THAT(status.message(), ::testing::HasSubstr(text));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, BrokenWaveforms,
    ::testing::Values(
        Case{"wf_truncated", {"truncated", "58512", "35107"}},
        Case{"wf_nan_rows",
             {"polarizations/h_plus is not finite in row 3", "polarizations/h_cross", "in row 7"}},
        Case{"wf_wrong_delta_f", {"polarizations/h_plus has 129 bins", "by 0.25 Hz", "needs 257"}},
        Case{"wf_unknown_domain", {"unknown domain type WaveletDomain", "UniformFrequencyDomain"}},
        Case{"wf_no_settings", {"attribute settings is missing"}},
        Case{"wf_settings_call", {"settings must be a literal", "character"}},
        Case{"wf_settings_no_domain", {"settings lack \"domain\""}},
        Case{"wf_intrinsic_and_extrinsic",
             {"parameters: luminosity_distance is sampled twice", "rows 0 and 1 differ"}},
        Case{"wf_geocent_time_nonzero", {"geocent_time of the data set must be 0, it is 0.1"}},
        Case{"wf_constant_parameter", {"parameters: the standard deviation of chi_1 is zero"}},
        Case{"wf_unequal_lengths", {"row counts differ", "h_plus 12", "h_cross 11"}},
        Case{"wf_missing_h_cross", {"polarizations/h_cross: missing"}},
        Case{"wf_missing_parameter", {"parameters: column chirp_mass is missing", "present are mass_ratio"}},
        Case{"wf_svd_missing", {"svd/V: missing"}},
        Case{"wf_svd_columns", {"SVD sizes differ", "svd/V has 5 columns", "h_plus has 6"}}),
    [](const auto &info) { return std::string(info.param.file); });

class BrokenAsds : public ::testing::TestWithParam<Case> {};

TEST_P(BrokenAsds, AreRefused) {
  std::string path = referenceFile(std::string("broken/") + GetParam().file + ".hdf5");
  UniformFrequencyDomain domain = expectValue(UniformFrequencyDomain::create(10.0, 64.0, 0.5));
  if (std::string(GetParam().file) == "asd_mfd_wrong_delta_f")
    domain = expectValue(UniformFrequencyDomain::create(20.0, 1024.0, 0.25));
  Status status = AsdDataset::open(path, {"H1", "L1"}, domain).status();
  ASSERT_FALSE(status.isOk());
  EXPECT_THAT(status.message(), ::testing::StartsWith(path));
  for (const char *text : GetParam().says)
    EXPECT_THAT(status.message(), ::testing::HasSubstr(text));
}

INSTANTIATE_TEST_SUITE_P(
    Files, BrokenAsds,
    ::testing::Values(Case{"asd_zero_bins", {"asds/H1", "rows 0 to 2", "bins 50 to 54", "25.0 Hz"}},
                      Case{"asd_nan", {"asds/L1", "row 1, bin 70 "}},
                      Case{"asd_missing_detector", {"detector L1 is missing; present are H1"}},
                      Case{"asd_wrong_delta_f", {"delta_f is 0.25 Hz against 0.5 Hz"}},
                      Case{"asd_bins_mismatch", {"asds/H1 has 100 bins", "needs 161"}},
                      Case{"asd_no_domain_dict", {"settings lack \"domain_dict\""}},
                      Case{"asd_empty", {"asds/H1: has no rows"}},
                      Case{"asd_short", {"0.0 to 48.0 Hz does not cover", "10.0 to 64.0 Hz"}},
                      Case{"asd_f_min_too_high", {"20.0 to 80.0 Hz does not cover"}},
                      Case{"asd_mfd_wrong_delta_f", {"delta_f is 0.5 Hz against 0.25 Hz"}}),
    [](const auto &info) { return std::string(info.param.file); });

TEST(ValidFiles, AreAccepted) {
  expectOk(openWaveforms(referenceFile("datasets/tiny_fd.hdf5"), true));
  expectOk(openWaveforms(referenceFile("datasets/tiny_svd.hdf5"), false));
}

} // namespace
} // namespace kowari::data
