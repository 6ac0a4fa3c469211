//===- Value.h - values as settings and metadata hold them ------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Value is what a YAML file, a JSON text, a Python literal or a model file's metadata holds: null, bool, a
// 64-bit integer, a double, text, a list, or a dictionary with text keys that keeps its order. It owns
// everything below it; copying copies. Writers: JSON (as Python's json.dumps), Python literals (as repr) and
// YAML (as PyYAML's dump(default_flow_style=False, sort_keys=False)). The parser of Python literals is in
// PythonLiteral.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kowari {

class Value;

using ValueList = std::vector<Value>;

/// A dictionary in insertion order. Keys are unique; looking one up is linear, dictionaries here are small.
class ValueDict {
public:
  using Entry = std::pair<std::string, Value>;
  ValueDict() = default;
  ValueDict(std::initializer_list<Entry> init);

  std::size_t size() const;
  bool empty() const { return size() == 0; }
  const std::vector<Entry> &items() const { return entries; }
  std::vector<Entry> &items() { return entries; }
  /// Null when the key is absent.
  const Value *find(std::string_view key) const;
  Value *find(std::string_view key);
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  /// The value under `key`; a null one is appended when the key is absent.
  Value &operator[](std::string_view key);
  /// Removes the key; false when it was absent.
  bool erase(std::string_view key);
  bool operator==(const ValueDict &other) const;

private:
  std::vector<Entry> entries;
};

class Value {
public:
  Value() = default;
  Value(std::nullptr_t) {}
  Value(bool b) : content(b) {}
  Value(int i) : content(int64_t{i}) {}
  Value(int64_t i) : content(i) {}
  Value(double d) : content(d) {}
  Value(const char *s) : content(std::string(s)) {}
  Value(std::string s) : content(std::move(s)) {}
  Value(ValueList l) : content(std::move(l)) {}
  Value(ValueDict d) : content(std::move(d)) {}

  bool isNull() const { return std::holds_alternative<std::monostate>(content); }
  bool isBool() const { return std::holds_alternative<bool>(content); }
  bool isInt() const { return std::holds_alternative<int64_t>(content); }
  bool isDouble() const { return std::holds_alternative<double>(content); }
  /// An integer or a double (a bool is neither, unlike in Python).
  bool isNumber() const { return isInt() || isDouble(); }
  bool isString() const { return std::holds_alternative<std::string>(content); }
  bool isList() const { return std::holds_alternative<ValueList>(content); }
  bool isDict() const { return std::holds_alternative<ValueDict>(content); }
  /// "null", "bool", "int", "float", "string", "list" or "dict", for messages.
  const char *typeName() const;

  // Each expects the type it names.
  bool asBool() const { return std::get<bool>(content); }
  int64_t asInt() const { return std::get<int64_t>(content); }
  /// Also of an integer.
  double asDouble() const { return isInt() ? static_cast<double>(asInt()) : std::get<double>(content); }
  const std::string &asString() const { return std::get<std::string>(content); }
  const ValueList &asList() const { return std::get<ValueList>(content); }
  ValueList &asList() { return std::get<ValueList>(content); }
  const ValueDict &asDict() const { return std::get<ValueDict>(content); }
  ValueDict &asDict() { return std::get<ValueDict>(content); }

  /// The entry of a dictionary; null when this is no dictionary or lacks the key.
  const Value *find(std::string_view key) const { return isDict() ? asDict().find(key) : nullptr; }
  /// Follows a dotted path through dictionaries, as in "data.domain_update.f_min".
  const Value *findPath(std::string_view path) const;

  /// Equal types and contents; the int 1 differs from the double 1.0. NaN equals nothing.
  bool operator==(const Value &other) const { return content == other.content; }

  /// As json.dumps(value, ensure_ascii=False): ", " and ": " between, NaN and Infinity as Python spells them.
  /// With indent > 0 as json.dumps(value, indent=indent).
  std::string toJson(int indent = 0) const;
  /// As Python's repr: {'a': 1.0, 'b': [True, None]}.
  std::string toPythonLiteral() const;
  /// Block style as PyYAML's dump writes it, long strings folded at 80 columns; ends with a line end.
  std::string toYaml() const;

private:
  std::variant<std::monostate, bool, int64_t, double, std::string, ValueList, ValueDict> content;
};

inline std::size_t ValueDict::size() const { return entries.size(); }

/// The shortest text that reads back as `value`, as Python's repr writes it: "0.0001", "1e-05", "3.0", "inf",
/// "nan".
std::string pythonFloatRepr(double value);
/// Text in quotes as Python's repr writes it; UTF-8 beyond ASCII passes unchanged.
std::string pythonStringRepr(std::string_view text);
/// Text in double quotes with JSON's escapes; UTF-8 passes unchanged.
std::string jsonString(std::string_view text);

} // namespace kowari
