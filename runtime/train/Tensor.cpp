//===- Tensor.cpp - tensors of a model file in host memory ---------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/Tensor.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace kowari::train {

size_t itemSize(ScalarType type) {
  switch (type) {
  case ScalarType::Bool:
  case ScalarType::UInt8:
  case ScalarType::Int8:
    return 1;
  case ScalarType::Int16:
  case ScalarType::Float16:
  case ScalarType::BFloat16:
    return 2;
  case ScalarType::Int32:
  case ScalarType::Float32:
    return 4;
  case ScalarType::Int64:
  case ScalarType::Float64:
    return 8;
  }
  return 0;
}

const char *scalarTypeName(ScalarType type) {
  switch (type) {
  case ScalarType::Bool:
    return "bool";
  case ScalarType::UInt8:
    return "uint8";
  case ScalarType::Int8:
    return "int8";
  case ScalarType::Int16:
    return "int16";
  case ScalarType::Int32:
    return "int32";
  case ScalarType::Int64:
    return "int64";
  case ScalarType::Float16:
    return "float16";
  case ScalarType::BFloat16:
    return "bfloat16";
  case ScalarType::Float32:
    return "float32";
  case ScalarType::Float64:
    return "float64";
  }
  return "";
}

std::string shapeToString(const std::vector<int64_t> &shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

int64_t elementCount(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  return count;
}

HostTensor HostTensor::view(ScalarType type, std::vector<int64_t> shape, const void *data) {
  HostTensor tensor;
  tensor.scalarType = type;
  tensor.dims = std::move(shape);
  tensor.bytesBegin = data;
  return tensor;
}

HostTensor HostTensor::view(ScalarType type, std::vector<int64_t> shape, const void *data,
                            std::vector<int64_t> strides) {
  assert(shape.size() == strides.size());
  HostTensor tensor = view(type, std::move(shape), data);
  tensor.strides = std::move(strides);
  return tensor;
}

HostTensor HostTensor::zeros(ScalarType type, std::vector<int64_t> shape) {
  HostTensor tensor;
  tensor.scalarType = type;
  tensor.dims = std::move(shape);
  tensor.owner = std::make_shared<std::byte[]>(tensor.bytes());
  tensor.bytesBegin = tensor.owner.get();
  return tensor;
}

HostTensor HostTensor::fromSource(ScalarType type, std::vector<int64_t> shape,
                                  std::shared_ptr<const TensorSource> source) {
  HostTensor tensor;
  tensor.scalarType = type;
  tensor.dims = std::move(shape);
  tensor.source = std::move(source);
  return tensor;
}

Status HostTensor::load() {
  if (isLoaded())
    return Status::ok();
  std::shared_ptr<std::byte[]> memory(new (std::nothrow) std::byte[bytes()]);
  if (!memory)
    return Status::error("no memory for a tensor of " + std::to_string(bytes()) + " bytes");
  KOWARI_TRY(source->read(memory.get(), bytes()));
  owner = std::move(memory);
  bytesBegin = owner.get();
  source.reset();
  return Status::ok();
}

namespace {

constexpr size_t pieceBytes = size_t(1) << 20;

/// Walks over the elements of a strided tensor in row-major order.
class StridedWalk {
public:
  StridedWalk(const std::vector<int64_t> &shape, const std::vector<int64_t> &strides)
      : shape(shape), strides(strides), index(shape.size(), 0), left(elementCount(shape)) {}

  bool atEnd() const { return left == 0; }
  /// Elements from the first one to this one.
  size_t offset() const { return static_cast<size_t>(place); }
  void next() {
    --left;
    for (size_t dim = shape.size(); dim-- > 0;) {
      place += strides[dim];
      if (++index[dim] < shape[dim])
        return;
      place -= strides[dim] * shape[dim];
      index[dim] = 0;
    }
  }

private:
  const std::vector<int64_t> &shape, &strides;
  std::vector<int64_t> index;
  int64_t left, place = 0;
};

bool isInteger(ScalarType type) {
  return type == ScalarType::Bool || type == ScalarType::UInt8 || type == ScalarType::Int8 ||
         type == ScalarType::Int16 || type == ScalarType::Int32 || type == ScalarType::Int64;
}

bool isWideFloat(ScalarType type) { return type == ScalarType::Float32 || type == ScalarType::Float64; }

template <class From, class To> void convertElements(const void *from, void *to, int64_t count) {
  const auto *in = static_cast<const From *>(from);
  auto *out = static_cast<To *>(to);
  for (int64_t i = 0; i < count; ++i)
    out[i] = static_cast<To>(in[i]);
}

template <class From> void convertFrom(const void *from, void *to, ScalarType as, int64_t count) {
  switch (as) {
  case ScalarType::Bool:
  case ScalarType::UInt8:
    return convertElements<From, uint8_t>(from, to, count);
  case ScalarType::Int8:
    return convertElements<From, int8_t>(from, to, count);
  case ScalarType::Int16:
    return convertElements<From, int16_t>(from, to, count);
  case ScalarType::Int32:
    return convertElements<From, int32_t>(from, to, count);
  case ScalarType::Int64:
    return convertElements<From, int64_t>(from, to, count);
  case ScalarType::Float32:
    return convertElements<From, float>(from, to, count);
  case ScalarType::Float64:
    return convertElements<From, double>(from, to, count);
  case ScalarType::Float16:
  case ScalarType::BFloat16:
    break;
  }
  assert(false && "checked by the caller");
}

void convert(ScalarType type, const void *from, void *to, ScalarType as, int64_t count) {
  switch (type) {
  case ScalarType::Bool:
  case ScalarType::UInt8:
    return convertFrom<uint8_t>(from, to, as, count);
  case ScalarType::Int8:
    return convertFrom<int8_t>(from, to, as, count);
  case ScalarType::Int16:
    return convertFrom<int16_t>(from, to, as, count);
  case ScalarType::Int32:
    return convertFrom<int32_t>(from, to, as, count);
  case ScalarType::Int64:
    return convertFrom<int64_t>(from, to, as, count);
  case ScalarType::Float32:
    return convertFrom<float>(from, to, as, count);
  case ScalarType::Float64:
    return convertFrom<double>(from, to, as, count);
  case ScalarType::Float16:
  case ScalarType::BFloat16:
    break;
  }
  assert(false && "checked by the caller");
}

} // namespace

Status HostTensor::copyTo(void *destination, ScalarType as) const {
  bool converts = (isInteger(scalarType) && isInteger(as)) || (isWideFloat(scalarType) && isWideFloat(as));
  if (as != scalarType && !converts)
    return Status::error(std::string("the tensor is ") + scalarTypeName(scalarType) + ", expected " +
                         scalarTypeName(as));
  if (bytes() == 0)
    return Status::ok();
  if (as != scalarType) {
    HostTensor same = zeros(scalarType, dims);
    KOWARI_TRY(copyTo(same.mutableData(), scalarType));
    convert(scalarType, same.bytesBegin, destination, as, count());
    return Status::ok();
  }
  if (!isLoaded())
    return source->read(destination, bytes());
  auto *to = static_cast<std::byte *>(destination);
  return forEachPiece([&](const void *piece, size_t size) {
    std::memcpy(to, piece, size);
    to += size;
    return Status::ok();
  });
}

Status HostTensor::copyTo(void *destination, ScalarType as,
                          const std::vector<int64_t> &destinationStrides) const {
  assert(destinationStrides.size() == dims.size());
  HostTensor rows = zeros(as, dims);
  KOWARI_TRY(copyTo(rows.mutableData(), as));
  const std::byte *from = rows.owner.get();
  size_t item = itemSize(as);
  for (StridedWalk walk(dims, destinationStrides); !walk.atEnd(); walk.next(), from += item)
    std::memcpy(static_cast<std::byte *>(destination) + walk.offset() * item, from, item);
  return Status::ok();
}

Status HostTensor::forEachPiece(const std::function<Status(const void *, size_t)> &take) const {
  assert(isLoaded());
  if (strides.empty())
    return bytes() > 0 ? take(bytesBegin, bytes()) : Status::ok();
  size_t item = itemSize(scalarType);
  std::vector<std::byte> piece;
  piece.reserve(std::min(bytes(), pieceBytes));
  for (StridedWalk walk(dims, strides); !walk.atEnd(); walk.next()) {
    const std::byte *from = static_cast<const std::byte *>(bytesBegin) + walk.offset() * item;
    piece.insert(piece.end(), from, from + item);
    if (piece.size() < pieceBytes)
      continue;
    KOWARI_TRY(take(piece.data(), piece.size()));
    piece.clear();
  }
  return piece.empty() ? Status::ok() : take(piece.data(), piece.size());
}

Result<double> HostTensor::item() const {
  if (count() != 1)
    return Status::error("a tensor of shape " + shapeToString(dims) + " stands where one number is expected");
  if (isInteger(scalarType)) {
    int64_t value = 0;
    KOWARI_TRY(copyTo(&value, ScalarType::Int64));
    return static_cast<double>(value);
  }
  double value = 0.0;
  KOWARI_TRY(copyTo(&value, ScalarType::Float64));
  return value;
}

} // namespace kowari::train
