//===- Tensor.h - the values an interpreted function computes ---*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// A dense tensor of any rank, row-major, of float, double or int64_t. A scalar has an empty shape and one
// entry.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cassert>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace kowari::interpreter {

enum class ElementKind { F32, F64, I64 };

class Tensor {
public:
  Tensor() : Tensor(ElementKind::F64, {}) {}
  /// All zeros.
  Tensor(ElementKind kind, std::vector<int64_t> shape);
  /// `entries` in row-major order, rounded to `kind` (F32 or F64).
  static Tensor fromReals(ElementKind kind, std::vector<int64_t> shape, const std::vector<double> &entries);
  static Tensor fromIndices(std::vector<int64_t> shape, std::vector<int64_t> entries);

  ElementKind getKind() const { return static_cast<ElementKind>(content.index()); }
  bool isReal() const { return getKind() != ElementKind::I64; }
  const std::vector<int64_t> &getShape() const { return shape; }
  int64_t getSize() const;
  /// The same numbers in another real kind; an I64 tensor stays as it is.
  Tensor convertedTo(ElementKind kind) const;

  /// An entry of a real tensor, by its row-major position.
  double getReal(int64_t position) const;
  void setReal(int64_t position, double value);
  /// All entries of a real tensor in the type T.
  template <class T> std::vector<T> getReals() const {
    std::vector<T> reals(getSize());
    for (int64_t i = 0, size = getSize(); i < size; ++i)
      reals[i] = static_cast<T>(getReal(i));
    return reals;
  }
  /// All entries of an I64 tensor.
  const std::vector<int64_t> &getIndices() const { return std::get<std::vector<int64_t>>(content); }

  /// "f32 7x3", for messages.
  std::string describe() const;

private:
  std::vector<int64_t> shape;
  std::variant<std::vector<float>, std::vector<double>, std::vector<int64_t>> content; // order of ElementKind
};

/// Largest difference of two tensors of one kind and shape, each entry divided by max(1, largest entry of
/// `expected`). Two NaN, and two equal infinities, do not differ; a NaN in one alone is an infinite
/// difference.
struct Difference {
  double relative = 0;
  int64_t position = 0; ///< row-major position of the entry that differs most
};
Difference findLargestDifference(const Tensor &expected, const Tensor &actual);

} // namespace kowari::interpreter
