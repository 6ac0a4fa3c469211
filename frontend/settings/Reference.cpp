//===- Reference.cpp - texts made from the settings schema ----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/settings/Reference.h"
#include "frontend/settings/Schema.h"

#include <algorithm>

namespace kowari {

static bool required(const SettingRow &row) { return std::string_view(row.fallback) == "required"; }

/// The stage is required as stage_0; everything else as the schema says.
static bool isActiveSection(const SettingRow &row) {
  return required(row) || std::string_view(row.path) == "training.stage_N";
}

/// Whether a row, and every section above it, stands in the file uncommented.
static bool isActive(const SettingRow &row) {
  for (std::string parent = settingParent(row.path); !parent.empty(); parent = settingParent(parent))
    for (const SettingRow &above : settingRows())
      if (parent == above.path && !isActiveSection(above))
        return false;
  if (row.type == SettingType::Section)
    return isActiveSection(row);
  const bool shownType = appliesTo(row, "adam") || appliesTo(row, "cosine");
  return shownType && *row.fallback && row.treatment != Treatment::Refused;
}

static std::string yamlComment(const SettingRow &row) {
  std::string text = row.comment;
  if (*row.onlyFor) {
    std::string types = row.onlyFor;
    std::replace(types.begin(), types.end(), '|', '/');
    text = types + ": " + text;
  }
  if (row.treatment == Treatment::Refused)
    text += std::string(" Refused: ") + row.outcome + ".";
  else if (row.treatment == Treatment::NoEffect)
    text += std::string(" Accepted: ") + row.outcome + ".";
  else if (row.treatment == Treatment::Filled)
    text += " Filled in from the data.";
  else if (row.treatment == Treatment::Own)
    text += " Kowari's own.";
  return text;
}

std::string defaultSettingsYaml() {
  std::string out =
      "# Every key of a train_settings.yaml, with its default (or an example where there is none) and a "
      "comment.\n# Keys in comments are absent by default. Made from frontend/settings/SchemaRows.cpp; "
      "see docs/settings.md.\n";
  for (const SettingRow &row : settingRows()) {
    const std::string_view path = row.path;
    const auto depth = static_cast<std::size_t>(std::count(path.begin(), path.end(), '.'));
    const std::string value = required(row) || !*row.fallback ? row.example : row.fallback;
    std::string key = settingKey(path);
    if (key == "stage_N")
      key = "stage_0";
    if (depth == 0)
      out += "\n";
    out += isActive(row) ? "" : "# ";
    out += std::string(2 * depth, ' ') + key + ":" + (value.empty() ? "" : " " + value) + "  # " +
           yamlComment(row) + "\n";
  }
  return out;
}

static const char *typeName(SettingType type) {
  switch (type) {
  case SettingType::Bool:
    return "bool";
  case SettingType::Int:
    return "int";
  case SettingType::Number:
    return "number";
  case SettingType::Text:
    return "text";
  case SettingType::Choice:
    return "word";
  case SettingType::Name:
    return "word, any case";
  case SettingType::IntList:
    return "list of ints";
  case SettingType::TextList:
    return "list of names";
  case SettingType::Pair:
    return "two numbers";
  case SettingType::Prior:
    return "prior";
  case SettingType::NamesOrDefault:
    return "list of names, or default";
  case SettingType::Section:
  case SettingType::FreeSection:
    return "section";
  case SettingType::Any:
    return "any";
  }
  return "";
}

static std::string treatmentText(const SettingRow &row) {
  const std::string outcome = row.outcome;
  switch (row.treatment) {
  case Treatment::Served:
    return *row.refusedWords ? "honoured; refused: " + std::string(row.refusedWords) : "honoured";
  case Treatment::NoEffect:
    return "no effect: " + outcome;
  case Treatment::Filled:
    return "filled in from the data";
  case Treatment::Refused:
    return (*row.neutral ? "refused unless " + std::string(row.neutral) + ": " : "refused: ") + outcome;
  case Treatment::Own:
    return "Kowari's own";
  }
  return "";
}

/// A bar would end the table's cell.
static std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.replace(at, 1, ", ");
  return text;
}

std::string settingsTables() {
  std::string out;
  for (const SettingRow &row : settingRows()) {
    const std::string path = row.path;
    const std::size_t dot = path.find('.');
    if (dot == std::string::npos) {
      out += "\n### " + path + "\n\n" + row.comment +
             "\n\n| key | type | allowed | default | Kowari | meaning |\n" + "|---|---|---|---|---|---|\n";
      continue;
    }
    const std::string allowed =
        std::string(row.range) + (row.nullable ? (*row.range ? "|null" : "or null") : "");
    const std::string only = *row.onlyFor ? " (" + cell(row.onlyFor) + ")" : "";
    out += "| `" + path.substr(dot + 1) + "`" + only + " | " + typeName(row.type) + " | " + cell(allowed) +
           " | " + row.fallback + " | " + cell(treatmentText(row)) + " | " + cell(row.comment) + " |\n";
  }
  return out;
}

} // namespace kowari
