//===- ModelCase.cpp - a network recorded in Dingo ------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/refcheck/ModelCase.h"

#include "frontend/settings/MakeProgramSpec.h"
#include "frontend/settings/Settings.h"
#include "frontend/settings/Yaml.h"

#include <nlohmann/json.hpp>

namespace kowari::refcheck {

namespace {

/// What of the settings no compiled program serves yet; "" if all is served.
std::string findUnserved(const Value &model) {
  const auto text = [&](const char *path) {
    const Value *value = model.findPath(path);
    return value && value->isString() ? value->asString() : std::string();
  };
  if (const std::string type = text("posterior_model_type"); !type.empty() && type != "normalizing_flow")
    return "posterior_model_type " + type + " is not served yet";
  if (text("embedding_type") == "transformer")
    return "embedding_type transformer is not served yet";
  const std::string flow = "posterior_kwargs.base_transform_kwargs.";
  if (const std::string type = text((flow + "base_transform_type").c_str()); type == "rq-autoregressive")
    return "base_transform_type " + type + " is not served yet";
  const Value *unconditional = model.findPath(flow + "apply_unconditional_transform");
  if (unconditional && unconditional->isBool() && unconditional->asBool())
    return "apply_unconditional_transform is not served yet";
  return "";
}

/// The options of a recorded optimizer; no value for one that is not served.
std::optional<OptimizerSpec> optimizerSpec(const nlohmann::json &options) {
  OptimizerSpec spec;
  const std::string type = options.at("type");
  if (type == "adam")
    spec.kind = OptimizerKind::Adam;
  else if (type == "adamw")
    spec.kind = OptimizerKind::AdamW;
  else if (type == "sgd")
    spec.kind = OptimizerKind::Sgd;
  else
    return std::nullopt;
  if (const auto betas = options.find("betas"); betas != options.end()) {
    spec.beta1 = betas->at(0);
    spec.beta2 = betas->at(1);
  }
  spec.epsilon = options.value("eps", spec.epsilon);
  spec.weightDecay = options.value("weight_decay", type == "adamw" ? 0.01 : 0.0);
  spec.momentum = options.value("momentum", 0.0);
  spec.dampening = options.value("dampening", 0.0);
  spec.amsgrad = options.value("amsgrad", false);
  spec.maximize = options.value("maximize", false);
  spec.nesterov = options.value("nesterov", false);
  return spec;
}

} // namespace

Result<ModelCase> ModelCase::read(const std::string &path) {
  KOWARI_ASSIGN(data::Hdf5File file, data::Hdf5File::open(path));
  ModelCase model(std::move(file));
  KOWARI_TRY(model.readSettings());
  if (!model.unsupported.empty())
    return model;
  KOWARI_TRY(model.readInputs());
  KOWARI_TRY(model.readOptimizers());
  return model;
}

Status ModelCase::readSettings() {
  KOWARI_ASSIGN(const std::string text, file.readStringAttribute("/", "settings"));
  KOWARI_ASSIGN(const YamlNode node, parseYaml(text, file.path() + ": settings"));
  const Value model = node.toValue();
  unsupported = findUnserved(model);
  if (!unsupported.empty())
    return Status::ok();
  KOWARI_ASSIGN(const ModelSettings settings, readModelSettings(model, file.path()));
  KOWARI_ASSIGN(const data::DatasetInfo theta, file.info("inputs/theta"));
  rows = theta.shape.empty() ? 0 : theta.shape[0];
  KOWARI_ASSIGN(spec, makeModelSpec(settings, rows, ElementType::F64, file.path()));
  spec.gradientEntry = file.has("train_float64");
  const std::pair<const char *, double *> figures[] = {{"output", &float32.output},
                                                       {"embedding", &float32.embedding},
                                                       {"loss", &float32.loss},
                                                       {"gradient_global", &float32.gradientOfAll},
                                                       {"gradient_tensor", &float32.gradientOfTensor},
                                                       {"adam_loss", &float32.optimizerLoss}};
  for (const auto &[name, value] : figures)
    if (const std::string attribute = std::string("float32_difference_") + name;
        file.hasAttribute("/", attribute)) {
      KOWARI_ASSIGN(*value, file.readDoubleAttribute("/", attribute));
    }
  return Status::ok();
}

/// A data set of the given shape.
static Result<std::vector<double>> readShaped(const data::Hdf5File &file, const std::string &name,
                                              const std::vector<int64_t> &shape) {
  KOWARI_ASSIGN(const data::DatasetInfo info, file.info(name));
  if (info.shape != shape)
    return Status::error(file.path() + ": " + name + " does not have the shape that the settings ask for");
  return file.readDoubles(name);
}

Status ModelCase::readInputs() {
  using Doubles = std::vector<double>;
  KOWARI_ASSIGN(theta, readShaped(file, "inputs/theta", {rows, spec.flow.inputDim}));
  if (spec.contextParameters > 0) {
    KOWARI_ASSIGN(context, readShaped(file, "inputs/z", {rows, spec.contextParameters}));
  }
  if (!spec.hasEmbedding)
    return Status::ok();
  const int64_t detectors = spec.embedding.detectors, width = 3 * spec.embedding.bins;
  KOWARI_ASSIGN(const Doubles all,
                readShaped(file, "inputs/strain", {rows, detectors, 3, spec.embedding.bins}));
  for (int64_t d = 0; d < detectors; ++d) {
    Doubles &one = strain.emplace_back();
    for (int64_t row = 0; row < rows; ++row) {
      const auto begin = all.begin() + (row * detectors + d) * width;
      one.insert(one.end(), begin, begin + width);
    }
  }
  return Status::ok();
}

Status ModelCase::readOptimizers() {
  std::string frozen = "[]";
  if (file.hasAttribute("/", "frozen")) {
    KOWARI_ASSIGN(frozen, file.readStringAttribute("/", "frozen"));
  }
  const bool freezeRb = frozen.find("layers_rb") != std::string::npos;
  KOWARI_ASSIGN(const std::vector<std::string> groups, file.children("/"));
  for (const std::string &group : groups) {
    if (group.starts_with("accumulation")) {
      leftOut.push_back(group + ": gradient accumulation is not served yet");
      continue;
    }
    if (!group.ends_with("_float64") || !file.hasAttribute(group, "optimizer"))
      continue;
    KOWARI_ASSIGN(const std::string text, file.readStringAttribute(group, "optimizer"));
    const nlohmann::json options = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!options.is_object() || !options.contains("type") || !options.contains("lr"))
      return Status::error(file.path() + ": " + group +
                           ": attribute optimizer is no JSON object with type and lr");
    if (const std::optional<OptimizerSpec> known = optimizerSpec(options)) {
      optimizers.push_back({group, *known, options["lr"]});
      spec.stages.push_back({*known, freezeRb});
    } else {
      leftOut.push_back(group + ": optimizer " + options["type"].get<std::string>() + " is not served yet");
    }
  }
  return Status::ok();
}

} // namespace kowari::refcheck
