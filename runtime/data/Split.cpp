//===- Split.cpp - training and test samples ------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/Split.h"

#include <cassert>
#include <numeric>
#include <random>
#include <utility>

namespace kowari::data {

std::vector<int64_t> torchPermutation(int64_t count, uint32_t seed) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::mt19937 words(seed); // the standard fixes this generator's output
  for (int64_t i = 0; i + 1 < count; ++i)
    std::swap(order[i], order[i + static_cast<int64_t>(words()) % (count - i)]);
  return order;
}

Split splitTrainTest(int64_t count, double trainFraction) {
  assert(trainFraction >= 0.0 && trainFraction <= 1.0);
  std::vector<int64_t> order = torchPermutation(count);
  // Truncated in double, as Python's int() does: 0.57 of 100 is 56.
  int64_t train = static_cast<int64_t>(trainFraction * static_cast<double>(count));
  return {{order.begin(), order.begin() + train}, {order.begin() + train, order.end()}};
}

} // namespace kowari::data
