//===- ParameterChecks.cpp - parameters of a data set against the settings -===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/IndexList.h"
#include "runtime/data/WaveformDataset.h"

#include <algorithm>

namespace kowari::data {
namespace {

bool contains(const std::vector<std::string> &names, const std::string &name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The first row whose value, in single precision as training sees it, differs from row 0; -1 if there is
/// none.
int64_t firstChange(const std::vector<double> &values) {
  for (size_t k = 1; k < values.size(); ++k)
    if (static_cast<float>(values[k]) != static_cast<float>(values[0]))
      return static_cast<int64_t>(k);
  return -1;
}

Status checkFixedColumn(const WaveformDataset &dataset, const std::string &name) {
  const std::vector<double> *values = dataset.column(name);
  if (!values)
    return Status::error(dataset.path() + ": parameters: column " + name +
                         " is missing; the data set needs it as a fixed value");
  if (int64_t row = firstChange(*values); row > 0)
    return Status::error(dataset.path() + ": parameters: " + name + " must be constant, but rows 0 and " +
                         std::to_string(row) + " differ");
  return Status::ok();
}

} // namespace

Status WaveformDataset::checkParameters(const std::vector<std::string> &inferenceAndContext,
                                        const std::vector<std::string> &extrinsic,
                                        const std::vector<std::string> &computed) const {
  for (const std::string &name : extrinsic)
    if (const std::vector<double> *values = column(name))
      if (int64_t row = firstChange(*values); row > 0)
        return Status::error(
            path() + ": parameters: " + name + " is sampled twice: it varies in the data set (rows 0 " +
            "and " + std::to_string(row) +
            " differ) and has an extrinsic prior; remove the prior or fix it in the data set");
  KOWARI_TRY(checkFixedColumn(*this, "luminosity_distance"));
  KOWARI_TRY(checkFixedColumn(*this, "geocent_time"));
  if (double time = column("geocent_time")->front(); time != 0.0)
    return Status::error(path() + ": parameters: geocent_time of the data set must be 0, it is " +
                         pythonFloatRepr(time));
  for (const std::string &name : inferenceAndContext) {
    if (contains(extrinsic, name) || contains(computed, name))
      continue;
    const std::vector<double> *values = column(name);
    if (!values)
      return Status::error(path() + ": parameters: column " + name + " is missing; present are " +
                           listNames(schema().parameterNames));
    if (firstChange(*values) < 0)
      return Status::error(
          path() + ": parameters: the standard deviation of " + name +
          " is zero; remove it from inference_parameters or make a data set in which it varies");
  }
  return Status::ok();
}

Result<double> WaveformDataset::referenceDistance() const {
  KOWARI_TRY(checkFixedColumn(*this, "luminosity_distance"));
  double distance = column("luminosity_distance")->front();
  if (!(distance > 0.0))
    return Status::error(path() + ": parameters: luminosity_distance must be above 0, it is " +
                         pythonFloatRepr(distance));
  return distance;
}

} // namespace kowari::data
