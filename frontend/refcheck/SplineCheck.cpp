//===- SplineCheck.cpp - the spline alone against recorded numbers --------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/refcheck/SplineCheck.h"

#include "frontend/refcheck/SplineNetwork.h"
#include "runtime/data/Hdf5File.h"

#include <numbers>

namespace kowari::refcheck {

namespace {

using data::Hdf5File;
using Doubles = std::vector<double>;

/// Rows of extreme widths, heights and derivatives, which float32 cannot follow.
constexpr size_t firstExtreme = 36, lastExtreme = 43;
/// Beyond it the density is so small that it tells nothing about the log determinant.
constexpr double largestX = 100.0;

/// A group bound_<b>_bins_<K>.
struct SplineCase {
  std::string name;
  int64_t numBins = 0;
  double tailBound = 0.0;
  Doubles x, parameters, weightOutput, weightLogabsdet; // (rows), (rows x (3 K - 1)), (rows), (rows)
  Doubles output, logabsdet, inverse, inverseLogabsdet, gradientX, gradient; // as recorded in float64

  size_t rows() const { return x.size(); }
  size_t width() const { return static_cast<size_t>(3 * numBins - 1); }
  Doubles row(size_t r) const {
    return Doubles(parameters.begin() + r * width(), parameters.begin() + (r + 1) * width());
  }
};

/// Widths, heights and derivatives side by side, a row each.
Result<Doubles> readParameters(const Hdf5File &file, const std::string &group, const SplineCase &spline) {
  Doubles all(spline.rows() * spline.width());
  const auto bins = static_cast<size_t>(spline.numBins);
  const std::pair<const char *, size_t> parts[] = {
      {"widths", bins}, {"heights", bins}, {"derivatives", bins - 1}};
  size_t at = 0;
  for (const auto &[name, count] : parts) {
    KOWARI_ASSIGN(const Doubles values, file.readDoubles(group + name));
    if (values.size() != spline.rows() * count)
      return Status::error(file.path() + ": " + group + name + " has a wrong shape");
    for (size_t r = 0; r < spline.rows(); ++r)
      std::copy_n(values.begin() + r * count, count, all.begin() + r * spline.width() + at);
    at += count;
  }
  return all;
}

Result<SplineCase> readCase(const Hdf5File &file, const std::string &name) {
  SplineCase spline;
  spline.name = name;
  KOWARI_ASSIGN(const double bins, file.readDoubleAttribute(name, "num_bins"));
  KOWARI_ASSIGN(spline.tailBound, file.readDoubleAttribute(name, "tail_bound"));
  spline.numBins = static_cast<int64_t>(bins);
  const std::string group = name + "/", exact = group + "float64/";
  const std::pair<std::string, Doubles *> columns[] = {
      {group + "x", &spline.x},
      {group + "weight_output", &spline.weightOutput},
      {group + "weight_logabsdet", &spline.weightLogabsdet},
      {exact + "output", &spline.output},
      {exact + "logabsdet", &spline.logabsdet},
      {exact + "inverse_output", &spline.inverse},
      {exact + "inverse_logabsdet", &spline.inverseLogabsdet},
      {exact + "gradients/x", &spline.gradientX}};
  for (const auto &[path, values] : columns) {
    KOWARI_ASSIGN(*values, file.readDoubles(path));
    if (values->size() != spline.rows())
      return Status::error(file.path() + ": " + path + " has another length than x");
  }
  if (spline.numBins < 2 || spline.x.empty())
    return Status::error(file.path() + ": " + name + " is no spline of two bins and a point");
  KOWARI_ASSIGN(spline.parameters, readParameters(file, group, spline));
  KOWARI_ASSIGN(spline.gradient, readParameters(file, exact + "gradients/", spline));
  return spline;
}

class SplineCheck {
public:
  SplineCheck(const SplineCase &spline, plan::Program &program, bool isDouble)
      : spline(spline), network(program, spline.numBins), isDouble(isDouble) {}

  Status run() {
    KOWARI_TRY(network.writeWeights());
    KOWARI_TRY(checkForward());
    if (!isDouble) // nothing is asked of the others in float32
      return Status::ok();
    KOWARI_TRY(checkInverse());
    return checkGradients();
  }
  std::vector<Measure> measures;

private:
  Status checkForward();
  Status checkInverse();
  Status checkGradients();
  bool isCompared(size_t row) const {
    if (isDouble)
      return std::abs(spline.x[row]) <= largestX;
    return std::abs(spline.x[row]) <= 1.01 * spline.tailBound && (row < firstExtreme || row > lastExtreme);
  }
  void add(const std::string &name, const Largest &worst, double tolerance) {
    measures.push_back(
        {(isDouble ? "f64 " : "f32 ") + spline.name + " " + name, worst.value(), tolerance, worst.where()});
  }
  static double mixed(double found, double expected) {
    return std::abs(found - expected) / std::max(1.0, std::abs(expected));
  }
  static std::string rowName(size_t row) { return "row " + std::to_string(row); }

  const SplineCase &spline;
  SplineNetwork network;
  bool isDouble;
  const double constant = std::log(SplineNetwork::scale) - 0.5 * std::log(2 * std::numbers::pi);
};

Status SplineCheck::checkForward() {
  KOWARI_TRY(network.setShift(0.0));
  KOWARI_ASSIGN(const Doubles logProb, network.logProb(spline.x, spline.parameters));
  KOWARI_TRY(network.setShift(1.0));
  KOWARI_ASSIGN(const Doubles shifted, network.logProb(spline.x, spline.parameters));
  Largest density, output, logabsdet;
  for (size_t r = 0; r < spline.rows(); ++r) {
    const double y = spline.output[r];
    if (isDouble)
      density.offer(mixed(logProb[r], -0.5 * y * y + spline.logabsdet[r] + constant), rowName(r));
    if (!isCompared(r))
      continue;
    const double found = logProb[r] - shifted[r] - 0.5;
    output.offer(std::abs(found - y), rowName(r));
    logabsdet.offer(std::abs(logProb[r] + 0.5 * found * found - constant - spline.logabsdet[r]), rowName(r));
  }
  if (isDouble)
    add("log_prob", density, 1e-11);
  add("output", output, isDouble ? 1e-11 : 1e-5 * spline.tailBound);
  add("logabsdet", logabsdet, isDouble ? 1e-11 : 5e-4);
  return Status::ok();
}

Status SplineCheck::checkInverse() {
  KOWARI_ASSIGN(const SplineNetwork::Sample found, network.sample(spline.x, spline.parameters));
  Largest inverse, logabsdet;
  for (size_t r = 0; r < spline.rows(); ++r) {
    inverse.offer(mixed(found.x[r], spline.inverse[r]), rowName(r));
    const double z = spline.x[r];
    if (isCompared(r))
      logabsdet.offer(mixed(-0.5 * z * z + constant - found.logProb[r], spline.inverseLogabsdet[r]),
                      rowName(r));
  }
  add("inverse", inverse, 1e-11);
  add("inverse logabsdet", logabsdet, 1e-11);
  return Status::ok();
}

/// The shift makes d(-log_prob) = -(weight_output dy + weight_logabsdet dlogabsdet) / weight_logabsdet.
Status SplineCheck::checkGradients() {
  Largest ofX, ofParameters;
  for (size_t r = 0; r < spline.rows(); ++r) {
    const double weight = spline.weightLogabsdet[r];
    if (!isCompared(r) || weight == 0.0)
      continue;
    KOWARI_TRY(network.setShift(-spline.weightOutput[r] / weight - spline.output[r]));
    KOWARI_ASSIGN(const SplineNetwork::Gradient found, network.gradient(spline.x[r], spline.row(r)));
    ofX.offer(mixed(-weight * found.x, spline.gradientX[r]), rowName(r));
    for (size_t k = 0; k < spline.width(); ++k)
      ofParameters.offer(mixed(-weight * found.parameters[k], spline.gradient[r * spline.width() + k]),
                         rowName(r));
  }
  add("gradient of x", ofX, 1e-11);
  add("gradient of parameters", ofParameters, 1e-11);
  return Status::ok();
}

} // namespace

Result<CaseResult> checkSpline(const Compiler &compiler, const std::string &path) {
  KOWARI_ASSIGN(const Hdf5File file, Hdf5File::open(path));
  KOWARI_ASSIGN(const std::vector<std::string> groups, file.children("/"));
  CaseResult result;
  for (const std::string &group : groups)
    for (const ElementType type : {ElementType::F64, ElementType::F32}) {
      KOWARI_ASSIGN(const SplineCase spline, readCase(file, group));
      const bool isDouble = type == ElementType::F64;
      const ProgramSpec spec =
          SplineNetwork::spec(spline.numBins, spline.tailBound, static_cast<int64_t>(spline.rows()), type);
      KOWARI_ASSIGN(const std::unique_ptr<plan::Program> program,
                    compiler.compile(spec, "spline-" + group + (isDouble ? "-f64" : "-f32")));
      SplineCheck check(spline, *program, isDouble);
      KOWARI_TRY(check.run().withContext(group));
      result.measures.insert(result.measures.end(), check.measures.begin(), check.measures.end());
    }
  return result;
}

} // namespace kowari::refcheck
