//===- Pickle.cpp - Python values of a pickle ----------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/Pickle.h"

namespace kowari::train {

PickleValue::PickleValue(const PickleValue &other) = default;
PickleValue::PickleValue(PickleValue &&other) noexcept = default;
PickleValue &PickleValue::operator=(const PickleValue &other) = default;
PickleValue &PickleValue::operator=(PickleValue &&other) noexcept = default;
PickleValue::~PickleValue() = default;

PickleValue PickleValue::list(std::vector<PickleValue> items) {
  PickleValue value;
  value.content = Sequence{std::move(items), false};
  return value;
}

PickleValue PickleValue::tuple(std::vector<PickleValue> items) {
  PickleValue value;
  value.content = Sequence{std::move(items), true};
  return value;
}

PickleValue PickleValue::dict() {
  PickleValue value;
  value.content = Dict{};
  return value;
}

PickleValue PickleValue::orderedDict() {
  PickleValue value;
  value.content = Dict{{}, true};
  return value;
}

PickleValue::Kind PickleValue::kind() const {
  switch (content.index()) {
  case 0:
    return Kind::None;
  case 1:
    return Kind::Bool;
  case 2:
    return Kind::Int;
  case 3:
    return Kind::Float;
  case 4:
    return Kind::String;
  case 5:
    return std::get<Sequence>(content).isTuple ? Kind::Tuple : Kind::List;
  case 6:
    return Kind::Dict;
  default:
    return Kind::Tensor;
  }
}

const char *PickleValue::kindName() const {
  static const char *const names[] = {"None", "bool",  "int",  "float", "str",
                                      "list", "tuple", "dict", "tensor"};
  return names[static_cast<size_t>(kind())];
}

bool PickleValue::isOrderedDict() const { return isDict() && std::get<Dict>(content).isOrdered; }

double PickleValue::asDouble() const {
  return kind() == Kind::Int ? static_cast<double>(asInt()) : std::get<double>(content);
}

const std::vector<PickleValue> &PickleValue::items() const { return std::get<Sequence>(content).items; }
std::vector<PickleValue> &PickleValue::items() { return std::get<Sequence>(content).items; }
const std::vector<PickleValue::Entry> &PickleValue::entries() const {
  return std::get<Dict>(content).entries;
}
std::vector<PickleValue::Entry> &PickleValue::entries() { return std::get<Dict>(content).entries; }

const PickleValue *PickleValue::find(std::string_view key) const {
  if (!isDict())
    return nullptr;
  for (const Entry &entry : entries())
    if (entry.key.isString() && entry.key.asString() == key)
      return &entry.value;
  return nullptr;
}

PickleValue *PickleValue::find(std::string_view key) {
  return const_cast<PickleValue *>(std::as_const(*this).find(key));
}

void PickleValue::set(std::string_view key, PickleValue value) {
  if (PickleValue *old = find(key))
    *old = std::move(value);
  else
    entries().push_back({std::string(key), std::move(value)});
}

} // namespace kowari::train
