//===- ValueYaml.cpp - YAML text of values, laid out as PyYAML does -------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Block style, two columns of indentation, sequences inside mappings not indented, plain scalars where
// YAML 1.1 reads them back as the same text, quotes elsewhere, long scalars folded at a space once column 80
// is passed, nothing but ASCII.
//
//===----------------------------------------------------------------------===//
#include "runtime/support/Value.h"
#include "runtime/support/YamlScalar.h"

#include <cmath>
#include <cstdio>

namespace kowari {
namespace {

constexpr std::size_t foldColumn = 80;

enum class Style { Plain, SingleQuoted, DoubleQuoted };

bool isBlankOrEnd(std::string_view text, std::size_t i) {
  return i >= text.size() || text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r';
}

/// True when block context would read something else than text at the start or inside.
bool hasIndicators(std::string_view text) {
  if (text.starts_with("---") || text.starts_with("..."))
    return true;
  const char first = text.front();
  if (std::string_view("#,[]{}&*!|>'\"%@`").find(first) != std::string_view::npos)
    return true;
  if ((first == '?' || first == ':' || first == '-') && isBlankOrEnd(text, 1))
    return true;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == ':' && isBlankOrEnd(text, i + 1))
      return true;
    if (text[i] == '#' && isBlankOrEnd(text, i - 1))
      return true;
  }
  return false;
}

Style chooseStyle(std::string_view text, bool simpleKey) {
  if (text.empty())
    return Style::SingleQuoted;
  bool special = false, lineBreaks = false, spaceBreak = false, breakSpace = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == '\n') {
      lineBreaks = true;
      spaceBreak |= i > 0 && text[i - 1] == ' ';
      breakSpace |= i + 1 < text.size() && text[i + 1] == ' ';
    } else if (byte < 0x20 || byte > 0x7e) {
      special = true;
    }
  }
  if (special || spaceBreak || breakSpace || (simpleKey && lineBreaks))
    return Style::DoubleQuoted;
  const bool outerBlank = text.front() == ' ' || text.back() == ' ';
  if (lineBreaks || outerBlank || hasIndicators(text) || yamlScalarKind(text) != YamlScalarKind::String)
    return Style::SingleQuoted;
  return Style::Plain;
}

class Emitter {
public:
  std::string out;

  /// `indent` is the column of the enclosing block, -1 for the document.
  void value(const Value &v, int indent, bool insideMapping) {
    if (v.isDict() && !v.asDict().empty())
      mapping(v.asDict(), indent + (indent < 0 ? 1 : 2));
    else if (v.isList() && !v.asList().empty())
      sequence(v.asList(), indent < 0 ? 0 : insideMapping ? indent : indent + 2);
    else
      scalar(v, indent < 0 ? 2 : indent + 2, false);
  }

private:
  std::size_t column = 0;
  bool afterDash = false; // the next block entry goes on the line of a "-"

  void put(std::string_view text) {
    out += text;
    column += text.size();
  }

  void lineBreak(int indent) {
    out += '\n';
    out.append(static_cast<std::size_t>(indent), ' ');
    column = static_cast<std::size_t>(indent);
  }

  /// Moves to the start of a block entry at `indent`.
  void startEntry(int indent) {
    if (afterDash || out.empty())
      put(std::string(static_cast<std::size_t>(indent) - column, ' '));
    else
      lineBreak(indent);
    afterDash = false;
  }

  void mapping(const ValueDict &dict, int indent) {
    for (const auto &[key, entry] : dict.items()) {
      startEntry(indent);
      text(key, indent, true);
      put(":");
      value(entry, indent, true);
    }
  }

  void sequence(const ValueList &list, int indent) {
    for (const Value &entry : list) {
      startEntry(indent);
      put("-");
      afterDash = true;
      value(entry, indent, false);
      afterDash = false;
    }
  }

  void scalar(const Value &v, int indent, bool simpleKey) {
    if (!out.empty())
      put(" ");
    if (v.isString())
      text(v.asString(), indent, simpleKey);
    else
      put(plainScalar(v));
  }

  static std::string plainScalar(const Value &v) {
    if (v.isNull())
      return "null";
    if (v.isBool())
      return v.asBool() ? "true" : "false";
    if (v.isInt())
      return std::to_string(v.asInt());
    if (v.isList())
      return "[]";
    if (v.isDict())
      return "{}";
    const double d = v.asDouble();
    if (std::isnan(d))
      return ".nan";
    if (std::isinf(d))
      return d < 0 ? "-.inf" : ".inf";
    std::string repr = pythonFloatRepr(d);
    const std::size_t e = repr.find('e');
    if (e != std::string::npos && repr.find('.') == std::string::npos)
      repr.insert(e, ".0");
    return repr;
  }

  void text(std::string_view s, int indent, bool simpleKey) {
    switch (chooseStyle(s, simpleKey)) {
    case Style::Plain:
      return folded(s, indent, !simpleKey, false);
    case Style::SingleQuoted:
      put("'");
      folded(s, indent, !simpleKey, true);
      return put("'");
    case Style::DoubleQuoted:
      return doubleQuoted(s, indent, !simpleKey);
    }
  }

  /// Plain or single-quoted text: a lone space after column 80 becomes a line break, a line break becomes
  /// two.
  void folded(std::string_view s, int indent, bool split, bool quoted) {
    std::size_t i = 0;
    while (i < s.size()) {
      std::size_t end = i;
      if (s[i] == ' ') {
        while (end < s.size() && s[end] == ' ')
          ++end;
        const bool inside = !quoted || (i != 0 && end != s.size());
        if (end == i + 1 && column > foldColumn && split && inside)
          lineBreak(indent);
        else
          put(s.substr(i, end - i));
      } else if (s[i] == '\n') {
        while (end < s.size() && s[end] == '\n')
          ++end;
        out.append(end - i, '\n');
        lineBreak(indent);
      } else {
        while (end < s.size() && s[end] != ' ' && s[end] != '\n')
          ++end;
        for (const char c : s.substr(i, end - i))
          put(quoted && c == '\'' ? std::string_view("''") : std::string_view(&c, 1));
      }
      i = end;
    }
  }

  /// The code point at s[i] (UTF-8) and its size in bytes; a malformed byte stands for itself.
  static uint32_t codePoint(std::string_view s, std::size_t i, std::size_t &length) {
    const auto byte = static_cast<unsigned char>(s[i]);
    length = byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    if (length == 1 || i + length > s.size()) {
      length = 1;
      return byte;
    }
    uint32_t point = byte & (0x7fU >> length);
    for (std::size_t k = 1; k < length; ++k)
      point = (point << 6) | (static_cast<unsigned char>(s[i + k]) & 0x3fU);
    return point;
  }

  /// The escape of the code point at s[i]; empty if it stands for itself.
  static std::string escape(std::string_view s, std::size_t i, std::size_t &length) {
    static const std::pair<uint32_t, const char *> named[] = {
        {0, "\\0"},     {7, "\\a"},    {8, "\\b"},    {9, "\\t"},      {10, "\\n"},
        {11, "\\v"},    {12, "\\f"},   {13, "\\r"},   {0x1b, "\\e"},   {'"', "\\\""},
        {'\\', "\\\\"}, {0x85, "\\N"}, {0xa0, "\\_"}, {0x2028, "\\L"}, {0x2029, "\\P"}};
    const uint32_t point = codePoint(s, i, length);
    for (const auto &[code, text] : named)
      if (code == point)
        return text;
    if (point >= 0x20 && point < 0x7f)
      return "";
    char buffer[16];
    std::snprintf(buffer, sizeof buffer,
                  point <= 0xff     ? "\\x%02X"
                  : point <= 0xffff ? "\\u%04X"
                                    : "\\U%08X",
                  point);
    return buffer;
  }

  void doubleQuoted(std::string_view s, int indent, bool split) {
    put("\"");
    std::string pending; // the run of ordinary characters not yet written
    for (std::size_t i = 0; i < s.size();) {
      std::size_t length = 1;
      const std::string code = escape(s, i, length);
      if (!code.empty()) {
        put(pending + code);
        pending.clear();
      } else if (s[i] != ' ' || !split || i == 0 || i + 1 >= s.size() ||
                 column + pending.size() <= foldColumn) {
        pending += s[i];
      } else { // fold: the space opens the next line, kept by a backslash
        put(pending + "\\");
        pending = " ";
        lineBreak(indent);
        put("\\");
      }
      i += length;
    }
    put(pending + "\"");
  }
};

} // namespace

std::string Value::toYaml() const {
  Emitter emitter;
  emitter.value(*this, -1, false);
  return emitter.out + "\n";
}

} // namespace kowari
