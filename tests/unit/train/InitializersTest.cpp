//===- InitializersTest.cpp -------------------------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/Initializers.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <vector>

using namespace kowari;
using namespace kowari::train;
using testing::HasSubstr;

namespace {

std::vector<double> uniform(uint64_t seed, const char *name, int64_t count, double low = 0.0,
                            double high = 1.0) {
  std::vector<double> values(static_cast<size_t>(count));
  EXPECT_TRUE(
      initialize(Initializer::uniform(low, high), seed, name, ScalarType::Float64, count, values.data())
          .isOk());
  return values;
}

TEST(Initializers, UniformHasItsMoments) {
  constexpr int64_t n = 200000;
  std::vector<double> values = uniform(1, "w", n, -0.25, 0.75);
  double sum = 0, squares = 0, neighbours = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_GE(values[i], -0.25);
    ASSERT_LT(values[i], 0.75);
    double centred = values[i] - 0.25;
    sum += centred;
    squares += centred * centred;
    neighbours += centred * (values[(i + 1) % values.size()] - 0.25);
  }
  // Five standard errors of mean, variance (1/12) and correlation.
  EXPECT_NEAR(sum / n, 0.0, 5 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(squares / n, 1.0 / 12, 5 * std::sqrt(1.0 / 180 / n));
  EXPECT_NEAR(neighbours / n * 12, 0.0, 5 / std::sqrt(double(n)));
}

TEST(Initializers, DependOnSeedAndNameAlone) {
  EXPECT_EQ(uniform(1, "a", 100), uniform(1, "a", 100));
  EXPECT_NE(uniform(1, "a", 100), uniform(2, "a", 100));
  EXPECT_NE(uniform(1, "a", 100), uniform(1, "b", 100));
  EXPECT_NE(uniform(1, "a", 100), uniform(uint64_t(1) << 32 | 1, "a", 100));
  std::vector<double> longer = uniform(1, "a", 101);
  longer.pop_back();
  EXPECT_EQ(uniform(1, "a", 100), longer);
}

TEST(Initializers, FloatsAreTheRoundedDoubles) {
  std::vector<double> wide = uniform(5, "x", 1000, -0.1, 0.1);
  std::vector<float> narrow(1000);
  ASSERT_TRUE(
      initialize(Initializer::uniform(-0.1, 0.1), 5, "x", ScalarType::Float32, 1000, narrow.data()).isOk());
  for (size_t i = 0; i < 1000; ++i)
    EXPECT_EQ(narrow[i], static_cast<float>(wide[i]));
}

TEST(Initializers, Constants) {
  float floats[3] = {};
  ASSERT_TRUE(initialize(Initializer::constant(1.5), 0, "x", ScalarType::Float32, 3, floats).isOk());
  EXPECT_EQ(floats[2], 1.5f);
  int64_t counter = 7;
  ASSERT_TRUE(initialize(Initializer::constant(0), 0, "x", ScalarType::Int64, 1, &counter).isOk());
  EXPECT_EQ(counter, 0);
}

TEST(Initializers, PermutationsAreUniform) {
  std::map<std::vector<int64_t>, int> counts;
  constexpr int rounds = 24000;
  for (int seed = 0; seed < rounds; ++seed) {
    std::vector<int64_t> order(4);
    ASSERT_TRUE(initialize(Initializer::permutation(), static_cast<uint64_t>(seed), "p", ScalarType::Int64, 4,
                           order.data())
                    .isOk());
    ++counts[order];
  }
  ASSERT_EQ(counts.size(), 24u);
  double chiSquare = 0;
  for (const auto &[order, count] : counts)
    chiSquare += (count - 1000.0) * (count - 1000.0) / 1000.0;
  EXPECT_LT(chiSquare, 60.0); // 23 degrees of freedom: exceeded with probability 4e-5
  EXPECT_GT(chiSquare, 5.0);  // and this far below with 3e-5
}

TEST(Initializers, LargePermutationsAreComplete) {
  std::vector<int64_t> order(1000);
  ASSERT_TRUE(initialize(Initializer::permutation(), 3, "p", ScalarType::Int64, 1000, order.data()).isOk());
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (int64_t i = 0; i < 1000; ++i)
    EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

TEST(Initializers, TypesThatDoNotFitAreErrors) {
  float value = 0;
  EXPECT_THAT(initialize(Initializer::permutation(), 0, "flow.p", ScalarType::Float32, 1, &value).message(),
              HasSubstr("flow.p: a tensor of type float32 cannot start as a permutation"));
  int64_t integer = 0;
  EXPECT_THAT(initialize(Initializer::uniform(0, 1), 0, "n", ScalarType::Int64, 1, &integer).message(),
              HasSubstr("uniform draws"));
}

} // namespace
