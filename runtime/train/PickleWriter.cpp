//===- PickleWriter.cpp - protocol 2, as torch.save writes it -------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/Pickle.h"

#include <bit>
#include <limits>
#include <unordered_map>

namespace kowari::train {

namespace {

const char *storageClass(ScalarType type) {
  switch (type) {
  case ScalarType::Bool:
    return "BoolStorage";
  case ScalarType::UInt8:
    return "ByteStorage";
  case ScalarType::Int8:
    return "CharStorage";
  case ScalarType::Int16:
    return "ShortStorage";
  case ScalarType::Int32:
    return "IntStorage";
  case ScalarType::Int64:
    return "LongStorage";
  case ScalarType::Float16:
    return "HalfStorage";
  case ScalarType::BFloat16:
    return "BFloat16Storage";
  case ScalarType::Float32:
    return "FloatStorage";
  case ScalarType::Float64:
    return "DoubleStorage";
  }
  return "";
}

class Writer {
public:
  std::string write(const PickleValue &value) {
    out = "\x80\x02";
    put(value);
    out += '.';
    return std::move(out);
  }

private:
  /// Strings and class names are remembered, so that each is stored once.
  std::unordered_map<std::string, uint32_t> memo;
  std::string out;

  void littleEndian(uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i)
      out += static_cast<char>(value >> (8 * i));
  }

  /// True if `key` was written before: then it is fetched instead.
  bool recall(const std::string &key) {
    auto it = memo.find(key);
    if (it == memo.end())
      return false;
    if (it->second < 256) {
      out += 'h';
      littleEndian(it->second, 1);
    } else {
      out += 'j';
      littleEndian(it->second, 4);
    }
    return true;
  }

  void remember(const std::string &key) {
    auto index = static_cast<uint32_t>(memo.size());
    memo.emplace(key, index);
    out += index < 256 ? 'q' : 'r';
    littleEndian(index, index < 256 ? 1 : 4);
  }

  void putString(const std::string &text) {
    std::string key = "s" + text;
    if (recall(key))
      return;
    assert(text.size() <= std::numeric_limits<uint32_t>::max());
    out += 'X';
    littleEndian(text.size(), 4);
    out += text;
    remember(key);
  }

  void putGlobal(const std::string &module, const std::string &name) {
    std::string key = "g" + module + " " + name;
    if (recall(key))
      return;
    out += 'c' + module + '\n' + name + '\n';
    remember(key);
  }

  void putInt(int64_t value) {
    if (value >= 0 && value < 256) {
      out += 'K';
      littleEndian(static_cast<uint64_t>(value), 1);
    } else if (value >= std::numeric_limits<int32_t>::min() && value <= std::numeric_limits<int32_t>::max()) {
      out += 'J';
      littleEndian(static_cast<uint64_t>(value), 4);
    } else {
      out += "\x8a\x08";
      littleEndian(static_cast<uint64_t>(value), 8);
    }
  }

  void putFloat(double value) {
    auto bits = std::bit_cast<uint64_t>(value);
    out += 'G'; // big endian
    for (int i = 7; i >= 0; --i)
      out += static_cast<char>(bits >> (8 * i));
  }

  void putIntTuple(const std::vector<int64_t> &values) {
    out += '(';
    for (int64_t value : values)
      putInt(value);
    out += 't';
  }

  /// _rebuild_tensor_v2(storage, offset, size, stride, requires_grad, backward_hooks)
  void putTensor(const PickleTensor &tensor) {
    putGlobal("torch._utils", "_rebuild_tensor_v2");
    out += "((";
    putString("storage");
    putGlobal("torch", storageClass(tensor.type));
    putString(tensor.storageKey);
    putString("cpu");
    putInt(tensor.storageElements);
    out += "tQ";
    putInt(tensor.storageOffset);
    putIntTuple(tensor.shape);
    putIntTuple(tensor.strides);
    out += '\x89'; // False
    putGlobal("collections", "OrderedDict");
    out += ")RtR";
  }

  void putSequence(const std::vector<PickleValue> &items, bool isTuple) {
    out += isTuple ? "(" : items.empty() ? "]" : "](";
    for (const PickleValue &item : items)
      put(item);
    out += isTuple ? "t" : items.empty() ? "" : "e";
  }

  void putDict(const PickleValue &dict) {
    if (dict.isOrderedDict()) {
      putGlobal("collections", "OrderedDict");
      out += ")R";
    } else {
      out += '}';
    }
    if (dict.entries().empty())
      return;
    out += '(';
    for (const PickleValue::Entry &entry : dict.entries()) {
      put(entry.key);
      put(entry.value);
    }
    out += 'u';
  }

  void put(const PickleValue &value) {
    switch (value.kind()) {
    case PickleValue::Kind::None:
      out += 'N';
      return;
    case PickleValue::Kind::Bool:
      out += value.asBool() ? '\x88' : '\x89';
      return;
    case PickleValue::Kind::Int:
      return putInt(value.asInt());
    case PickleValue::Kind::Float:
      return putFloat(value.asDouble());
    case PickleValue::Kind::String:
      return putString(value.asString());
    case PickleValue::Kind::List:
    case PickleValue::Kind::Tuple:
      return putSequence(value.items(), value.kind() == PickleValue::Kind::Tuple);
    case PickleValue::Kind::Dict:
      return putDict(value);
    case PickleValue::Kind::Tensor:
      return putTensor(value.asTensor());
    }
  }
};

} // namespace

std::string writePickle(const PickleValue &value) { return Writer().write(value); }

} // namespace kowari::train
