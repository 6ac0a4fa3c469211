//===- Initializers.cpp - initial values of parameters ---------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/Initializers.h"

#include <Random123/philox.h>

#include <string>

namespace kowari::train {

namespace {

/// FNV-1a: names the stream of a tensor.
uint64_t nameHash(std::string_view name) {
  uint64_t hash = 14695981039346656037ull;
  for (char c : name)
    hash = (hash ^ static_cast<uint8_t>(c)) * 1099511628211ull;
  return hash;
}

/// 64 random bits for each (seed, stream, index), two a Philox block.
class Stream {
public:
  Stream(uint64_t seed, std::string_view name)
      : key{{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)}}, stream(nameHash(name)) {}

  uint64_t bits(uint64_t index) {
    uint64_t wanted = index / 2;
    if (!filled || wanted != block) {
      r123::Philox4x32::ctr_type counter = {
          {static_cast<uint32_t>(wanted), static_cast<uint32_t>(wanted >> 32), static_cast<uint32_t>(stream),
           static_cast<uint32_t>(stream >> 32)}};
      words = r123::Philox4x32()(counter, key);
      block = wanted;
      filled = true;
    }
    size_t half = 2 * (index % 2);
    return words[half] | (static_cast<uint64_t>(words[half + 1]) << 32);
  }

  /// Uniform on [0, 1) in steps of 2^-53.
  double unit(uint64_t index) { return static_cast<double>(bits(index) >> 11) * 0x1p-53; }

private:
  r123::Philox4x32::key_type key;
  uint64_t stream;
  r123::Philox4x32::ctr_type words = {};
  uint64_t block = 0;
  bool filled = false;
};

template <class T> void fillConstant(T *to, int64_t count, double value) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = static_cast<T>(value);
}

template <class T> void fillUniform(T *to, int64_t count, double low, double high, Stream stream) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = static_cast<T>(low + (high - low) * stream.unit(static_cast<uint64_t>(i)));
}

/// Fisher-Yates; draws that would favour small numbers are drawn again.
void fillPermutation(int64_t *to, int64_t count, Stream stream) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = i;
  uint64_t next = 0;
  for (int64_t i = count - 1; i > 0; --i) {
    uint64_t range = static_cast<uint64_t>(i) + 1;
    uint64_t unusable = (0 - range) % range; // 2^64 mod range values would come up once too often
    uint64_t draw = stream.bits(next++);
    while (draw < unusable)
      draw = stream.bits(next++);
    std::swap(to[i], to[draw % range]);
  }
}

} // namespace

Status initialize(const Initializer &initializer, uint64_t seed, std::string_view name, ScalarType type,
                  int64_t count, void *destination) {
  Stream stream(seed, name);
  using Kind = Initializer::Kind;
  if (type == ScalarType::Float32 && initializer.kind != Kind::Permutation) {
    auto *to = static_cast<float *>(destination);
    if (initializer.kind == Kind::Constant)
      fillConstant(to, count, initializer.value);
    else
      fillUniform(to, count, initializer.low, initializer.high, stream);
    return Status::ok();
  }
  if (type == ScalarType::Float64 && initializer.kind != Kind::Permutation) {
    auto *to = static_cast<double *>(destination);
    if (initializer.kind == Kind::Constant)
      fillConstant(to, count, initializer.value);
    else
      fillUniform(to, count, initializer.low, initializer.high, stream);
    return Status::ok();
  }
  if (type == ScalarType::Int64 && initializer.kind != Kind::Uniform) {
    auto *to = static_cast<int64_t *>(destination);
    if (initializer.kind == Kind::Constant)
      fillConstant(to, count, initializer.value);
    else
      fillPermutation(to, count, stream);
    return Status::ok();
  }
  static const char *const kinds[] = {"a constant", "uniform draws", "a permutation"};
  return Status::error(std::string(name) + ": a tensor of type " + scalarTypeName(type) +
                       " cannot start as " + kinds[static_cast<size_t>(initializer.kind)]);
}

} // namespace kowari::train
