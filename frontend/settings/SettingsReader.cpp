//===- SettingsReader.cpp - typed access to a checked tree ----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/settings/SettingsReader.h"
#include "runtime/data/prior/Prior.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace kowari {

Value SettingsReader::value(const std::string &path, const std::string &type) const {
  if (const YamlNode *node = root.findPath(path))
    return node->toValue();
  const SettingRow *row = findSettingRow(path, type);
  assert(row && "every path read is in the schema");
  if (std::string_view(row->fallback) == "required")
    return Value(); // absent where the check let it pass
  Result<YamlNode> fallback = parseYaml(row->fallback, "schema");
  assert(fallback && "the schema's defaults are valid YAML");
  return fallback->toValue();
}

std::string SettingsReader::text(const std::string &path, const std::string &type) const {
  const Value found = value(path, type);
  return found.isString() ? found.asString() : "";
}

std::vector<std::string> SettingsReader::texts(const std::string &path) const {
  std::vector<std::string> result;
  const Value found = value(path);
  if (found.isList())
    for (const Value &item : found.asList())
      result.push_back(item.asString());
  return result;
}

std::vector<int64_t> SettingsReader::integers(const std::string &path) const {
  std::vector<int64_t> result;
  const Value found = value(path);
  if (found.isList())
    for (const Value &item : found.asList())
      result.push_back(item.asInt());
  return result;
}

std::optional<double> SettingsReader::optionalNumber(const std::string &path) const {
  const Value found = value(path);
  return found.isNull() ? std::nullopt : std::optional(found.asDouble());
}

std::optional<int64_t> SettingsReader::optionalInteger(const std::string &path) const {
  const Value found = value(path);
  return found.isNull() ? std::nullopt : std::optional(found.asInt());
}

int SettingsReader::line(const std::string &path) const {
  const YamlNode *node = root.findPath(path);
  return node ? node->line : 0;
}

//===----------------------------------------------------------------------===//
// data
//===----------------------------------------------------------------------===//

static const std::vector<std::string> defaultInferenceParameters = {
    "chirp_mass", "mass_ratio",          "phase",        "a_1", "a_2", "tilt_1", "tilt_2", "phi_12", "phi_jl",
    "theta_jn",   "luminosity_distance", "geocent_time", "ra",  "dec", "psi"};

DomainUpdate SettingsReader::domainUpdate() {
  const std::string path = "data.domain_update";
  DomainUpdate update;
  update.fMin = optionalNumber(path + ".f_min");
  update.fMax = optionalNumber(path + ".f_max");
  update.deltaF = optionalNumber(path + ".delta_f");
  update.type = text(path + ".type");
  if (update.fMin && update.fMax && *update.fMin >= *update.fMax)
    check.problem(line(path + ".f_min"), path,
                  "f_min " + pythonFloatRepr(*update.fMin) + " must be below f_max " +
                      pythonFloatRepr(*update.fMax));
  return update;
}

std::optional<Standardization> SettingsReader::standardization(const std::vector<std::string> &names) {
  const std::string path = "data.standardization";
  const YamlNode *node = root.findPath(path);
  if (!node)
    return std::nullopt;
  const Value given = node->toValue();
  Standardization result;
  for (const std::string &name : names) {
    const Value *mean = given.findPath("mean") ? given.findPath("mean")->find(name) : nullptr;
    const Value *std = given.findPath("std") ? given.findPath("std")->find(name) : nullptr;
    const bool valid = mean && std && mean->isNumber() && std->isNumber() &&
                       std::isfinite(mean->asDouble()) && std::isfinite(std->asDouble()) &&
                       std->asDouble() > 0;
    if (!valid) {
      check.problem(node->line, path, "needs a number under mean and a positive one under std for " + name);
      return std::nullopt;
    }
    result.names.push_back(name);
    result.mean.push_back(mean->asDouble());
    result.std.push_back(std->asDouble());
  }
  return result;
}

DataSettings SettingsReader::data() {
  DataSettings data;
  data.waveformDatasetPath = text("data.waveform_dataset_path");
  data.trainFraction = number("data.train_fraction");
  data.detectors = texts("data.detectors");
  for (const data::ExtrinsicDefault &entry : data::extrinsicDefaults()) {
    const Value prior = value("data.extrinsic_prior." + std::string(entry.name));
    const std::string expression = prior.isString() ? prior.asString() : prior.toPythonLiteral();
    data.extrinsicPrior.emplace_back(entry.name, data::expandDefaultPrior(entry.name, expression));
  }
  data.refTime = number("data.ref_time");
  data.inferenceParameters = value("data.inference_parameters").isString()
                                 ? defaultInferenceParameters
                                 : texts("data.inference_parameters");
  if (const YamlNode *update = root.findPath("data.domain_update"); update && !update->isNull())
    data.domainUpdate = domainUpdate();
  data.svdSizeUpdate = optionalInteger("data.svd_size_update");
  data.zeroNoise = flag("data.zero_noise");
  data.standardization = standardization(data.inferenceParameters);
  return data;
}

//===----------------------------------------------------------------------===//
// model
//===----------------------------------------------------------------------===//

static Activation activationOf(const std::string &name) {
  return name == "elu"          ? Activation::Elu
         : name == "relu"       ? Activation::Relu
         : name == "leaky_relu" ? Activation::LeakyRelu
                                : Activation::Gelu;
}

static Norm normOf(const std::string &name) {
  return name == "BatchNorm" ? Norm::BatchNorm : name == "LayerNorm" ? Norm::LayerNorm : Norm::None;
}

EmbeddingSettings SettingsReader::embedding() {
  const std::string path = "model.embedding_kwargs.";
  EmbeddingSettings result;
  result.outputDim = integer(path + "output_dim");
  result.hiddenDims = integers(path + "hidden_dims");
  result.activation = activationOf(text(path + "activation"));
  result.dropout = number(path + "dropout");
  result.norm = normOf(text(path + "norm"));
  result.svd.size = integer(path + "svd.size");
  result.svd.noInit = flag(path + "svd.no_init");
  result.svd.numTrainingSamples = optionalInteger(path + "svd.num_training_samples").value_or(0);
  result.svd.numValidationSamples = optionalInteger(path + "svd.num_validation_samples").value_or(0);
  result.inputDims = integers(path + "input_dims");
  result.addedContext = has(path + "added_context") && flag(path + "added_context");
  return result;
}

ModelSettings SettingsReader::model() {
  const std::string path = "model.posterior_kwargs.base_transform_kwargs.";
  ModelSettings model;
  model.posteriorModelType = text("model.posterior_model_type");
  model.flow.inputDim = optionalInteger("model.posterior_kwargs.input_dim").value_or(0);
  model.flow.numFlowSteps = integer("model.posterior_kwargs.num_flow_steps");
  model.flow.hiddenDim = integer(path + "hidden_dim");
  model.flow.numTransformBlocks = integer(path + "num_transform_blocks");
  model.flow.activation = activationOf(text(path + "activation"));
  model.flow.dropout = number(path + "dropout_probability");
  model.flow.norm = normOf(text(path + "norm"));
  model.flow.numBins = integer(path + "num_bins");
  model.flow.tailBound = number(path + "tail_bound");
  model.contextDim = optionalInteger("model.posterior_kwargs.context_dim");
  model.hasEmbedding = has("model.embedding_kwargs");
  if (model.hasEmbedding)
    model.embedding = embedding();
  return model;
}

//===----------------------------------------------------------------------===//
// training
//===----------------------------------------------------------------------===//

OptimizerSettings SettingsReader::optimizer(const std::string &path) {
  OptimizerSettings result;
  const std::string type = text(path + ".type");
  OptimizerSpec &spec = result.spec;
  spec.kind = type == "adam"    ? OptimizerKind::Adam
              : type == "adamw" ? OptimizerKind::AdamW
                                : OptimizerKind::Sgd;
  result.learningRate = number(path + ".lr");
  spec.weightDecay = number(path + ".weight_decay", type);
  spec.maximize = flag(path + ".maximize");
  if (type == "sgd") {
    spec.momentum = number(path + ".momentum");
    spec.dampening = number(path + ".dampening");
    spec.nesterov = flag(path + ".nesterov");
    if (spec.nesterov && (spec.momentum <= 0 || spec.dampening != 0))
      check.problem(line(path + ".nesterov"), path + ".nesterov", "needs momentum > 0 and dampening 0");
  } else {
    const ValueList betas = value(path + ".betas", type).asList();
    spec.beta1 = betas[0].asDouble();
    spec.beta2 = betas[1].asDouble();
    spec.epsilon = number(path + ".eps", type);
    spec.amsgrad = flag(path + ".amsgrad");
  }
  result.kwargs = root.findPath(path)->toValue();
  return result;
}

SchedulerSettings SettingsReader::scheduler(const std::string &path) {
  SchedulerSettings result;
  const std::string type = text(path + ".type");
  result.kwargs = root.findPath(path)->toValue();
  if (type == "step") {
    result.kind = SchedulerKind::Step;
    result.stepSize = integer(path + ".step_size");
    result.gamma = number(path + ".gamma");
  } else if (type == "cosine") {
    result.kind = SchedulerKind::Cosine;
    result.tMax = number(path + ".T_max");
    result.etaMin = number(path + ".eta_min");
  } else {
    result.kind = SchedulerKind::ReduceOnPlateau;
    result.modeMax = text(path + ".mode") == "max";
    result.factor = number(path + ".factor");
    result.patience = integer(path + ".patience");
    result.cooldown = integer(path + ".cooldown");
    result.threshold = number(path + ".threshold");
    result.thresholdRelative = text(path + ".threshold_mode") == "rel";
    result.minLearningRate = number(path + ".min_lr");
    result.epsilon = number(path + ".eps");
  }
  return result;
}

std::vector<StageSettings> SettingsReader::stages() {
  std::vector<StageSettings> stages;
  const YamlNode &training = *root.findPath("training");
  bool frozen = false;
  while (true) {
    const std::string path = "training.stage_" + std::to_string(stages.size());
    if (!has(path))
      break;
    StageSettings stage;
    stage.epochs = integer(path + ".epochs");
    stage.asdDatasetPath = text(path + ".asd_dataset_path");
    stage.optimizer = optimizer(path + ".optimizer");
    stage.scheduler = scheduler(path + ".scheduler");
    stage.batchSize = integer(path + ".batch_size");
    if (has(path + ".freeze_rb_layer"))
      frozen = flag(path + ".freeze_rb_layer");
    stage.freezeRbLayer = frozen;
    stages.push_back(std::move(stage));
  }
  if (stages.empty())
    check.problem(training.line, "training", "stage_0 is missing: stages are named stage_0, stage_1, ...");
  for (const YamlEntry &entry : training.entries) {
    bool trained = false;
    for (std::size_t i = 0; i < stages.size(); ++i)
      trained |= entry.key == "stage_" + std::to_string(i);
    if (!trained && !stages.empty())
      check.problem(entry.line, "training." + entry.key,
                    "stands behind a gap: stage_" + std::to_string(stages.size()) + " is missing");
  }
  return stages;
}

//===----------------------------------------------------------------------===//
// local
//===----------------------------------------------------------------------===//

static bool isDevice(const std::string &text) {
  if (text == "cpu" || text == "cuda")
    return true;
  const bool numbered = text.starts_with("cuda:") && text.size() > 5;
  return numbered &&
         std::all_of(text.begin() + 5, text.end(), [](unsigned char c) { return std::isdigit(c); });
}

LocalSettings SettingsReader::local() {
  LocalSettings local;
  local.device = text("local.device");
  if (!isDevice(local.device))
    check.problem(line("local.device"), "local.device",
                  "expected cpu, cuda or cuda:N, found " + Value(local.device).toPythonLiteral());
  local.numWorkers = integer("local.num_workers");
  local.maxTimePerRun = optionalNumber("local.runtime_limits.max_time_per_run");
  local.maxEpochsPerRun = optionalInteger("local.runtime_limits.max_epochs_per_run");
  local.checkpointEpochs = integer("local.checkpoint_epochs");
  local.leaveWaveformsOnDisk = flag("local.leave_waveforms_on_disk");
  local.localCachePath = text("local.local_cache_path");
  local.testOnly = flag("local.test_only");
  local.torchCompileCacheDir = text("local.torch_compile_cache_dir");
  if (const std::optional<int64_t> seed = optionalInteger("local.seed"))
    local.seed = static_cast<uint64_t>(*seed);
  local.compileCacheDir = text("local.compile_cache_dir");
  local.precision = text("local.precision") == "64-true" ? ElementType::F64 : ElementType::F32;
  local.numThreads = optionalInteger("local.num_threads").value_or(0);
  return local;
}

} // namespace kowari
