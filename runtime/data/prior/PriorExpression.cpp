//===- PriorExpression.cpp - the text of a prior as a tree ----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/prior/PriorExpression.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>

namespace kowari::data {
namespace {

constexpr int maxDepth = 50;

class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  Result<PriorCall> document() {
    const std::size_t start = skip();
    const std::string name = dottedName();
    if (name.empty() || !peek('('))
      return failAt(start, "expected a prior such as Uniform(minimum=0.0, maximum=1.0), default or a number");
    KOWARI_ASSIGN(PriorCall call, arguments(name, 0));
    if (skip() < text.size())
      return failAt(at, "expected the end after the closing parenthesis");
    return call;
  }

private:
  std::string_view text;
  std::size_t at = 0;

  Status failAt(std::size_t position, const std::string &what) const {
    const std::string found =
        position < text.size() ? "\"" + std::string(text.substr(position, 20)) + "\"" : "the end of the text";
    return Status::error(what + ", found " + found + " at character " + std::to_string(position + 1));
  }
  std::size_t skip() {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])))
      ++at;
    return at;
  }
  bool peek(char c) { return skip() < text.size() && text[at] == c; }
  bool take(char c) {
    const bool found = peek(c);
    at += found ? 1 : 0;
    return found;
  }
  bool take(std::string_view token) {
    const bool found = text.substr(skip()).starts_with(token);
    at += found ? token.size() : 0;
    return found;
  }
  std::string dottedName() {
    const std::size_t start = skip();
    const auto wordCharacter = [&](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    };
    if (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])))
      return "";
    while (at < text.size() && (wordCharacter(text[at]) || (text[at] == '.' && at > start)))
      ++at;
    return std::string(text.substr(start, at - start));
  }

  /// From the opening parenthesis behind `name` on.
  Result<PriorCall> arguments(const std::string &name, int depth) {
    PriorCall call;
    const std::size_t dot = name.rfind('.');
    call.module = dot == std::string::npos ? "" : name.substr(0, dot);
    call.className = dot == std::string::npos ? name : name.substr(dot + 1);
    take('(');
    bool comma = true;
    while (!take(')')) {
      if (!comma)
        return failAt(at, "expected a comma or the closing parenthesis of " + call.className);
      std::string key;
      const std::size_t start = skip();
      key = dottedName();
      if (!peek('=') || key.empty()) {
        key.clear();
        at = start;
        if (!call.arguments.empty() && !call.arguments.back().first.empty())
          return failAt(start, "an argument without a name cannot follow one with a name");
      } else {
        take('=');
      }
      KOWARI_ASSIGN(PriorArgument argument, value(depth + 1));
      call.arguments.emplace_back(key, std::move(argument));
      comma = take(',');
    }
    return call;
  }

  Result<PriorArgument> value(int depth) {
    if (depth > maxDepth)
      return failAt(at, "nested too deep");
    skip();
    if (peek('\'') || peek('"'))
      return string();
    if (peek('['))
      return list(depth);
    const std::size_t start = at;
    if ((take(std::string_view("r'")) || take(std::string_view("u'")))) {
      --at;
      return string();
    }
    const std::string name = dottedName();
    if (name == "None")
      return PriorArgument();
    if (name == "True" || name == "False")
      return PriorArgument(name == "True");
    if (!name.empty() && peek('(')) {
      KOWARI_ASSIGN(PriorCall call, arguments(name, depth));
      return PriorArgument(std::make_shared<PriorCall>(std::move(call)));
    }
    at = start;
    KOWARI_ASSIGN(double number, sum(depth));
    return PriorArgument(number);
  }

  Result<PriorArgument> string() {
    const std::size_t start = at;
    const char quote = text[at++];
    const std::size_t end = text.find(quote, at);
    if (end == std::string_view::npos)
      return failAt(start, "the quote is not closed");
    std::string content(text.substr(at, end - at));
    at = end + 1;
    return PriorArgument(std::move(content));
  }

  Result<PriorArgument> list(int depth) {
    take('[');
    std::vector<double> numbers;
    bool comma = true;
    while (!take(']')) {
      if (!comma)
        return failAt(at, "expected a comma or the end of the list");
      KOWARI_ASSIGN(double number, sum(depth));
      numbers.push_back(number);
      comma = take(',');
    }
    return PriorArgument(std::move(numbers));
  }

  Result<double> sum(int depth) {
    KOWARI_ASSIGN(double total, product(depth));
    while (peek('+') || peek('-')) {
      const bool minus = take('-');
      if (!minus)
        take('+');
      KOWARI_ASSIGN(double term, product(depth));
      total = minus ? total - term : total + term;
    }
    return total;
  }

  Result<double> product(int depth) {
    KOWARI_ASSIGN(double total, factor(depth));
    while (peek('*') || peek('/')) {
      const std::size_t start = at;
      const bool divide = take('/');
      if (!divide)
        take('*');
      KOWARI_ASSIGN(double next, factor(depth));
      if (divide && next == 0)
        return failAt(start, "division by zero");
      total = divide ? total / next : total * next;
    }
    return total;
  }

  /// A sign binds less than a power, as in Python: -2**2 is -4.
  Result<double> factor(int depth) {
    if (depth > maxDepth)
      return failAt(at, "nested too deep");
    if (take('-')) {
      KOWARI_ASSIGN(double operand, factor(depth + 1));
      return -operand;
    }
    if (take('+'))
      return factor(depth + 1);
    KOWARI_ASSIGN(double base, atom(depth));
    if (!take(std::string_view("**")))
      return base;
    KOWARI_ASSIGN(double exponent, factor(depth + 1));
    return std::pow(base, exponent);
  }

  Result<double> atom(int depth) {
    const std::size_t start = skip();
    if (take('(')) {
      KOWARI_ASSIGN(double inner, sum(depth + 1));
      if (!take(')'))
        return failAt(at, "expected a closing parenthesis");
      return inner;
    }
    if (start < text.size() &&
        (std::isdigit(static_cast<unsigned char>(text[start])) || text[start] == '.')) {
      double number = 0;
      const auto [end, error] = std::from_chars(text.data() + start, text.data() + text.size(), number);
      if (error == std::errc()) {
        at = static_cast<std::size_t>(end - text.data());
        return number;
      }
      return failAt(start, "expected a number");
    }
    const std::string name = dottedName();
    if (name == "np.pi" || name == "pi" || name == "numpy.pi" || name == "math.pi")
      return std::numbers::pi;
    if (name == "np.inf" || name == "inf" || name == "numpy.inf")
      return std::numeric_limits<double>::infinity();
    return failAt(start, "expected a number, np.pi, a quoted text, a list or another prior");
  }
};

} // namespace

Result<PriorCall> parsePriorExpression(std::string_view text) { return Parser(text).document(); }

} // namespace kowari::data
