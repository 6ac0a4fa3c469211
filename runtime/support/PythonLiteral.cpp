//===- PythonLiteral.cpp - reads the text of a Python literal -------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/support/PythonLiteral.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

namespace kowari {
namespace {

constexpr int maxDepth = 100;

void appendUtf8(std::string &out, uint32_t point) {
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xc0 | (point >> 6));
    out += static_cast<char>(0x80 | (point & 0x3f));
  } else if (point < 0x10000) {
    out += static_cast<char>(0xe0 | (point >> 12));
    out += static_cast<char>(0x80 | ((point >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (point & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | (point >> 18));
    out += static_cast<char>(0x80 | ((point >> 12) & 0x3f));
    out += static_cast<char>(0x80 | ((point >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (point & 0x3f));
  }
}

class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  Result<Value> document() {
    KOWARI_ASSIGN(Value value, parse(0));
    skipBlank();
    if (at < text.size())
      return fail("expected the end");
    return value;
  }

private:
  std::string_view text;
  std::size_t at = 0;

  Status failAt(std::size_t position, const std::string &what) const {
    std::string found = "the end of the text";
    if (position < text.size()) {
      std::size_t end = position;
      while (end < text.size() && end < position + 24 && text[end] != '\n' && text[end] != ',' &&
             text[end] != '}')
        ++end;
      found = "\"" + std::string(text.substr(position, end - position)) + "\"";
    }
    return Status::error(what + " at character " + std::to_string(position + 1) + ", found " + found +
                         "; only literals are read (dict, list, tuple, string, number, True, False, None)");
  }
  Status fail(const std::string &what) const { return failAt(at, what); }

  void skipBlank() {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])))
      ++at;
  }
  bool take(char c) {
    skipBlank();
    if (at >= text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }

  Result<Value> parse(int depth) {
    if (depth > maxDepth)
      return fail("nested more than 100 deep");
    skipBlank();
    if (at >= text.size())
      return fail("expected a value");
    const char c = text[at];
    if (c == '{')
      return dict(depth);
    if (c == '[' || c == '(')
      return list(depth);
    if (c == '\'' || c == '"')
      return strings();
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '+')
      return number();
    return word();
  }

  Result<Value> word() {
    const std::size_t start = at;
    std::size_t end = at;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
      ++end;
    const std::string_view name = text.substr(start, end - start);
    at = end;
    if (name == "True" || name == "False")
      return Value(name == "True");
    if (name == "None")
      return Value();
    if (name == "inf")
      return Value(std::numeric_limits<double>::infinity());
    if (name == "nan")
      return Value(std::numeric_limits<double>::quiet_NaN());
    return failAt(start, name.empty() ? "expected a value" : "a name or call is no literal");
  }

  Result<Value> number() {
    const std::size_t start = at;
    bool negative = false;
    while (at < text.size() && (text[at] == '-' || text[at] == '+' || text[at] == ' ')) {
      negative ^= text[at] == '-';
      ++at;
    }
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("inf") || rest.starts_with("nan")) {
      KOWARI_ASSIGN(Value value, word());
      return Value(negative ? -value.asDouble() : value.asDouble());
    }
    std::size_t end = at;
    bool isFloat = false;
    while (end < text.size()) {
      const char c = text[end];
      const bool exponentSign =
          (c == '-' || c == '+') && end > at && (text[end - 1] == 'e' || text[end - 1] == 'E');
      if (!std::isdigit(static_cast<unsigned char>(c)) && c != '.' && c != 'e' && c != 'E' && c != '_' &&
          !exponentSign)
        break;
      isFloat |= c == '.' || c == 'e' || c == 'E';
      ++end;
    }
    std::string digits(text.substr(at, end - at));
    std::erase(digits, '_');
    const bool followed = end < text.size() && (std::isalpha(static_cast<unsigned char>(text[end])) != 0);
    at = end;
    if (digits.empty() || followed)
      return failAt(start, "expected a number");
    return isFloat ? floatValue(start, digits, negative) : intValue(start, digits, negative);
  }

  Result<Value> floatValue(std::size_t start, const std::string &digits, bool negative) const {
    double value = 0;
    const char *const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, value);
    if (error == std::errc::invalid_argument || end != last)
      return failAt(start, "expected a number");
    if (error == std::errc::result_out_of_range)
      value = std::strtod(digits.c_str(), nullptr);
    return Value(negative ? -value : value);
  }

  Result<Value> intValue(std::size_t start, const std::string &digits, bool negative) const {
    if (digits.size() > 1 && digits.front() == '0')
      return failAt(start, "an integer has no leading zero");
    const std::string signedDigits = (negative ? "-" : "") + digits;
    int64_t value = 0;
    const auto [end, error] =
        std::from_chars(signedDigits.data(), signedDigits.data() + signedDigits.size(), value);
    if (error != std::errc())
      return failAt(start, "the integer does not fit 64 bits");
    return Value(value);
  }

  /// One or more adjacent strings, which Python joins.
  Result<Value> strings() {
    std::string out;
    for (skipBlank(); at < text.size() && (text[at] == '\'' || text[at] == '"'); skipBlank())
      KOWARI_TRY(string(out));
    return Value(std::move(out));
  }

  Status string(std::string &out) {
    const std::size_t start = at;
    const char quote = text[at++];
    while (at < text.size() && text[at] != quote) {
      if (text[at] == '\n')
        return failAt(start, "the string is not closed on its line");
      if (text[at] == '\\')
        KOWARI_TRY(escape(out));
      else
        out += text[at++];
    }
    if (at >= text.size())
      return failAt(start, "the string is not closed");
    ++at;
    return Status::ok();
  }

  Status escape(std::string &out) {
    static constexpr std::string_view codes = "\\'\"abfnrtv";
    static constexpr std::string_view values = "\\'\"\a\b\f\n\r\t\v";
    const std::size_t start = at++;
    if (at >= text.size())
      return failAt(start, "the string is not closed");
    const char code = text[at++];
    if (const std::size_t i = codes.find(code); i != std::string_view::npos) {
      out += values[i];
      return Status::ok();
    }
    if (code == '\n')
      return Status::ok();
    if (code >= '0' && code <= '7') {
      uint32_t point = static_cast<uint32_t>(code - '0');
      for (int i = 0; i < 2 && at < text.size() && text[at] >= '0' && text[at] <= '7'; ++i)
        point = point * 8 + static_cast<uint32_t>(text[at++] - '0');
      appendUtf8(out, point);
      return Status::ok();
    }
    const std::size_t width = code == 'x' ? 2 : code == 'u' ? 4 : code == 'U' ? 8 : 0;
    if (width == 0) { // Python keeps an unknown escape as it stands
      out += '\\';
      out += code;
      return Status::ok();
    }
    uint32_t point = 0;
    const char *const first = text.data() + at;
    if (at + width > text.size() || std::from_chars(first, first + width, point, 16).ptr != first + width ||
        point > 0x10ffff)
      return failAt(start, "malformed escape in a string");
    at += width;
    appendUtf8(out, point);
    return Status::ok();
  }

  Result<Value> list(int depth) {
    const bool tuple = text[at++] == '(';
    const char last = tuple ? ')' : ']';
    ValueList items;
    bool comma = false;
    while (!take(last)) {
      if (!items.empty() && !comma)
        return fail("expected a comma or the end of the list");
      KOWARI_ASSIGN(Value item, parse(depth + 1));
      items.push_back(std::move(item));
      comma = take(',');
    }
    if (tuple && items.size() == 1 && !comma) // (x) is x in parentheses
      return std::move(items.front());
    return Value(std::move(items));
  }

  Result<Value> dict(int depth) {
    ++at;
    ValueDict entries;
    bool comma = true;
    while (!take('}')) {
      if (!comma)
        return fail("expected a comma or the end of the dict");
      skipBlank();
      const std::size_t keyAt = at;
      KOWARI_ASSIGN(Value key, parse(depth + 1));
      if (!key.isString())
        return failAt(keyAt, "a key must be a string");
      if (!take(':'))
        return fail("expected a colon after the key '" + key.asString() + "'");
      KOWARI_ASSIGN(Value value, parse(depth + 1));
      entries[key.asString()] = std::move(value);
      comma = take(',');
    }
    return Value(std::move(entries));
  }
};

} // namespace

Result<Value> parsePythonLiteral(std::string_view text) { return Parser(text).document(); }

} // namespace kowari
