//===- PickleReader.h - the machine that reads a pickle ---------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// A pickle is a program for a small stack machine. This one has its own nodes: containers may be filled after
// they were put aside (memo) and shared, so values are nodes of a table that name each other by index, and
// become a PickleValue tree at the end. Private to readPickle.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/train/Pickle.h"

#include <unordered_map>

namespace kowari::train {

class PickleReader {
public:
  PickleReader(std::string_view bytes, const PickleLimits &limits) : in(bytes), limits(limits) {}
  Result<PickleValue> run();

private:
  using NodeId = uint32_t;
  static constexpr NodeId mark = ~NodeId(0);

  struct Bytes {
    std::string data;
  };
  struct Sequence {
    std::vector<NodeId> items;
    bool isTuple = false;
  };
  struct Dict {
    std::vector<std::pair<NodeId, NodeId>> entries;
    bool isOrdered = false;
  };
  struct Global {
    std::string name; // "module name"
  };
  struct Storage {
    ScalarType type = ScalarType::Float32;
    std::string key;
    int64_t elements = 0;
  };
  struct NumpyType {
    char kind = 'f'; // i, u, f, b
    int size = 8;
    bool bigEndian = false;
  };
  using Node = std::variant<std::monostate, bool, int64_t, double, std::string, Bytes, Sequence, Dict, Global,
                            Storage, NumpyType, PickleTensor>;

  // Each takes the operation when it is one of its own and says so in `handled`.
  Status stepScalar(uint8_t op, bool &handled);
  Status stepText(uint8_t op, bool &handled);
  Status stepContainer(uint8_t op, bool &handled);
  Status stepMemo(uint8_t op, bool &handled);
  Status stepCall(uint8_t op, bool &handled);

  Status readBytes(size_t count, std::string_view &bytes);
  Status readUnsigned(int bytes, uint64_t &value);
  Status readLine(std::string_view &line);
  Status push(Node node);
  Status pop(NodeId &node);
  Status popToMark(std::vector<NodeId> &items);
  Status top(NodeId &node) const;
  Status makeTuple(size_t count);
  Status append(NodeId container, const std::vector<NodeId> &items);
  Status setItems(NodeId container, const std::vector<NodeId> &items);
  Status recall(uint64_t index);

  // The calls a model file makes, done here.
  Status pushGlobal(const std::string &name);
  Status reduce();
  Status build();
  Status persistentId();
  Status callRebuildTensor(const Sequence &arguments);
  Status callRebuildParameter(const Sequence &arguments);
  Status callDevice(const Sequence &arguments);
  Status callSize(const Sequence &arguments);
  Status callOrderedDict(const Sequence &arguments);
  Status callNumpyType(const Sequence &arguments);
  Status callNumpyScalar(const Sequence &arguments);
  Status callEncode(const Sequence &arguments);

  Result<PickleValue> expand(NodeId node, size_t depth);
  Result<PickleValue> expandSequence(const Sequence &sequence, size_t depth);
  Result<PickleValue> expandDict(const Dict &dict, size_t depth);

  template <class T> const T *get(NodeId node) const { return std::get_if<T>(&nodes[node]); }
  /// Integers of a list or tuple.
  bool integers(NodeId node, std::vector<int64_t> &values) const;
  Status fail(const std::string &what) const;

  std::string_view in;
  const PickleLimits &limits;
  size_t position = 0, opPosition = 0;
  std::vector<Node> nodes;
  std::vector<NodeId> stack;
  std::unordered_map<uint64_t, NodeId> memo;
  size_t expandedValues = 0, expandedBytes = 0;
};

} // namespace kowari::train
