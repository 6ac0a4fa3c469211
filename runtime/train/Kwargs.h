//===- Kwargs.h - reading a dict of keyword arguments -----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Value.h"

#include <string>
#include <vector>

namespace kowari::train {

/// Takes arguments out of a dict one by one; the first error wins and names the dict, the key and the value.
/// Keys that nothing asked for are an error at the end (finish), so no argument is ever ignored.
class Kwargs {
public:
  /// `name` is how messages call the dict: "optimizer".
  Kwargs(const Value &dict, std::string name);

  // Each leaves `value` as it is when the key is absent.
  void take(const char *key, double &value);
  void take(const char *key, int64_t &value);
  void take(const char *key, bool &value);
  void take(const char *key, std::string &value);
  /// Exactly two numbers.
  void takePair(const char *key, double &first, double &second);
  /// Accepts the key whatever it holds: it changes no number.
  void accept(const char *key);
  /// Adds an error unless `condition`; `rule` says what holds for the key: "must not be negative".
  void require(bool condition, const char *key, const std::string &rule);
  bool has(const char *key) const { return dict.find(key) != nullptr; }

  /// The first error; else one about the first key that nothing asked for; else success.
  Status finish() const;

private:
  const Value *ask(const char *key);
  void typeError(const char *key, const Value &value, const char *expected);
  void fail(std::string message);

  const Value &dict;
  std::string name;
  std::vector<std::string> known;
  Status error = Status::ok();
};

/// `text` in lower case (ASCII).
std::string lowerCase(std::string text);

} // namespace kowari::train
