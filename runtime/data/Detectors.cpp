//===- Detectors.cpp - detector geometry ----------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/Detectors.h"

#include "runtime/data/IndexList.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

namespace kowari::data {
namespace {

using Vector = std::array<double, 3>;
constexpr double pi = std::numbers::pi;
constexpr double speedOfLight = 299792458.0;   // m/s
constexpr double equatorialRadius = 6378137.0; // m, WGS 84
constexpr double polarRadius = 6356752.314;    // m
constexpr double sphereRadius = 6378136.6;     // m, for the sides of a triangle
constexpr double degree = pi / 180.0;

/// Where a detector stands and how its arms lie. Azimuths are counted from east to north.
struct Site {
  const char *name;
  double latitude, longitude; // degrees, geodetic
  double elevation;           // m
  double xAzimuth, yAzimuth;  // degrees
  double xTilt, yTilt;        // rad above the horizontal
};

// LIGO-T980044 (H1, L1; CE is put at Hanford), LIGO-P1200087 (V1), JGW-G3824 (K1), LIGO-T2000158 (A1).
constexpr Site sites[] = {
    {"H1", 46 + 27. / 60 + 18.528 / 3600, -(119 + 24. / 60 + 27.5657 / 3600), 142.554, 125.9994, 215.9994,
     -6.195e-4, 1.25e-5},
    {"L1", 30 + 33. / 60 + 46.4196 / 3600, -(90 + 46. / 60 + 27.2654 / 3600), -6.574, 197.7165, 287.7165,
     -3.121e-4, -6.107e-4},
    {"V1", 43 + 37. / 60 + 53.0921 / 3600, 10 + 30. / 60 + 16.1878 / 3600, 51.884, 70.5674, 160.5674, 0.0,
     0.0},
    {"K1", 36 + 24. / 60 + 42.69722 / 3600, 137 + 18. / 60 + 21.44171 / 3600, 414.181, 90 - 60.39623489157727,
     90 + 29.60357629670688, 0.0031414, -0.0036270},
    {"A1", 19 + 36. / 60 + 47.9017 / 3600, 77 + 1. / 60 + 51.0997 / 3600, 440.0, 117.6157, 207.6165, 0.0,
     0.0},
    {"CE", 46 + 27. / 60 + 18.528 / 3600, -(119 + 24. / 60 + 27.5657 / 3600), 142.554, 125.9994, 215.994,
     -6.195e-4, 1.25e-5},
};

/// The Einstein Telescope: a triangle whose first corner stands at Virgo's place.
constexpr Site triangle = {
    "ET", 43 + 37. / 60 + 53.0921 / 3600, 10 + 30. / 60 + 16.1878 / 3600, 51.884, 70.5674, 130.5674, 0.0,
    0.0};
constexpr double triangleSide = 10e3; // m

Vector position(const Site &site) {
  double phi = site.latitude * degree, lambda = site.longitude * degree;
  double a2 = equatorialRadius * equatorialRadius, b2 = polarRadius * polarRadius;
  double normal = a2 / std::sqrt(a2 * std::cos(phi) * std::cos(phi) + b2 * std::sin(phi) * std::sin(phi));
  double horizontal = (normal + site.elevation) * std::cos(phi);
  return {horizontal * std::cos(lambda), horizontal * std::sin(lambda),
          (b2 / a2 * normal + site.elevation) * std::sin(phi)};
}

Vector armDirection(const Site &site, double azimuthDegrees, double tilt) {
  double phi = site.latitude * degree, lambda = site.longitude * degree, azimuth = azimuthDegrees * degree;
  Vector east = {-std::sin(lambda), std::cos(lambda), 0.0};
  Vector north = {-std::sin(phi) * std::cos(lambda), -std::sin(phi) * std::sin(lambda), std::cos(phi)};
  Vector up = {std::cos(phi) * std::cos(lambda), std::cos(phi) * std::sin(lambda), std::sin(phi)};
  Vector arm;
  for (int k = 0; k < 3; ++k)
    arm[k] = std::cos(tilt) * (std::cos(azimuth) * east[k] + std::sin(azimuth) * north[k]) +
             std::sin(tilt) * up[k];
  return arm;
}

Detector makeDetector(const Site &site, const std::string &name) {
  Vector x = armDirection(site, site.xAzimuth, site.xTilt), y = armDirection(site, site.yAzimuth, site.yTilt);
  Detector detector{name, position(site), {}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      detector.tensor[3 * i + j] = 0.5 * (x[i] * x[j] - y[i] * y[j]);
  return detector;
}

/// Each next corner lies a side's length away on a great circle whose bearing (from north to east) grows by
/// 240 degrees; azimuths of the arms (from east to north) grow by 240 degrees too, as in bilby's ET.
void addTriangle(std::vector<Detector> &out) {
  Site corner = triangle;
  double bearingDegrees = 90.0 - corner.xAzimuth;
  for (int k = 1; k <= 3; ++k) {
    out.push_back(makeDetector(corner, corner.name + std::to_string(k)));
    double bearing = bearingDegrees * degree, angle = triangleSide / sphereRadius;
    double phi = corner.latitude * degree, lambda = corner.longitude * degree;
    double next =
        std::asin(std::sin(phi) * std::cos(angle) + std::cos(phi) * std::sin(angle) * std::cos(bearing));
    lambda += std::atan2(std::sin(bearing) * std::sin(angle) * std::cos(phi),
                         std::cos(angle) - std::sin(phi) * std::sin(next));
    corner.latitude = next / degree;
    corner.longitude = lambda / degree;
    bearingDegrees += 240.0;
    corner.xAzimuth += 240.0;
    corner.yAzimuth += 240.0;
  }
}

std::vector<std::string> knownNames() {
  std::vector<std::string> names;
  for (const Site &site : sites)
    names.push_back(site.name);
  names.push_back(triangle.name);
  return names;
}

} // namespace

Result<std::vector<Detector>> expandDetectors(const std::vector<std::string> &settingsNames) {
  std::vector<Detector> detectors;
  for (size_t k = 0; k < settingsNames.size(); ++k) {
    const std::string &name = settingsNames[k];
    if (std::find(settingsNames.begin(), settingsNames.begin() + k, name) != settingsNames.begin() + k)
      return Status::error("detector " + name + " is listed twice");
    const Site *site =
        std::find_if(std::begin(sites), std::end(sites), [&](const Site &s) { return name == s.name; });
    if (site != std::end(sites))
      detectors.push_back(makeDetector(*site, name));
    else if (name == triangle.name)
      addTriangle(detectors);
    else
      return Status::error("unknown detector " + name + "; known are " + listNames(knownNames()));
  }
  if (detectors.empty())
    return Status::error("no detectors are listed; known are " + listNames(knownNames()));
  return detectors;
}

int leapSeconds(double gpsTime) {
  // GPS seconds at which GPS - UTC becomes 1, 2, ... 18.
  constexpr double starts[] = {46828800,  78364801,  109900802, 173059203,  252028804,  315187205,
                               346723206, 393984007, 425520008, 457056009,  504489610,  551750411,
                               599184012, 820108813, 914803214, 1025136015, 1119744016, 1167264017};
  return static_cast<int>(std::upper_bound(std::begin(starts), std::end(starts), gpsTime) -
                          std::begin(starts));
}

double greenwichMeanSiderealTime(double gpsTime) {
  // Julian centuries of UTC since J2000, whole seconds and fraction apart so that no digit is lost; the
  // polynomial of Aoki et al. (1982) in seconds, the whole turns of 876600 h a century added separately.
  constexpr double gpsEpoch = 2444244.5, j2000 = 2451545.0, century = 36525.0, day = 86400.0;
  double whole = std::floor(gpsTime), utc = whole - leapSeconds(gpsTime);
  double days = std::floor(utc / day);
  double julianDay = gpsEpoch + days + (utc - days * day) / day;
  double high = (julianDay - j2000) / century, low = (gpsTime - whole) / (century * day);
  double t = high + low;
  double seconds = (-6.2e-6 * t + 0.093104) * t * t + 67310.54841;
  seconds += 8640184.812866 * low;
  seconds += 3155760000.0 * low;
  seconds += 8640184.812866 * high;
  seconds += 3155760000.0 * high;
  return seconds * pi / 43200.0;
}

double timeDelay(const Detector &detector, double ra, double dec, double gmst) {
  double theta = pi / 2 - dec, phi = ra - std::fmod(gmst, 2 * pi);
  const auto &r = detector.vertex;
  return -(r[0] * std::sin(theta) * std::cos(phi) + r[1] * std::sin(theta) * std::sin(phi) +
           r[2] * std::cos(theta)) /
         speedOfLight;
}

AntennaPattern antennaPattern(const Detector &detector, double ra, double dec, double psi, double gmst) {
  double theta = pi / 2 - dec, phi = ra - std::fmod(gmst, 2 * pi);
  Vector u = {std::cos(phi) * std::cos(theta), std::cos(theta) * std::sin(phi), -std::sin(theta)};
  Vector v = {-std::sin(phi), std::cos(phi), 0.0};
  Vector m, n;
  for (int k = 0; k < 3; ++k) {
    m[k] = -u[k] * std::sin(psi) - v[k] * std::cos(psi);
    n[k] = -u[k] * std::cos(psi) + v[k] * std::sin(psi);
  }
  AntennaPattern pattern;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      pattern.plus += detector.tensor[3 * i + j] * (m[i] * m[j] - n[i] * n[j]);
      pattern.cross += detector.tensor[3 * i + j] * (m[i] * n[j] + n[i] * m[j]);
    }
  return pattern;
}

} // namespace kowari::data
