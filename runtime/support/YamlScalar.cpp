//===- YamlScalar.cpp - implicit types of YAML 1.1 ------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/support/YamlScalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <regex>

namespace kowari {

template <std::size_t N>
static bool oneOf(std::string_view text, const std::array<std::string_view, N> &words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

static bool isNull(std::string_view text) {
  return oneOf(text, std::array<std::string_view, 5>{"", "~", "null", "Null", "NULL"});
}

static bool isTrue(std::string_view text) {
  return oneOf(
      text, std::array<std::string_view, 9>{"yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"});
}

static bool isFalse(std::string_view text) {
  return oneOf(text, std::array<std::string_view, 9>{"no", "No", "NO", "false", "False", "FALSE", "off",
                                                     "Off", "OFF"});
}

static bool matches(std::string_view text, const std::regex &pattern) {
  return std::regex_match(text.begin(), text.end(), pattern);
}

static bool isInt(std::string_view text) {
  static const std::regex pattern("[-+]?(0b[01_]+|0[0-7_]+|0x[0-9a-fA-F_]+|0|[1-9][0-9_]*|"
                                  "[1-9][0-9_]*(:[0-5]?[0-9])+)");
  return matches(text, pattern);
}

static bool isFloat(std::string_view text) {
  static const std::regex pattern(
      "[-+]?[0-9][0-9_]*\\.[0-9_]*([eE][-+][0-9]+)?|\\.[0-9][0-9_]*([eE][-+][0-9]+)?|"
      "[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+\\.[0-9_]*|[-+]?\\.(inf|Inf|INF)|"
      "\\.(nan|NaN|NAN)");
  return matches(text, pattern);
}

static bool isTimestamp(std::string_view text) {
  static const std::regex pattern(
      "[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt]|[ \\t]+)[0-9]{1,2}:"
      "[0-9]{2}:[0-9]{2}(\\.[0-9]*)?([ \\t]*(Z|[-+][0-9]{1,2}(:[0-9]{2})?))?");
  return matches(text, pattern);
}

YamlScalarKind yamlScalarKind(std::string_view text) {
  if (isNull(text))
    return YamlScalarKind::Null;
  if (isTrue(text) || isFalse(text))
    return YamlScalarKind::Bool;
  if (text == "<<")
    return YamlScalarKind::Merge;
  if (text == "=")
    return YamlScalarKind::Default;
  // Everything else that is not text starts with a digit, a sign or a dot.
  if (std::string_view("+-.0123456789").find(text.front()) == std::string_view::npos || text.size() > 400)
    return YamlScalarKind::String;
  if (isInt(text))
    return YamlScalarKind::Int;
  if (isFloat(text))
    return YamlScalarKind::Float;
  return isTimestamp(text) ? YamlScalarKind::Timestamp : YamlScalarKind::String;
}

static double parseDouble(std::string_view text) {
  if (!text.empty() && text.front() == '+')
    text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error ==
      std::errc::result_out_of_range) // from_chars leaves the value alone; strtod tells 0 from infinity
    return std::strtod(std::string(text).c_str(), nullptr);
  return value;
}

static Result<Value> intValue(std::string_view original, std::string text, bool negative) {
  int base = 10;
  if (text.starts_with("0b"))
    base = 2;
  else if (text.starts_with("0x"))
    base = 16;
  else if (text.size() > 1 && text.front() == '0')
    base = 8;
  std::string_view digits = text;
  if (base == 2 || base == 16)
    digits.remove_prefix(2);
  uint64_t total = 0;
  bool overflow = false;
  while (!digits.empty()) {
    const std::size_t colon = digits.find(':'); // base 60, as in 1:30
    uint64_t part = 0;
    const std::string_view partText = digits.substr(0, colon);
    overflow |= std::from_chars(partText.data(), partText.data() + partText.size(), part, base).ec ==
                std::errc::result_out_of_range;
    overflow |= __builtin_mul_overflow(total, uint64_t{60}, &total);
    overflow |= __builtin_add_overflow(total, part, &total);
    digits.remove_prefix(colon == std::string_view::npos ? digits.size() : colon + 1);
  }
  const uint64_t limit = static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) + (negative ? 1 : 0);
  if (overflow || total > limit)
    return Status::error("the integer " + std::string(original) + " does not fit 64 bits");
  return Value(static_cast<int64_t>(negative ? ~total + 1 : total));
}

static Value floatValue(std::string text, bool negative) {
  const double sign = negative ? -1.0 : 1.0;
  if (text == ".inf" || text == ".Inf" || text == ".INF")
    return Value(sign * std::numeric_limits<double>::infinity());
  if (text == ".nan" || text == ".NaN" || text == ".NAN")
    return Value(std::numeric_limits<double>::quiet_NaN());
  double total = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t colon = rest.find(':');
    total = total * 60 + parseDouble(rest.substr(0, colon));
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
  }
  return Value(sign * total);
}

Result<Value> yamlScalarValue(std::string_view plainText) {
  const YamlScalarKind kind = yamlScalarKind(plainText);
  if (kind == YamlScalarKind::Null)
    return Value();
  if (kind == YamlScalarKind::Bool)
    return Value(isTrue(plainText));
  if (kind != YamlScalarKind::Int && kind != YamlScalarKind::Float)
    return Value(std::string(plainText));
  std::string text(plainText);
  std::erase(text, '_');
  const bool negative = text.front() == '-';
  if (text.front() == '-' || text.front() == '+')
    text.erase(0, 1);
  if (kind == YamlScalarKind::Int)
    return intValue(plainText, std::move(text), negative);
  return floatValue(std::move(text), negative);
}

std::optional<double> lenientNumber(std::string_view text) {
  static const std::regex pattern("[-+]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][-+]?[0-9]+)?");
  if (text.size() > 400 || !matches(text, pattern))
    return std::nullopt;
  return parseDouble(text);
}

} // namespace kowari
