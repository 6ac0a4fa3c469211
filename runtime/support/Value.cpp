//===- Value.cpp - dictionaries, JSON and Python text of values -----------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/support/Value.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace kowari {

ValueDict::ValueDict(std::initializer_list<Entry> init) {
  for (const Entry &entry : init)
    (*this)[entry.first] = entry.second;
}

const Value *ValueDict::find(std::string_view key) const {
  for (const Entry &entry : entries)
    if (entry.first == key)
      return &entry.second;
  return nullptr;
}

Value *ValueDict::find(std::string_view key) {
  return const_cast<Value *>(static_cast<const ValueDict *>(this)->find(key));
}

Value &ValueDict::operator[](std::string_view key) {
  if (Value *existing = find(key))
    return *existing;
  return entries.emplace_back(std::string(key), Value()).second;
}

bool ValueDict::erase(std::string_view key) {
  return std::erase_if(entries, [&](const Entry &entry) { return entry.first == key; }) > 0;
}

bool ValueDict::operator==(const ValueDict &other) const { return entries == other.entries; }

const char *Value::typeName() const {
  static const char *const names[] = {"null", "bool", "int", "float", "string", "list", "dict"};
  return names[content.index()];
}

const Value *Value::findPath(std::string_view path) const {
  const Value *at = this;
  while (at) {
    const std::size_t dot = path.find('.');
    at = at->find(path.substr(0, dot));
    if (dot == std::string_view::npos)
      return at;
    path.remove_prefix(dot + 1);
  }
  return nullptr;
}

std::string pythonFloatRepr(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  std::string result;
  if (text.front() == '-') {
    result = "-";
    text.remove_prefix(1);
  }
  const std::size_t e = text.find('e');
  std::string digits(text.substr(0, e));
  std::erase(digits, '.');
  int exponent = 0;
  std::string_view exponentText = text.substr(e + 1);
  if (exponentText.front() == '+')
    exponentText.remove_prefix(1);
  std::from_chars(exponentText.data(), exponentText.data() + exponentText.size(), exponent);

  const int count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 16) {
    result += digits.substr(0, 1);
    if (count > 1)
      result += "." + digits.substr(1);
    const std::string magnitude = std::to_string(std::abs(exponent));
    return result + (exponent < 0 ? "e-" : "e+") + (magnitude.size() < 2 ? "0" : "") + magnitude;
  }
  if (exponent < 0)
    return result + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  if (count <= exponent + 1)
    return result + digits + std::string(static_cast<std::size_t>(exponent + 1 - count), '0') + ".0";
  return result + digits.substr(0, static_cast<std::size_t>(exponent) + 1) + "." +
         digits.substr(static_cast<std::size_t>(exponent) + 1);
}

static void appendHex(std::string &out, unsigned value, int width) {
  static const char digits[] = "0123456789abcdef";
  for (int shift = 4 * (width - 1); shift >= 0; shift -= 4)
    out += digits[(value >> shift) & 15U];
}

std::string pythonStringRepr(std::string_view text) {
  const bool hasSingle = text.find('\'') != std::string_view::npos;
  const bool hasDouble = text.find('"') != std::string_view::npos;
  const char quote = hasSingle && !hasDouble ? '"' : '\'';
  std::string out(1, quote);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      appendHex(out, byte, 2);
    } else {
      out += c;
    }
  }
  return out + quote;
}

std::string jsonString(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    case '\b':
      out += "\\b";
      break;
    case '\f':
      out += "\\f";
      break;
    default:
      if (static_cast<unsigned char>(c) < 0x20) {
        out += "\\u";
        appendHex(out, static_cast<unsigned char>(c), 4);
      } else {
        out += c;
      }
    }
  }
  return out + "\"";
}

static std::string jsonFloat(double value) {
  if (std::isnan(value))
    return "NaN";
  if (std::isinf(value))
    return value < 0 ? "-Infinity" : "Infinity";
  return pythonFloatRepr(value);
}

namespace {

/// Writes nested values with one of two spellings of scalars and a common layout.
class TextWriter {
public:
  TextWriter(bool json, int indent) : json(json), indent(indent) {}
  std::string out;

  void write(const Value &value, int depth) {
    if (value.isList()) {
      open('[', ']', value.asList().size(), depth,
           [&](std::size_t i) { write(value.asList()[i], depth + 1); });
    } else if (value.isDict()) {
      open('{', '}', value.asDict().size(), depth, [&](std::size_t i) {
        const auto &[key, entry] = value.asDict().items()[i];
        out += (json ? jsonString(key) : pythonStringRepr(key)) + ": ";
        write(entry, depth + 1);
      });
    } else {
      scalar(value);
    }
  }

private:
  bool json;
  int indent;

  void scalar(const Value &value) {
    if (value.isNull())
      out += json ? "null" : "None";
    else if (value.isBool())
      out += value.asBool() ? (json ? "true" : "True") : (json ? "false" : "False");
    else if (value.isInt())
      out += std::to_string(value.asInt());
    else if (value.isDouble())
      out += json ? jsonFloat(value.asDouble()) : pythonFloatRepr(value.asDouble());
    else
      out += json ? jsonString(value.asString()) : pythonStringRepr(value.asString());
  }

  void lineBreak(int depth) {
    if (indent > 0)
      out += "\n" + std::string(static_cast<std::size_t>(depth * indent), ' ');
  }

  template <class F> void open(char first, char last, std::size_t count, int depth, F &&item) {
    out += first;
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0)
        out += indent > 0 ? "," : ", ";
      lineBreak(depth + 1);
      item(i);
    }
    if (count > 0)
      lineBreak(depth);
    out += last;
  }
};

} // namespace

std::string Value::toJson(int indent) const {
  TextWriter writer(true, indent);
  writer.write(*this, 0);
  return writer.out;
}

std::string Value::toPythonLiteral() const {
  TextWriter writer(false, 0);
  writer.write(*this, 0);
  return writer.out;
}

} // namespace kowari
