//===- InspectFiles.cpp - settings, data sets and models ------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/Inspect.h"

#include "frontend/settings/Settings.h"
#include "runtime/data/AsdDataset.h"
#include "runtime/data/Hdf5File.h"
#include "runtime/data/RandomizedSvd.h"
#include "runtime/data/WaveformDataset.h"
#include "runtime/train/ModelFile.h"

namespace kowari::cli {

namespace {

Value listOf(const std::vector<std::string> &texts) {
  ValueList list;
  for (const std::string &text : texts)
    list.emplace_back(text);
  return list;
}

Result<Value> inspectWaveforms(const std::string &path) {
  data::WaveformOptions options;
  options.path = path;
  KOWARI_ASSIGN(const data::WaveformSchema schema, data::readWaveformSchema(options));
  ValueDict dict = {{"file", path},
                    {"type", "waveform data set"},
                    {"samples", schema.samples},
                    {"domain", schema.domain.describe()},
                    {"network_bins", schema.domain.networkBins()},
                    {"svd_size", schema.svdSize},
                    {"whitening", schema.whitening.empty() ? Value() : Value(schema.whitening)},
                    {"parameters", listOf(schema.parameterNames)}};
  return Value(std::move(dict));
}

Result<Value> inspectAsds(const std::string &path, const data::Hdf5File &file) {
  KOWARI_ASSIGN(const data::AsdSchema schema, data::readAsdSchema(path));
  ValueDict counts;
  for (const std::string &detector : schema.detectors) {
    KOWARI_ASSIGN(const data::DatasetInfo info, file.info("asds/" + detector));
    counts[detector] = info.shape.empty() ? int64_t{0} : info.shape[0];
  }
  return Value(ValueDict{{"file", path},
                         {"type", "ASD data set"},
                         {"domain", schema.domain.describe()},
                         {"noise_curves", std::move(counts)}});
}

/// Every data set below a group: its path, shape and element kind.
Status listDatasets(const data::Hdf5File &file, const std::string &group, ValueDict &into) {
  KOWARI_ASSIGN(const std::vector<std::string> names, file.children(group.empty() ? "/" : group));
  for (const std::string &name : names) {
    const std::string path = group.empty() ? name : group + "/" + name;
    if (const Result<data::DatasetInfo> info = file.info(path))
      into[path] = train::shapeToString(info->shape) + " " + data::toString(info->kind);
    else
      KOWARI_TRY(listDatasets(file, path, into));
  }
  return Status::ok();
}

/// The settings a training would use, defaults and all, as far as they are values.
Value describeStage(const StageSettings &stage) {
  return ValueDict{{"epochs", stage.epochs},
                   {"batch_size", stage.batchSize},
                   {"asd_dataset_path", stage.asdDatasetPath},
                   {"freeze_rb_layer", stage.freezeRbLayer},
                   {"optimizer", stage.optimizer.kwargs},
                   {"scheduler", stage.scheduler.kwargs}};
}

} // namespace

Result<Value> inspectSettings(const std::string &path) {
  KOWARI_ASSIGN(const Settings settings, loadSettings(path));
  ValueDict prior, stages;
  for (const auto &[name, expression] : settings.data.extrinsicPrior)
    prior[name] = expression;
  for (size_t i = 0; i < settings.stages.size(); ++i)
    stages["stage_" + std::to_string(i)] = describeStage(settings.stages[i]);
  const Value *model = settings.trainSettings.find("model");
  return Value(ValueDict{{"file", path},
                         {"type", "train settings"},
                         {"waveform_dataset_path", settings.data.waveformDatasetPath},
                         {"detectors", listOf(settings.data.detectors)},
                         {"inference_parameters", listOf(settings.data.inferenceParameters)},
                         {"extrinsic_prior", std::move(prior)},
                         {"model", model ? *model : Value()},
                         {"training", std::move(stages)},
                         {"local", settings.localSettings},
                         {"notices", listOf(settings.notices)}});
}

Result<Value> inspectHdf5(const std::string &path) {
  KOWARI_ASSIGN(const data::Hdf5File file, data::Hdf5File::open(path));
  if (file.has("polarizations"))
    return inspectWaveforms(path);
  if (file.has("asds"))
    return inspectAsds(path, file);
  if (file.has("V") && file.has("s")) {
    KOWARI_ASSIGN(const data::SvdBasis basis, data::readSvdFile(path));
    return Value(ValueDict{{"file", path},
                           {"type", "SVD basis"},
                           {"bins", basis.bins},
                           {"size", basis.size},
                           {"largest_singular_value", basis.s.empty() ? 0.0 : basis.s.front()},
                           {"smallest_singular_value", basis.s.empty() ? 0.0 : basis.s.back()}});
  }
  ValueDict datasets;
  KOWARI_TRY(listDatasets(file, "", datasets));
  return Value(ValueDict{{"file", path}, {"type", "HDF5 file"}, {"data_sets", std::move(datasets)}});
}

Result<Value> inspectModel(const std::string &path, bool listTensors) {
  KOWARI_ASSIGN(const train::ModelFile file, train::ModelFile::read(path));
  int64_t weights = 0;
  ValueDict tensors;
  for (const train::NamedTensor &entry : file.stateDict) {
    if (entry.tensor.type() == train::ScalarType::Float32 ||
        entry.tensor.type() == train::ScalarType::Float64)
      weights += entry.tensor.count();
    tensors[entry.name] =
        train::shapeToString(entry.tensor.shape()) + " " + train::scalarTypeName(entry.tensor.type());
  }
  ValueDict dict = {{"file", path},
                    {"type", "model"},
                    {"version", file.version},
                    {"epoch", file.epoch},
                    {"iteration", file.iteration},
                    {"tensors", static_cast<int64_t>(file.stateDict.size())},
                    {"weights", weights},
                    {"model", file.modelKwargs}};
  if (const Value *inference = file.metadata.findPath("train_settings.data.inference_parameters"))
    dict["inference_parameters"] = *inference;
  if (const Value *ours = file.metadata.find("kowari"))
    dict["kowari"] = *ours;
  if (file.training && file.training->optimizer) {
    dict["optimizer"] = file.training->optimizerKwargs;
    dict["learning_rate"] = file.training->optimizer->options.lr;
    dict["scheduler"] = file.training->schedulerKwargs;
  }
  if (listTensors)
    dict["tensors"] = std::move(tensors);
  return Value(std::move(dict));
}

} // namespace kowari::cli
