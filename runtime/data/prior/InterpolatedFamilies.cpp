//===- InterpolatedFamilies.cpp - priors given on a grid ------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/prior/Cosmology.h"
#include "runtime/data/prior/Families.h"
#include "runtime/data/prior/SpecialFunctions.h"

#include <algorithm>
#include <cmath>

namespace kowari::data {
namespace {

/// y at x by straight lines between the points (xs increasing), 0 outside.
double interpolate(const std::vector<double> &xs, const std::vector<double> &ys, double x) {
  if (x < xs.front() || x > xs.back())
    return 0;
  const auto above = std::upper_bound(xs.begin() + 1, xs.end() - 1, x);
  const auto i = static_cast<std::size_t>(above - xs.begin());
  const double slope = (ys[i] - ys[i - 1]) / (xs[i] - xs[i - 1]);
  return ys[i - 1] + slope * (x - xs[i - 1]);
}

/// Quantile by straight lines between grid points, so draws are uniform inside each cell.
class Interpolated : public PriorFamily {
public:
  Interpolated(std::vector<double> grid, const std::vector<double> &density) : grid(std::move(grid)) {
    cumulative.assign(this->grid.size(), 0);
    for (std::size_t i = 1; i < this->grid.size(); ++i)
      cumulative[i] =
          cumulative[i - 1] + 0.5 * (density[i] + density[i - 1]) * (this->grid[i] - this->grid[i - 1]);
    const double total = cumulative.back();
    for (double &c : cumulative)
      c /= total;
    cumulative.back() = 1;
  }
  double rescale(double u) const override {
    const auto above = std::upper_bound(cumulative.begin() + 1, cumulative.end() - 1, u);
    const auto i = static_cast<std::size_t>(above - cumulative.begin());
    const double width = cumulative[i] - cumulative[i - 1];
    if (width <= 0)
      return grid[i];
    return grid[i - 1] + (grid[i] - grid[i - 1]) / width * (u - cumulative[i - 1]);
  }
  double minimum() const override { return grid.front(); }
  double maximum() const override { return grid.back(); }
  double mean() const override {
    double total = 0;
    for (std::size_t i = 1; i < grid.size(); ++i)
      total += (cumulative[i] - cumulative[i - 1]) * 0.5 * (grid[i] + grid[i - 1]);
    return total;
  }
  double standardDeviation() const override {
    const double m = mean();
    double total = 0;
    for (std::size_t i = 1; i < grid.size(); ++i) {
      const double a = grid[i - 1] - m, b = grid[i] - m;
      total += (cumulative[i] - cumulative[i - 1]) * (a * a + a * b + b * b) / 3;
    }
    return std::sqrt(total);
  }
  std::vector<double> parameters() const override { return {grid.front(), grid.back()}; }

private:
  std::vector<double> grid, cumulative;
};

/// numpy.gradient(y, x): second order inside, first order at the ends.
std::vector<double> gradient(const std::vector<double> &y, const std::vector<double> &x) {
  const std::size_t n = y.size();
  std::vector<double> g(n);
  g.front() = (y[1] - y[0]) / (x[1] - x[0]);
  g.back() = (y[n - 1] - y[n - 2]) / (x[n - 1] - x[n - 2]);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double before = x[i] - x[i - 1], after = x[i + 1] - x[i];
    g[i] =
        (before * before * y[i + 1] + (after * after - before * before) * y[i] - after * after * y[i - 1]) /
        (before * after * (before + after));
  }
  return g;
}

} // namespace

PriorPointer makeInterpolated(const std::vector<double> &xx, const std::vector<double> &yy, double minimum,
                              double maximum) {
  std::vector<double> grid = linearGrid(minimum, maximum, xx.size());
  std::vector<double> density(grid.size());
  for (std::size_t i = 0; i < grid.size(); ++i)
    density[i] = interpolate(xx, yy, grid[i]);
  return std::make_shared<Interpolated>(std::move(grid), density);
}

PriorPointer makeAlignedSpin(double spinMinimum, double spinMaximum, std::optional<double> minimum,
                             std::optional<double> maximum, std::size_t points) {
  const double first = std::min(-spinMaximum, spinMinimum);
  const std::vector<double> xx = linearGrid(first, spinMaximum, points);
  std::vector<double> yy(points);
  for (std::size_t i = 0; i < points; ++i)
    yy[i] = -std::log(std::abs(xx[i]) / spinMaximum) / (2 * spinMaximum);
  return makeInterpolated(xx, yy, std::max(first, minimum.value_or(first)),
                          std::min(spinMaximum, maximum.value_or(spinMaximum)));
}

PriorPointer makeCosmological(CosmologicalVariable variable, bool sourceFrame, double minimum,
                              double maximum) {
  const auto redshift = [&](double value) {
    if (variable == CosmologicalVariable::LuminosityDistance)
      return planck15::redshiftOfLuminosityDistance(value);
    return variable == CosmologicalVariable::ComovingDistance ? planck15::redshiftOfComovingDistance(value)
                                                              : value;
  };
  const std::vector<double> zs = linearGrid(redshift(minimum) * 0.99, redshift(maximum) * 1.01, 1000);
  std::vector<double> density(zs.size()), distance(zs.size());
  for (std::size_t i = 0; i < zs.size(); ++i) {
    density[i] = planck15::differentialComovingVolume(zs[i]) / (sourceFrame ? 1 + zs[i] : 1);
    distance[i] = variable == CosmologicalVariable::LuminosityDistance ? planck15::luminosityDistance(zs[i])
                                                                       : planck15::comovingDistance(zs[i]);
  }
  if (variable == CosmologicalVariable::Redshift)
    return makeInterpolated(zs, density, minimum, maximum);
  const std::vector<double> slope = gradient(distance, zs);
  for (std::size_t i = 0; i < zs.size(); ++i)
    density[i] /= slope[i];
  return makeInterpolated(distance, density, minimum, maximum);
}

} // namespace kowari::data
