//===- Pick.h - small random choices ----------------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The same on every machine and standard library, which std::uniform_int_distribution is not.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>

namespace kowari::fuzz {

template <class T> T pick(std::mt19937_64 &generator, std::initializer_list<T> choices) {
  return choices.begin()[generator() % choices.size()];
}

inline bool happens(std::mt19937_64 &generator, double probability) {
  return static_cast<double>(generator() >> 11) * 0x1p-53 < probability;
}

} // namespace kowari::fuzz
