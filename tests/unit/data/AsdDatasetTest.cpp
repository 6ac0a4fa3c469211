//===- AsdDatasetTest.cpp - ASD data sets ---------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/AsdDataset.h"

#include "ReferenceFiles.h"

#include <gmock/gmock.h>

namespace kowari::data {
namespace {

TEST(AsdDataset, CutsToTheBandInTheOrderAskedFor) {
  std::string path = referenceFile("datasets/asds_multi.hdf5");
  UniformFrequencyDomain domain = expectValue(UniformFrequencyDomain::create(20.0, 192.0, 0.25));
  AsdDataset asds = expectValue(AsdDataset::open(path, {"V1", "H1"}, domain));
  EXPECT_EQ(asds.bins(), 769);
  EXPECT_EQ(asds.detectors(), 2);
  EXPECT_THAT(asds.detectorNames(), ::testing::ElementsAre("V1", "H1"));
  EXPECT_EQ(asds.count(0), 5);
  EXPECT_EQ(asds.count(1), 8);
  EXPECT_THAT(asds.firstRow(), ::testing::ElementsAre(0, 5, 13));

  Hdf5File file = expectValue(Hdf5File::open(path));
  std::vector<double> v1 = expectValue(file.readDoubles("asds/V1")),
                      h1 = expectValue(file.readDoubles("asds/H1"));
  std::vector<float> inverse = asds.inverseScaled();
  ASSERT_EQ(asds.asd().size(), size_t{13 * 769});
  for (int64_t row = 0; row < 13; ++row)
    for (int64_t bin = 0; bin < 769; ++bin) {
      double stored = row < 5 ? v1[row * 4401 + bin] : h1[(row - 5) * 4401 + bin];
      float expected = bin < 80 ? 1.0f : static_cast<float>(stored), found = asds.asd()[row * 769 + bin];
      ASSERT_EQ(found, expected) << row << " " << bin;
      ASSERT_EQ(inverse[row * 769 + bin], static_cast<float>(1.0 / (double(expected) * 1e23)));
    }
}

TEST(AsdDataset, SchemaListsDetectors) {
  EXPECT_THAT(expectValue(readAsdSchema(referenceFile("datasets/asds_multi.hdf5"))).counts,
              ::testing::ElementsAre(8, 6, 5));
  AsdSchema schema = expectValue(readAsdSchema(referenceFile("datasets/asds_single.hdf5")));
  EXPECT_THAT(schema.detectors, ::testing::ElementsAre("H1", "L1", "V1"));
  EXPECT_EQ(schema.domain.fMax(), 1100.0);
  EXPECT_EQ(schema.domain.deltaF(), 0.25);
}

} // namespace
} // namespace kowari::data
