//===- Prior.h - bilby priors of one parameter ------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// A prior as users write it in train_settings.yaml: "default", a number, or a bilby expression such as
// bilby.core.prior.Uniform(minimum=-0.1, maximum=0.1, name='geocent_time'), with or without the module path,
// with positional arguments and arithmetic on np.pi. Values agree with bilby 2.8.2; cosmological priors use
// Planck15 and bilby's grid of 1000 redshifts. All in double precision on the host.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kowari::data {

/// What every family of priors implements; made by parsePrior.
class PriorFamily {
public:
  virtual ~PriorFamily() = default;
  virtual double rescale(double u) const = 0;
  virtual double minimum() const = 0;
  virtual double maximum() const = 0;
  virtual double mean() const = 0;
  virtual double standardDeviation() const = 0;
  virtual bool isAnalyticInDingo() const { return false; }
  virtual std::vector<double> parameters() const = 0;
};

/// Immutable and cheap to copy.
class Prior {
public:
  Prior(std::string className, std::shared_ptr<const PriorFamily> family)
      : name(std::move(className)), family(std::move(family)) {}

  /// bilby's class name without module: "Uniform", "Cosine", ...; a number is a "DeltaFunction".
  const std::string &className() const { return name; }
  /// The quantile function: the value at probability u in [0, 1]. Infinite at 0 and 1 for unbounded priors.
  double rescale(double u) const { return family->rescale(u); }
  double minimum() const { return family->minimum(); }
  double maximum() const { return family->maximum(); }
  /// Exact up to rounding, in closed form or by quadrature; Dingo takes 50000 draws unless isAnalyticInDingo.
  double mean() const { return family->mean(); }
  double standardDeviation() const { return family->standardDeviation(); }
  /// True where Dingo standardizes in closed form: Uniform, and Sine and Cosine over their full range.
  bool isAnalyticInDingo() const { return family->isAnalyticInDingo(); }
  bool isConstant() const { return name == "DeltaFunction"; }
  /// What rescale depends on, in the order of bilby's arguments without name, label, unit and boundary:
  /// Uniform, Sine, Cosine, LogUniform, SymmetricLogUniform, UniformInComponents...: {minimum, maximum};
  /// PowerLaw: {alpha, minimum, maximum}; Gaussian, Normal: {mu, sigma}; TruncatedGaussian, TruncatedNormal:
  /// {mu, sigma, minimum, maximum}; Triangular: {mode, minimum, maximum}; DeltaFunction: {peak}; interpolated
  /// families: {minimum, maximum}.
  std::vector<double> parameters() const { return family->parameters(); }

private:
  std::string name;
  std::shared_ptr<const PriorFamily> family;
};

/// One of the five parameters that are drawn anew for each sample, with Dingo's default.
struct ExtrinsicDefault {
  const char *name, *expression;
};

/// dec, ra, geocent_time, psi, luminosity_distance, in this order.
std::span<const ExtrinsicDefault> extrinsicDefaults();

/// The expression that "default" (in any case) stands for; anything else is returned as it is, as is
/// "default" for a name that has none.
std::string expandDefaultPrior(std::string_view name, std::string_view expression);

/// Parses the prior of parameter `name`. Errors name the class, the argument and what is known.
Result<Prior> parsePrior(std::string_view name, std::string_view expression);

/// bilby class names that parsePrior knows.
std::vector<std::string> knownPriorClasses();

} // namespace kowari::data
