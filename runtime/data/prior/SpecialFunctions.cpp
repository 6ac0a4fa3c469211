//===- SpecialFunctions.cpp - erfinv and grids ----------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/prior/SpecialFunctions.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace kowari::data {

double erfInverse(double y) {
  if (std::isnan(y) || std::abs(y) > 1)
    return std::numeric_limits<double>::quiet_NaN();
  if (std::abs(y) == 1)
    return std::copysign(std::numeric_limits<double>::infinity(), y);
  // Winitzki's closed form is good to 2e-3; Halley's steps, cubic, do the rest.
  const double magnitude = std::abs(y);
  const double tail = 1 - magnitude; // exact for magnitude >= 1/2
  const double a = 0.147;
  const double l = std::log1p(-magnitude * magnitude);
  const double t = 2 / (std::numbers::pi * a) + 0.5 * l;
  double x = std::sqrt(std::sqrt(t * t - l / a) - t);
  for (int step = 0; step < 4; ++step) {
    const double error = magnitude < 0.5 ? std::erf(x) - magnitude : tail - std::erfc(x);
    const double newton = error / (2 * std::numbers::inv_sqrtpi * std::exp(-x * x));
    x -= newton / (1 + x * newton);
  }
  return std::copysign(x, y);
}

std::vector<double> linearGrid(double first, double last, std::size_t count) {
  std::vector<double> grid(count);
  const double step = (last - first) / static_cast<double>(count - 1);
  for (std::size_t i = 0; i < count; ++i)
    grid[i] = first + static_cast<double>(i) * step;
  grid.back() = last;
  return grid;
}

} // namespace kowari::data
