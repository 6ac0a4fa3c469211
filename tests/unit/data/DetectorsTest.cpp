//===- DetectorsTest.cpp - detector geometry against LAL and bilby --------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/Detectors.h"

#include "ReferenceFiles.h"

#include <gmock/gmock.h>

#include <numbers>

namespace kowari::data {
namespace {

using ::testing::HasSubstr;

class DetectorsReference : public ::testing::Test {
protected:
  Hdf5File file = expectValue(Hdf5File::open(referenceFile("detectors.hdf5")));
  std::vector<double> point(const char *name) {
    return expectValue(file.readDoubles(std::string("points/") + name));
  }
};

TEST_F(DetectorsReference, SiderealTimeAndLeapSeconds) {
  std::vector<double> times = point("gps_time"), gmst = point("gmst"),
                      leap = point("leap_seconds_minus_gps_offset");
  ASSERT_EQ(times.size(), 200u);
  for (size_t k = 0; k < times.size(); ++k) {
    EXPECT_NEAR(greenwichMeanSiderealTime(times[k]) / gmst[k], 1.0, 1e-13);
    EXPECT_EQ(leapSeconds(times[k]), leap[k]);
  }
}

TEST_F(DetectorsReference, GeometryDelaysAndAntennaPatterns) {
  std::vector<Detector> detectors = expectValue(expandDetectors({"H1", "L1", "V1", "K1", "A1", "CE", "ET"}));
  ASSERT_EQ(detectors.size(), 9u);
  EXPECT_EQ(detectors[8].name, "ET3");
  std::vector<double> ra = point("ra"), dec = point("dec"), psi = point("psi"), times = point("gps_time");
  for (const Detector &detector : detectors) {
    std::string group = "detectors/" + detector.name + "/";
    std::vector<double> vertex = expectValue(file.readDoubles(group + "vertex")),
                        tensor = expectValue(file.readDoubles(group + "detector_tensor")),
                        delay = expectValue(file.readDoubles(group + "delay")),
                        plus = expectValue(file.readDoubles(group + "plus")),
                        cross = expectValue(file.readDoubles(group + "cross"));
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(detector.vertex[k], vertex[k], 1e-6) << detector.name; // m
    for (int k = 0; k < 9; ++k)
      EXPECT_NEAR(detector.tensor[k], tensor[k], 1e-14) << detector.name;
    for (size_t k = 0; k < ra.size(); ++k) {
      double gmst = greenwichMeanSiderealTime(times[k]);
      AntennaPattern antenna = antennaPattern(detector, ra[k], dec[k], psi[k], gmst);
      EXPECT_NEAR(timeDelay(detector, ra[k], dec[k], gmst), delay[k], 1e-12) << detector.name;
      EXPECT_NEAR(antenna.plus, plus[k], 1e-12) << detector.name;
      EXPECT_NEAR(antenna.cross, cross[k], 1e-12) << detector.name;
    }
  }
}

TEST(Detectors, KeepsTheOrderOfTheSettings) {
  std::vector<Detector> detectors = expectValue(expandDetectors({"L1", "ET", "H1"}));
  ASSERT_EQ(detectors.size(), 5u);
  EXPECT_EQ(detectors[0].name, "L1");
  EXPECT_EQ(detectors[1].name, "ET1");
  EXPECT_EQ(detectors[4].name, "H1");
}

TEST(Detectors, RefusesUnknownAndRepeatedNames) {
  EXPECT_THAT(expandDetectors({"H1", "H2"}).status().message(),
              HasSubstr("unknown detector H2; known are H1, L1, V1, K1, A1, CE, ET"));
  EXPECT_THAT(expandDetectors({"H1", "L1", "H1"}).status().message(), HasSubstr("H1 is listed twice"));
  EXPECT_FALSE(expandDetectors({}).isOk());
}

TEST(Detectors, LeapSecondsStepWhereTheyDid) {
  EXPECT_EQ(leapSeconds(0.0), 0);
  EXPECT_EQ(leapSeconds(1167264016.999), 17);
  EXPECT_EQ(leapSeconds(1167264017.0), 18);
  EXPECT_EQ(leapSeconds(820108812.0), 13);
  EXPECT_EQ(leapSeconds(820108813.0), 14);
}

} // namespace
} // namespace kowari::data
