//===- TrainingData.cpp - the data files of a training, opened ------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/TrainingData.h"

#include "runtime/train/AtomicFile.h"

#include <algorithm>
#include <filesystem>
#include <map>

namespace fs = std::filesystem;

namespace kowari::cli {

namespace {

std::vector<std::string> namesOf(const std::vector<data::Detector> &detectors) {
  std::vector<std::string> names;
  for (const data::Detector &detector : detectors)
    names.push_back(detector.name);
  return names;
}

/// local: local_cache_path: the waveform file is copied to a folder of this machine and read there.
Result<std::string> localCopy(const Settings &settings,
                              const std::function<void(const std::string &)> &report) {
  const std::string &path = settings.data.waveformDatasetPath, &folder = settings.local.localCachePath;
  if (folder.empty())
    return path;
  std::error_code code;
  if (!fs::is_directory(folder, code))
    return Status::error(settings.where("local.local_cache_path") + ": local.local_cache_path: " + folder +
                         " is not a folder; make it, or leave the key out");
  const std::string target = (fs::path(folder) / fs::path(path).filename()).string();
  if (fs::equivalent(path, target, code))
    return path;
  report("Copying file to " + target + ".");
  KOWARI_TRY(train::copyFileAtomically(path, target));
  return target;
}

Status checkParameters(const Settings &settings, const TrainingData &data) {
  std::vector<std::string> names = settings.data.inferenceParameters, extrinsic, computed;
  names.insert(names.end(), settings.data.contextParameters.begin(), settings.data.contextParameters.end());
  for (const auto &[name, expression] : settings.data.extrinsicPrior)
    extrinsic.push_back(name);
  for (const data::Detector &detector : data.detectors)
    computed.push_back(detector.name + "_time");
  return data.waveforms->checkParameters(names, extrinsic, computed);
}

Status openAsds(const Settings &settings, TrainingData &data,
                const std::function<void(const std::string &)> &report) {
  std::map<std::string, std::shared_ptr<data::AsdDataset>> opened;
  for (size_t i = 0; i < settings.stages.size(); ++i) {
    const std::string &path = settings.stages[i].asdDatasetPath;
    std::shared_ptr<data::AsdDataset> &asds = opened[path];
    if (!asds) {
      report("Loading dataset from " + path + ".");
      Result<data::AsdDataset> file =
          data::AsdDataset::open(path, namesOf(data.detectors), data.waveforms->domain());
      if (!file)
        return file.status().withContext(
            settings.where("training.stage_" + std::to_string(i) + ".asd_dataset_path"));
      asds = std::make_shared<data::AsdDataset>(file.take());
    }
    data.asds.push_back(asds);
  }
  return Status::ok();
}

/// Most noise curves that a detector has in any stage, from the files' headers.
Result<int64_t> countCurves(const Settings &settings, const std::vector<std::string> &detectors) {
  int64_t curves = 1;
  for (size_t i = 0; i < settings.stages.size(); ++i) {
    const Result<data::AsdSchema> schema = data::readAsdSchema(settings.stages[i].asdDatasetPath);
    if (!schema)
      return schema.status().withContext(
          settings.where("training.stage_" + std::to_string(i) + ".asd_dataset_path"));
    for (size_t d = 0; d < schema->detectors.size(); ++d)
      if (std::find(detectors.begin(), detectors.end(), schema->detectors[d]) != detectors.end())
        curves = std::max(curves, schema->counts[d]);
  }
  return curves;
}

} // namespace

DataShape TrainingData::shape() const {
  const data::WaveformSchema &schema = waveforms->schema();
  int64_t curves = 1;
  for (const auto &stage : asds)
    for (int64_t d = 0; d < stage->detectors(); ++d)
      curves = std::max(curves, stage->count(d));
  return {schema.domain.bins(),
          schema.domain.minIndex(),
          schema.svdSize,
          schema.samples,
          static_cast<int64_t>(detectors.size()),
          curves};
}

data::WaveformOptions waveformOptions(const Settings &settings) {
  data::WaveformOptions options;
  options.path = settings.data.waveformDatasetPath;
  options.svdSizeUpdate = settings.data.svdSizeUpdate;
  options.leaveOnDisk = settings.local.leaveWaveformsOnDisk;
  if (const auto &update = settings.data.domainUpdate) {
    data::DomainUpdate domain;
    if (!update->type.empty())
      domain.type = update->type;
    domain.fMin = update->fMin;
    domain.fMax = update->fMax;
    domain.deltaF = update->deltaF;
    options.domainUpdate = domain;
  }
  return options;
}

Result<TrainingData> openTrainingData(const Settings &settings,
                                      const std::function<void(const std::string &)> &report) {
  TrainingData data;
  Result<std::vector<data::Detector>> detectors = data::expandDetectors(settings.data.detectors);
  if (!detectors)
    return detectors.status().withContext(settings.where("data.detectors"));
  data.detectors = detectors.take();
  data::WaveformOptions options = waveformOptions(settings);
  KOWARI_ASSIGN(options.path, localCopy(settings, report));
  report("Loading dataset from " + options.path + ".");
  Result<data::WaveformDataset> waveforms = data::WaveformDataset::open(options);
  if (!waveforms)
    return waveforms.status().withContext(settings.where("data.waveform_dataset_path"));
  data.waveforms = std::make_shared<data::WaveformDataset>(waveforms.take());
  KOWARI_TRY(checkParameters(settings, data).withContext(settings.where("data.inference_parameters")));
  KOWARI_ASSIGN(data.referenceDistance, data.waveforms->referenceDistance());
  for (const auto &[name, expression] : settings.data.extrinsicPrior) {
    Result<data::Prior> prior = data::parsePrior(name, expression);
    if (!prior)
      return prior.status().withContext(settings.where("data.extrinsic_prior." + name));
    data.priors.push_back(prior.take());
  }
  KOWARI_TRY(openAsds(settings, data, report));
  return data;
}

Result<DataShape> readDataShape(const Settings &settings) {
  Result<data::WaveformSchema> schema = data::readWaveformSchema(waveformOptions(settings));
  if (!schema)
    return schema.status().withContext(settings.where("data.waveform_dataset_path"));
  Result<std::vector<data::Detector>> detectors = data::expandDetectors(settings.data.detectors);
  if (!detectors)
    return detectors.status().withContext(settings.where("data.detectors"));
  KOWARI_ASSIGN(const int64_t curves, countCurves(settings, namesOf(*detectors)));
  return DataShape{schema->domain.bins(),
                   schema->domain.minIndex(),
                   schema->svdSize,
                   schema->samples,
                   static_cast<int64_t>(detectors->size()),
                   curves};
}

Result<Standardization> standardizationOf(const Settings &settings, const TrainingData &data, uint64_t seed) {
  if (settings.data.standardization)
    return *settings.data.standardization;
  data::StandardizationRequest request;
  request.parameters = settings.data.inferenceParameters;
  request.parameters.insert(request.parameters.end(), settings.data.contextParameters.begin(),
                            settings.data.contextParameters.end());
  request.detectors = data.detectors;
  request.refTime = settings.data.refTime;
  request.seed = seed;
  for (size_t i = 0; i < data.priors.size(); ++i) {
    const data::Prior prior = data.priors[i];
    request.extrinsic.push_back({settings.data.extrinsicPrior[i].first, prior.className(), prior.minimum(),
                                 prior.maximum(), [prior](double u) { return prior.rescale(u); }});
  }
  using Statistics = std::map<std::string, data::MeanStd>;
  KOWARI_ASSIGN(const Statistics statistics, data::standardize(*data.waveforms, request));
  Standardization result;
  for (const std::string &name : request.parameters) {
    const data::MeanStd &entry = statistics.at(name);
    result.names.push_back(name);
    result.mean.push_back(entry.mean);
    result.std.push_back(entry.std);
  }
  return result;
}

} // namespace kowari::cli
