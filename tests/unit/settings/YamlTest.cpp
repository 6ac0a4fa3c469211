//===- YamlTest.cpp - YAML text as PyYAML reads it ------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// tests/data/settings/pyyaml_scalars.json holds what PyYAML's safe_load makes of a set of scalars and
// documents.
//
//===----------------------------------------------------------------------===//
#include "frontend/settings/Yaml.h"
#include "runtime/support/YamlScalar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace kowari {
namespace {

using testing::HasSubstr;

TEST(Yaml, readsWhatPyYamlReads) {
  std::ifstream stream(std::string(KOWARI_TEST_DATA) + "/settings/pyyaml_scalars.json");
  const nlohmann::json cases = nlohmann::json::parse(stream);
  ASSERT_GE(cases.size(), 70U);
  for (const auto &entry : cases) {
    const bool scalar = entry.contains("text");
    const std::string text =
        scalar ? "k: " + entry["text"].get<std::string>() : entry["document"].get<std::string>();
    Result<YamlNode> node = parseYaml(text, "case");
    ASSERT_TRUE(node.isOk()) << text << ": " << node.status().message();
    const Value value = scalar ? node->find("k")->value.toValue() : node->toValue();
    EXPECT_EQ(value.toPythonLiteral(), entry["repr"].get<std::string>()) << text;
  }
}

TEST(Yaml, positions) {
  Result<YamlNode> node = parseYaml("a: 1\nb:\n  c: [x,\n      y]\n", "f");
  ASSERT_TRUE(node.isOk());
  EXPECT_EQ(node->find("b")->line, 2);
  EXPECT_EQ(node->find("b")->value.find("c")->line, 3);
  EXPECT_EQ(node->find("b")->value.find("c")->column, 3);
  EXPECT_EQ(node->findPath("b.c")->items[1].line, 4);
}

TEST(Yaml, errorsNameTheLine) {
  const std::pair<const char *, const char *> cases[] = {
      {"a: 1\nb: 2\na: 3\n", "f.yaml:3: the key a is written twice, first in line 1"},
      {"a: [1, 2\n", "f.yaml:"},
      {"a: 1\n---\nb: 2\n", "more than one YAML document"},
      {"a: *nowhere\n", "f.yaml:1"},
      {"a: !!python/object/apply:os.system ['x']\n", "f.yaml:1: the tag"},
      {"a: 99999999999999999999\n", "f.yaml:1: the integer 99999999999999999999 does not fit 64 bits"},
      {"a: 1\n<<: 3\n", "f.yaml:2: << takes a mapping"},
      {"a:\n  b: 1\n c: 2\n", "f.yaml:"},
      {"a: &x {b: *x}\n", "f.yaml:1: an alias inside its own anchor"},
      {"a: b: c\n", "f.yaml:1: malformed YAML"},
      {"[1]: 2\n", "a key must be a word"}};
  for (const auto &[text, expected] : cases) {
    const Result<YamlNode> node = parseYaml(text, "f.yaml");
    ASSERT_FALSE(node.isOk()) << text;
    EXPECT_THAT(node.status().message(), HasSubstr(expected)) << text;
  }
}

TEST(Yaml, hostileTextsAreErrors) {
  EXPECT_THAT(parseYaml("a: " + std::string(200000, '['), "f").status().message(),
              HasSubstr("malformed YAML"));
  EXPECT_THAT(parseYaml(std::string("\x89HDF\0\1", 6), "f").status().message(), HasSubstr("no YAML text"));
}

TEST(Yaml, aliasesCannotGrowWithoutBound) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k)
      text += (k ? ", " : "") + before;
    text += "]\n";
  }
  const Result<YamlNode> node = parseYaml(text, "f");
  ASSERT_FALSE(node.isOk());
  EXPECT_THAT(node.status().message(), HasSubstr("more than a million values"));
}

TEST(Yaml, lenientNumbers) {
  EXPECT_EQ(lenientNumber("5e-5"), 5e-5);
  EXPECT_EQ(lenientNumber("1E3"), 1000.0);
  EXPECT_EQ(lenientNumber("1.0e5"), 1e5);
  EXPECT_EQ(lenientNumber("+2.e-3"), 2e-3);
  EXPECT_FALSE(lenientNumber("e5").has_value());
  EXPECT_FALSE(lenientNumber("1e").has_value());
  EXPECT_FALSE(lenientNumber("0x10").has_value());
}

TEST(Yaml, filesThatCannotBeRead) {
  EXPECT_THAT(readYamlFile("/nowhere/settings.yaml").status().message(),
              HasSubstr("/nowhere/settings.yaml: cannot open the settings file (No such file"));
  EXPECT_THAT(readYamlFile(KOWARI_TEST_DATA).status().message(), HasSubstr("is a folder"));
}

} // namespace
} // namespace kowari
