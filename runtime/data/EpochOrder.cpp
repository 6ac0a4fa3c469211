//===- EpochOrder.cpp - order of the samples in an epoch ------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/EpochOrder.h"

#include "runtime/data/CounterRandom.h"

#include <utility>

namespace kowari::data {

std::vector<int64_t> epochOrder(std::span<const int64_t> indices, uint64_t seed, uint64_t epoch) {
  std::vector<int64_t> order(indices.begin(), indices.end());
  CounterRandom random(seed, RandomPurpose::SampleOrder, epoch);
  for (size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[random.below(left)]);
  return order;
}

} // namespace kowari::data
