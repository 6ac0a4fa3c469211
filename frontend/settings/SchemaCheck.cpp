//===- SchemaCheck.cpp - a settings tree against the schema ---------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/settings/SchemaCheck.h"

#include <algorithm>

namespace kowari {

static bool isNeutral(const SettingRow &row, const YamlNode &node) {
  for (const std::string &text : splitWords(row.neutral)) {
    const Result<YamlNode> neutral = parseYaml(text, "schema");
    if (neutral && neutral->toValue() == node.toValue())
      return true;
  }
  return false;
}

static std::string shown(const YamlNode &node) {
  std::string text = node.toValue().toPythonLiteral();
  if (text.size() > 60)
    text = text.substr(0, 57) + "...";
  return text;
}

std::string SchemaCheck::place(int line) const {
  return line > 0 ? origin + ":" + std::to_string(line) : origin;
}

void SchemaCheck::problem(int line, const std::string &path, const std::string &text) {
  problems.push_back({line, place(line) + ": " + (path.empty() ? "" : path + ": ") + text});
}

void SchemaCheck::notice(int line, const std::string &path, const std::string &text) {
  notices.push_back({line, place(line) + ": " + path + ": " + text});
}

static bool byLine(const SettingsMessage &a, const SettingsMessage &b) { return a.line < b.line; }

Status SchemaCheck::status() const {
  std::vector<SettingsMessage> sorted = problems;
  std::stable_sort(sorted.begin(), sorted.end(), byLine);
  std::string text;
  for (const SettingsMessage &message : sorted)
    text += (text.empty() ? "" : "\n") + message.text;
  return text.empty() ? Status::ok() : Status::error(text);
}

std::vector<std::string> SchemaCheck::noticeTexts() const {
  std::vector<SettingsMessage> sorted = notices;
  std::stable_sort(sorted.begin(), sorted.end(), byLine);
  std::vector<std::string> texts;
  for (SettingsMessage &message : sorted)
    texts.push_back(std::move(message.text));
  return texts;
}

/// The value of `type` in a section of options, in lower case.
static std::string sectionType(const YamlNode &node) {
  const YamlEntry *type = node.find("type");
  return type && type->value.isString() ? lowerCase(type->value.scalar.asString()) : "";
}

static bool holdsRefusedWord(const YamlNode &node, const std::string &path) {
  for (const YamlEntry &child : node.entries) {
    const SettingRow *row = findSettingRow(path.empty() ? child.key : path + "." + child.key);
    if (!row || !child.value.isString())
      continue;
    const std::vector<std::string> refused = splitWords(row->refusedWords);
    if (std::find(refused.begin(), refused.end(), lowerCase(child.value.scalar.asString())) != refused.end())
      return true;
  }
  return false;
}

void SchemaCheck::section(YamlNode &node, const std::string &path, int line) {
  if (!node.isMap()) {
    problem(line, path, "expected a section of keys and values, found " + shown(node));
    return;
  }
  const std::string type = sectionType(node);
  // A kind of network or optimizer that is not served has keys of its own: its name is the one problem.
  const bool otherKind = holdsRefusedWord(node, path);
  for (YamlEntry &child : node.entries)
    if (!otherKind || child.value.isScalar())
      entry(child, path.empty() ? child.key : path + "." + child.key, path, type);
  if (!otherKind)
    missing(node, path, type, line);
}

void SchemaCheck::entry(YamlEntry &entry, const std::string &path, const std::string &sectionPath,
                        const std::string &type) {
  const SettingRow *row = findSettingRow(path, type);
  if (!row)
    return unknown(entry, path, sectionPath, type);
  // With an unknown type the type is the problem, not its options.
  if (!appliesTo(*row, type)) {
    const SettingRow *typeRow = findSettingRow(sectionPath + ".type");
    const std::vector<std::string> known = typeRow ? splitWords(typeRow->range) : std::vector<std::string>();
    if (std::find(known.begin(), known.end(), type) != known.end())
      unknown(entry, path, sectionPath, type);
    return;
  }
  treat(*row, entry, path);
}

void SchemaCheck::treat(const SettingRow &row, YamlEntry &entry, const std::string &path) {
  YamlNode &node = entry.value;
  const int line = node.line > 0 && !node.isMap() && !node.isList() ? node.line : entry.line;
  if (row.treatment == Treatment::Refused && isNeutral(row, node))
    return;
  std::string said;
  const std::string wrong = checkSettingValue(row, node, said);
  if (!wrong.empty())
    return problem(line, path, wrong);
  if (row.treatment == Treatment::Refused)
    return problem(line, path,
                   (row.type == SettingType::Any ? "" : shown(node) + ": ") + std::string(row.outcome));
  if (!said.empty())
    notice(line, path, said);
  if (row.treatment == Treatment::NoEffect && !completed)
    notice(entry.line, path, row.outcome);
  if (row.treatment == Treatment::Filled && !completed)
    notice(entry.line, path, "filled in from the data; the value given here is replaced");
  if (row.type == SettingType::Section && !node.isNull())
    section(node, path, entry.line);
}

void SchemaCheck::unknown(const YamlEntry &entry, const std::string &path, const std::string &sectionPath,
                          const std::string &type) {
  const std::string pattern = settingPattern(sectionPath);
  std::vector<std::string> siblings;
  for (const SettingRow *row : settingRowsBelow(pattern))
    if (appliesTo(*row, type) && row->treatment != Treatment::Refused)
      siblings.push_back(settingKey(row->path));
  if (pattern == "training")
    siblings = {"stage_0", "stage_1", "stage_2", "stage_3"};
  std::string text = "unknown key";
  if (const SettingRow *row = findSettingRow(path); row && *row->onlyFor)
    text = "no option of type " + type;
  if (const std::string near = nearestWord(entry.key, siblings); !near.empty() && near != entry.key)
    return problem(entry.line, path, text + "; did you mean " + near + "?");
  for (const SettingRow &row : settingRows())
    if (settingKey(row.path) == entry.key && pattern + "." + entry.key != row.path)
      return problem(entry.line, path, text + " in this section; it belongs into " + settingParent(row.path));
  std::string known;
  for (const std::string &sibling : siblings)
    known += (known.empty() ? "" : ", ") + sibling;
  problem(entry.line, path, text + "; known here: " + known);
}

void SchemaCheck::missing(const YamlNode &node, const std::string &path, const std::string &type, int line) {
  for (const SettingRow *row : settingRowsBelow(settingPattern(path))) {
    const std::string key = settingKey(row->path);
    const std::string full = path.empty() ? key : path + "." + key;
    if (std::string_view(row->fallback) != "required" || optional.contains(full) || node.find(key) ||
        !appliesTo(*row, type))
      continue;
    const std::string what = row->type == SettingType::Section ? "the section " : "the key ";
    problem(line, path, what + key + " is missing: " + row->comment);
  }
}

} // namespace kowari
