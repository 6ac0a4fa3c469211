//===- Settings.cpp - from a file to checked settings ---------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/settings/Settings.h"
#include "frontend/settings/LegacySpelling.h"
#include "frontend/settings/SettingsReader.h"

namespace kowari {

std::string Settings::where(const std::string &path) const {
  for (std::string at = path; !at.empty();) {
    const auto found = lines.find(at);
    if (found != lines.end() && found->second > 0)
      return file + ":" + std::to_string(found->second);
    const std::size_t dot = at.rfind('.');
    at = dot == std::string::npos ? "" : at.substr(0, dot);
  }
  return file;
}

static void collectLines(const YamlNode &node, const std::string &path, std::map<std::string, int> &lines) {
  for (const YamlEntry &entry : node.entries) {
    const std::string below = path.empty() ? entry.key : path + "." + entry.key;
    lines[below] = entry.line;
    collectLines(entry.value, below, lines);
  }
}

/// train_settings as Dingo carries them, without the local part.
static Value trainSettingsOf(const YamlNode &root, const DataSettings &data) {
  Value result = root.toValue();
  result.asDict().erase("local");
  ValueDict &dataDict = result.asDict()["data"].asDict();
  ValueList names;
  for (const std::string &name : data.inferenceParameters)
    names.emplace_back(name);
  dataDict["inference_parameters"] = Value(std::move(names));
  dataDict["context_parameters"] = Value(ValueList());
  return result;
}

static YamlNode section(const std::string &key, YamlNode content) {
  YamlNode root;
  root.kind = YamlNode::Kind::Map;
  root.entries.push_back({key, content.line, 0, std::move(content)});
  return root;
}

static const char *const svdSampleCounts[] = {"model.embedding_kwargs.svd.num_training_samples",
                                              "model.embedding_kwargs.svd.num_validation_samples"};

/// Converts old spellings and lets the SVD's sample counts be absent where no SVD is made.
static void prepareModel(YamlNode &root, SchemaCheck &check) {
  if (YamlNode *model = root.findPath("model"))
    convertLegacySpelling(*model, check);
  const YamlNode *noInit = root.findPath("model.embedding_kwargs.svd.no_init");
  if (noInit && noInit->toValue() == Value(true))
    check.optional.insert(std::begin(svdSampleCounts), std::end(svdSampleCounts));
}

Result<Settings> parseSettings(const std::string &yamlText, const std::string &origin) {
  KOWARI_ASSIGN(YamlNode root, parseYaml(yamlText, origin));
  if (root.isNull())
    return Status::error(
        origin + ": the settings file is empty; it needs the sections data, model, training and local");
  SchemaCheck check(origin, false);
  prepareModel(root, check);
  check.section(root, "", 0);
  if (check.failed())
    return check.status();
  Settings settings;
  settings.file = origin;
  SettingsReader reader(root, check);
  settings.data = reader.data();
  settings.model = reader.model();
  settings.stages = reader.stages();
  settings.local = reader.local();
  if (check.failed())
    return check.status();
  settings.notices = check.noticeTexts();
  settings.trainSettings = trainSettingsOf(root, settings.data);
  settings.localSettings = root.findPath("local")->toValue();
  collectLines(root, "", settings.lines);
  return settings;
}

Result<Settings> loadSettings(const std::string &path) {
  KOWARI_ASSIGN(std::string text, readTextFile(path));
  return parseSettings(text, path);
}

Result<Settings> resumeSettings(const Value &trainSettings, const std::string &checkpointPath,
                                const std::string &localSettingsPath) {
  YamlNode train = yamlFromValue(trainSettings);
  SchemaCheck trainCheck(checkpointPath, true);
  trainCheck.optional = {"local"};
  prepareModel(train, trainCheck);
  trainCheck.section(train, "", 0);
  if (trainCheck.failed())
    return trainCheck.status();
  KOWARI_ASSIGN(YamlNode localContent, readYamlFile(localSettingsPath));
  YamlNode local = section("local", std::move(localContent));
  SchemaCheck localCheck(localSettingsPath, false);
  localCheck.optional = {"data", "model", "training"};
  localCheck.section(local, "", 0);
  if (localCheck.failed())
    return localCheck.status();

  Settings settings;
  settings.file = checkpointPath;
  SettingsReader trainReader(train, trainCheck), localReader(local, localCheck);
  settings.data = trainReader.data();
  settings.model = trainReader.model();
  settings.stages = trainReader.stages();
  settings.local = localReader.local();
  if (trainCheck.failed())
    return trainCheck.status();
  if (localCheck.failed())
    return localCheck.status();
  settings.notices = localCheck.noticeTexts();
  settings.trainSettings = trainSettingsOf(train, settings.data);
  settings.localSettings = local.findPath("local")->toValue();
  return settings;
}

Result<ModelSettings> readModelSettings(const Value &model, const std::string &origin) {
  YamlNode root = section("model", yamlFromValue(model));
  SchemaCheck check(origin, true);
  check.optional = {"data", "training", "local", "model.embedding_kwargs"};
  check.optional.insert(std::begin(svdSampleCounts), std::end(svdSampleCounts));
  prepareModel(root, check);
  check.section(root, "", 0);
  if (check.failed())
    return check.status();
  SettingsReader reader(root, check);
  ModelSettings result = reader.model();
  if (check.failed())
    return check.status();
  return result;
}

void completeTrainSettings(Value &trainSettings, int64_t detectors, int64_t bins,
                           const Standardization &standardization) {
  ValueDict &top = trainSettings.asDict();
  ValueDict &model = top["model"].asDict();
  const std::size_t contextParameters = top["data"].asDict()["context_parameters"].asList().size();
  const auto inputDim = static_cast<int64_t>(standardization.names.size() - contextParameters);
  ValueDict &posterior = model["posterior_kwargs"].asDict();
  posterior["input_dim"] = Value(inputDim);
  if (!model.contains("embedding_type") || model["embedding_type"].isNull())
    model["embedding_type"] = Value("resnet");
  ValueDict &embedding = model["embedding_kwargs"].asDict();
  embedding["input_dims"] = Value(ValueList{Value(detectors), Value(3), Value(bins)});
  embedding["added_context"] = Value(contextParameters > 0);
  const int64_t contextDim = embedding["output_dim"].asInt() + static_cast<int64_t>(contextParameters);
  model["posterior_kwargs"].asDict()["context_dim"] = Value(contextDim);

  ValueDict mean, std;
  for (std::size_t i = 0; i < standardization.names.size(); ++i) {
    mean[standardization.names[i]] = Value(standardization.mean[i]);
    std[standardization.names[i]] = Value(standardization.std[i]);
  }
  top["data"].asDict()["standardization"] =
      Value(ValueDict{{"mean", Value(std::move(mean))}, {"std", Value(std::move(std))}});
}

} // namespace kowari
