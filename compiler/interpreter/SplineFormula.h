//===- SplineFormula.h - the rational-quadratic spline ----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The formula of flow.rq_spline for one feature, templated over the number type S: float, double, or Dual of
// them for its gradients.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/Dual.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace kowari::interpreter {

struct SplineShape {
  int64_t bins; ///< K
  double bound; ///< b
  double divisor;
};

/// log(1 + e^v), and exactly v above 20.
template <class S> S softplus(S v) {
  using std::exp, std::log1p;
  return getValue(v) > 20 ? v : log1p(exp(v));
}

template <class S> class Spline {
public:
  /// u: 3K - 1 numbers, K widths, K heights, K - 1 inner derivatives.
  Spline(const SplineShape &shape, const std::vector<S> &u) : shape(shape) {
    int64_t k = shape.bins;
    x = getKnots(std::vector<S>(u.begin(), u.begin() + k));
    y = getKnots(std::vector<S>(u.begin() + k, u.begin() + 2 * k));
    d.assign(k + 1, S(1));
    for (int64_t i = 1; i < k; ++i)
      d[i] = S(1e-3) + softplus(u[2 * k + i - 1]);
  }

  /// (y, log dy/dx) at `at`.
  std::pair<S, S> evaluate(S at) const {
    if (!isInside(at))
      return {at, S(0)};
    int64_t k = findBin(x, at);
    S t = (at - x[k]) / (x[k + 1] - x[k]);
    S height = y[k + 1] - y[k], s = height / (x[k + 1] - x[k]), both = t * (S(1) - t);
    S numerator = height * (s * t * t + d[k] * both);
    return {y[k] + numerator / getDenominator(k, s, t), getLogSlope(k, s, t)};
  }

  /// (x, log dx/dy) at `at`, the inverse of evaluate.
  std::pair<S, S> invert(S at) const {
    using std::sqrt;
    if (!isInside(at))
      return {at, S(0)};
    int64_t k = findBin(y, at);
    S width = x[k + 1] - x[k], h = y[k + 1] - y[k], s = h / width, q = at - y[k],
      e = d[k] + d[k + 1] - S(2) * s;
    S a = q * e + h * (s - d[k]), b = h * d[k] - q * e, c = -(s * q);
    S discriminant = b * b - S(4) * a * c;
    S t = S(2) * c / (-b - sqrt(getValue(discriminant) < 0 ? S(0) : discriminant));
    return {t * width + x[k], -getLogSlope(k, s, t)};
  }

private:
  bool isInside(S at) const { return getValue(at) >= -shape.bound && getValue(at) <= shape.bound; }

  /// -b + 2 b cumsum(1e-3 + (1 - 1e-3 K) softmax(logits/divisor)), the last knot exactly b.
  std::vector<S> getKnots(std::vector<S> logits) const {
    using std::exp;
    for (S &logit : logits)
      logit = logit / S(shape.divisor);
    S largest =
        *std::max_element(logits.begin(), logits.end(), [](S a, S b) { return getValue(a) < getValue(b); });
    S total = 0, sum = 0;
    for (S &logit : logits)
      total = total + (logit = exp(logit - largest));
    std::vector<S> knots = {S(-shape.bound)};
    for (S share : logits) {
      sum = sum + S(1e-3) + S(1 - 1e-3 * shape.bins) * (share / total);
      knots.push_back(S(-shape.bound) + S(2 * shape.bound) * sum);
    }
    knots.back() = S(shape.bound);
    return knots;
  }

  /// The last k with knots[k] <= at, in [0, K - 1].
  int64_t findBin(const std::vector<S> &knots, S at) const {
    int64_t k = 0;
    while (k + 1 < shape.bins && getValue(knots[k + 1]) <= getValue(at))
      ++k;
    return k;
  }

  S getDenominator(int64_t k, S s, S t) const { return s + (d[k + 1] + d[k] - S(2) * s) * t * (S(1) - t); }

  /// log(s^2 (d_{k+1} t^2 + 2 s t (1 - t) + d_k (1 - t)^2)) - 2 log den
  S getLogSlope(int64_t k, S s, S t) const {
    using std::log;
    S rest = S(1) - t;
    return log(s * s * (d[k + 1] * t * t + S(2) * s * t * rest + d[k] * rest * rest)) -
           S(2) * log(getDenominator(k, s, t));
  }

  SplineShape shape;
  std::vector<S> x, y, d; ///< knots and derivatives, K + 1 each
};

} // namespace kowari::interpreter
