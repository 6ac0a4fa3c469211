//===- PreparationTest.cpp - input preparation against Dingo's recorded batches -===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/Preparation.h"

#include "ReferenceFiles.h"
#include "runtime/data/WaveformDataset.h"
#include "runtime/support/PythonLiteral.h"

#include <gmock/gmock.h>

#include <complex>

namespace kowari::data {
namespace {

using Complex = std::complex<double>;

/// A recorded batch: the draws, what Dingo made of them, and the same in float64.
struct Recorded {
  explicit Recorded(const std::string &name)
      : file(expectValue(Hdf5File::open(referenceFile("preprocessing_" + name + ".hdf5")))) {
    // JSON of text, numbers and lists is a Python literal as well.
    settings = expectValue(parsePythonLiteral(expectValue(file.readStringAttribute("/", "data_settings"))));
    Value domainDict = expectValue(parsePythonLiteral(expectValue(file.readStringAttribute("/", "domain"))));
    domain = expectValue(UniformFrequencyDomain::fromValue(domainDict, name));
    for (const Value &detector : settings.find("detectors")->asList())
      detectors.push_back(detector.asString());
    index = expectValue(file.readIntegers("index"));
    asds = expectValue(AsdDataset::open(
        referenceFile(expectValue(file.readStringAttribute("/", "asd_dataset_path"))), detectors, *domain));
  }

  std::vector<double> reals(const std::string &name) const { return expectValue(file.readDoubles(name)); }
  std::vector<Complex> complex(const std::string &name) const { return expectValue(file.readComplex(name)); }
  size_t samples() const { return index.size(); }
  Preparation preparation() const {
    return Preparation(*domain, expectValue(expandDetectors(detectors)),
                       settings.find("ref_time")->asDouble(), reals("parameters/luminosity_distance")[0]);
  }
  std::vector<ExtrinsicDraw> draws() const {
    std::vector<double> ra = reals("extrinsic/ra"), dec = reals("extrinsic/dec"),
                        psi = reals("extrinsic/psi"), time = reals("extrinsic/geocent_time"),
                        distance = reals("extrinsic/luminosity_distance");
    std::vector<ExtrinsicDraw> result;
    for (size_t k = 0; k < samples(); ++k)
      result.push_back({ra[k], dec[k], psi[k], time[k], distance[k]});
    return result;
  }

  Hdf5File file;
  Value settings;
  std::optional<UniformFrequencyDomain> domain;
  std::vector<std::string> detectors;
  std::vector<int64_t> index;
  AsdDataset asds;
};

class PreparationReference : public ::testing::TestWithParam<const char *> {};

TEST_P(PreparationReference, TimesAndAntennaPatterns) {
  Recorded recorded(GetParam());
  Preparation preparation = recorded.preparation();
  std::vector<ExtrinsicDraw> draws = recorded.draws();
  double gmst = greenwichMeanSiderealTime(recorded.settings.find("ref_time")->asDouble());
  for (size_t d = 0; d < recorded.detectors.size(); ++d) {
    const std::string &name = recorded.detectors[d];
    std::vector<double> dingo = recorded.reals("detector_times/" + name),
                        exact = recorded.reals("float64/detector_times/" + name),
                        plus = recorded.reals("antenna/" + name + "/plus"),
                        cross = recorded.reals("antenna/" + name + "/cross");
    for (size_t k = 0; k < draws.size(); ++k) {
      double time = preparation.detectorTime(d, draws[k]);
      EXPECT_NEAR(time, dingo[k], 2e-8);
      EXPECT_NEAR(time, exact[k], 1e-12);
      AntennaPattern antenna =
          antennaPattern(preparation.detectors()[d], draws[k].ra, draws[k].dec, draws[k].psi, gmst);
      EXPECT_NEAR(antenna.plus, plus[k], 1e-12);
      EXPECT_NEAR(antenna.cross, cross[k], 1e-12);
    }
  }
}

TEST_P(PreparationReference, StrainOfEveryStep) {
  Recorded recorded(GetParam());
  Preparation preparation = recorded.preparation();
  std::vector<ExtrinsicDraw> draws = recorded.draws();
  std::vector<Complex> plus = recorded.complex("polarizations/h_plus"),
                       cross = recorded.complex("polarizations/h_cross");
  size_t bins = preparation.bins(), width = preparation.networkBins(), count = recorded.detectors.size();
  size_t channels = 3 * width;
  std::vector<double> quiet(draws.size() * count * channels), noisy(quiet.size());
  for (size_t d = 0; d < count; ++d) {
    const std::string &name = recorded.detectors[d];
    std::vector<int64_t> rows = expectValue(recorded.file.readIntegers("asd_index/" + name));
    std::vector<Complex> noise = recorded.complex("noise/" + name), projected, whitened;
    for (size_t k = 0; k < draws.size(); ++k) {
      Strain strain = preparation.project(d, draws[k], {&plus[k * bins], bins}, {&cross[k * bins], bins});
      projected.insert(projected.end(), strain.begin(), strain.end());
      std::span<const float> asd(&recorded.asds.asd()[(recorded.asds.firstRow()[d] + rows[k]) * bins], bins);
      preparation.whiten(strain, asd);
      whitened.insert(whitened.end(), strain.begin(), strain.end());
      preparation.pack(strain, {}, asd, {&quiet[(k * count + d) * channels], channels});
      preparation.pack(strain, {&noise[k * bins], bins}, asd, {&noisy[(k * count + d) * channels], channels});
    }
    EXPECT_LT(relativeDifference(projected, recorded.complex("projected/" + name)), 5e-6) << name;
    EXPECT_LT(relativeDifference(whitened, recorded.complex("whitened/" + name)), 5e-6) << name;
  }
  EXPECT_LT(relativeDifference(quiet, recorded.reals("packed_zero_noise")), 5e-6);
  EXPECT_LT(relativeDifference(quiet, recorded.reals("float64/packed_zero_noise")), 1e-6);
  EXPECT_LT(relativeDifference(noisy, recorded.reals("packed")), 5e-6);
}

TEST_P(PreparationReference, StandardizedParameters) {
  Recorded recorded(GetParam());
  std::vector<std::string> names = expectValue(recorded.file.readStrings("standardization/names"));
  std::vector<double> mean = recorded.reals("standardization/mean"),
                      std = recorded.reals("standardization/std");
  std::map<std::string, MeanStd> statistics;
  for (size_t k = 0; k < names.size(); ++k)
    statistics[names[k]] = {mean[k], std[k]};
  std::map<std::string, std::vector<double>> columns;
  for (const std::string &name : expectValue(recorded.file.children("parameters")))
    columns[name] = recorded.reals("parameters/" + name);
  std::vector<ExtrinsicDraw> draws = recorded.draws();
  std::vector<double> found;
  for (size_t k = 0; k < draws.size(); ++k) {
    std::map<std::string, double> intrinsic;
    for (const auto &[name, values] : columns)
      intrinsic[name] = values[k];
    std::vector<double> row =
        expectValue(standardizedParameters(names, statistics, intrinsic, draws[k], recorded.preparation()));
    found.insert(found.end(), row.begin(), row.end());
  }
  EXPECT_LT(relativeDifference(found, recorded.reals("inference_parameters")), 1e-6);
  EXPECT_LT(relativeDifference(found, recorded.reals("float64/inference_parameters")), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Cases, PreparationReference,
                         ::testing::Values("fd", "fd_domain_update", "fd_in_memory_single_sample",
                                           "detector_times", "svd_domain_update_size_update"),
                         [](const auto &info) { return std::string(info.param); });

TEST(Preparation, NamesWhatItCannotStandardize) {
  Recorded recorded("fd");
  auto message = [&](const std::string &name, const std::map<std::string, MeanStd> &statistics) {
    return standardizedParameters({name}, statistics, {}, {}, recorded.preparation()).status().message();
  };
  EXPECT_THAT(message("ra", {}), ::testing::HasSubstr("ra has no mean"));
  EXPECT_THAT(message("chi_3", {{"chi_3", {}}}), ::testing::HasSubstr("chi_3 is neither drawn"));
}

} // namespace
} // namespace kowari::data
