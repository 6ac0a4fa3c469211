//===- ReferenceTest.cpp - default.yaml and the docs follow the schema ----===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/settings/Reference.h"
#include "frontend/settings/Schema.h"
#include "frontend/settings/Settings.h"
#include "frontend/settings/Yaml.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace kowari {
namespace {

const std::string root = KOWARI_SOURCE_DIR;
const std::string marker = "<!-- made from frontend/settings/SchemaRows.cpp; unit-settings checks it -->\n";

std::string readAll(const std::string &path) {
  std::ifstream stream(path);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

bool updating() {
  const char *value = std::getenv("KOWARI_UPDATE_GENERATED");
  return value && std::string(value) == "1";
}

TEST(Reference, defaultYamlIsCurrentAndLoads) {
  const std::string path = root + "/configs/default.yaml";
  if (updating())
    std::ofstream(path) << defaultSettingsYaml();
  EXPECT_EQ(readAll(path), defaultSettingsYaml()) << "run unit-settings with KOWARI_UPDATE_GENERATED=1";
  const Result<Settings> settings = loadSettings(path);
  EXPECT_TRUE(settings.isOk()) << settings.status().message();
}

TEST(Reference, settingsPageIsCurrent) {
  const std::string path = root + "/docs/settings.md";
  std::string page = readAll(path);
  const std::size_t at = page.find(marker);
  ASSERT_NE(at, std::string::npos);
  if (updating()) {
    page = page.substr(0, at + marker.size()) + settingsTables();
    std::ofstream(path) << page;
  }
  EXPECT_EQ(page.substr(at + marker.size()), settingsTables())
      << "run unit-settings with KOWARI_UPDATE_GENERATED=1";
}

TEST(Reference, everyRowIsWellFormed) {
  for (const SettingRow &row : settingRows()) {
    EXPECT_NE(std::string(row.comment), "") << row.path;
    const bool needsOutcome = row.treatment == Treatment::NoEffect || row.treatment == Treatment::Refused;
    EXPECT_EQ(needsOutcome || *row.refusedWords, *row.outcome != '\0') << row.path;
    const bool required = std::string(row.fallback) == "required";
    const bool section = row.type == SettingType::Section;
    EXPECT_FALSE(required && !section && *row.example == '\0') << row.path;
    EXPECT_TRUE(parseYaml(row.fallback, row.path).isOk());
    const std::string parent = std::string(row.path).substr(0, std::string(row.path).rfind('.'));
    bool hasParent = parent == row.path;
    for (const SettingRow &other : settingRows())
      hasParent |= parent == other.path && other.type == SettingType::Section;
    EXPECT_TRUE(hasParent) << row.path;
  }
}

} // namespace
} // namespace kowari
