//===- Families.h - the prior families --------------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Each maker takes arguments that parsePrior has checked (finite, minimum < maximum, sigma > 0, ...).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/data/prior/Prior.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kowari::data {

using PriorPointer = std::shared_ptr<const PriorFamily>;

PriorPointer makeDelta(double peak);
PriorPointer makeUniform(double minimum, double maximum);
PriorPointer makeSine(double minimum, double maximum);
PriorPointer makeCosine(double minimum, double maximum);
/// `keepAlpha`: parameters() starts with alpha (PowerLaw itself, not its subclasses).
PriorPointer makePowerLaw(double alpha, double minimum, double maximum, bool keepAlpha);
PriorPointer makeGaussian(double mu, double sigma);
PriorPointer makeTruncatedGaussian(double mu, double sigma, double minimum, double maximum);
PriorPointer makeSymmetricLogUniform(double minimum, double maximum);
PriorPointer makeTriangular(double mode, double minimum, double maximum);
/// Density proportional to (1+q)^(2/5) q^(-6/5). `equalMass`: u is folded at 1/2.
PriorPointer makeComponentsMassRatio(double minimum, double maximum, bool equalMass);

/// A density given at points (xx increasing), resampled on as many equal steps between the ends as bilby
/// does, its integral by trapezoids and the quantile linear between grid points.
PriorPointer makeInterpolated(const std::vector<double> &xx, const std::vector<double> &yy, double minimum,
                              double maximum);
/// The aligned spin component for uniform magnitude up to `spinMaximum` and isotropic direction.
PriorPointer makeAlignedSpin(double spinMinimum, double spinMaximum, std::optional<double> minimum,
                             std::optional<double> maximum, std::size_t points);
enum class CosmologicalVariable { LuminosityDistance, ComovingDistance, Redshift };
/// Uniform in comoving volume and, with `sourceFrame`, in the source's time. Distances in Mpc.
PriorPointer makeCosmological(CosmologicalVariable variable, bool sourceFrame, double minimum,
                              double maximum);

} // namespace kowari::data
