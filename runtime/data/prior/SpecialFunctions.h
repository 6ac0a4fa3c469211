//===- SpecialFunctions.h - erfinv and Gauss-Legendre sums ------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <vector>

namespace kowari::data {

/// The inverse of erf to rounding, also close to -1 and 1; infinite there, NaN beyond.
double erfInverse(double y);

/// Integral of f over [a, b]: `panels` equal parts with ten Gauss-Legendre points each.
template <class F> double integrate(F &&f, double a, double b, int panels) {
  static constexpr double nodes[5] = {0.1488743389816312, 0.4333953941292472, 0.6794095682990244,
                                      0.8650633666889845, 0.9739065285171717};
  static constexpr double weights[5] = {0.2955242247147529, 0.2692667193099963, 0.2190863625159821,
                                        0.1494513491505806, 0.0666713443086881};
  const double half = 0.5 * (b - a) / panels;
  double total = 0;
  for (int p = 0; p < panels; ++p) {
    const double center = a + (2 * p + 1) * half;
    for (int k = 0; k < 5; ++k)
      total += weights[k] * (f(center - half * nodes[k]) + f(center + half * nodes[k]));
  }
  return total * half;
}

/// numpy.linspace(first, last, count), count >= 2.
std::vector<double> linearGrid(double first, double last, std::size_t count);

} // namespace kowari::data
