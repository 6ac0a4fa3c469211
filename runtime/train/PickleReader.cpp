//===- PickleReader.cpp - the stack machine of a pickle -------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/PickleReader.h"

#include <bit>
#include <cstdio>

namespace kowari::train {

Result<PickleValue> readPickle(std::string_view bytes, const PickleLimits &limits) {
  return PickleReader(bytes, limits).run();
}

Status PickleReader::fail(const std::string &what) const {
  return Status::error("pickle, byte " + std::to_string(opPosition) + ": " + what);
}

Status PickleReader::readBytes(size_t count, std::string_view &bytes) {
  if (count > in.size() - position)
    return fail("ends in the middle of a value (damaged file)");
  bytes = in.substr(position, count);
  position += count;
  return Status::ok();
}

Status PickleReader::readUnsigned(int count, uint64_t &value) {
  std::string_view bytes;
  KOWARI_TRY(readBytes(static_cast<size_t>(count), bytes));
  value = 0;
  for (int i = 0; i < count; ++i)
    value |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[static_cast<size_t>(i)])) << (8 * i);
  return Status::ok();
}

Status PickleReader::readLine(std::string_view &line) {
  size_t end = in.find('\n', position);
  if (end == std::string_view::npos || end - position > 1024)
    return fail("a name without its end (damaged file)");
  line = in.substr(position, end - position);
  position = end + 1;
  return Status::ok();
}

Status PickleReader::push(Node node) {
  if (nodes.size() >= limits.values)
    return fail("more than " + std::to_string(limits.values) + " values");
  nodes.push_back(std::move(node));
  stack.push_back(static_cast<NodeId>(nodes.size() - 1));
  return Status::ok();
}

Status PickleReader::pop(NodeId &node) {
  KOWARI_TRY(top(node));
  stack.pop_back();
  return Status::ok();
}

Status PickleReader::top(NodeId &node) const {
  if (stack.empty() || stack.back() == mark)
    return fail("takes a value from an empty stack (damaged file)");
  node = stack.back();
  return Status::ok();
}

Status PickleReader::popToMark(std::vector<NodeId> &items) {
  size_t begin = stack.size();
  while (begin > 0 && stack[begin - 1] != mark)
    --begin;
  if (begin == 0)
    return fail("a mark is missing (damaged file)");
  items.assign(stack.begin() + static_cast<std::ptrdiff_t>(begin), stack.end());
  stack.resize(begin - 1);
  return Status::ok();
}

Status PickleReader::stepScalar(uint8_t op, bool &handled) {
  uint64_t bits = 0;
  switch (op) {
  case 'N':
    return push(std::monostate());
  case 0x88:
    return push(true);
  case 0x89:
    return push(false);
  case 'K': // BININT1
    KOWARI_TRY(readUnsigned(1, bits));
    return push(static_cast<int64_t>(bits));
  case 'M': // BININT2
    KOWARI_TRY(readUnsigned(2, bits));
    return push(static_cast<int64_t>(bits));
  case 'J': // BININT
    KOWARI_TRY(readUnsigned(4, bits));
    return push(int64_t{static_cast<int32_t>(bits)});
  case 0x8a: { // LONG1: a count and that many bytes, two's complement
    uint64_t count = 0;
    KOWARI_TRY(readUnsigned(1, count));
    if (count > 8)
      return fail("an integer of more than 64 bits");
    KOWARI_TRY(readUnsigned(static_cast<int>(count), bits));
    if (count > 0 && count < 8 && (bits >> (8 * count - 1)) != 0)
      bits |= ~uint64_t(0) << (8 * count);
    return push(static_cast<int64_t>(bits));
  }
  case 'G': // BINFLOAT, big endian
    KOWARI_TRY(readUnsigned(8, bits));
    return push(std::bit_cast<double>(__builtin_bswap64(bits)));
  default:
    handled = false;
    return Status::ok();
  }
}

Status PickleReader::stepText(uint8_t op, bool &handled) {
  int lengthBytes = 0;
  bool isText = true;
  switch (op) {
  case 0x8c: // SHORT_BINUNICODE
    lengthBytes = 1;
    break;
  case 'X': // BINUNICODE
    lengthBytes = 4;
    break;
  case 0x8d: // BINUNICODE8
    lengthBytes = 8;
    break;
  case 'C': // SHORT_BINBYTES
    lengthBytes = 1;
    isText = false;
    break;
  case 'B': // BINBYTES
    lengthBytes = 4;
    isText = false;
    break;
  default:
    handled = false;
    return Status::ok();
  }
  uint64_t length = 0;
  std::string_view bytes;
  KOWARI_TRY(readUnsigned(lengthBytes, length));
  KOWARI_TRY(readBytes(length, bytes));
  return isText ? push(std::string(bytes)) : push(Bytes{std::string(bytes)});
}

Status PickleReader::makeTuple(size_t count) {
  Sequence tuple{{}, true};
  tuple.items.resize(count);
  for (size_t i = count; i-- > 0;)
    KOWARI_TRY(pop(tuple.items[i]));
  return push(std::move(tuple));
}

Status PickleReader::append(NodeId container, const std::vector<NodeId> &items) {
  auto *list = std::get_if<Sequence>(&nodes[container]);
  if (!list || list->isTuple)
    return fail("appends to something that is no list");
  list->items.insert(list->items.end(), items.begin(), items.end());
  return Status::ok();
}

Status PickleReader::setItems(NodeId container, const std::vector<NodeId> &items) {
  auto *dict = std::get_if<Dict>(&nodes[container]);
  if (!dict || items.size() % 2 != 0)
    return fail("sets items of something that is no dict");
  for (size_t i = 0; i < items.size(); i += 2)
    dict->entries.emplace_back(items[i], items[i + 1]);
  return Status::ok();
}

Status PickleReader::stepContainer(uint8_t op, bool &handled) {
  std::vector<NodeId> items;
  NodeId container = 0, first = 0, second = 0;
  switch (op) {
  case '(': // MARK
    if (stack.size() >= limits.values)
      return fail("more than " + std::to_string(limits.values) + " values");
    stack.push_back(mark);
    return Status::ok();
  case '}':
    return push(Dict{});
  case ']':
    return push(Sequence{});
  case ')':
    return makeTuple(0);
  case 0x85: // TUPLE1, TUPLE2, TUPLE3
  case 0x86:
  case 0x87:
    return makeTuple(op - 0x84u);
  case 't': // TUPLE
    KOWARI_TRY(popToMark(items));
    return push(Sequence{std::move(items), true});
  case 'a': // APPEND
    KOWARI_TRY(pop(first));
    KOWARI_TRY(top(container));
    return append(container, {first});
  case 'e': // APPENDS
    KOWARI_TRY(popToMark(items));
    KOWARI_TRY(top(container));
    return append(container, items);
  case 's': // SETITEM
    KOWARI_TRY(pop(second));
    KOWARI_TRY(pop(first));
    KOWARI_TRY(top(container));
    return setItems(container, {first, second});
  case 'u': // SETITEMS
    KOWARI_TRY(popToMark(items));
    KOWARI_TRY(top(container));
    return setItems(container, items);
  default:
    handled = false;
    return Status::ok();
  }
}

Status PickleReader::recall(uint64_t index) {
  auto it = memo.find(index);
  if (it == memo.end())
    return fail("refers to value " + std::to_string(index) + ", which was never stored (damaged file)");
  if (stack.size() >= limits.values)
    return fail("more than " + std::to_string(limits.values) + " values");
  stack.push_back(it->second);
  return Status::ok();
}

Status PickleReader::stepMemo(uint8_t op, bool &handled) {
  uint64_t index = memo.size(); // MEMOIZE
  NodeId node = 0;
  switch (op) {
  case 'h': // BINGET
    KOWARI_TRY(readUnsigned(1, index));
    return recall(index);
  case 'j': // LONG_BINGET
    KOWARI_TRY(readUnsigned(4, index));
    return recall(index);
  case 'q': // BINPUT
    KOWARI_TRY(readUnsigned(1, index));
    break;
  case 'r': // LONG_BINPUT
    KOWARI_TRY(readUnsigned(4, index));
    break;
  case 0x94: // MEMOIZE
    break;
  default:
    handled = false;
    return Status::ok();
  }
  KOWARI_TRY(top(node));
  memo[index] = node;
  return Status::ok();
}

Status PickleReader::stepCall(uint8_t op, bool &handled) {
  switch (op) {
  case 'c': { // GLOBAL
    std::string_view module, name;
    KOWARI_TRY(readLine(module));
    KOWARI_TRY(readLine(name));
    return pushGlobal(std::string(module) + " " + std::string(name));
  }
  case 0x93: { // STACK_GLOBAL
    NodeId name = 0, module = 0;
    KOWARI_TRY(pop(name));
    KOWARI_TRY(pop(module));
    if (!get<std::string>(name) || !get<std::string>(module))
      return fail("a function whose name is no text");
    return pushGlobal(*get<std::string>(module) + " " + *get<std::string>(name));
  }
  case 'R':
    return reduce();
  case 'b':
    return build();
  case 'Q':
    return persistentId();
  default:
    handled = false;
    return Status::ok();
  }
}

Result<PickleValue> PickleReader::run() {
  using Step = Status (PickleReader::*)(uint8_t, bool &);
  static constexpr Step steps[] = {&PickleReader::stepMemo, &PickleReader::stepContainer,
                                   &PickleReader::stepScalar, &PickleReader::stepText,
                                   &PickleReader::stepCall};
  for (;;) {
    opPosition = position;
    uint64_t op = 0, ignored = 0;
    KOWARI_TRY(readUnsigned(1, op));
    if (op == '.') // STOP
      break;
    if (op == 0x80) { // PROTO
      KOWARI_TRY(readUnsigned(1, ignored));
      if (ignored < 2 || ignored > 5)
        return fail("protocol " + std::to_string(ignored) + "; 2 to 5 can be read");
      continue;
    }
    if (op == 0x95) { // FRAME
      KOWARI_TRY(readUnsigned(8, ignored));
      continue;
    }
    bool handled = false;
    for (Step step : steps) {
      handled = true;
      KOWARI_TRY((this->*step)(static_cast<uint8_t>(op), handled));
      if (handled)
        break;
    }
    if (!handled) {
      char code[8];
      std::snprintf(code, sizeof code, "0x%02x", static_cast<unsigned>(op));
      return fail(std::string("operation ") + code + " does not occur in model files");
    }
  }
  NodeId root = 0;
  KOWARI_TRY(pop(root));
  return expand(root, 0);
}

Result<PickleValue> PickleReader::expand(NodeId id, size_t depth) {
  if (depth > limits.depth)
    return fail("values nested deeper than " + std::to_string(limits.depth) +
                " (or a value that contains itself)");
  if (++expandedValues > limits.values)
    return fail("more than " + std::to_string(limits.values) + " values");
  const Node &node = nodes[id];
  if (const auto *text = std::get_if<std::string>(&node)) {
    expandedBytes += text->size();
    if (expandedBytes > limits.totalBytes)
      return fail("more than " + std::to_string(limits.totalBytes) + " bytes of text");
    return PickleValue(*text);
  }
  if (std::holds_alternative<std::monostate>(node))
    return PickleValue();
  if (const auto *flag = std::get_if<bool>(&node))
    return PickleValue(*flag);
  if (const auto *integer = std::get_if<int64_t>(&node))
    return PickleValue(*integer);
  if (const auto *number = std::get_if<double>(&node))
    return PickleValue(*number);
  if (const auto *sequence = std::get_if<Sequence>(&node))
    return expandSequence(*sequence, depth);
  if (const auto *dict = std::get_if<Dict>(&node))
    return expandDict(*dict, depth);
  if (const auto *tensor = std::get_if<PickleTensor>(&node))
    return PickleValue(*tensor);
  if (const auto *global = std::get_if<Global>(&node))
    return fail("\"" + global->name + "\" stands as a value");
  return fail("bytes, a storage or a number type stand as a value");
}

Result<PickleValue> PickleReader::expandSequence(const Sequence &sequence, size_t depth) {
  std::vector<PickleValue> items;
  for (NodeId item : sequence.items) {
    KOWARI_ASSIGN(PickleValue value, expand(item, depth + 1));
    items.push_back(std::move(value));
  }
  return sequence.isTuple ? PickleValue::tuple(std::move(items)) : PickleValue::list(std::move(items));
}

Result<PickleValue> PickleReader::expandDict(const Dict &dict, size_t depth) {
  PickleValue value = dict.isOrdered ? PickleValue::orderedDict() : PickleValue::dict();
  std::vector<PickleValue::Entry> &entries = value.entries();
  std::unordered_map<std::string, size_t> places; // a key set twice keeps its place and takes the later value
  for (auto [keyNode, itemNode] : dict.entries) {
    KOWARI_ASSIGN(PickleValue key, expand(keyNode, depth + 1));
    KOWARI_ASSIGN(PickleValue item, expand(itemNode, depth + 1));
    std::string name;
    if (key.isString())
      name = "s" + key.asString();
    else if (key.kind() == PickleValue::Kind::Int)
      name = "i" + std::to_string(key.asInt());
    else
      return fail(std::string("a dict key of type ") + key.kindName());
    auto [place, isNew] = places.try_emplace(std::move(name), entries.size());
    if (isNew)
      entries.push_back({std::move(key), std::move(item)});
    else
      entries[place->second].value = std::move(item);
  }
  return value;
}

} // namespace kowari::train
