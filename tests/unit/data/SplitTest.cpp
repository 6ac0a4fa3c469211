//===- SplitTest.cpp - training and test samples, order of an epoch -------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/Split.h"

#include "ReferenceFiles.h"
#include "runtime/data/EpochOrder.h"

#include <numeric>

namespace kowari::data {
namespace {

TEST(Split, IsTorchsBitForBit) {
  Hdf5File file = expectValue(Hdf5File::open(referenceFile("split.hdf5")));
  std::vector<std::string> sizes = expectValue(file.children("/"));
  ASSERT_GE(sizes.size(), 7u);
  for (const std::string &size : sizes) {
    int64_t n = std::stoll(size);
    std::vector<int64_t> expected = expectValue(file.readIntegers(size + "/permutation"));
    EXPECT_EQ(torchPermutation(n), expected) << n;
    for (const char *fraction : {"0.95", "0.9", "0.57"}) {
      int64_t train = expectValue(file.readIntegers(size + "/train_size_" + fraction))[0];
      Split split = splitTrainTest(n, std::stod(fraction));
      EXPECT_EQ(static_cast<int64_t>(split.train.size()), train) << n << " " << fraction;
      EXPECT_TRUE(std::equal(split.train.begin(), split.train.end(), expected.begin()));
      EXPECT_TRUE(std::equal(split.test.begin(), split.test.end(), expected.begin() + train));
    }
  }
}

TEST(EpochOrder, IsAPermutationThatDependsOnSeedAndEpochAlone) {
  std::vector<int64_t> indices(1000);
  std::iota(indices.begin(), indices.end(), 5000);
  std::vector<int64_t> first = epochOrder(indices, 7, 1);
  EXPECT_EQ(first, epochOrder(indices, 7, 1));
  EXPECT_NE(first, epochOrder(indices, 7, 2));
  EXPECT_NE(first, epochOrder(indices, 8, 1));
  EXPECT_NE(first, epochOrder(indices, 7 + (uint64_t{1} << 40), 1));
  std::vector<int64_t> sorted = first;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, indices);
  EXPECT_TRUE(epochOrder({}, 7, 1).empty());
}

TEST(EpochOrder, EveryPlaceIsEquallyLikely) {
  // Where element 0 of six goes over 12,000 epochs: chi squared with 5 degrees of freedom, limit at p = 1e-6.
  std::vector<int64_t> indices = {0, 1, 2, 3, 4, 5};
  double counts[6] = {};
  const double epochs = 12000;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    std::vector<int64_t> order = epochOrder(indices, 1, epoch);
    ++counts[std::find(order.begin(), order.end(), 0) - order.begin()];
  }
  double chi2 = 0.0;
  for (double count : counts)
    chi2 += (count - epochs / 6) * (count - epochs / 6) / (epochs / 6);
  EXPECT_LT(chi2, 35.9);
}

} // namespace
} // namespace kowari::data
