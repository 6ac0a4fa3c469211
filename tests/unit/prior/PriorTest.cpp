//===- PriorTest.cpp - priors against bilby's own numbers -----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// tests/data/reference/priors.hdf5: u, and for each case the settings text, quantiles at u, bounds and
// moments.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/prior/Prior.h"
#include "runtime/data/Hdf5File.h"
#include "runtime/data/prior/Cosmology.h"
#include "runtime/data/prior/SpecialFunctions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace kowari::data {
namespace {

using testing::HasSubstr;

Hdf5File openReference() {
  Result<Hdf5File> file = Hdf5File::open(std::string(KOWARI_TEST_DATA) + "/reference/priors.hdf5");
  EXPECT_TRUE(file.isOk()) << file.status().message();
  return file.take();
}

double scalar(const Hdf5File &file, const std::string &name) {
  Result<std::vector<double>> values = file.readDoubles(name);
  EXPECT_TRUE(values.isOk()) << values.status().message();
  return values->at(0);
}

/// Relative to the value or, near a zero of the quantile function, to a thousandth of the range that u spans.
void expectClose(double value, double expected, double tolerance, double scale, const std::string &what) {
  if (std::isinf(expected)) {
    EXPECT_EQ(value, expected) << what;
    return;
  }
  EXPECT_NEAR(value, expected, tolerance * std::max(std::abs(expected), 1e-3 * scale)) << what;
}

double quantileTolerance(const std::string &className, double u) {
  if (className == "UniformComovingVolume" || className == "UniformSourceFrame")
    return 1e-4;
  if (className == "AlignedSpin" || className == "Interped")
    return 1e-6;
  const bool tail = u < 1e-6 || u > 1 - 1e-6; // 2u - 1 has lost digits there
  return className.find("aussian") != std::string::npos || className == "Normal" ? (tail ? 1e-6 : 1e-10)
                                                                                 : 1e-10;
}

TEST(Prior, quantilesBoundsAndMomentsEqualBilbys) {
  const Hdf5File file = openReference();
  const std::vector<double> us = *file.readDoubles("u");
  const std::vector<std::string> cases = *file.children("priors");
  ASSERT_EQ(cases.size(), 26U);
  for (const std::string &name : cases) {
    const std::string group = "priors/" + name + "/";
    const std::string text = *file.readString(group + "yaml"), key = *file.readString(group + "key");
    Result<Prior> prior = parsePrior(key, text);
    ASSERT_TRUE(prior.isOk()) << name << ": " << prior.status().message();
    EXPECT_EQ(prior->className(), *file.readString(group + "class")) << name;
    EXPECT_EQ(prior->isAnalyticInDingo(), scalar(file, group + "dingo_is_analytic") != 0) << name;
    const bool cosmological =
        prior->className().starts_with("UniformCom") || prior->className() == "UniformSourceFrame";
    const double minimum = scalar(file, group + "minimum"), maximum = scalar(file, group + "maximum");
    const std::vector<double> moments = *file.readDoubles(group + "mean_std_exact");
    expectClose(prior->minimum(), minimum, 1e-14, 0, name + " minimum");
    expectClose(prior->maximum(), maximum, 1e-14, 0, name + " maximum");
    expectClose(prior->mean(), moments[0], cosmological ? 1e-4 : 1e-6, 1e3 * moments[1], name + " mean");
    expectClose(prior->standardDeviation(), moments[1], cosmological ? 1e-4 : 1e-6, 0, name + " std");
    const std::vector<double> quantiles = *file.readDoubles(group + "rescale");
    ASSERT_EQ(quantiles.size(), us.size());
    for (std::size_t i = 0; i < us.size(); ++i)
      expectClose(prior->rescale(us[i]), quantiles[i], quantileTolerance(prior->className(), us[i]),
                  moments[1], name + " at u = " + std::to_string(us[i]));
  }
}

TEST(Prior, analyticMomentsEqualDingos) {
  const Hdf5File file = openReference();
  for (const ExtrinsicDefault &entry : extrinsicDefaults()) {
    const std::string name = entry.name;
    EXPECT_EQ(entry.expression, *file.readString("defaults/" + name));
    const std::vector<double> moments = *file.readDoubles("defaults_standardization/" + name);
    Result<Prior> prior = parsePrior(name, "Default");
    ASSERT_TRUE(prior.isOk()) << prior.status().message();
    EXPECT_TRUE(prior->isAnalyticInDingo());
    EXPECT_DOUBLE_EQ(prior->mean(), moments[0]) << name;
    EXPECT_DOUBLE_EQ(prior->standardDeviation(), moments[1]) << name;
  }
}

TEST(Prior, expressionsThatUsersWrite) {
  const auto range = [](const std::string &text) {
    Result<Prior> prior = parsePrior("geocent_time", text);
    EXPECT_TRUE(prior.isOk()) << text << ": " << prior.status().message();
    return prior ? std::pair(prior->minimum(), prior->maximum()) : std::pair(0.0, 0.0);
  };
  EXPECT_EQ(range("Uniform(-0.2, 0.05)"), std::pair(-0.2, 0.05));
  EXPECT_EQ(range("bilby.prior.Uniform( minimum = -1e-1 , maximum = +.1 )"), std::pair(-0.1, 0.1));
  EXPECT_EQ(range("bilby.core.prior.Uniform(-0.2, maximum=0.1, name=None, latex_label=r'$t_c$')"),
            std::pair(-0.2, 0.1));
  EXPECT_EQ(range("Uniform(0, (1 + 2) * 2 ** 2 / 3 - 1)"), std::pair(0.0, 3.0));
  EXPECT_EQ(range("Uniform(-2**2, -np.pi / -2)"), std::pair(-4.0, M_PI / 2));
  EXPECT_EQ(range(" 0.25 "), std::pair(0.25, 0.25));
  EXPECT_EQ(range("1e-3"), std::pair(1e-3, 1e-3));
  EXPECT_EQ(range("DEFAULT"), std::pair(-0.1, 0.1));
}

TEST(Prior, parametersAreWhatRescaleNeeds) {
  EXPECT_EQ(parsePrior("x", "Uniform(1, 2)")->parameters(), (std::vector<double>{1, 2}));
  EXPECT_EQ(parsePrior("x", "PowerLaw(2, 1, 3)")->parameters(), (std::vector<double>{2, 1, 3}));
  EXPECT_EQ(parsePrior("x", "LogUniform(1, 3)")->parameters(), (std::vector<double>{1, 3}));
  EXPECT_EQ(parsePrior("x", "Gaussian(0, 3)")->parameters(), (std::vector<double>{0, 3}));
  EXPECT_EQ(parsePrior("x", "TruncatedGaussian(0, 3, -1, 2)")->parameters(),
            (std::vector<double>{0, 3, -1, 2}));
  EXPECT_EQ(parsePrior("x", "Triangular(0.5, 0, 2)")->parameters(), (std::vector<double>{0.5, 0, 2}));
  EXPECT_EQ(parsePrior("x", "7")->parameters(), (std::vector<double>{7}));
  EXPECT_TRUE(parsePrior("x", "7")->isConstant());
}

TEST(Prior, badExpressionsAreRefused) {
  const std::pair<const char *, const char *> cases[] = {
      {"Unifrom(0, 1)", "the class Unifrom is not served; known: Uniform, Sine"},
      {"Constraint(minimum=0, maximum=1)", "the class Constraint is not served"},
      {"Uniform(minimum=0)", "Uniform needs the argument maximum"},
      {"Uniform(minimum=0, maxmum=1)", "Uniform has no argument maxmum; known: minimum, maximum"},
      {"Uniform(0, 1, minimum=2)", "given minimum twice"},
      {"Uniform(2, 1)", "minimum < maximum"},
      {"Uniform(0, np.inf)", "finite maximum"},
      {"Uniform(0, 'x')", "a number as maximum"},
      {"Uniform(0, 1", "closing parenthesis of Uniform, found the end of the text at character 13"},
      {"Uniform(0, foo)", "found \"foo)\" at character 12"},
      {"Uniform(0, __import__('os'))", "a number as maximum"},
      {"scipy.stats.Uniform(0, 1)", "only bilby's priors are served, not scipy.stats.Uniform"},
      {"Gaussian(0, -1)", "sigma > 0"},
      {"PowerLaw(alpha=-2, minimum=0, maximum=1)", "minimum > 0"},
      {"LogUniform(0, 1)", "minimum > 0"},
      {"Sine(minimum=-1, maximum=1)", "inside [0, pi]"},
      {"Triangular(mode=5, minimum=0, maximum=1)", "mode between"},
      {"Interped(xx=[0, 1], yy=[0, 1, 2])", "equal length"},
      {"UniformSourceFrame(minimum=100, maximum=200)", "name='luminosity_distance'"},
      {"UniformSourceFrame(100, 200, cosmology='WMAP9', name='luminosity_distance')", "cosmology='Planck15'"},
      {"AlignedSpin(a_prior=Sine())", "a Uniform a_prior"},
      {"TruncatedGaussian(0, 1, 100, 200)", "too far in its tail"},
      {"nan", "must be finite"},
      {"uniform", "expected a prior such as"},
      {"Uniform(0, 1)x", "expected the end"},
      {"Uniform(0, 1/0)", "division by zero"},
      {"", "expected a prior such as"}};
  for (const auto &[text, expected] : cases) {
    const Result<Prior> prior = parsePrior("ra", text);
    ASSERT_FALSE(prior.isOk()) << text;
    EXPECT_THAT(prior.status().message(), HasSubstr(expected));
    EXPECT_THAT(prior.status().message(), HasSubstr("the prior of ra"));
  }
}

TEST(Prior, erfInverseUndoesErf) {
  for (const double x : {1e-300, 1e-10, 0.1, 0.47, 0.5, 1.0, 2.0, 3.0}) {
    EXPECT_NEAR(erfInverse(std::erf(x)), x, 1e-14 * x * (1 + std::exp(x * x) * 1e-2)) << x;
    EXPECT_EQ(erfInverse(-std::erf(x)), -erfInverse(std::erf(x)));
  }
  EXPECT_EQ(erfInverse(0), 0);
  EXPECT_TRUE(std::isinf(erfInverse(1)));
  EXPECT_TRUE(std::isnan(erfInverse(1.5)));
}

TEST(Prior, planck15Distances) { // astropy 8.0.2
  EXPECT_NEAR(planck15::luminosityDistance(0.3), 1601.3757662405721, 1e-6 * 1601);
  EXPECT_NEAR(planck15::comovingDistance(1.0), 3395.905311975348, 1e-6 * 3396);
  EXPECT_NEAR(planck15::differentialComovingVolume(0.3), 5737580166.657803, 1e-6 * 5.7e9);
  EXPECT_NEAR(planck15::efunc(0.3), 1.1704329603421963, 1e-7);
  EXPECT_NEAR(planck15::redshiftOfLuminosityDistance(1601.3757662405721), 0.3, 1e-6);
  EXPECT_NEAR(planck15::redshiftOfComovingDistance(3395.905311975348), 1.0, 1e-6);
}

} // namespace
} // namespace kowari::data
