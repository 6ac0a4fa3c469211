//===- Domain.cpp - the frequency grid of a data set ----------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/Domain.h"

#include "runtime/support/Value.h"

#include <algorithm>
#include <cmath>

namespace kowari::data {
namespace {

bool isUniformName(const std::string &type) {
  return type == "UniformFrequencyDomain" || type == "FrequencyDomain" || type == "FD";
}

Result<double> number(const Value &dictionary, const std::string &key, const std::string &where) {
  const Value *value = dictionary.find(key);
  if (!value)
    return Status::error(where + ": the domain lacks \"" + key + "\"");
  if (!value->isNumber())
    return Status::error(where + ": the domain's " + key + " is " + value->toJson() +
                         ", expected a number in Hz");
  return value->asDouble();
}

Status checkType(const Value &dictionary, const std::string &where) {
  const Value *type = dictionary.find("type");
  if (!type || !type->isString())
    return Status::error(where + ": the domain lacks \"type\"");
  const std::string &name = type->asString();
  if (isUniformName(name))
    return Status::ok();
  if (name == "MultibandedFrequencyDomain" || name == "MFD")
    return Status::error(where + ": the domain type " + name +
                         " is not served yet; make the data set with UniformFrequencyDomain");
  if (name == "TimeDomain" || name == "TD")
    return Status::error(where + ": a " + name +
                         " data set cannot be trained on; use UniformFrequencyDomain");
  return Status::error(
      where + ": unknown domain type " + name +
      "; known are UniformFrequencyDomain (FrequencyDomain, FD), MultibandedFrequencyDomain (MFD) and "
      "TimeDomain (TD)");
}

} // namespace

Result<UniformFrequencyDomain> UniformFrequencyDomain::create(double fMin, double fMax, double deltaF) {
  if (!std::isfinite(fMin) || !std::isfinite(fMax) || !std::isfinite(deltaF) || deltaF <= 0.0)
    return Status::error("a domain needs finite frequencies and delta_f > 0, not f_min " +
                         pythonFloatRepr(fMin) + ", f_max " + pythonFloatRepr(fMax) + ", delta_f " +
                         pythonFloatRepr(deltaF));
  if (fMin < 0.0 || fMin >= fMax)
    return Status::error("f_min " + pythonFloatRepr(fMin) + " Hz must be at least 0 and below f_max " +
                         pythonFloatRepr(fMax) + " Hz");
  double steps = fMax / deltaF;
  if (steps > 1e9 || std::trunc(steps) != std::nearbyint(steps) ||
      std::abs(steps - std::nearbyint(steps)) > 1e-6)
    return Status::error("f_max " + pythonFloatRepr(fMax) + " Hz is not a multiple of delta_f " +
                         pythonFloatRepr(deltaF) + " Hz");
  return UniformFrequencyDomain(fMin, fMax, deltaF);
}

Result<UniformFrequencyDomain> UniformFrequencyDomain::fromValue(const Value &dictionary,
                                                                 const std::string &where) {
  if (!dictionary.isDict())
    return Status::error(where + ": the domain must be a dictionary");
  KOWARI_TRY(checkType(dictionary, where));
  KOWARI_ASSIGN(double fMin, number(dictionary, "f_min", where));
  KOWARI_ASSIGN(double fMax, number(dictionary, "f_max", where));
  KOWARI_ASSIGN(double deltaF, number(dictionary, "delta_f", where));
  Result<UniformFrequencyDomain> domain = create(fMin, fMax, deltaF);
  if (!domain)
    return domain.status().withContext(where);
  return domain;
}

int64_t UniformFrequencyDomain::minIndex() const {
  return static_cast<int64_t>(std::nearbyint(low / spacing));
}

int64_t UniformFrequencyDomain::maxIndex() const {
  return static_cast<int64_t>(std::nearbyint(high / spacing));
}

double UniformFrequencyDomain::noiseStd() const { return 1.0 / std::sqrt(4.0 * spacing); }

std::vector<float> UniformFrequencyDomain::frequencies() const {
  std::vector<float> grid(static_cast<size_t>(bins()));
  double step = high / static_cast<double>(bins() - 1);
  for (size_t k = 0; k < grid.size(); ++k)
    grid[k] = static_cast<float>(static_cast<double>(k) * step);
  grid.back() = static_cast<float>(high);
  return grid;
}

Result<UniformFrequencyDomain> UniformFrequencyDomain::updated(const DomainUpdate &update) const {
  if (update.type && !isUniformName(*update.type))
    return Status::error("domain_update: type " + *update.type +
                         " differs from the data set's UniformFrequencyDomain");
  if (update.deltaF && *update.deltaF != spacing)
    return Status::error("domain_update: delta_f " + pythonFloatRepr(*update.deltaF) +
                         " differs from the data set's " + pythonFloatRepr(spacing) +
                         "; it cannot be changed");
  double newLow = update.fMin.value_or(low), newHigh = update.fMax.value_or(high);
  std::string range = "[" + pythonFloatRepr(newLow) + ", " + pythonFloatRepr(newHigh) + "] Hz";
  if (!(newLow < newHigh))
    return Status::error("domain_update: f_min must be below f_max in the range " + range);
  if (newLow < low || newHigh > high)
    return Status::error("domain_update: the range " + range + " is not inside the data set's [" +
                         pythonFloatRepr(low) + ", " + pythonFloatRepr(high) + "] Hz");
  std::vector<float> grid = frequencies();
  for (double end : {newLow, newHigh})
    if (!std::binary_search(grid.begin(), grid.end(), static_cast<float>(end)))
      return Status::error("domain_update: " + pythonFloatRepr(end) + " Hz is not a multiple of delta_f " +
                           pythonFloatRepr(spacing) + " Hz");
  return create(newLow, newHigh, spacing);
}

std::string UniformFrequencyDomain::describe() const {
  return pythonFloatRepr(low) + "-" + pythonFloatRepr(high) + " Hz by " + pythonFloatRepr(spacing) + " Hz (" +
         std::to_string(bins()) + " bins)";
}

} // namespace kowari::data
