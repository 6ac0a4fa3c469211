//===- SettingValue.cpp - one value against its row of the schema ---------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/settings/SchemaCheck.h"
#include "runtime/data/prior/Prior.h"
#include "runtime/support/YamlScalar.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

namespace kowari {

static double bound(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value); // reads "inf" and "-inf" too
  return value;
}

bool rangeContains(std::string_view range, double value) {
  if (range.empty())
    return true;
  const std::size_t comma = range.find(',');
  const double low = bound(range.substr(1, comma - 1));
  const double high = bound(range.substr(comma + 1, range.size() - comma - 2));
  const bool above = range.front() == '[' ? value >= low : value > low;
  const bool below = range.back() == ']' ? value <= high : value < high;
  return above && below;
}

static std::string shown(const YamlNode &node) {
  std::string text = node.toValue().toPythonLiteral();
  if (text.size() > 60)
    text = text.substr(0, 57) + "...";
  if (node.isScalar())
    return std::string(node.scalar.typeName()) + " " + text;
  return text;
}

static std::string expected(const std::string &what, const SettingRow &row, const YamlNode &node) {
  std::string text = "expected " + what + ", found " + shown(node);
  if (node.isString() && (node.scalar.asString() == "None" || node.scalar.asString() == "none"))
    text += row.nullable ? "; YAML reads None as text, write null" : "; YAML reads None as text";
  return text;
}

static std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

static std::string outside(const SettingRow &row, const YamlNode &node) {
  return node.scalar.toPythonLiteral() + " is out of range; allowed is " + row.range;
}

/// A number, also one such as 5e-5 that PyYAML would read as text.
static std::string checkNumber(const SettingRow &row, YamlNode &node, std::string &notice) {
  if (node.isString() && node.plain) {
    if (const auto number = lenientNumber(node.scalar.asString())) {
      notice = "read " + node.scalar.asString() + " as the number " + pythonFloatRepr(*number) +
               "; Dingo would read it as text (YAML needs a dot and a signed exponent)";
      node.scalar = Value(*number);
    }
  }
  if (!node.isScalar() || !node.scalar.isNumber())
    return expected("a number", row, node);
  return rangeContains(row.range, node.scalar.asDouble()) ? "" : outside(row, node);
}

static std::string checkInt(const SettingRow &row, const YamlNode &node) {
  if (!node.isScalar() || !node.scalar.isInt())
    return expected("an integer", row, node);
  return rangeContains(row.range, static_cast<double>(node.scalar.asInt())) ? "" : outside(row, node);
}

static std::string checkWord(const SettingRow &row, YamlNode &node, std::string &notice) {
  const std::vector<std::string> words = splitWords(row.range);
  std::vector<std::string> all = words;
  if (row.nullable)
    all.push_back("null");
  if (!node.isString())
    return expected(joined(all), row, node);
  const std::string given = node.scalar.asString();
  const std::string word = row.type == SettingType::Name ? lowerCase(given) : given;
  if (std::find(words.begin(), words.end(), word) != words.end()) {
    if (word != given)
      notice = "read " + given + " as " + word + ", and stored so in the model";
    node.scalar = Value(word);
    return "";
  }
  const std::vector<std::string> refused = splitWords(row.refusedWords);
  if (std::find(refused.begin(), refused.end(), word) != refused.end())
    return word + ": " + row.outcome;
  std::string text = expected(joined(all), row, node);
  if (const std::string near = nearestWord(given, words); !near.empty())
    text += "; did you mean " + near + "?";
  return text;
}

static std::string checkText(const SettingRow &row, const YamlNode &node) {
  if (!node.isString())
    return expected("text", row, node);
  if (row.nullable && node.scalar.asString() == "None")
    return expected("text or null", row, node);
  return node.scalar.asString().empty() ? "must not be empty" : "";
}

static std::string checkTextList(const SettingRow &row, const YamlNode &node) {
  if (!node.isList())
    return expected("a list of names", row, node);
  if (node.items.empty())
    return "must not be empty";
  std::set<std::string> seen;
  for (const YamlNode &item : node.items) {
    if (!item.isString() || item.scalar.asString().empty())
      return "expected a list of names, found " + shown(item) + " in it";
    if (!seen.insert(item.scalar.asString()).second)
      return item.scalar.asString() + " is listed twice";
  }
  return "";
}

static std::string checkNumberList(const SettingRow &row, YamlNode &node, std::string &notice) {
  const bool pair = row.type == SettingType::Pair;
  const std::string what = pair ? "a list of two numbers" : "a list of integers";
  if (!node.isList())
    return expected(what, row, node);
  if (pair ? node.items.size() != 2 : node.items.empty())
    return expected(what, row, node);
  for (YamlNode &item : node.items) {
    const std::string wrong = pair ? checkNumber(row, item, notice) : checkInt(row, item);
    if (!wrong.empty())
      return wrong;
  }
  return "";
}

static std::string checkPrior(const SettingRow &row, const YamlNode &node) {
  if (!node.isScalar() || !(node.scalar.isNumber() || node.isString()))
    return expected("default, a number or a bilby expression", row, node);
  const std::string expression = node.isString() ? node.scalar.asString() : node.scalar.toPythonLiteral();
  const std::string_view path = row.path;
  const Result<data::Prior> prior =
      data::parsePrior(std::string(path.substr(path.rfind('.') + 1)), expression);
  return prior ? "" : prior.status().message();
}

std::string checkSettingValue(const SettingRow &row, YamlNode &node, std::string &notice) {
  if (node.isNull() && row.nullable)
    return "";
  switch (row.type) {
  case SettingType::Bool:
    return node.isScalar() && node.scalar.isBool() ? "" : expected("True or False", row, node);
  case SettingType::Int:
    return checkInt(row, node);
  case SettingType::Number:
    return checkNumber(row, node, notice);
  case SettingType::Text:
    return checkText(row, node);
  case SettingType::Choice:
  case SettingType::Name:
    return checkWord(row, node, notice);
  case SettingType::IntList:
  case SettingType::Pair:
    return checkNumberList(row, node, notice);
  case SettingType::TextList:
    return checkTextList(row, node);
  case SettingType::NamesOrDefault:
    return node.isString() && node.scalar.asString() == "default" ? "" : checkTextList(row, node);
  case SettingType::Prior:
    return checkPrior(row, node);
  case SettingType::Section:
  case SettingType::FreeSection:
    return node.isMap() ? "" : expected("a section of keys and values", row, node);
  case SettingType::Any:
    return "";
  }
  return "";
}

} // namespace kowari
