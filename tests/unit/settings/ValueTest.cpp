//===- ValueTest.cpp - values as text, against Python's own ---------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// tests/data/settings/python_texts.json holds what Python 3.11 and PyYAML 6 write for a set of values.
//
//===----------------------------------------------------------------------===//
#include "runtime/support/Value.h"
#include "runtime/support/PythonLiteral.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>

namespace kowari {
namespace {

using testing::HasSubstr;

nlohmann::json readJson(const std::string &name) {
  std::ifstream stream(std::string(KOWARI_TEST_DATA) + "/settings/" + name);
  return nlohmann::json::parse(stream);
}

TEST(Value, textsEqualPythons) {
  const nlohmann::json cases = readJson("python_texts.json");
  ASSERT_GE(cases.size(), 16U);
  for (const auto &entry : cases) {
    const std::string literal = entry["literal"];
    Result<Value> value = parsePythonLiteral(literal);
    ASSERT_TRUE(value.isOk()) << value.status().message();
    EXPECT_EQ(value->toYaml(), entry["yaml"].get<std::string>());
    EXPECT_EQ(value->toJson(), entry["json"].get<std::string>());
    Result<Value> again = parsePythonLiteral(value->toPythonLiteral());
    ASSERT_TRUE(again.isOk()) << again.status().message();
    EXPECT_EQ(*again, *value);
  }
}

TEST(Value, reprOfAscii) {
  const Value value(ValueDict{{"a", 1.0}, {"b", Value(ValueList{Value(true), Value(), Value("it's")})}});
  EXPECT_EQ(value.toPythonLiteral(), "{'a': 1.0, 'b': [True, None, \"it's\"]}");
}

TEST(Value, indentedJson) {
  const Value value(ValueDict{{"a", Value(ValueList{Value(1), Value(ValueDict())})}});
  EXPECT_EQ(value.toJson(2), "{\n  \"a\": [\n    1,\n    {}\n  ]\n}");
}

TEST(Value, dictKeepsOrderAndUniqueKeys) {
  ValueDict dict;
  dict["z"] = Value(1);
  dict["a"] = Value(2);
  dict["z"] = Value(3);
  ASSERT_EQ(dict.size(), 2U);
  EXPECT_EQ(dict.items()[0].first, "z");
  EXPECT_EQ(dict.find("z")->asInt(), 3);
  EXPECT_TRUE(dict.erase("z"));
  EXPECT_FALSE(dict.erase("z"));
  EXPECT_EQ(dict.find("z"), nullptr);
}

TEST(Value, pathsAndEquality) {
  const Value value(ValueDict{{"a", Value(ValueDict{{"b", 1}})}});
  ASSERT_NE(value.findPath("a.b"), nullptr);
  EXPECT_EQ(value.findPath("a.b")->asInt(), 1);
  EXPECT_EQ(value.findPath("a.c"), nullptr);
  EXPECT_EQ(value.findPath("a.b.c"), nullptr);
  EXPECT_FALSE(Value(1) == Value(1.0));
  EXPECT_FALSE(Value(std::nan("")) == Value(std::nan("")));
}

TEST(PythonLiteral, tuplesNestingAndNumbers) {
  Result<Value> value =
      parsePythonLiteral(" {'t': (1, 2.5), 'one': (3,), 'x': (4), 'n': [-inf, nan, 1e-05, -7], "
                         "\"q\": 'a' \"b\", 'e': '\\x41\\u00e9\\n'} ");
  ASSERT_TRUE(value.isOk()) << value.status().message();
  EXPECT_EQ(value->find("t")->asList()[1].asDouble(), 2.5);
  EXPECT_TRUE(value->find("one")->isList());
  EXPECT_EQ(value->find("x")->asInt(), 4);
  EXPECT_TRUE(std::isinf(value->find("n")->asList()[0].asDouble()));
  EXPECT_TRUE(std::isnan(value->find("n")->asList()[1].asDouble()));
  EXPECT_EQ(value->find("q")->asString(), "ab");
  EXPECT_EQ(value->find("e")->asString(), "A\xc3\xa9\n");
}

TEST(PythonLiteral, refusesEverythingElse) {
  const std::pair<const char *, const char *> cases[] = {{"{'num_samples': int('12')}", "character 17"},
                                                         {"__import__('os')", "character 1"},
                                                         {"{'a': 1", "end of the text"},
                                                         {"[1 2]", "comma"},
                                                         {"{'a' 1}", "colon"},
                                                         {"{1: 2}", "key must be a string"},
                                                         {"'open", "not closed"},
                                                         {"[1, 2] x", "expected the end"},
                                                         {"1 + 2", "expected the end"},
                                                         {"99999999999999999999", "64 bits"},
                                                         {"007", "leading zero"},
                                                         {"", "expected a value"},
                                                         {"1.2.3", "expected a number"},
                                                         {"12abc", "expected a number"},
                                                         {"'\\xZZ'", "malformed escape"},
                                                         {"lambda: 0", "name or call"}};
  for (const auto &[text, expected] : cases) {
    const Result<Value> value = parsePythonLiteral(text);
    ASSERT_FALSE(value.isOk()) << text;
    EXPECT_THAT(value.status().message(), HasSubstr(expected)) << text;
  }
  EXPECT_FALSE(parsePythonLiteral(std::string(10000, '[')).isOk());
}

} // namespace
} // namespace kowari
