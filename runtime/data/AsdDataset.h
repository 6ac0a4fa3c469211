//===- AsdDataset.h - noise amplitude spectral densities -----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// ASD data sets of Dingo, cut to the waveforms' domain: one block of rows for each detector asked for.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/data/Domain.h"
#include "runtime/support/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kowari::data {

/// Multiplies an ASD before its inverse is handed to the network.
inline constexpr double asdScale = 1e23;

struct AsdSchema {
  UniformFrequencyDomain domain;      ///< as in the file
  std::vector<std::string> detectors; ///< those of the file, alphabetical
  std::vector<int64_t> counts;        ///< curves of each of them
};
/// Shapes and settings only.
Result<AsdSchema> readAsdSchema(const std::string &path);

class AsdDataset {
public:
  /// Reads the rows of `detectors` (order kept; others in the file are dropped), truncated to `domain` and
  /// set to 1 below its f_min. Errors name file and detector: detector missing (present ones listed), no
  /// rows, bins other than the file's settings say, delta_f other than the domain's, range not covering
  /// [f_min, f_max], and values in the band that are zero, negative or not finite (rows and bins listed).
  static Result<AsdDataset> open(const std::string &path, const std::vector<std::string> &detectors,
                                 const UniformFrequencyDomain &domain);

  int64_t bins() const { return columns; }
  int64_t detectors() const { return static_cast<int64_t>(names.size()); }
  const std::vector<std::string> &detectorNames() const { return names; }
  int64_t count(int64_t detector) const { return firstRows[detector + 1] - firstRows[detector]; }
  /// First row of a detector in asd() and inverseScaled(); (detectors() + 1) entries, the last is the row
  /// count.
  const std::vector<int64_t> &firstRow() const { return firstRows; }
  /// (all rows x bins()), float32, detector after detector in the order asked for.
  const std::vector<float> &asd() const { return values; }
  /// 1 / (asd * 1e23), computed in double from the float32 ASD and rounded; same shape.
  std::vector<float> inverseScaled() const;

private:
  int64_t columns = 0;
  std::vector<std::string> names;
  std::vector<int64_t> firstRows;
  std::vector<float> values;
};

} // namespace kowari::data
