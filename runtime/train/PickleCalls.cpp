//===- PickleCalls.cpp - what a model file's pickle may call --------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// A pickle names functions to call. Those below are all that model files need; they are carried out here, and
// a name that is not among them ends the reading.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/PickleReader.h"

#include <cstring>

namespace kowari::train {

namespace {

const std::unordered_map<std::string, ScalarType> &storageTypes() {
  static const std::unordered_map<std::string, ScalarType> types = {
      {"torch BoolStorage", ScalarType::Bool},         {"torch ByteStorage", ScalarType::UInt8},
      {"torch CharStorage", ScalarType::Int8},         {"torch ShortStorage", ScalarType::Int16},
      {"torch IntStorage", ScalarType::Int32},         {"torch LongStorage", ScalarType::Int64},
      {"torch HalfStorage", ScalarType::Float16},      {"torch BFloat16Storage", ScalarType::BFloat16},
      {"torch FloatStorage", ScalarType::Float32},     {"torch DoubleStorage", ScalarType::Float64},
      {"torch.cuda FloatStorage", ScalarType::Float32}};
  return types;
}

template <class T> double loadAs(const char *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<double>(value);
}

int64_t loadInteger(const std::string &bytes, bool isSigned) {
  uint64_t bits = 0;
  for (size_t i = 0; i < bytes.size(); ++i)
    bits |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[i])) << (8 * i);
  size_t width = 8 * bytes.size();
  if (isSigned && width < 64 && (bits >> (width - 1)) != 0)
    bits |= ~uint64_t(0) << width;
  return static_cast<int64_t>(bits);
}

/// Elements between the first and the last one of a strided tensor, plus one; -1 if that overflows. 0 when
/// empty.
int64_t extent(const std::vector<int64_t> &shape, const std::vector<int64_t> &strides) {
  int64_t count = 1, last = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t step = 0;
    if (__builtin_mul_overflow(count, shape[i], &count))
      return -1;
    if (shape[i] > 0 && (__builtin_mul_overflow(shape[i] - 1, strides[i], &step) ||
                         __builtin_add_overflow(last, step, &last)))
      return -1;
  }
  return count == 0 ? 0 : last == INT64_MAX ? -1 : last + 1;
}

} // namespace

Status PickleReader::pushGlobal(const std::string &name) {
  static const char *const functions[] = {"collections OrderedDict",
                                          "torch._utils _rebuild_tensor_v2",
                                          "torch._utils _rebuild_parameter",
                                          "torch Size",
                                          "torch device",
                                          "numpy dtype",
                                          "numpy.core.multiarray scalar",
                                          "numpy._core.multiarray scalar",
                                          "_codecs encode"};
  bool known = storageTypes().count(name) != 0;
  for (const char *function : functions)
    known = known || name == function;
  if (!known)
    return fail("names \"" + name + "\", which Kowari does not read from model files (nothing was executed)");
  return push(Global{name});
}

Status PickleReader::reduce() {
  NodeId argumentsNode = 0, functionNode = 0;
  KOWARI_TRY(pop(argumentsNode));
  KOWARI_TRY(pop(functionNode));
  const auto *function = get<Global>(functionNode);
  const auto *tuple = get<Sequence>(argumentsNode);
  if (!function || !tuple || !tuple->isTuple)
    return fail("calls something that is no function");
  std::string name = function->name;
  Sequence arguments = *tuple; // pushing results moves the nodes
  if (name == "collections OrderedDict")
    return callOrderedDict(arguments);
  if (name == "torch._utils _rebuild_tensor_v2")
    return callRebuildTensor(arguments);
  if (name == "torch._utils _rebuild_parameter")
    return callRebuildParameter(arguments);
  if (name == "torch Size")
    return callSize(arguments);
  if (name == "torch device")
    return callDevice(arguments);
  if (name == "numpy dtype")
    return callNumpyType(arguments);
  if (name == "_codecs encode")
    return callEncode(arguments);
  if (storageTypes().count(name) != 0)
    return fail("calls \"" + name + "\"; this is not how torch.save writes storages");
  return callNumpyScalar(arguments);
}

Status PickleReader::build() {
  NodeId state = 0, object = 0;
  KOWARI_TRY(pop(state));
  KOWARI_TRY(top(object));
  // A state dict carries module versions as an attribute; they say nothing that the tensors do not.
  if (const auto *dict = get<Dict>(object); dict && dict->isOrdered)
    return Status::ok();
  const auto *fields = get<Sequence>(state);
  if (auto *type = std::get_if<NumpyType>(&nodes[object]); type && fields && fields->items.size() >= 2) {
    if (const auto *order = get<std::string>(fields->items[1]))
      type->bigEndian = *order == ">";
    return Status::ok();
  }
  return fail("sets the attributes of an object that has none in a model file");
}

/// Leaves a storage: ("storage", class, key, location, elements).
Status PickleReader::persistentId() {
  NodeId idNode = 0;
  KOWARI_TRY(pop(idNode));
  const auto *id = get<Sequence>(idNode);
  if (!id || id->items.size() != 5)
    return fail("a storage is not described as torch describes it");
  const auto *tag = get<std::string>(id->items[0]);
  const auto *cls = get<Global>(id->items[1]);
  const auto *key = get<std::string>(id->items[2]);
  const auto *elements = get<int64_t>(id->items[4]);
  if (!tag || *tag != "storage" || !cls || !key || !elements || *elements < 0)
    return fail("a storage is not described as torch describes it");
  auto type = storageTypes().find(cls->name);
  if (type == storageTypes().end())
    return fail("a storage of unknown class \"" + cls->name + "\"");
  for (char c : *key)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-')
      return fail("a storage of the unusable name \"" + *key + "\"");
  return push(Storage{type->second, *key, *elements});
}

bool PickleReader::integers(NodeId node, std::vector<int64_t> &values) const {
  const auto *sequence = get<Sequence>(node);
  if (!sequence)
    return false;
  for (NodeId item : sequence->items) {
    const auto *value = get<int64_t>(item);
    if (!value)
      return false;
    values.push_back(*value);
  }
  return true;
}

/// (storage, offset, size, stride, requires_grad, backward_hooks)
Status PickleReader::callRebuildTensor(const Sequence &arguments) {
  if (arguments.items.size() < 6)
    return fail("a tensor is not described as torch describes it");
  const auto *storage = get<Storage>(arguments.items[0]);
  const auto *offset = get<int64_t>(arguments.items[1]);
  PickleTensor tensor;
  if (!storage || !offset || !integers(arguments.items[2], tensor.shape) ||
      !integers(arguments.items[3], tensor.strides) || tensor.shape.size() != tensor.strides.size())
    return fail("a tensor is not described as torch describes it");
  bool negative = *offset < 0;
  for (size_t i = 0; i < tensor.shape.size(); ++i)
    negative = negative || tensor.shape[i] < 0 || tensor.strides[i] < 0;
  int64_t needed = negative ? -1 : extent(tensor.shape, tensor.strides);
  if (needed < 0 || tensor.shape.size() > 64 || *offset > storage->elements ||
      needed > storage->elements - *offset)
    return fail("a tensor of shape " + shapeToString(tensor.shape) + " does not fit in its storage of " +
                std::to_string(storage->elements) + " elements");
  tensor.type = storage->type;
  tensor.storageOffset = *offset;
  tensor.storageKey = storage->key;
  tensor.storageElements = storage->elements;
  return push(std::move(tensor));
}

/// (tensor, requires_grad, backward_hooks): a parameter is its tensor.
Status PickleReader::callRebuildParameter(const Sequence &arguments) {
  if (arguments.items.empty() || !get<PickleTensor>(arguments.items[0]))
    return fail("a parameter without its tensor");
  stack.push_back(arguments.items[0]);
  return Status::ok();
}

/// ("cuda", 0) becomes the text "cuda:0".
Status PickleReader::callDevice(const Sequence &arguments) {
  if (arguments.items.empty() || !get<std::string>(arguments.items[0]))
    return fail("a device without a name");
  std::string name = *get<std::string>(arguments.items[0]);
  if (arguments.items.size() > 1)
    if (const auto *index = get<int64_t>(arguments.items[1]))
      name += ":" + std::to_string(*index);
  return push(name);
}

Status PickleReader::callSize(const Sequence &arguments) {
  Sequence size{{}, true};
  if (arguments.items.size() != 1 || !get<Sequence>(arguments.items[0]))
    return fail("a torch.Size that is no list of numbers");
  size.items = get<Sequence>(arguments.items[0])->items;
  return push(std::move(size));
}

Status PickleReader::callOrderedDict(const Sequence &arguments) {
  if (!arguments.items.empty())
    return fail("an OrderedDict made from values; torch.save writes it empty and fills it");
  return push(Dict{{}, true});
}

/// ("f8", align, copy)
Status PickleReader::callNumpyType(const Sequence &arguments) {
  const auto *code = arguments.items.empty() ? nullptr : get<std::string>(arguments.items[0]);
  static const char *const known[] = {"f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"};
  for (const char *name : known)
    if (code && *code == name)
      return push(NumpyType{name[0], name[1] - '0', false});
  return fail("a NumPy number type other than float, int or bool");
}

/// (dtype, bytes): becomes a plain number.
Status PickleReader::callNumpyScalar(const Sequence &arguments) {
  const auto *type = arguments.items.size() == 2 ? get<NumpyType>(arguments.items[0]) : nullptr;
  const auto *bytes = arguments.items.size() == 2 ? get<Bytes>(arguments.items[1]) : nullptr;
  if (!type || !bytes || bytes->data.size() != static_cast<size_t>(type->size) || type->bigEndian)
    return fail("a NumPy number that cannot be read");
  const std::string &data = bytes->data;
  if (type->kind == 'f')
    return push(type->size == 4 ? loadAs<float>(data.data()) : loadAs<double>(data.data()));
  if (type->kind == 'b')
    return push(data[0] != 0);
  return push(loadInteger(data, type->kind == 'i'));
}

/// (text, "latin1"): how protocol 2 spells bytes.
Status PickleReader::callEncode(const Sequence &arguments) {
  const auto *text = arguments.items.size() == 2 ? get<std::string>(arguments.items[0]) : nullptr;
  const auto *code = arguments.items.size() == 2 ? get<std::string>(arguments.items[1]) : nullptr;
  if (!text || !code || (*code != "latin1" && *code != "latin-1"))
    return fail("bytes in a form that cannot be read");
  std::string bytes; // UTF-8 of the characters 0 to 255
  for (size_t i = 0; i < text->size(); ++i) {
    auto c = static_cast<uint8_t>((*text)[i]);
    if (c < 0x80) {
      bytes += static_cast<char>(c);
    } else if ((c == 0xc2 || c == 0xc3) && i + 1 < text->size()) {
      auto next = static_cast<uint8_t>((*text)[++i]);
      bytes += static_cast<char>(((c & 3) << 6) | (next & 0x3f));
    } else {
      return fail("bytes in a form that cannot be read");
    }
  }
  return push(Bytes{std::move(bytes)});
}

} // namespace kowari::train
