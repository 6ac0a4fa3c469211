//===- AsdDataset.cpp - noise amplitude spectral densities ----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/AsdDataset.h"

#include "runtime/data/Hdf5File.h"
#include "runtime/data/IndexList.h"
#include "runtime/support/PythonLiteral.h"

#include <algorithm>
#include <cmath>

namespace kowari::data {
namespace {

Result<UniformFrequencyDomain> readDomain(const Hdf5File &file) {
  if (!file.hasAttribute("/", "settings"))
    return Status::error(file.path() +
                         ": attribute settings is missing: this is not an ASD data set of Dingo");
  KOWARI_ASSIGN(std::string text, file.readStringAttribute("/", "settings"));
  Result<Value> settings = parsePythonLiteral(text);
  if (!settings)
    return settings.status().withContext(file.path() + ": attribute settings must be a literal");
  const Value *domain = settings->find("domain_dict");
  if (!domain)
    return Status::error(file.path() + ": settings lack \"domain_dict\"");
  return UniformFrequencyDomain::fromValue(*domain, file.path() + ": settings");
}

std::string hertz(double value) { return pythonFloatRepr(value) + " Hz"; }

/// delta_f must agree (an equal number of bins is not enough), and the band must lie inside.
Status checkDomain(const std::string &path, const UniformFrequencyDomain &found,
                   const UniformFrequencyDomain &wanted) {
  if (found.deltaF() != wanted.deltaF())
    return Status::error(path + ": delta_f is " + hertz(found.deltaF()) + " against " +
                         hertz(wanted.deltaF()) + " of the waveforms; use ASDs with the same delta_f");
  if (found.fMin() > wanted.fMin() || found.fMax() < wanted.fMax())
    return Status::error(path + ": the ASD range " + pythonFloatRepr(found.fMin()) + " to " +
                         hertz(found.fMax()) + " does not cover the waveforms' band " +
                         pythonFloatRepr(wanted.fMin()) + " to " + hertz(wanted.fMax()));
  return Status::ok();
}

Result<int64_t> checkShape(const Hdf5File &file, const std::string &name,
                           const UniformFrequencyDomain &domain) {
  KOWARI_ASSIGN(DatasetInfo info, file.info(name));
  if (info.shape.size() != 2 || (info.kind != ElementKind::Float64 && info.kind != ElementKind::Float32))
    return Status::error(file.path() + ": " + name + ": expected real numbers of shape (rows, bins)");
  if (info.shape[0] == 0)
    return Status::error(file.path() + ": " + name + ": has no rows; a detector needs at least one ASD");
  if (info.shape[1] != domain.bins())
    return Status::error(file.path() + ": " + name + " has " + std::to_string(info.shape[1]) +
                         " bins, but the settings' domain " + domain.describe() + " needs " +
                         std::to_string(domain.bins()));
  return info.shape[0];
}

/// Rows and bins of the band whose value cannot be divided by.
Status checkValues(const std::string &where, const float *rows, int64_t count,
                   const UniformFrequencyDomain &domain) {
  int64_t bins = domain.bins();
  std::vector<int64_t> badRows;
  std::vector<bool> badBin(static_cast<size_t>(bins));
  for (int64_t row = 0; row < count; ++row) {
    bool bad = false;
    for (int64_t bin = domain.minIndex(); bin < bins; ++bin) {
      float value = rows[row * bins + bin];
      if (!(value > 0.0f) || !std::isfinite(value))
        bad = badBin[bin] = true;
    }
    if (bad)
      badRows.push_back(row);
  }
  if (badRows.empty())
    return Status::ok();
  std::vector<int64_t> badBins;
  for (int64_t bin = 0; bin < bins; ++bin)
    if (badBin[bin])
      badBins.push_back(bin);
  return Status::error(where + ": ASD values in the band must be finite and above 0, which fails in " +
                       listIndices("row", badRows) + ", " + listIndices("bin", badBins) + " (from " +
                       hertz(static_cast<double>(badBins.front()) * domain.deltaF()) + ")");
}

} // namespace

Result<AsdSchema> readAsdSchema(const std::string &path) {
  KOWARI_ASSIGN(Hdf5File file, Hdf5File::open(path));
  KOWARI_ASSIGN(UniformFrequencyDomain domain, readDomain(file));
  KOWARI_ASSIGN(std::vector<std::string> detectors, file.children("asds"));
  std::vector<int64_t> counts;
  for (const std::string &name : detectors) {
    KOWARI_ASSIGN(const int64_t count, checkShape(file, "asds/" + name, domain));
    counts.push_back(count);
  }
  return AsdSchema{domain, std::move(detectors), std::move(counts)};
}

Result<AsdDataset> AsdDataset::open(const std::string &path, const std::vector<std::string> &detectors,
                                    const UniformFrequencyDomain &domain) {
  KOWARI_ASSIGN(Hdf5File file, Hdf5File::open(path));
  KOWARI_ASSIGN(UniformFrequencyDomain stored, readDomain(file));
  KOWARI_ASSIGN(std::vector<std::string> present, file.children("asds"));
  for (const std::string &name : detectors)
    if (std::find(present.begin(), present.end(), name) == present.end())
      return Status::error(path + ": asds: detector " + name + " is missing; present are " +
                           listNames(present));
  KOWARI_TRY(checkDomain(path, stored, domain));

  AsdDataset result;
  result.columns = domain.bins();
  result.names = detectors;
  result.firstRows = {0};
  for (const std::string &name : detectors) {
    KOWARI_ASSIGN(int64_t count, checkShape(file, "asds/" + name, stored));
    size_t begin = result.values.size();
    result.values.resize(begin + static_cast<size_t>(count * result.columns));
    float *rows = result.values.data() + begin;
    KOWARI_TRY(file.readRows("asds/" + name, 0, count, result.columns, false, rows));
    KOWARI_TRY(checkValues(path + ": asds/" + name, rows, count, domain));
    for (int64_t row = 0; row < count; ++row)
      std::fill_n(rows + row * result.columns, domain.minIndex(), 1.0f);
    result.firstRows.push_back(result.firstRows.back() + count);
  }
  return result;
}

std::vector<float> AsdDataset::inverseScaled() const {
  std::vector<float> inverse(values.size());
  for (size_t k = 0; k < values.size(); ++k)
    inverse[k] = static_cast<float>(1.0 / (static_cast<double>(values[k]) * asdScale));
  return inverse;
}

} // namespace kowari::data
