//===- Pickle.h - the pickles torch checkpoints are made of -----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Reads and writes the part of Python's pickle format that a torch checkpoint holds: None, booleans, integers
// up to 64 bits, floats, strings, lists, tuples, dicts, collections.OrderedDict, torch.Size, torch.device,
// numpy scalars and torch tensors (as references to storages, not their bytes). Reading never executes
// anything: a pickle names functions, and only the handful listed in Pickle.cpp is understood, by code of
// ours; every other name is an error that says it. Depth, sizes and the number of values are bounded, so a
// damaged or hostile file is an error too.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"
#include "runtime/train/Tensor.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kowari::train {

/// A tensor as a pickle describes it: a strided window on a storage that is a file of its own in the archive.
struct PickleTensor {
  ScalarType type = ScalarType::Float32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides; // in elements, one a dimension, not negative
  int64_t storageOffset = 0;    // in elements
  std::string storageKey;       // the storage is the archive's record data/<storageKey>
  int64_t storageElements = 0;
};

/// A Python value. Dicts keep their order and may have integer keys, as an optimizer's state has.
class PickleValue {
public:
  enum class Kind { None, Bool, Int, Float, String, List, Tuple, Dict, Tensor };
  struct Entry;

  PickleValue() = default;
  PickleValue(const PickleValue &other);
  PickleValue(PickleValue &&other) noexcept;
  PickleValue &operator=(const PickleValue &other);
  PickleValue &operator=(PickleValue &&other) noexcept;
  ~PickleValue();
  PickleValue(bool value) : content(value) {}
  PickleValue(int value) : content(int64_t(value)) {}
  PickleValue(int64_t value) : content(value) {}
  PickleValue(double value) : content(value) {}
  PickleValue(std::string value) : content(std::move(value)) {}
  PickleValue(const char *value) : content(std::string(value)) {}
  PickleValue(PickleTensor value) : content(std::move(value)) {}
  static PickleValue list(std::vector<PickleValue> items = {});
  static PickleValue tuple(std::vector<PickleValue> items = {});
  static PickleValue dict();
  /// A dict that is a collections.OrderedDict in the file (a state dict is one).
  static PickleValue orderedDict();

  Kind kind() const;
  /// "None", "bool", "int", "float", "str", "list", "tuple", "dict", "tensor".
  const char *kindName() const;
  bool isNone() const { return kind() == Kind::None; }
  bool isNumber() const { return kind() == Kind::Int || kind() == Kind::Float; }
  bool isString() const { return kind() == Kind::String; }
  bool isSequence() const { return kind() == Kind::List || kind() == Kind::Tuple; }
  bool isDict() const { return kind() == Kind::Dict; }
  bool isOrderedDict() const;

  // Each expects its kind.
  bool asBool() const { return std::get<bool>(content); }
  int64_t asInt() const { return std::get<int64_t>(content); }
  /// Of a Float or an Int.
  double asDouble() const;
  const std::string &asString() const { return std::get<std::string>(content); }
  const PickleTensor &asTensor() const { return std::get<PickleTensor>(content); }
  /// Of a List or a Tuple.
  const std::vector<PickleValue> &items() const;
  std::vector<PickleValue> &items();
  const std::vector<Entry> &entries() const;
  std::vector<Entry> &entries();

  /// Value of a string key of a dict; null if there is none or this is no dict.
  const PickleValue *find(std::string_view key) const;
  PickleValue *find(std::string_view key);
  /// Replaces or appends; this must be a dict.
  void set(std::string_view key, PickleValue value);

private:
  struct Sequence {
    std::vector<PickleValue> items;
    bool isTuple = false;
  };
  struct Dict {
    std::vector<Entry> entries;
    bool isOrdered = false;
  };
  std::variant<std::monostate, bool, int64_t, double, std::string, Sequence, Dict, PickleTensor> content;
};

struct PickleValue::Entry {
  PickleValue key, value;
};

/// Bounds on what a pickle may ask for. The defaults admit every model Dingo can build.
struct PickleLimits {
  size_t depth = 128;             // nesting of containers
  size_t values = 16'000'000;     // values of the tree, shared ones counted each time they are reached
  size_t totalBytes = 1ull << 30; // strings of the tree, likewise
};

/// Reads one pickle of protocol 2 to 5. Errors name the byte offset and what was found there.
Result<PickleValue> readPickle(std::string_view bytes, const PickleLimits &limits = {});

/// Writes protocol 2, as torch.save does. Tensors become references to storages on the CPU.
std::string writePickle(const PickleValue &value);

} // namespace kowari::train
