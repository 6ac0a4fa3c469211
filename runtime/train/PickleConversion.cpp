//===- PickleConversion.cpp - between pickles and values ------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/PickleConversion.h"

namespace kowari::train {

namespace {

Result<Value> convertDict(const PickleValue &pickled, const std::string &where) {
  ValueDict dict;
  for (const PickleValue::Entry &entry : pickled.entries()) {
    if (!entry.key.isString())
      return Status::error(where + " has a key that is no text (" + entry.key.kindName() + ")");
    const std::string &key = entry.key.asString();
    KOWARI_ASSIGN(Value value, toValue(entry.value, where + "." + key));
    dict.items().emplace_back(key, std::move(value)); // keys of a pickle's dict are unique
  }
  return Value(std::move(dict));
}

Result<Value> convertSequence(const PickleValue &pickled, const std::string &where) {
  ValueList list;
  for (const PickleValue &item : pickled.items()) {
    KOWARI_ASSIGN(Value value, toValue(item, where + "[" + std::to_string(list.size()) + "]"));
    list.push_back(std::move(value));
  }
  return Value(std::move(list));
}

} // namespace

Result<Value> toValue(const PickleValue &pickled, const std::string &where) {
  switch (pickled.kind()) {
  case PickleValue::Kind::None:
    return Value();
  case PickleValue::Kind::Bool:
    return Value(pickled.asBool());
  case PickleValue::Kind::Int:
    return Value(pickled.asInt());
  case PickleValue::Kind::Float:
    return Value(pickled.asDouble());
  case PickleValue::Kind::String:
    return Value(pickled.asString());
  case PickleValue::Kind::List:
  case PickleValue::Kind::Tuple:
    return convertSequence(pickled, where);
  case PickleValue::Kind::Dict:
    return convertDict(pickled, where);
  case PickleValue::Kind::Tensor:
    break;
  }
  return Status::error(where + " is a tensor where a plain value is expected");
}

PickleValue toPickle(const Value &value) {
  if (value.isBool())
    return value.asBool();
  if (value.isInt())
    return value.asInt();
  if (value.isDouble())
    return value.asDouble();
  if (value.isString())
    return value.asString();
  if (value.isList()) {
    PickleValue list = PickleValue::list();
    for (const Value &item : value.asList())
      list.items().push_back(toPickle(item));
    return list;
  }
  if (value.isDict()) {
    PickleValue dict = PickleValue::dict();
    for (const auto &[key, item] : value.asDict().items())
      dict.entries().push_back({key, toPickle(item)});
    return dict;
  }
  return PickleValue();
}

} // namespace kowari::train
