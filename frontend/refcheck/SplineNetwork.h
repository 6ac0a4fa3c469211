//===- SplineNetwork.h - a network that is one spline -----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// A flow of one step in one dimension without an embedding, whose context is the spline's parameters. Its
// weights are such that nothing but the spline rounds: the conditioner is the identity times powers of two,
// the first linear multiplies by 32. The last linear adds a shift to the spline's output y, so that
//   log_prob(theta = x / 32) = -(y + shift)^2 / 2 - log(2 pi) / 2 + log dy/dx + log 32.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/settings/ProgramSpec.h"
#include "runtime/plan/Program.h"

#include <string>
#include <vector>

namespace kowari::refcheck {

class SplineNetwork {
public:
  static constexpr double scale = 32.0; // of the first linear
  static ProgramSpec spec(int64_t numBins, double tailBound, int64_t rows, ElementType type);

  SplineNetwork(plan::Program &program, int64_t numBins);
  Status writeWeights();
  Status setShift(double shift);

  /// log_prob (rows) of x (rows) under the parameters (rows x (3 num_bins - 1)).
  Result<std::vector<double>> logProb(const std::vector<double> &x, const std::vector<double> &parameters);
  struct Sample {
    std::vector<double> x, logProb; // (rows)
  };
  /// The spline's inverse of y (rows), without a shift.
  Result<Sample> sample(const std::vector<double> &y, const std::vector<double> &parameters);
  struct Gradient {
    double x;
    std::vector<double> parameters;
  };
  /// Of -log_prob in one row.
  Result<Gradient> gradient(double x, const std::vector<double> &parameters);

private:
  Status runEntry(const std::string &entry, const char *input, const std::vector<double> &values,
                  const std::vector<double> &parameters);
  Result<std::vector<double>> output(const std::string &entry, const std::string &name, size_t count) const;
  double diagonalForScale() const;

  plan::Program &program;
  int64_t width, hidden; // 3 num_bins - 1; the conditioner's
};

} // namespace kowari::refcheck
