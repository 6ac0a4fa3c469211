//===- LegacySpelling.cpp - old spellings of the model section ------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/settings/LegacySpelling.h"

#include <optional>

namespace kowari {

/// Dingo takes True, the number 1 and the strings "true" and "True" as true. Other words are likely mistakes.
static std::optional<bool> legacyFlag(const Value &value) {
  if (value.isBool())
    return value.asBool();
  if (value.isNull())
    return false;
  if (value.isNumber() && (value.asDouble() == 0 || value.asDouble() == 1))
    return value.asDouble() == 1;
  if (value.isString() && (value.asString() == "true" || value.asString() == "True"))
    return true;
  if (value.isString() && (value.asString() == "false" || value.asString() == "False"))
    return false;
  return std::nullopt;
}

static void setScalar(YamlNode &map, const std::string &key, const Value &value, int line) {
  YamlEntry *entry = map.find(key);
  if (!entry) {
    map.entries.push_back({key, line, 0, YamlNode()});
    entry = &map.entries.back();
  }
  entry->value.kind = YamlNode::Kind::Scalar;
  entry->value.items.clear();
  entry->value.entries.clear();
  entry->value.scalar = value;
  entry->value.line = line;
}

static void convertNorm(YamlNode &node, const std::string &path, SchemaCheck &check) {
  bool flags[2] = {false, false};
  int line = 0;
  std::string written;
  const char *const keys[2] = {"batch_norm", "layer_norm"};
  for (int i = 0; i < 2; ++i) {
    const YamlEntry *entry = node.find(keys[i]);
    if (!entry)
      continue;
    const std::optional<bool> flag = legacyFlag(entry->value.toValue());
    if (!flag)
      check.problem(entry->line, path + "." + keys[i],
                    "expected True or False, found " + entry->value.toValue().toPythonLiteral());
    flags[i] = flag.value_or(false);
    line = line == 0 ? entry->line : line;
    written += (written.empty() ? "" : ", ") + std::string(keys[i]) + ": " + (flags[i] ? "True" : "False");
  }
  if (written.empty())
    return;
  if (flags[0] && flags[1])
    check.problem(line, path, "batch_norm and layer_norm are both True; keep one, or write norm: BatchNorm");
  const Value norm = flags[0] ? Value("BatchNorm") : flags[1] ? Value("LayerNorm") : Value();
  const YamlEntry *existing = node.find("norm");
  const bool overwritten = existing && !(existing->value.toValue() == norm);
  check.notice(line, path,
               written + " read as norm: " + (norm.isNull() ? "null" : norm.asString()) +
                   (overwritten ? ", which replaces the norm written beside it, as in Dingo" : ""));
  node.erase("batch_norm");
  node.erase("layer_norm");
  setScalar(node, "norm", norm, line);
}

static void convertNormEverywhere(YamlNode &node, const std::string &path, SchemaCheck &check) {
  if (!node.isMap())
    return;
  convertNorm(node, path, check);
  for (YamlEntry &entry : node.entries)
    convertNormEverywhere(entry.value, path + "." + entry.key, check);
}

static void renameSection(YamlNode &model, const std::string &from, const std::string &to, int line,
                          SchemaCheck &check) {
  const YamlEntry *old = model.find(from);
  if (!old) {
    check.problem(line, "model", "type: nsf+embedding needs the section " + from);
    return;
  }
  YamlEntry moved = *old;
  moved.key = to;
  model.erase(from);
  model.erase(to);
  model.entries.push_back(std::move(moved));
}

void convertLegacySpelling(YamlNode &model, SchemaCheck &check) {
  convertNormEverywhere(model, "model", check);
  const YamlEntry *type = model.isMap() ? model.find("type") : nullptr;
  if (!type || !type->value.isString() || type->value.scalar.asString() != "nsf+embedding")
    return;
  const int line = type->line;
  check.notice(
      line, "model.type",
      "nsf+embedding read as posterior_model_type: normalizing_flow; nsf_kwargs as posterior_kwargs, "
      "embedding_net_kwargs as embedding_kwargs");
  setScalar(model, "posterior_model_type", Value("normalizing_flow"), line);
  model.erase("type");
  renameSection(model, "nsf_kwargs", "posterior_kwargs", line, check);
  renameSection(model, "embedding_net_kwargs", "embedding_kwargs", line, check);
}

} // namespace kowari
