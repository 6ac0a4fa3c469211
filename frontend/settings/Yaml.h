//===- Yaml.h - YAML text as a tree with positions --------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Reads YAML as PyYAML's safe_load does, which Dingo uses: merge keys (<<) are honoured and unquoted scalars
// follow YAML 1.1 (YamlScalar.h). Stricter than PyYAML in one point: a key written twice in one mapping is an
// error, because silently keeping the last one hides mistakes. Every node knows its line and column.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"
#include "runtime/support/Value.h"

#include <string>
#include <string_view>
#include <vector>

namespace kowari {

struct YamlEntry;

struct YamlNode {
  enum class Kind { Scalar, List, Map };
  Kind kind = Kind::Scalar;
  int line = 0, column = 0;       // from 1; 0 for a node made from a Value
  bool plain = false;             // a scalar written without quotes
  Value scalar;                   // Scalar
  std::vector<YamlNode> items;    // List
  std::vector<YamlEntry> entries; // Map, in order, keys unique

  bool isMap() const { return kind == Kind::Map; }
  bool isList() const { return kind == Kind::List; }
  bool isScalar() const { return kind == Kind::Scalar; }
  bool isNull() const { return isScalar() && scalar.isNull(); }
  bool isString() const { return isScalar() && scalar.isString(); }
  YamlEntry *find(std::string_view key);
  const YamlEntry *find(std::string_view key) const;
  /// Follows a dotted path of mapping keys; null when a part is missing.
  const YamlNode *findPath(std::string_view path) const;
  YamlNode *findPath(std::string_view path);
  /// Removes a mapping's key; false when it was absent.
  bool erase(std::string_view key);
  Value toValue() const;
};

struct YamlEntry {
  std::string key;
  int line = 0, column = 0; // of the key
  YamlNode value;
};

/// Parses one YAML document; `origin` names it in errors ("origin:line: ..."). An empty document is a null
/// node.
Result<YamlNode> parseYaml(const std::string &text, const std::string &origin);

/// The content of a settings file; a missing, unreadable or non-regular file is an error that names it.
Result<std::string> readTextFile(const std::string &path);

/// Reads and parses a file; a missing or unreadable file is an error that names it.
Result<YamlNode> readYamlFile(const std::string &path);

/// A tree without positions.
YamlNode yamlFromValue(const Value &value);

} // namespace kowari
