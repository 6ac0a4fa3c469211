//===- Split.h - training and test samples -------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The split that Dingo makes with torch: a permutation from the Mersenne twister with seed 42, bit for bit.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <vector>

namespace kowari::data {

/// A permutation of 0 .. count - 1 equal to torch.randperm(count) with a CPU generator of that seed.
std::vector<int64_t> torchPermutation(int64_t count, uint32_t seed = 42);

struct Split {
  std::vector<int64_t> train, test; ///< sample indices, in order of use
};

/// The first int(trainFraction * count) entries of the permutation train, the rest test. 0 <= trainFraction
/// <= 1.
Split splitTrainTest(int64_t count, double trainFraction);

} // namespace kowari::data
