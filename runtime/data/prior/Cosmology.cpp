//===- Cosmology.cpp - distances in the Planck15 universe -----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/prior/Cosmology.h"
#include "runtime/data/prior/SpecialFunctions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kowari::data::planck15 {

static constexpr double hubble = 67.74; // km/s/Mpc
static constexpr double omegaMatter = 0.3075;
static constexpr double temperature = 2.7255; // K, of the photons today
static constexpr double effectiveNeutrinos = 3.046;
static constexpr double neutrinoMass = 0.06;     // eV, of one of three
static constexpr double lightSpeed = 299792.458; // km/s
static constexpr double hubbleDistance = lightSpeed / hubble;
static constexpr double highestRedshift = 1000;

static double photonDensity() {
  constexpr double stefanBoltzmann = 5.6703744191844314e-8; // W/m^2/K^4
  constexpr double gravity = 6.6743e-11, metersPerMpc = 3.0856775814913673e22, c = 299792458.0;
  const double h = hubble * 1000 / metersPerMpc; // 1/s
  const double critical = 3 * h * h / (8 * M_PI * gravity);
  return 4 * stefanBoltzmann * std::pow(temperature, 4) / (c * c * c) / critical;
}

/// Energy density of the neutrinos over that of the photons.
static double neutrinoRatio(double z) {
  constexpr double boltzmann = 8.617333262145179e-5; // eV/K
  constexpr double p = 1.83, k = 0.3173;
  const double neutrinoTemperature = temperature * std::cbrt(4.0 / 11.0);
  const double y = neutrinoMass / (boltzmann * neutrinoTemperature) / (1 + z);
  const double massive = std::pow(1 + std::pow(k * y, p), 1 / p);
  return 7.0 / 8.0 * std::pow(4.0 / 11.0, 4.0 / 3.0) * effectiveNeutrinos / 3 * (massive + 2);
}

double efunc(double z) {
  static const double photons = photonDensity();
  static const double lambda = 1 - omegaMatter - photons * (1 + neutrinoRatio(0));
  const double a = 1 + z;
  return std::sqrt(a * a * a * (omegaMatter + photons * (1 + neutrinoRatio(z)) * a) + lambda);
}

double comovingDistance(double z) {
  // In log(1+z) the integrand is smooth over every range.
  const double upper = std::log1p(z);
  const int panels = 1 + static_cast<int>(upper * 8);
  return hubbleDistance *
         integrate([](double s) { return std::exp(s) / efunc(std::expm1(s)); }, 0, upper, panels);
}

double luminosityDistance(double z) { return (1 + z) * comovingDistance(z); }

double differentialComovingVolume(double z) {
  const double distance = comovingDistance(z);
  return hubbleDistance * distance * distance / efunc(z);
}

template <class F> static double solve(F &&distanceOf, double distance) {
  double low = 0, high = 1;
  while (distanceOf(high) < distance) {
    low = high;
    high *= 2;
    if (high > 1e7)
      return std::numeric_limits<double>::infinity();
  }
  for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (distanceOf(middle) < distance ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double redshiftOfLuminosityDistance(double distance) {
  return distance <= 0 ? 0 : solve(luminosityDistance, distance);
}

double redshiftOfComovingDistance(double distance) {
  if (distance >= comovingDistance(highestRedshift))
    return std::numeric_limits<double>::infinity();
  return distance <= 0 ? 0 : solve(comovingDistance, distance);
}

} // namespace kowari::data::planck15
