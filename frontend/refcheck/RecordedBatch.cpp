//===- RecordedBatch.cpp - a prepared batch recorded in Dingo -------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/refcheck/RecordedBatch.h"

#include "frontend/settings/Yaml.h"
#include "runtime/pipeline/TensorNames.h"

#include <algorithm>
#include <bit>
#include <filesystem>

namespace fs = std::filesystem;

namespace kowari::refcheck {

namespace {

/// JSON is YAML too.
Result<Value> readDictionary(const data::Hdf5File &file, const std::string &attribute) {
  KOWARI_ASSIGN(const std::string text, file.readStringAttribute("/", attribute));
  KOWARI_ASSIGN(const YamlNode node, parseYaml(text, file.path() + ": " + attribute));
  if (!node.isMap())
    return Status::error(file.path() + ": attribute " + attribute + " is no dictionary");
  return node.toValue();
}

Result<std::vector<std::string>> readTexts(const Value &settings, const char *key, const std::string &path) {
  std::vector<std::string> texts;
  const Value *list = settings.find(key);
  if (!list || !list->isList() ||
      !std::all_of(list->asList().begin(), list->asList().end(), [](const Value &v) { return v.isString(); }))
    return Status::error(path + ": data_settings: " + key + " is no list of texts");
  for (const Value &item : list->asList())
    texts.push_back(item.asString());
  return texts;
}

std::optional<double> findNumber(const Value &settings, const char *path) {
  const Value *value = settings.findPath(path);
  return value && value->isNumber() ? std::optional<double>(value->asDouble()) : std::nullopt;
}

std::string findUnserved(const Value &settings, const Value &domain) {
  for (const char *key : {"gnpe_time_shifts", "chirp_prior_conditioning"})
    if (settings.find(key))
      return std::string(key) + " is not served yet";
  const Value *type = domain.find("type");
  if (type && type->isString() && type->asString() != "UniformFrequencyDomain")
    return type->asString() + " is not served yet";
  return "";
}

} // namespace

Result<RecordedBatch> RecordedBatch::read(const std::string &path) {
  KOWARI_ASSIGN(data::Hdf5File file, data::Hdf5File::open(path));
  RecordedBatch batch(std::move(file));
  KOWARI_ASSIGN(batch.settings, readDictionary(batch.file, "data_settings"));
  KOWARI_ASSIGN(const Value domainSettings, readDictionary(batch.file, "domain"));
  batch.unsupported = findUnserved(batch.settings, domainSettings);
  if (!batch.unsupported.empty())
    return batch;
  KOWARI_ASSIGN(batch.domain, data::UniformFrequencyDomain::fromValue(domainSettings, path + ": domain"));
  KOWARI_TRY(batch.readSettings());
  KOWARI_TRY(batch.readStandardization());
  std::vector<std::string> names;
  for (const data::Detector &detector : batch.detectors)
    names.push_back(detector.name);
  KOWARI_ASSIGN(const std::string asdPath, batch.file.readStringAttribute("/", "asd_dataset_path"));
  KOWARI_ASSIGN(batch.asds, data::AsdDataset::open(batch.pathOf(asdPath), names, *batch.domain));
  return batch;
}

std::string RecordedBatch::pathOf(const std::string &relative) const {
  return (fs::path(file.path()).parent_path() / relative).string();
}

Status RecordedBatch::readSettings() {
  const std::string &path = file.path();
  KOWARI_ASSIGN(const std::vector<std::string> names, readTexts(settings, "detectors", path));
  KOWARI_ASSIGN(detectors, data::expandDetectors(names));
  KOWARI_ASSIGN(parameters, readTexts(settings, "inference_parameters", path));
  KOWARI_ASSIGN(index, file.readIntegers("index"));
  const std::optional<double> time = findNumber(settings, "ref_time");
  if (!time || index.empty())
    return Status::error(path + ": lacks data_settings.ref_time or has no rows");
  refTime = *time;
  for (const std::string name : pipeline::extrinsicNames) {
    const Value *expression = settings.findPath("extrinsic_prior." + name);
    const std::string text = expression && expression->isString() ? expression->asString() : "default";
    KOWARI_ASSIGN(data::Prior prior, data::parsePrior(name, data::expandDefaultPrior(name, text)));
    priors.push_back(std::move(prior));
  }
  return Status::ok();
}

Status RecordedBatch::readStandardization() {
  KOWARI_ASSIGN(const std::vector<std::string> names, file.readStrings("standardization/names"));
  KOWARI_ASSIGN(const std::vector<double> means, file.readDoubles("standardization/mean"));
  KOWARI_ASSIGN(const std::vector<double> deviations, file.readDoubles("standardization/std"));
  if (means.size() != names.size() || deviations.size() != names.size())
    return Status::error(file.path() + ": standardization/names, mean and std differ in length");
  for (size_t k = 0; k < names.size(); ++k)
    standardization[names[k]] = {means[k], deviations[k]};
  return Status::ok();
}

Result<std::optional<data::WaveformDataset>> RecordedBatch::openWaveforms() const {
  const Value *relative = settings.find("waveform_dataset_path");
  if (!relative || !relative->isString())
    return Status::error(file.path() + ": data_settings lacks waveform_dataset_path");
  data::WaveformOptions options;
  options.path = pathOf(relative->asString());
  if (!fs::exists(options.path)) // NAME_rows.hdf5: the same with zeros in the rows that no batch uses
    options.path.replace(options.path.rfind(".hdf5"), std::string::npos, "_rows.hdf5");
  if (!fs::exists(options.path))
    return std::optional<data::WaveformDataset>();
  if (settings.find("domain_update"))
    options.domainUpdate = data::DomainUpdate{.fMin = findNumber(settings, "domain_update.f_min"),
                                              .fMax = findNumber(settings, "domain_update.f_max")};
  if (const std::optional<double> size = findNumber(settings, "svd_size_update"))
    options.svdSizeUpdate = static_cast<int64_t>(*size);
  KOWARI_ASSIGN(data::WaveformDataset dataset, data::WaveformDataset::open(options));
  return std::optional<data::WaveformDataset>(std::move(dataset));
}

DataSpec RecordedBatch::dataSpec(const data::WaveformDataset &dataset) const {
  DataSpec spec;
  spec.bins = dataset.domain().bins();
  spec.minIndex = dataset.domain().minIndex();
  spec.svdSize = dataset.schema().svdSize;
  spec.detectors = detectorCount();
  for (int64_t d = 0; d < detectorCount(); ++d)
    spec.asdRows =
        std::max(spec.asdRows, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(asds->count(d)))));
  spec.zeroNoise = true;
  for (const data::Prior &prior : priors)
    spec.extrinsicPriors.push_back(prior.className());
  for (const std::string &name : parameters) {
    const bool drawn = std::find(std::begin(pipeline::extrinsicNames), std::end(pipeline::extrinsicNames),
                                 name) != std::end(pipeline::extrinsicNames);
    spec.parameterSources.push_back(drawn || name.ends_with("_time") ? name : "");
  }
  return spec;
}

pipeline::InputPipelineOptions RecordedBatch::pipelineOptions() const {
  return {.detectors = detectors,
          .refTime = refTime,
          .parameters = parameters,
          .standardization = standardization,
          .extrinsicPriors = priors,
          .seed = 1};
}

} // namespace kowari::refcheck
