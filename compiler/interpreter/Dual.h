//===- Dual.h - forward-mode differentiation --------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// A number with its derivative along one direction. A formula templated over its number type gives gradients
// this way, one evaluation a direction; comparisons look at the value alone, so choices (a spline's bin)
// carry no derivative.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cmath>

namespace kowari::interpreter {

template <class T> struct Dual {
  T value = 0, slope = 0;

  Dual() = default;
  Dual(T value, T slope = 0) : value(value), slope(slope) {}

  friend Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.slope + b.slope}; }
  friend Dual operator-(Dual a, Dual b) { return {a.value - b.value, a.slope - b.slope}; }
  friend Dual operator-(Dual a) { return {-a.value, -a.slope}; }
  friend Dual operator*(Dual a, Dual b) { return {a.value * b.value, a.slope * b.value + a.value * b.slope}; }
  friend Dual operator/(Dual a, Dual b) {
    T quotient = a.value / b.value;
    return {quotient, (a.slope - quotient * b.slope) / b.value};
  }
  friend Dual exp(Dual a) { return {std::exp(a.value), a.slope * std::exp(a.value)}; }
  friend Dual log(Dual a) { return {std::log(a.value), a.slope / a.value}; }
  friend Dual log1p(Dual a) { return {std::log1p(a.value), a.slope / (1 + a.value)}; }
  friend Dual sqrt(Dual a) { return {std::sqrt(a.value), a.slope / (2 * std::sqrt(a.value))}; }
};

template <class T> T getValue(Dual<T> x) { return x.value; }
inline float getValue(float x) { return x; }
inline double getValue(double x) { return x; }

} // namespace kowari::interpreter
