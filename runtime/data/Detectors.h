//===- Detectors.h - detector geometry -----------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Ground-based detectors: position, response and the rotation of the Earth, all in double precision.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <array>
#include <string>
#include <vector>

namespace kowari::data {

struct Detector {
  std::string name;
  std::array<double, 3> vertex; ///< Earth-fixed position, m
  std::array<double, 9> tensor; ///< (x x^T - y y^T) / 2 of the arm directions, row-major
};

/// Detectors of `data.detectors`, in that order; ET becomes ET1, ET2, ET3. Unknown names and repetitions are
/// errors that list the known ones.
Result<std::vector<Detector>> expandDetectors(const std::vector<std::string> &settingsNames);

/// Greenwich mean sidereal time in radians at a GPS time, not reduced modulo 2 pi.
double greenwichMeanSiderealTime(double gpsTime);
/// GPS - UTC in seconds at a GPS time: 18 since 2017, assumed constant from then on.
int leapSeconds(double gpsTime);

/// Arrival time at the detector minus that at the Earth's centre, s. Angles in radians.
double timeDelay(const Detector &detector, double ra, double dec, double gmst);

struct AntennaPattern {
  double plus = 0.0, cross = 0.0;
};
AntennaPattern antennaPattern(const Detector &detector, double ra, double dec, double psi, double gmst);

} // namespace kowari::data
