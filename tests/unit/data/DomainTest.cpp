//===- DomainTest.cpp - frequency grids -----------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/Domain.h"

#include "ReferenceFiles.h"
#include "runtime/support/PythonLiteral.h"

#include <gmock/gmock.h>

namespace kowari::data {
namespace {

using ::testing::HasSubstr;

UniformFrequencyDomain toy() { return expectValue(UniformFrequencyDomain::create(20.0, 192.0, 0.25)); }

TEST(Domain, CountsBins) {
  UniformFrequencyDomain domain = toy();
  EXPECT_EQ(domain.bins(), 769);
  EXPECT_EQ(domain.minIndex(), 80);
  EXPECT_EQ(domain.maxIndex(), 768);
  EXPECT_EQ(domain.networkBins(), 689);
  EXPECT_DOUBLE_EQ(domain.noiseStd(), 1.0);
}

TEST(Domain, GridIsDingosBitForBit) {
  for (const char *name : {"fd", "fd_domain_update", "svd_domain_update_size_update"}) {
    Hdf5File file =
        expectValue(Hdf5File::open(referenceFile(std::string("preprocessing_") + name + ".hdf5")));
    std::vector<float> expected = expectValue(file.readFloats("frequencies"));
    double fMax = expected.back();
    EXPECT_EQ(expectValue(UniformFrequencyDomain::create(20.0, fMax, 0.25)).frequencies(), expected) << name;
  }
}

TEST(Domain, UpdateNarrowsTheRange) {
  UniformFrequencyDomain narrow = expectValue(toy().updated({.fMin = 32.0, .fMax = 150.0}));
  EXPECT_EQ(narrow.bins(), 601);
  EXPECT_EQ(narrow.minIndex(), 128);
  EXPECT_EQ(expectValue(toy().updated({.type = "FD", .deltaF = 0.25})), toy());
}

TEST(Domain, UpdateRefusesWhatDingoRefuses) {
  auto message = [](DomainUpdate update) { return toy().updated(update).status().message(); };
  EXPECT_THAT(message({.fMin = 10.0}),
              HasSubstr("[10.0, 192.0] Hz is not inside the data set's [20.0, 192.0] Hz"));
  EXPECT_THAT(message({.fMax = 200.0}), HasSubstr("not inside"));
  EXPECT_THAT(message({.fMin = 20.1}), HasSubstr("20.1 Hz is not a multiple of delta_f 0.25"));
  EXPECT_THAT(message({.fMin = 100.0, .fMax = 100.0}), HasSubstr("f_min must be below f_max"));
  EXPECT_THAT(message({.deltaF = 0.5}), HasSubstr("delta_f 0.5 differs"));
  EXPECT_THAT(message({.type = "MultibandedFrequencyDomain"}),
              HasSubstr("type MultibandedFrequencyDomain differs"));
}

TEST(Domain, ReadsSettings) {
  auto parse = [](const char *text) {
    Value value = expectValue(parsePythonLiteral(text));
    return UniformFrequencyDomain::fromValue(value, "file.hdf5: settings");
  };
  EXPECT_EQ(expectValue(parse("{'type': 'FrequencyDomain', 'f_min': 20, 'f_max': 192, 'delta_f': 0.25}")),
            toy());
  EXPECT_THAT(parse("{'type': 'MultibandedFrequencyDomain', 'nodes': []}").status().message(),
              HasSubstr("MultibandedFrequencyDomain is not served yet"));
  EXPECT_THAT(parse("{'type': 'TimeDomain'}").status().message(), HasSubstr("cannot be trained on"));
  EXPECT_THAT(parse("{'type': 'FD', 'f_min': 20, 'f_max': 192}").status().message(),
              HasSubstr("lacks \"delta_f\""));
  EXPECT_THAT(parse("{'type': 'FD', 'f_min': '20', 'f_max': 192, 'delta_f': 1}").status().message(),
              HasSubstr("f_min is \"20\", expected a number"));
  EXPECT_THAT(parse("{'type': 'FD', 'f_min': 0, 'f_max': 10.3, 'delta_f': 0.5}").status().message(),
              HasSubstr("f_max 10.3 Hz is not a multiple of delta_f 0.5 Hz"));
  EXPECT_FALSE(parse("{'type': 'FD', 'f_min': 0, 'f_max': 10, 'delta_f': 0.0}").isOk());
  EXPECT_FALSE(parse("{'type': 'FD', 'f_min': 12, 'f_max': 10, 'delta_f': 1}").isOk());
}

} // namespace
} // namespace kowari::data
