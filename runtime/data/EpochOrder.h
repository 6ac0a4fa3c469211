//===- EpochOrder.h - order of the samples in an epoch -------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The order depends on (seed, epoch) alone: a counter-based generator, so that a resumed run sees the same
// order.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kowari::data {

/// `indices` shuffled: Fisher-Yates with unbiased draws from Philox4x32-10 keyed by (seed, epoch).
std::vector<int64_t> epochOrder(std::span<const int64_t> indices, uint64_t seed, uint64_t epoch);

} // namespace kowari::data
