//===- DataCheck.cpp - split, detectors and priors ------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/refcheck/DataCheck.h"

#include "runtime/data/Detectors.h"
#include "runtime/data/Hdf5File.h"
#include "runtime/data/Split.h"
#include "runtime/data/prior/Prior.h"

#include <algorithm>
#include <charconv>

namespace kowari::refcheck {

using data::Hdf5File;
using Doubles = std::vector<double>;

//===-- split -------------------------------------------------------------===//

/// Entries that differ; a wrong length counts what is missing or too much.
static double countDifferent(const std::vector<int64_t> &a, const std::vector<int64_t> &b) {
  const size_t common = std::min(a.size(), b.size());
  size_t different = std::max(a.size(), b.size()) - common;
  for (size_t i = 0; i < common; ++i)
    different += a[i] != b[i];
  return static_cast<double>(different);
}

template <class T> static Result<T> parseNumber(const std::string &text, const std::string &what) {
  T value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size())
    return Status::error(what + ": " + text + " is not a number");
  return value;
}

Result<CaseResult> checkSplit(const std::string &path) {
  KOWARI_ASSIGN(const Hdf5File file, Hdf5File::open(path));
  KOWARI_ASSIGN(const std::vector<std::string> sizes, file.children("/"));
  CaseResult result;
  for (const std::string &size : sizes) {
    KOWARI_ASSIGN(const int64_t count, parseNumber<int64_t>(size, path));
    KOWARI_ASSIGN(const std::vector<int64_t> expected, file.readIntegers(size + "/permutation"));
    Largest wrong;
    wrong.offer(countDifferent(data::torchPermutation(count), expected), "permutation");
    KOWARI_ASSIGN(const std::vector<std::string> members, file.children(size));
    const std::string prefix = "train_size_";
    for (const std::string &member : members) {
      if (!member.starts_with(prefix))
        continue;
      KOWARI_ASSIGN(const double fraction, parseNumber<double>(member.substr(prefix.size()), path));
      KOWARI_ASSIGN(const std::vector<int64_t> train, file.readIntegers(size + "/" + member));
      if (train.size() != 1 || train[0] < 0 || train[0] > count)
        return Status::error(path + ": " + size + "/" + member + " is no size of a training set");
      const data::Split split = data::splitTrainTest(count, fraction);
      const auto border = expected.begin() + train[0];
      wrong.offer(countDifferent(split.train, {expected.begin(), border}) +
                      countDifferent(split.test, {border, expected.end()}),
                  member);
    }
    result.measures.push_back({size + " samples", wrong.value(), 0.0, wrong.where()});
  }
  return result;
}

//===-- detectors ---------------------------------------------------------===//

namespace {

struct SkyPoints {
  Doubles ra, dec, psi, time, gmst, leap;
};

Result<SkyPoints> readPoints(const Hdf5File &file) {
  SkyPoints points;
  const std::pair<const char *, Doubles *> columns[] = {
      {"ra", &points.ra},         {"dec", &points.dec},   {"psi", &points.psi},
      {"gps_time", &points.time}, {"gmst", &points.gmst}, {"leap_seconds_minus_gps_offset", &points.leap}};
  for (const auto &[name, values] : columns) {
    KOWARI_ASSIGN(*values, file.readDoubles(std::string("points/") + name));
    if (values->size() != points.ra.size())
      return Status::error(file.path() + ": points/" + name + " has another length than points/ra");
  }
  return points;
}

Status addDetector(const Hdf5File &file, const data::Detector &detector, const SkyPoints &points,
                   CaseResult &result) {
  Doubles delay, plus, cross;
  for (size_t k = 0; k < points.ra.size(); ++k) {
    const double gmst = data::greenwichMeanSiderealTime(points.time[k]);
    delay.push_back(data::timeDelay(detector, points.ra[k], points.dec[k], gmst));
    const data::AntennaPattern antenna =
        data::antennaPattern(detector, points.ra[k], points.dec[k], points.psi[k], gmst);
    plus.push_back(antenna.plus);
    cross.push_back(antenna.cross);
  }
  const struct {
    const char *name;
    Doubles found;
    double tolerance;
  } quantities[] = {{"vertex", {detector.vertex.begin(), detector.vertex.end()}, 1e-6}, // m
                    {"detector_tensor", {detector.tensor.begin(), detector.tensor.end()}, 1e-12},
                    {"delay", delay, 1e-12}, // s
                    {"plus", plus, 1e-12},
                    {"cross", cross, 1e-12}};
  for (const auto &quantity : quantities) {
    KOWARI_ASSIGN(const Doubles expected,
                  file.readDoubles("detectors/" + detector.name + "/" + quantity.name));
    result.measures.push_back({detector.name + " " + quantity.name,
                               absoluteDifference(quantity.found, expected), quantity.tolerance});
  }
  return Status::ok();
}

} // namespace

Result<CaseResult> checkDetectors(const std::string &path) {
  KOWARI_ASSIGN(const Hdf5File file, Hdf5File::open(path));
  KOWARI_ASSIGN(const SkyPoints points, readPoints(file));
  CaseResult result;
  Largest gmst, leap;
  for (size_t k = 0; k < points.time.size(); ++k) {
    const double found = data::greenwichMeanSiderealTime(points.time[k]);
    gmst.offer(std::abs(found - points.gmst[k]) / std::abs(points.gmst[k]));
    leap.offer(std::abs(data::leapSeconds(points.time[k]) - points.leap[k]));
  }
  result.measures.push_back({"sidereal time", gmst.value(), 1e-13});
  result.measures.push_back({"leap seconds", leap.value(), 0.0});
  KOWARI_ASSIGN(const std::vector<std::string> recorded, file.children("detectors"));
  std::vector<std::string> asked; // as settings name them: ET stands for its three
  for (const std::string &name : recorded)
    if (!name.starts_with("ET"))
      asked.push_back(name);
    else if (name == "ET1")
      asked.push_back("ET");
  KOWARI_ASSIGN(const std::vector<data::Detector> detectors, data::expandDetectors(asked));
  for (const data::Detector &detector : detectors)
    KOWARI_TRY(addDetector(file, detector, points, result));
  return result;
}

//===-- priors ------------------------------------------------------------===//

namespace {

/// Relative to the value or, near a zero of the quantile function, to `scale`.
double relative(double found, double expected, double scale) {
  if (found == expected)
    return 0.0;
  return std::abs(found - expected) / std::max(std::abs(expected), scale);
}

bool isCosmological(const std::string &className) {
  return className == "UniformComovingVolume" || className == "UniformSourceFrame";
}

double quantileTolerance(const std::string &className) {
  if (isCosmological(className))
    return 1e-4;
  return className == "AlignedSpin" || className == "Interped" ? 1e-6 : 1e-10;
}

bool isGaussian(const std::string &className) {
  return className.find("aussian") != std::string::npos || className == "Normal";
}

Result<double> readScalar(const Hdf5File &file, const std::string &name) {
  KOWARI_ASSIGN(const Doubles values, file.readDoubles(name));
  if (values.size() != 1)
    return Status::error(file.path() + ": " + name + " is not one number");
  return values[0];
}

Status checkQuantiles(const data::Prior &prior, const Doubles &u, const Doubles &expected, double deviation,
                      const std::string &name, CaseResult &result) {
  // 2u - 1 has lost digits at the ends of a Gaussian.
  Largest middle, tail;
  for (size_t k = 0; k < u.size(); ++k) {
    const bool inTail = isGaussian(prior.className()) && (u[k] < 1e-6 || u[k] > 1 - 1e-6);
    (inTail ? tail : middle)
        .offer(relative(prior.rescale(u[k]), expected[k], 1e-3 * deviation), "u = " + std::to_string(u[k]));
  }
  const double tolerance = quantileTolerance(prior.className());
  result.measures.push_back({name + " quantiles", middle.value(), tolerance, middle.where()});
  if (isGaussian(prior.className()))
    result.measures.push_back({name + " tails", tail.value(), 1e-6, tail.where()});
  return Status::ok();
}

Status checkPrior(const Hdf5File &file, const std::string &name, const Doubles &u, CaseResult &result) {
  const std::string group = "priors/" + name + "/";
  KOWARI_ASSIGN(const std::string text, file.readString(group + "yaml"));
  KOWARI_ASSIGN(const std::string key, file.readString(group + "key"));
  KOWARI_ASSIGN(const std::string className, file.readString(group + "class"));
  KOWARI_ASSIGN(const double minimum, readScalar(file, group + "minimum"));
  KOWARI_ASSIGN(const double maximum, readScalar(file, group + "maximum"));
  KOWARI_ASSIGN(const double analytic, readScalar(file, group + "dingo_is_analytic"));
  KOWARI_ASSIGN(const Doubles moments, file.readDoubles(group + "mean_std_exact"));
  KOWARI_ASSIGN(const Doubles quantiles, file.readDoubles(group + "rescale"));
  if (moments.size() != 2 || quantiles.size() != u.size())
    return Status::error(file.path() + ": " + group + " holds arrays of a wrong length");
  const Result<data::Prior> prior = data::parsePrior(key, text);
  if (!prior)
    return prior.status().withContext(file.path() + ": " + name);
  if (prior->className() != className || prior->isAnalyticInDingo() != (analytic != 0))
    return Status::error(name + ": is " + prior->className() + " here and " + className +
                         " in the file, or differs in whether Dingo has its moments in closed form");
  Largest bounds;
  bounds.offer(relative(prior->minimum(), minimum, 1e-300));
  bounds.offer(relative(prior->maximum(), maximum, 1e-300));
  result.measures.push_back({name + " bounds", bounds.value(), 1e-14});
  const double tolerance = isCosmological(className) ? 1e-4 : 1e-6;
  Largest moment;
  moment.offer(relative(prior->mean(), moments[0], moments[1]), "mean");
  moment.offer(relative(prior->standardDeviation(), moments[1], 1e-300), "std");
  result.measures.push_back({name + " moments", moment.value(), tolerance, moment.where()});
  return checkQuantiles(*prior, u, quantiles, moments[1], name, result);
}

Status checkDefault(const Hdf5File &file, const data::ExtrinsicDefault &entry, CaseResult &result) {
  const std::string name = entry.name;
  KOWARI_ASSIGN(const std::string expression, file.readString("defaults/" + name));
  KOWARI_ASSIGN(const Doubles moments, file.readDoubles("defaults_standardization/" + name));
  KOWARI_ASSIGN(const data::Prior prior, data::parsePrior(name, "default"));
  if (expression != entry.expression || moments.size() != 2)
    return Status::error("the default prior of " + name + " is " + entry.expression + " here and " +
                         expression + " in the file");
  Largest moment;
  moment.offer(relative(prior.mean(), moments[0], moments[1]), "mean");
  moment.offer(relative(prior.standardDeviation(), moments[1], 1e-300), "std");
  result.measures.push_back({"default " + name, moment.value(), 1e-14, moment.where()});
  return Status::ok();
}

} // namespace

Result<CaseResult> checkPriors(const std::string &path) {
  KOWARI_ASSIGN(const Hdf5File file, Hdf5File::open(path));
  KOWARI_ASSIGN(const Doubles u, file.readDoubles("u"));
  KOWARI_ASSIGN(const std::vector<std::string> names, file.children("priors"));
  CaseResult result;
  for (const std::string &name : names)
    KOWARI_TRY(checkPrior(file, name, u, result));
  for (const data::ExtrinsicDefault &entry : data::extrinsicDefaults())
    KOWARI_TRY(checkDefault(file, entry, result));
  return result;
}

} // namespace kowari::refcheck
