//===- WaveformSchema.cpp - settings and shapes of a waveform data set ----===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/IndexList.h"
#include "runtime/data/WaveformStore.h"

#include "runtime/support/PythonLiteral.h"

namespace kowari::data {
namespace {

struct Compression {
  bool svd = false;
  std::string whitening;
};

/// No compression is said in three ways: key missing, None, and the text "None".
Result<Compression> parseCompression(const Value &settings, const std::string &where) {
  Compression result;
  const Value *value = settings.find("compression");
  if (!value || value->isNull() || (value->isString() && value->asString() == "None"))
    return result;
  if (!value->isDict())
    return Status::error(where + ": compression is " + value->toJson() + ", expected None or a dictionary");
  for (const auto &[key, entry] : value->asDict().items()) {
    if (key == "svd") {
      result.svd = true;
    } else if (key == "whitening") {
      if (!entry.isString())
        return Status::error(where + ": compression.whitening is " + entry.toJson() +
                             ", expected the name of a noise curve");
      result.whitening = entry.asString();
    } else if (key == "phase_heterodyning") {
      return Status::error(
          where + ": compression by phase_heterodyning is not served yet; make the data set without");
    } else {
      return Status::error(where + ": unknown compression " + key +
                           "; known are svd, whitening and phase_heterodyning");
    }
  }
  return result;
}

Result<DatasetInfo> polarizationInfo(const Hdf5File &file, const std::string &name) {
  Result<DatasetInfo> info = file.info(name);
  if (!info)
    return info;
  bool complex = info->kind == ElementKind::Complex64 || info->kind == ElementKind::Complex128;
  if (!complex || info->shape.size() != 2)
    return Status::error(file.path() + ": " + name +
                         ": expected complex numbers of shape (samples, columns), found " +
                         toString(info->kind) + " of rank " + std::to_string(info->shape.size()));
  return info;
}

Status checkRows(const Hdf5File &file, const DatasetInfo &plus, const DatasetInfo &cross,
                 const DatasetInfo &table) {
  if (plus.shape[0] == cross.shape[0] && plus.shape[0] == table.shape[0])
    return Status::ok();
  return Status::error(file.path() + ": row counts differ: parameters has " + std::to_string(table.shape[0]) +
                       " rows, polarizations/h_plus " + std::to_string(plus.shape[0]) +
                       ", polarizations/h_cross " + std::to_string(cross.shape[0]));
}

Status checkBins(const Hdf5File &file, const std::string &name, int64_t found,
                 const UniformFrequencyDomain &domain) {
  if (found == domain.bins())
    return Status::ok();
  return Status::error(file.path() + ": " + name + " has " + std::to_string(found) +
                       " bins, but the settings' domain " + domain.describe() + " needs " +
                       std::to_string(domain.bins()));
}

/// Columns of svd/V after checking it against the domain and the coefficients.
Result<int64_t> checkBasis(const Hdf5File &file, int64_t coefficients, const UniformFrequencyDomain &domain) {
  if (!file.has("svd/V"))
    return Status::error(file.path() +
                         ": svd/V: missing, but the settings say that the waveforms are SVD-compressed");
  KOWARI_ASSIGN(DatasetInfo basis, file.info("svd/V"));
  bool complex = basis.kind == ElementKind::Complex64 || basis.kind == ElementKind::Complex128;
  if (!complex || basis.shape.size() != 2)
    return Status::error(file.path() + ": svd/V: expected complex numbers of shape (bins, size)");
  KOWARI_TRY(checkBins(file, "svd/V", basis.shape[0], domain));
  if (basis.shape[1] != coefficients)
    return Status::error(file.path() + ": SVD sizes differ: svd/V has " + std::to_string(basis.shape[1]) +
                         " columns, polarizations/h_plus has " + std::to_string(coefficients));
  return basis.shape[1];
}

Result<Value> parseSettings(const Hdf5File &file) {
  if (!file.hasAttribute("/", "settings"))
    return Status::error(file.path() +
                         ": attribute settings is missing: this is not a waveform data set of Dingo");
  KOWARI_ASSIGN(std::string text, file.readStringAttribute("/", "settings"));
  Result<Value> settings = parsePythonLiteral(text);
  if (!settings)
    return settings.status().withContext(file.path() + ": attribute settings must be a literal");
  if (!settings->isDict())
    return Status::error(file.path() + ": attribute settings must be a dictionary");
  return settings;
}

Status applySizeUpdate(WaveformSchema &schema, const WaveformOptions &options, bool compressed) {
  if (!options.svdSizeUpdate)
    return Status::ok();
  int64_t wanted = *options.svdSizeUpdate;
  if (!compressed)
    return Status::error(options.path + ": svd_size_update is " + std::to_string(wanted) +
                         ", but the waveforms are not SVD-compressed; remove it");
  if (wanted < 1 || wanted > schema.storedColumns)
    return Status::error(options.path + ": svd_size_update is " + std::to_string(wanted) +
                         ", the data set's SVD size is " + std::to_string(schema.storedColumns) +
                         "; choose 1 to that");
  schema.svdSize = wanted;
  return Status::ok();
}

} // namespace

Result<WaveformSource> openWaveformSource(const WaveformOptions &options) {
  KOWARI_ASSIGN(Hdf5File file, Hdf5File::open(options.path));
  KOWARI_ASSIGN(Value settings, parseSettings(file));
  std::string where = options.path + ": settings";
  const Value *dictionary = settings.find("domain");
  if (!dictionary)
    return Status::error(where + " lack \"domain\"");
  KOWARI_ASSIGN(UniformFrequencyDomain stored, UniformFrequencyDomain::fromValue(*dictionary, where));
  KOWARI_ASSIGN(Compression compression, parseCompression(settings, where));

  KOWARI_ASSIGN(DatasetInfo plus, polarizationInfo(file, "polarizations/h_plus"));
  KOWARI_ASSIGN(DatasetInfo cross, polarizationInfo(file, "polarizations/h_cross"));
  KOWARI_ASSIGN(DatasetInfo table, file.info("parameters"));
  if (table.kind != ElementKind::Table || table.shape.size() != 1)
    return Status::error(options.path + ": parameters: expected a one-dimensional table");
  KOWARI_TRY(checkRows(file, plus, cross, table));
  if (plus.shape[1] != cross.shape[1])
    return Status::error(options.path + ": polarizations/h_plus has " + std::to_string(plus.shape[1]) +
                         " columns, polarizations/h_cross " + std::to_string(cross.shape[1]));
  if (table.shape[0] == 0)
    return Status::error(options.path + ": parameters: the data set has no samples");

  WaveformSchema schema{.samples = table.shape[0],
                        .storedDomain = stored,
                        .domain = stored,
                        .storedColumns = plus.shape[1],
                        .whitening = compression.whitening,
                        .parameterNames = table.fields};
  if (compression.svd) {
    KOWARI_ASSIGN(schema.svdSize, checkBasis(file, plus.shape[1], stored));
  } else {
    KOWARI_TRY(checkBins(file, "polarizations/h_plus", plus.shape[1], stored));
  }
  KOWARI_TRY(applySizeUpdate(schema, options, compression.svd));
  if (options.domainUpdate) {
    Result<UniformFrequencyDomain> updated = stored.updated(*options.domainUpdate);
    if (!updated)
      return updated.status().withContext(options.path);
    schema.domain = *updated;
  }
  return WaveformSource{std::move(file), std::move(schema), std::move(settings), std::move(plus),
                        std::move(cross)};
}

Result<WaveformSchema> readWaveformSchema(const WaveformOptions &options) {
  KOWARI_ASSIGN(WaveformSource source, openWaveformSource(options));
  return source.schema;
}

} // namespace kowari::data
