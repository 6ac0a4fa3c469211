//===- Initializers.h - initial values of parameters -----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Initial values come from a counter-based generator (Philox 4x32-10) keyed by the seed and the tensor's
// name, with the element's index as counter: they do not depend on the order in which tensors are filled, on
// threads or on the element type (float32 values are the float64 ones, rounded).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/train/Tensor.h"

#include <cstdint>
#include <string_view>

namespace kowari::train {

struct Initializer {
  enum class Kind {
    Constant,   // every element = value
    Uniform,    // independent uniform draws of [low, high)
    Permutation // int64: a uniformly drawn permutation of 0 .. count-1
  };
  Kind kind = Kind::Constant;
  double value = 0.0;
  double low = 0.0, high = 0.0;

  static Initializer constant(double value) { return {Kind::Constant, value, 0.0, 0.0}; }
  static Initializer uniform(double low, double high) { return {Kind::Uniform, 0.0, low, high}; }
  static Initializer permutation() { return {Kind::Permutation, 0.0, 0.0, 0.0}; }
};

/// Fills `destination` (`count` contiguous elements of `type`: float32, float64 or int64) for the tensor
/// `name`. Uniform needs a float type, Permutation int64; anything else is an error that names the tensor.
Status initialize(const Initializer &initializer, uint64_t seed, std::string_view name, ScalarType type,
                  int64_t count, void *destination);

} // namespace kowari::train
