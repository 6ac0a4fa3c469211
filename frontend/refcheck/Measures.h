//===- Measures.h - differences against tolerances --------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

namespace kowari::refcheck {

/// One compared quantity of a case. A difference that is not a number fails.
struct Measure {
  std::string name; // "f64 log_prob"
  double difference = 0.0, tolerance = 0.0;
  std::string worst; // where the difference is, "" where there is only one place
  bool passed() const { return difference <= tolerance; }
};

/// What came of a case: its measures, or why it was not run.
struct CaseResult {
  std::vector<Measure> measures;
  std::string skipped;              // reason; empty: it was run
  std::vector<std::string> leftOut; // parts of the file that were not compared, with the reason
  bool passed() const {
    return std::all_of(measures.begin(), measures.end(), [](const Measure &m) { return m.passed(); });
  }
};

/// Keeps the largest number offered; NaN counts as larger than any.
class Largest {
public:
  void offer(double value, const std::string &where = "") {
    if (value > largest || std::isnan(value)) {
      largest = std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
      place = where;
    }
  }
  double value() const { return largest; }
  const std::string &where() const { return place; }

private:
  double largest = 0.0;
  std::string place;
};

/// Largest |a|; NaN if one is.
template <class T> double largestMagnitude(const std::vector<T> &values) {
  Largest largest;
  for (const T &value : values)
    largest.offer(std::abs(value));
  return largest.value();
}

/// Largest |a - b|; infinite if the lengths differ or a difference is not a number. Equal infinities are
/// equal.
template <class T> double absoluteDifference(const std::vector<T> &a, const std::vector<T> &b) {
  if (a.size() != b.size())
    return std::numeric_limits<double>::infinity();
  Largest largest;
  for (size_t i = 0; i < a.size(); ++i)
    largest.offer(a[i] == b[i] ? 0.0 : std::abs(a[i] - b[i]));
  return largest.value();
}

/// Largest |a - b| / max(1, |b|).
template <class T> double mixedDifference(const std::vector<T> &a, const std::vector<T> &b) {
  if (a.size() != b.size())
    return std::numeric_limits<double>::infinity();
  Largest largest;
  for (size_t i = 0; i < a.size(); ++i)
    largest.offer(a[i] == b[i] ? 0.0 : std::abs(a[i] - b[i]) / std::max(1.0, std::abs(b[i])));
  return largest.value();
}

/// Largest |a - b| over the largest |b|.
template <class T> double scaledDifference(const std::vector<T> &a, const std::vector<T> &b) {
  const double difference = absoluteDifference(a, b);
  return difference == 0.0 ? 0.0 : difference / largestMagnitude(b);
}

} // namespace kowari::refcheck
