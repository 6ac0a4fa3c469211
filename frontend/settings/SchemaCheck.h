//===- SchemaCheck.h - a settings tree against the schema -------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/settings/Schema.h"
#include "frontend/settings/Yaml.h"

#include <set>
#include <string>
#include <vector>

namespace kowari {

/// A problem or notice at a place of a file, "origin:line: path: text".
struct SettingsMessage {
  int line = 0;
  std::string text;
};

/// Interval such as "[0, 1)"; an empty text contains everything.
bool rangeContains(std::string_view range, double value);

/// What is wrong with a value under a row, "" when nothing is. Changes a plain 5e-5 under a number into that
/// number and a name in another case into the schema's spelling, and then says so in `notice`.
std::string checkSettingValue(const SettingRow &row, YamlNode &node, std::string &notice);

/// Checks a tree in place and gathers everything wrong with it.
class SchemaCheck {
public:
  /// `completed`: keys that only the data tell (Treatment::Filled) are expected and pass without a notice,
  /// and no NoEffect notice is given, as in settings that come back from a checkpoint.
  SchemaCheck(std::string origin, bool completed) : origin(std::move(origin)), completed(completed) {}

  /// Paths that may be missing though the schema requires them.
  std::set<std::string> optional;

  /// Checks the section at `path` ("" for the whole file); `line` is where its key stands.
  void section(YamlNode &node, const std::string &path, int line);

  void problem(int line, const std::string &path, const std::string &text);
  void notice(int line, const std::string &path, const std::string &text);

  bool failed() const { return !problems.empty(); }
  /// Every problem, one a line, by line number.
  Status status() const;
  /// Notices in the order of the file.
  std::vector<std::string> noticeTexts() const;

private:
  std::string origin;
  bool completed;
  std::vector<SettingsMessage> problems, notices;

  std::string place(int line) const;
  void entry(YamlEntry &entry, const std::string &path, const std::string &sectionPath,
             const std::string &type);
  void treat(const SettingRow &row, YamlEntry &entry, const std::string &path);
  void unknown(const YamlEntry &entry, const std::string &path, const std::string &sectionPath,
               const std::string &type);
  void missing(const YamlNode &node, const std::string &path, const std::string &type, int line);
};

} // namespace kowari
