//===- Kwargs.cpp - reading a dict of keyword arguments -------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/Kwargs.h"

#include <algorithm>

namespace kowari::train {

Kwargs::Kwargs(const Value &dict, std::string name) : dict(dict), name(std::move(name)) {
  if (!dict.isDict())
    fail(this->name + ": a dictionary is expected, found " + dict.typeName());
}

void Kwargs::fail(std::string message) {
  if (error.isOk())
    error = Status::error(std::move(message));
}

const Value *Kwargs::ask(const char *key) {
  known.push_back(key);
  return dict.find(key);
}

void Kwargs::typeError(const char *key, const Value &value, const char *expected) {
  fail(name + "." + key + ": " + value.toPythonLiteral() + " is no " + expected);
}

void Kwargs::take(const char *key, double &value) {
  const Value *found = ask(key);
  if (!found)
    return;
  if (!found->isNumber())
    return typeError(key, *found, "number");
  value = found->asDouble();
}

void Kwargs::take(const char *key, int64_t &value) {
  const Value *found = ask(key);
  if (!found)
    return;
  if (!found->isInt())
    return typeError(key, *found, "whole number");
  value = found->asInt();
}

void Kwargs::take(const char *key, bool &value) {
  const Value *found = ask(key);
  if (!found)
    return;
  if (!found->isBool())
    return typeError(key, *found, "truth value (True or False)");
  value = found->asBool();
}

void Kwargs::take(const char *key, std::string &value) {
  const Value *found = ask(key);
  if (!found)
    return;
  if (!found->isString())
    return typeError(key, *found, "text");
  value = found->asString();
}

void Kwargs::takePair(const char *key, double &first, double &second) {
  const Value *found = ask(key);
  if (!found)
    return;
  if (!found->isList() || found->asList().size() != 2 || !found->asList()[0].isNumber() ||
      !found->asList()[1].isNumber())
    return typeError(key, *found, "list of two numbers");
  first = found->asList()[0].asDouble();
  second = found->asList()[1].asDouble();
}

void Kwargs::accept(const char *key) { ask(key); }

void Kwargs::require(bool condition, const char *key, const std::string &rule) {
  if (condition)
    return;
  const Value *found = dict.find(key);
  fail(name + "." + key + ": " + (found ? found->toPythonLiteral() : "missing") + ", but it " + rule);
}

Status Kwargs::finish() const {
  KOWARI_TRY(error);
  for (const auto &[key, value] : dict.asDict().items()) {
    if (std::find(known.begin(), known.end(), key) != known.end())
      continue;
    std::string list;
    for (const std::string &name : known)
      list += (list.empty() ? "" : ", ") + name;
    return Status::error(name + "." + key + ": unknown; known are " + list);
  }
  return Status::ok();
}

std::string lowerCase(std::string text) {
  for (char &c : text)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return text;
}

} // namespace kowari::train
