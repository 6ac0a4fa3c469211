//===- ClosedFamilies.cpp - priors with a closed quantile function --------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/prior/Families.h"
#include "runtime/data/prior/SpecialFunctions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace kowari::data {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double sqrt2 = std::numbers::sqrt2;

class Bounded : public PriorFamily {
public:
  Bounded(double low, double high) : low(low), high(high) {}
  double minimum() const override { return low; }
  double maximum() const override { return high; }
  std::vector<double> parameters() const override { return {low, high}; }

protected:
  double low, high;
};

class Delta : public PriorFamily {
public:
  explicit Delta(double peak) : peak(peak) {}
  double rescale(double) const override { return peak; }
  double minimum() const override { return peak; }
  double maximum() const override { return peak; }
  double mean() const override { return peak; }
  double standardDeviation() const override { return 0; }
  std::vector<double> parameters() const override { return {peak}; }

private:
  double peak;
};

class Uniform : public Bounded {
public:
  using Bounded::Bounded;
  double rescale(double u) const override { return low + u * (high - low); }
  double mean() const override { return (high + low) / 2; }
  double standardDeviation() const override { return std::sqrt((high - low) * (high - low) / 12); }
  bool isAnalyticInDingo() const override { return true; }
};

/// Density proportional to sin(x).
class Sine : public Bounded {
public:
  using Bounded::Bounded;
  double rescale(double u) const override {
    const double norm = 1 / (std::cos(low) - std::cos(high));
    return std::acos(std::clamp(std::cos(low) - u / norm, -1.0, 1.0));
  }
  double mean() const override {
    if (isAnalyticInDingo())
      return pi / 2;
    return (std::sin(high) - high * std::cos(high) - std::sin(low) + low * std::cos(low)) / norm();
  }
  double standardDeviation() const override {
    if (isAnalyticInDingo())
      return std::sqrt(0.25 * pi * pi - 2);
    const double m = mean();
    return std::sqrt(integrate([&](double x) { return (x - m) * (x - m) * std::sin(x); }, low, high, 16) /
                     norm());
  }
  bool isAnalyticInDingo() const override { return low == 0 && high == pi; }

private:
  double norm() const { return std::cos(low) - std::cos(high); }
};

/// Density proportional to cos(x).
class Cosine : public Bounded {
public:
  using Bounded::Bounded;
  double rescale(double u) const override {
    const double norm = 1 / (std::sin(high) - std::sin(low));
    return std::asin(std::clamp(u / norm + std::sin(low), -1.0, 1.0));
  }
  double mean() const override {
    if (isAnalyticInDingo())
      return 0;
    return (std::cos(high) + high * std::sin(high) - std::cos(low) - low * std::sin(low)) / norm();
  }
  double standardDeviation() const override {
    if (isAnalyticInDingo())
      return std::sqrt(0.25 * pi * pi - 2);
    const double m = mean();
    return std::sqrt(integrate([&](double x) { return (x - m) * (x - m) * std::cos(x); }, low, high, 16) /
                     norm());
  }
  bool isAnalyticInDingo() const override { return low == -pi / 2 && high == pi / 2; }

private:
  double norm() const { return std::sin(high) - std::sin(low); }
};

/// Density proportional to x^alpha; positive bounds, or a zero minimum with alpha > -1.
class PowerLaw : public Bounded {
public:
  PowerLaw(double alpha, double low, double high, bool keepAlpha)
      : Bounded(low, high), alpha(alpha), keepAlpha(keepAlpha) {}
  double rescale(double u) const override {
    if (alpha == -1)
      return low * std::exp(u * std::log(high / low));
    const double power = 1 + alpha, first = std::pow(low, power);
    return std::pow(first + u * (std::pow(high, power) - first), 1 / power);
  }
  double mean() const override { return moment(1) / moment(0) * high; }
  double standardDeviation() const override {
    const double m = mean() / high;
    const double second = moment(2) / moment(0) - m * m;
    // For narrow ranges the difference cancels: integrate around the mean instead.
    if (second > 1e-4 * m * m)
      return high * std::sqrt(second);
    const auto around = [&](double x) { return (x - m) * (x - m) * std::pow(x, alpha); };
    return high * std::sqrt(integrate(around, low / high, 1, 16) / moment(0));
  }
  std::vector<double> parameters() const override {
    return keepAlpha ? std::vector<double>{alpha, low, high} : std::vector<double>{low, high};
  }

private:
  double alpha;
  bool keepAlpha;

  /// Integral of x^(alpha+n) over [low/high, 1].
  double moment(int n) const {
    const double power = alpha + n + 1, ratio = low / high;
    return power == 0 ? -std::log(ratio) : -std::expm1(power * std::log(ratio)) / power;
  }
};

class Gaussian : public PriorFamily {
public:
  Gaussian(double mu, double sigma) : mu(mu), sigma(sigma) {}
  double rescale(double u) const override { return mu + erfInverse(2 * u - 1) * sqrt2 * sigma; }
  double minimum() const override { return -std::numeric_limits<double>::infinity(); }
  double maximum() const override { return std::numeric_limits<double>::infinity(); }
  double mean() const override { return mu; }
  double standardDeviation() const override { return sigma; }
  std::vector<double> parameters() const override { return {mu, sigma}; }

private:
  double mu, sigma;
};

class TruncatedGaussian : public Bounded {
public:
  TruncatedGaussian(double mu, double sigma, double low, double high)
      : Bounded(low, high), mu(mu), sigma(sigma) {}
  double rescale(double u) const override {
    const double first = std::erf((low - mu) / sqrt2 / sigma);
    const double norm = (std::erf((high - mu) / sqrt2 / sigma) - first) / 2;
    return erfInverse(std::clamp(2 * u * norm + first, -1.0, 1.0)) * sqrt2 * sigma + mu;
  }
  double mean() const override { return mu + sigma * moment(1, 0) / moment(0, 0); }
  double standardDeviation() const override {
    return sigma * std::sqrt(moment(2, moment(1, 0) / moment(0, 0)) / moment(0, 0));
  }
  std::vector<double> parameters() const override { return {mu, sigma, low, high}; }

private:
  double mu, sigma;

  /// Integral of (t - center)^power exp(-t^2/2) over the range in units of sigma. Beyond 40 sigma nothing is
  /// left of the density that a double could tell.
  double moment(int power, double center) const {
    const double a = std::max((low - mu) / sigma, -40.0), b = std::min((high - mu) / sigma, 40.0);
    const auto f = [&](double t) { return std::pow(t - center, power) * std::exp(-0.5 * t * t); };
    return integrate(f, a, b, 1 + static_cast<int>(b - a));
  }
};

/// Uniform in log|x| on [-maximum, -minimum] and [minimum, maximum].
class SymmetricLogUniform : public Bounded {
public:
  using Bounded::Bounded;
  double rescale(double u) const override {
    const double l = std::log(high / low);
    return u < 0.5 ? -high * std::exp(-2 * u * l) : low * std::exp(l * (2 * u - 1));
  }
  double mean() const override { return 0; }
  double standardDeviation() const override {
    return std::sqrt((high - low) * (high + low) / (2 * std::log(high / low)));
  }
};

class Triangular : public Bounded {
public:
  Triangular(double mode, double low, double high) : Bounded(low, high), mode(mode) {}
  double rescale(double u) const override {
    const double scale = high - low;
    if (u < (mode - low) / scale)
      return low + std::sqrt(u * scale * (mode - low));
    return high - std::sqrt((1 - u) * scale * (high - mode));
  }
  double mean() const override { return (low + mode + high) / 3; }
  double standardDeviation() const override {
    const double a = mode - low, b = high - mode;
    return std::sqrt((a * a + b * b + a * b) / 18);
  }
  std::vector<double> parameters() const override { return {mode, low, high}; }

private:
  double mode;
};

/// With q = s^-5 the distribution function is an integral of 5 (1 + s^-5)^(2/5), smooth in s.
class ComponentsMassRatio : public Bounded {
public:
  ComponentsMassRatio(double low, double high, bool equalMass)
      : Bounded(low, high), equalMass(equalMass), total(mass(low, high, 0)) {}

  double rescale(double u) const override {
    if (equalMass)
      u = 2 * std::min(u, 1 - u);
    if (u <= 0 || u >= 1)
      return u <= 0 ? low : high;
    double a = low, b = high;
    double q = std::pow(std::pow(low, -0.2) + u * (std::pow(high, -0.2) - std::pow(low, -0.2)), -5);
    for (int i = 0; i < 100; ++i) {
      const double excess = mass(low, q, 0) / total - u;
      (excess < 0 ? a : b) = q;
      double next = q - excess * total / (std::pow(1 + q, 0.4) * std::pow(q, -1.2));
      if (!(next > a && next < b))
        next = 0.5 * (a + b);
      const double change = std::abs(next - q);
      q = next;
      if (change <= 1e-15 * q)
        break;
    }
    return q;
  }
  double mean() const override { return mass(low, high, 1) / total; }
  double standardDeviation() const override {
    const double m = mean();
    return std::sqrt(std::max(0.0, mass(low, high, 2) / total - m * m));
  }

private:
  bool equalMass;
  double total;

  /// Integral of q^n times the density (not normalized) from `from` to `to`.
  static double mass(double from, double to, int n) {
    const auto f = [&](double s) { return 5 * std::pow(1 + std::pow(s, -5), 0.4) * std::pow(s, -5 * n); };
    return integrate(f, std::pow(to, -0.2), std::pow(from, -0.2), 8);
  }
};

} // namespace

PriorPointer makeDelta(double peak) { return std::make_shared<Delta>(peak); }
PriorPointer makeUniform(double low, double high) { return std::make_shared<Uniform>(low, high); }
PriorPointer makeSine(double low, double high) { return std::make_shared<Sine>(low, high); }
PriorPointer makeCosine(double low, double high) { return std::make_shared<Cosine>(low, high); }
PriorPointer makePowerLaw(double alpha, double low, double high, bool keepAlpha) {
  return std::make_shared<PowerLaw>(alpha, low, high, keepAlpha);
}
PriorPointer makeGaussian(double mu, double sigma) { return std::make_shared<Gaussian>(mu, sigma); }
PriorPointer makeTruncatedGaussian(double mu, double sigma, double low, double high) {
  return std::make_shared<TruncatedGaussian>(mu, sigma, low, high);
}
PriorPointer makeSymmetricLogUniform(double low, double high) {
  return std::make_shared<SymmetricLogUniform>(low, high);
}
PriorPointer makeTriangular(double mode, double low, double high) {
  return std::make_shared<Triangular>(mode, low, high);
}
PriorPointer makeComponentsMassRatio(double low, double high, bool equalMass) {
  return std::make_shared<ComponentsMassRatio>(low, high, equalMass);
}

} // namespace kowari::data
