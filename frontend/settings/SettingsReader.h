//===- SettingsReader.h - typed access to a checked tree --------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/settings/SchemaCheck.h"
#include "frontend/settings/Settings.h"

#include <optional>
#include <string>

namespace kowari {

/// Reads values by dotted path from a tree that SchemaCheck accepted; absent keys have the schema's default.
/// Conditions between several keys are problems added to the check.
class SettingsReader {
public:
  SettingsReader(const YamlNode &root, SchemaCheck &check) : root(root), check(check) {}

  DataSettings data();
  ModelSettings model();
  std::vector<StageSettings> stages();
  LocalSettings local();

private:
  const YamlNode &root;
  SchemaCheck &check;

  Value value(const std::string &path, const std::string &type = "") const;
  bool has(const std::string &path) const { return root.findPath(path) != nullptr; }
  double number(const std::string &path, const std::string &type = "") const {
    return value(path, type).asDouble();
  }
  int64_t integer(const std::string &path) const { return value(path).asInt(); }
  bool flag(const std::string &path) const { return value(path).asBool(); }
  std::string text(const std::string &path, const std::string &type = "") const;
  std::vector<std::string> texts(const std::string &path) const;
  std::vector<int64_t> integers(const std::string &path) const;
  std::optional<double> optionalNumber(const std::string &path) const;
  std::optional<int64_t> optionalInteger(const std::string &path) const;
  int line(const std::string &path) const;

  DomainUpdate domainUpdate();
  std::optional<Standardization> standardization(const std::vector<std::string> &names);
  EmbeddingSettings embedding();
  OptimizerSettings optimizer(const std::string &path);
  SchedulerSettings scheduler(const std::string &path);
};

} // namespace kowari
