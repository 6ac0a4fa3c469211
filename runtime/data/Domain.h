//===- Domain.h - the frequency grid of a data set -----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Kowari serves uniform frequency domains; multibanded ones are recognised and refused by name.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kowari {
class Value;
}

namespace kowari::data {

/// `data.domain_update` of the settings; absent keys keep the data set's values.
struct DomainUpdate {
  std::optional<std::string> type;
  std::optional<double> fMin, fMax, deltaF; ///< Hz
};

/// Frequencies 0, delta_f, 2 delta_f, ... f_max in Hz. Bins below f_min exist (and are zero) but are not
/// handed to the network: it sees bins [minIndex(), bins()).
class UniformFrequencyDomain {
public:
  /// Errors: values not finite, delta_f <= 0, not 0 <= f_min < f_max, f_max not a multiple of delta_f.
  static Result<UniformFrequencyDomain> create(double fMin, double fMax, double deltaF);
  /// From a settings dictionary {type, f_min, f_max, delta_f}. `where` starts every message (file and
  /// attribute).
  static Result<UniformFrequencyDomain> fromValue(const Value &dictionary, const std::string &where);

  double fMin() const { return low; }
  double fMax() const { return high; }
  double deltaF() const { return spacing; }
  int64_t bins() const { return static_cast<int64_t>(high / spacing) + 1; }
  int64_t minIndex() const;
  int64_t maxIndex() const;
  int64_t networkBins() const { return bins() - minIndex(); }
  /// Standard deviation of one bin's white noise before scaling: 1 / sqrt(4 delta_f).
  double noiseStd() const;
  /// (bins()) rounded to float32, as every use in training does.
  std::vector<float> frequencies() const;

  /// The narrowed domain; both ends must be grid values inside the old range, in order, and delta_f
  /// unchanged.
  Result<UniformFrequencyDomain> updated(const DomainUpdate &update) const;
  /// "20-1024 Hz by 0.25 Hz (4097 bins)".
  std::string describe() const;
  bool operator==(const UniformFrequencyDomain &) const = default;

private:
  UniformFrequencyDomain(double fMin, double fMax, double deltaF) : low(fMin), high(fMax), spacing(deltaF) {}
  double low, high, spacing;
};

} // namespace kowari::data
