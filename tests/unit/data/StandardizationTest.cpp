//===- StandardizationTest.cpp - mean and standard deviation of parameters -===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/Standardization.h"

#include "ReferenceFiles.h"

#include <gmock/gmock.h>

#include <numbers>

namespace kowari::data {
namespace {

using ::testing::HasSubstr;
constexpr double pi = std::numbers::pi;

ExtrinsicPrior uniform(const std::string &name, double a, double b) {
  return {name, "Uniform", a, b, [=](double u) { return a + (b - a) * u; }};
}

ExtrinsicPrior cosine(double a, double b) {
  return {"dec", "Cosine", a, b,
          [=](double u) { return std::asin(std::sin(a) + u * (std::sin(b) - std::sin(a))); }};
}

ExtrinsicPrior powerLaw2(double a, double b) {
  return {"luminosity_distance", "PowerLaw", a, b,
          [=](double u) { return std::cbrt(a * a * a + u * (b * b * b - a * a * a)); }};
}

WaveformDataset toySvd() {
  return expectValue(WaveformDataset::open({.path = referenceFile("datasets/toy_svd.hdf5")}));
}

std::map<std::string, MeanStd> stored(const std::string &name) {
  Hdf5File file = expectValue(Hdf5File::open(referenceFile("preprocessing_" + name + ".hdf5")));
  std::vector<std::string> names = expectValue(file.readStrings("standardization/names"));
  std::vector<double> mean = expectValue(file.readDoubles("standardization/mean")),
                      std = expectValue(file.readDoubles("standardization/std"));
  std::map<std::string, MeanStd> result;
  for (size_t k = 0; k < names.size(); ++k)
    result[names[k]] = {mean[k], std[k]};
  return result;
}

TEST(Standardization, IsDingosForColumnsAndClosedForms) {
  WaveformDataset dataset = toySvd();
  StandardizationRequest request;
  auto expected = stored("svd_domain_update_size_update");
  for (const auto &[name, value] : expected)
    request.parameters.push_back(name);
  request.extrinsic = {cosine(-pi / 2, pi / 2), uniform("ra", 0, 2 * pi), uniform("psi", 0, pi),
                       uniform("geocent_time", -0.1, 0.1), uniform("luminosity_distance", 100, 1000)};
  auto found = expectValue(standardize(dataset, request));
  ASSERT_EQ(found.size(), expected.size());
  for (const auto &[name, value] : expected) {
    EXPECT_NEAR(found[name].mean, value.mean, 2e-6 * value.std) << name;
    EXPECT_NEAR(found[name].std, value.std, 2e-6 * value.std) << name;
  }
  Hdf5File file =
      expectValue(Hdf5File::open(referenceFile("preprocessing_svd_domain_update_size_update.hdf5")));
  std::vector<std::string> names = expectValue(file.readStrings("intrinsic_statistics64/names"));
  std::vector<double> mean = expectValue(file.readDoubles("intrinsic_statistics64/mean")),
                      std = expectValue(file.readDoubles("intrinsic_statistics64/std"));
  for (size_t k = 0; k < names.size(); ++k) {
    MeanStd column = columnStatistics(*dataset.column(names[k]));
    EXPECT_NEAR(column.mean, mean[k], 1e-12 * std::abs(mean[k])) << names[k];
    EXPECT_NEAR(column.std, std[k], 1e-12 * std[k]) << names[k];
  }
}

TEST(Standardization, AgreesWithDingosDraws) {
  StandardizationRequest request;
  request.extrinsic = {cosine(-1.0, 1.2),
                       uniform("ra", 0, 2 * pi),
                       powerLaw2(100, 1000),
                       // a normal's quantiles are not at hand here; its two moments are what times depend on
                       {"geocent_time", "Logistic", -1, 1, [](double u) {
                          return 0.03 * std::sqrt(3.0) / pi * std::log((u + 1e-12) / (1 - u + 1e-12));
                        }}};
  request.detectors = expectValue(expandDetectors({"H1", "L1"}));
  request.refTime = 1126259462.391;
  request.seed = 3;
  request.parameters = {"H1_time", "L1_time", "luminosity_distance", "dec", "geocent_time"};
  auto found = expectValue(standardize(toySvd(), request));
  // Both sides are sampled: five standard errors of a difference. Detector times come from 200 samples each.
  for (const auto &[name, value] : stored("detector_times")) {
    double n = name.ends_with("1_time") ? 200 : 50000;
    EXPECT_NEAR(found[name].mean, value.mean, 5 * std::sqrt(2 / n) * value.std) << name;
    EXPECT_NEAR(found[name].std, value.std, 5 * std::sqrt(2 / n) * value.std) << name;
  }
}

TEST(Standardization, SampledStatisticsDependOnTheSeedAlone) {
  ExtrinsicPrior prior = powerLaw2(100, 1000);
  EXPECT_EQ(priorStatistics(prior, 1).mean, priorStatistics(prior, 1).mean);
  EXPECT_NE(priorStatistics(prior, 1).mean, priorStatistics(prior, 2).mean);
  // Mean and variance of x^2 on [a, b], from its moments.
  auto moment = [](int k) {
    return 3.0 / (3 + k) * (std::pow(1000.0, 3 + k) - std::pow(100.0, 3 + k)) / (1e9 - 1e6);
  };
  double std = std::sqrt(moment(2) - moment(1) * moment(1));
  EXPECT_NEAR(priorStatistics(prior, 1).mean, moment(1), 5 * std / std::sqrt(50000.0));
  EXPECT_NEAR(priorStatistics(prior, 1).std, std, 5 * std / std::sqrt(50000.0));
}

TEST(Standardization, ClosedFormsOnlyForFullRanges) {
  ExtrinsicPrior sine{"theta", "Sine", 0.0, pi, [](double u) { return std::acos(1 - 2 * u); }};
  MeanStd exact = priorStatistics(sine, 1);
  EXPECT_DOUBLE_EQ(exact.mean, pi / 2);
  EXPECT_DOUBLE_EQ(exact.std, std::sqrt(pi * pi / 4 - 2));
  sine.maximum = 2.0; // no longer full: from draws
  EXPECT_NE(priorStatistics(sine, 1).mean, pi / 2);
  EXPECT_NEAR(priorStatistics(sine, 1).mean, pi / 2, 5 * exact.std / std::sqrt(50000.0));
}

TEST(Standardization, RefusesWhatHasNoStatistics) {
  WaveformDataset dataset = toySvd();
  StandardizationRequest request;
  request.parameters = {"tilt_1"};
  EXPECT_THAT(standardize(dataset, request).status().message(),
              HasSubstr("parameter tilt_1 is neither drawn"));
  request.parameters = {"luminosity_distance"};
  EXPECT_THAT(standardize(dataset, request).status().message(),
              HasSubstr("standard deviation of luminosity_distance is 0.0"));
  request.parameters = {"H1_time"};
  request.detectors = expectValue(expandDetectors({"H1"}));
  EXPECT_THAT(standardize(dataset, request).status().message(),
              HasSubstr("H1_time needs an extrinsic prior for ra"));
}

} // namespace
} // namespace kowari::data
