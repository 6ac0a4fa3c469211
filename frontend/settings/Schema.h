//===- Schema.h - the table of every settings key ---------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// One row a key. Checking (SchemaCheck.h), defaults (Settings.cpp), configs/default.yaml and the table of
// docs/settings.md (Reference.h) all come from these rows; a test compares the two files with them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kowari {

enum class SettingType {
  Bool,
  Int,
  Number,  // an integer or a float
  Text,    // not empty
  Choice,  // one of `range`, exact
  Name,    // one of `range`, in any case
  IntList, // each in `range`
  TextList,
  Pair,           // two numbers, each in `range`
  Prior,          // "default", a number or a bilby expression
  NamesOrDefault, // a list of names, or the word "default"
  Section,        // a mapping with rows of its own
  FreeSection,    // a mapping whose content is not looked at
  Any
};

enum class Treatment {
  Served,   // honoured
  NoEffect, // accepted with a notice (`outcome`), changes no number
  Filled,   // computed from the data as in Dingo; a given value is replaced, with a notice
  Refused,  // would change numbers and is not served: refused unless the value is in `neutral`
  Own       // Kowari's own key, unknown to Dingo
};

struct SettingRow {
  /// Dotted; "stage_N" stands for stage_0, stage_1, ...
  const char *path;
  SettingType type;
  /// Numbers: an interval such as "(0, 1)" or "[1, inf)"; Choice and Name: the words, separated by |.
  const char *range = "";
  /// YAML text of Dingo's default, "required", or "" when absence has a meaning of its own.
  const char *fallback = "";
  Treatment treatment = Treatment::Served;
  /// One line for the documentation.
  const char *comment = "";
  /// NoEffect: what becomes of the value. Refused: why.
  const char *outcome = "";
  /// Refused: YAML texts of the values that are accepted, separated by |.
  const char *neutral = "";
  /// Of a Name: words that Dingo knows and Kowari does not serve yet.
  const char *refusedWords = "";
  /// The `type` of the same section that the key belongs to, separated by |; "" for any.
  const char *onlyFor = "";
  /// Value shown in configs/default.yaml when there is no default, as YAML text.
  const char *example = "";
  bool nullable = false;
};

/// Every row, in the order of configs/default.yaml.
std::span<const SettingRow> settingRows();

/// The row of a concrete path such as training.stage_1.epochs; null when unknown. With several rows for one
/// path (options of different optimizers) the one whose onlyFor has `sectionType` is taken.
const SettingRow *findSettingRow(std::string_view path, std::string_view sectionType = "");

/// training.stage_12.epochs -> training.stage_N.epochs
std::string settingPattern(std::string_view path);

/// The rows directly below a section ("" for the top), by their full paths.
std::vector<const SettingRow *> settingRowsBelow(std::string_view sectionPattern);

/// Whether the row belongs to a section whose `type` is `sectionType` (a row without onlyFor always does).
bool appliesTo(const SettingRow &row, std::string_view sectionType);

/// The part of a dotted path behind the last dot, and what stands before it.
std::string settingKey(std::string_view path);
std::string settingParent(std::string_view path);

/// The words of a list separated by |.
std::vector<std::string> splitWords(std::string_view words);

std::string lowerCase(std::string_view word);

/// The word nearest to `word` by edit distance (case ignored), "" when none is near.
std::string nearestWord(std::string_view word, const std::vector<std::string> &candidates);

} // namespace kowari
