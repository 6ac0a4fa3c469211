//===- Tensor.h - tensors of a model file in host memory -------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// What a model file needs to know about a tensor: element type, shape and where its elements are. They belong
// to the caller (a view of the trainer's memory, padded or transposed as it may be, so that saving copies
// nothing), to the tensor itself, or are still in the file they were read from and are fetched on demand.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kowari::train {

enum class ScalarType { Bool, UInt8, Int8, Int16, Int32, Int64, Float16, BFloat16, Float32, Float64 };

/// Bytes of one element.
size_t itemSize(ScalarType type);
/// torch's name: "float32", "int64", ...
const char *scalarTypeName(ScalarType type);
/// "(2, 3)", "(5,)", "()": a shape as Python prints it.
std::string shapeToString(const std::vector<int64_t> &shape);
/// Elements of a shape (1 for a scalar). The shape must be one whose product fits, as every checked shape
/// does.
int64_t elementCount(const std::vector<int64_t> &shape);

/// Brings the bytes of a tensor that is still in a file. Implemented by the archive reader.
class TensorSource {
public:
  virtual ~TensorSource() = default;
  /// Writes the tensor's elements, contiguous and row major, to `destination` (`bytes` = its whole size).
  virtual Status read(void *destination, size_t bytes) const = 0;
};

class HostTensor {
public:
  HostTensor() = default;
  /// A view: `data` (elementCount * itemSize bytes, contiguous, row major) must outlive the tensor.
  static HostTensor view(ScalarType type, std::vector<int64_t> shape, const void *data);
  /// A view of elements that lie `strides` (in elements, one a dimension) apart; `data` points to the first
  /// one.
  static HostTensor view(ScalarType type, std::vector<int64_t> shape, const void *data,
                         std::vector<int64_t> strides);
  /// Owns zeroed memory, writable through mutableData().
  static HostTensor zeros(ScalarType type, std::vector<int64_t> shape);
  static HostTensor fromSource(ScalarType type, std::vector<int64_t> shape,
                               std::shared_ptr<const TensorSource> source);

  ScalarType type() const { return scalarType; }
  const std::vector<int64_t> &shape() const { return dims; }
  int64_t count() const { return elementCount(dims); }
  size_t bytes() const { return static_cast<size_t>(count()) * itemSize(scalarType); }

  /// The contiguous bytes; null while they are still in a file (see load) and for a view with strides.
  const void *data() const { return strides.empty() ? bytesBegin : nullptr; }
  /// Null for a view or a tensor still in a file.
  void *mutableData() { return owner.get(); }
  bool isLoaded() const { return source == nullptr; }
  /// Fetches the bytes into memory of its own; nothing to do when they are in memory already.
  Status load();
  /// Copies the elements, contiguous and row major, to `destination`, which has room for count() elements of
  /// type `as`. Conversion is done between float32 and float64 and between integers; anything else is an
  /// error.
  Status copyTo(void *destination, ScalarType as) const;
  /// The same to elements that lie `destinationStrides` (in elements, one a dimension) apart.
  Status copyTo(void *destination, ScalarType as, const std::vector<int64_t> &destinationStrides) const;
  /// Hands the bytes of a tensor in memory to `take` in row-major order: at once when they are contiguous,
  /// else in pieces of about 1 MB. Stops at the first error.
  Status forEachPiece(const std::function<Status(const void *bytes, size_t count)> &take) const;
  /// The value of a tensor of one element, as double.
  Result<double> item() const;

private:
  ScalarType scalarType = ScalarType::Float32;
  std::vector<int64_t> dims;
  std::vector<int64_t> strides; // empty: contiguous
  const void *bytesBegin = nullptr;
  std::shared_ptr<std::byte[]> owner;
  std::shared_ptr<const TensorSource> source;
};

struct NamedTensor {
  std::string name;
  HostTensor tensor;
};

} // namespace kowari::train
