//===- MatrixProductTest.cpp - products against plain loops -----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/cpu/MatrixProduct.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace kowari;
using namespace kowari::cpu;

namespace {

struct Layout {
  int64_t stride0, stride1;
};

/// Row-major or feature-major, with a pad.
Layout layout(bool rowMajor, int64_t dim0, int64_t dim1, int64_t pad) {
  return rowMajor ? Layout{dim1 + pad, 1} : Layout{1, dim0 + pad};
}

template <class T> class Case {
public:
  Case(int64_t m, int64_t n, int64_t k, unsigned orientation, int64_t pad, bool accumulate, bool bias,
       ProductLibrary library) {
    const Layout a = layout(orientation & 1, m, k, pad), b = layout(orientation & 2, k, n, pad),
                 c = layout(orientation & 4, m, n, pad);
    spec.element = sizeof(T) == 4 ? Element::F32 : Element::F64;
    spec.m = m, spec.n = n, spec.k = k;
    spec.aStride0 = a.stride0, spec.aStride1 = a.stride1;
    spec.bStride0 = b.stride0, spec.bStride1 = b.stride1;
    spec.cStride0 = c.stride0, spec.cStride1 = c.stride1;
    spec.accumulate = accumulate, spec.bias = bias, spec.library = library;
  }

  /// Largest difference to plain loops in double; elements of c outside the matrix must keep their bits.
  double check(ProductCache &cache) {
    std::mt19937 generator(unsigned(spec.m * 131 + spec.n * 17 + spec.k));
    const auto a = random(generator, extent(spec.m, spec.k, spec.aStride0, spec.aStride1));
    const auto b = random(generator, extent(spec.k, spec.n, spec.bStride0, spec.bStride1));
    const auto bias = random(generator, spec.n);
    const auto before = random(generator, extent(spec.m, spec.n, spec.cStride0, spec.cStride1) + 3);
    auto c = before;
    auto product = cache.get(spec);
    EXPECT_TRUE(product.isOk()) << product.status().message();
    if (!product)
      return 1e30;
    const Status ran = (*product)->run(a.data(), b.data(), c.data(), spec.bias ? bias.data() : nullptr);
    EXPECT_TRUE(ran.isOk()) << ran.message();
    std::vector<double> expected(before.begin(), before.end());
    for (int64_t i = 0; i < spec.m; ++i)
      for (int64_t j = 0; j < spec.n; ++j) {
        double &element = expected[i * spec.cStride0 + j * spec.cStride1];
        double sum = (spec.accumulate ? element : 0.0) + (spec.bias ? double(bias[j]) : 0.0);
        for (int64_t p = 0; p < spec.k; ++p)
          sum += double(a[i * spec.aStride0 + p * spec.aStride1]) *
                 double(b[p * spec.bStride0 + j * spec.bStride1]);
        element = sum;
      }
    double worst = 0;
    for (size_t i = 0; i < c.size(); ++i)
      worst = std::max(worst, std::abs(double(c[i]) - expected[i]));
    return worst;
  }

  ProductSpec spec;

private:
  static int64_t extent(int64_t d0, int64_t d1, int64_t s0, int64_t s1) {
    return d0 && d1 ? (d0 - 1) * s0 + (d1 - 1) * s1 + 1 : 0;
  }
  static std::vector<T> random(std::mt19937 &generator, int64_t count) {
    std::uniform_real_distribution<T> uniform(-1, 1);
    std::vector<T> values(count);
    for (T &value : values)
      value = uniform(generator);
    return values;
  }
};

/// Small shapes with every orientation on one thread, some larger ones on two.
template <class T> void checkAll(ProductLibrary library, double tolerance) {
  ProductCache cache(1), twoThreads(2);
  const std::vector<std::vector<int64_t>> shapes = {{1, 1, 1},   {1, 7, 5},    {5, 1, 9},    {3, 4, 0},
                                                    {0, 4, 3},   {4, 0, 3},    {17, 33, 2},  {64, 37, 65},
                                                    {2, 64, 64}, {64, 128, 3}, {100, 48, 1}, {1, 64, 128}};
  for (const auto &s : shapes)
    for (unsigned orientation = 0; orientation < 8; ++orientation)
      for (const int64_t pad : {0, 3})
        for (const bool accumulate : {false, true})
          for (const bool bias : {false, true}) {
            Case<T> test(s[0], s[1], s[2], orientation, pad, accumulate, bias, library);
            ASSERT_LE(test.check(cache), tolerance) << describe(test.spec);
          }
  for (unsigned orientation = 0; orientation < 8; ++orientation) {
    Case<T> test(130, 90, 70, orientation, 6, orientation & 1, orientation & 2, library);
    ASSERT_LE(test.check(twoThreads), tolerance) << describe(test.spec);
  }
}

TEST(MatrixProduct, OneDnnMatchesPlainLoops) { checkAll<float>(ProductLibrary::OneDnn, 5e-5); }
TEST(MatrixProduct, OpenBlasMatchesPlainLoops) { checkAll<float>(ProductLibrary::OpenBlas, 5e-5); }
TEST(MatrixProduct, ChosenLibraryMatchesPlainLoops) { checkAll<float>(ProductLibrary::Auto, 5e-5); }
TEST(MatrixProduct, DoubleMatchesPlainLoops) { checkAll<double>(ProductLibrary::Auto, 1e-13); }

TEST(MatrixProduct, BothLibrariesAreReallyUsed) {
  for (const auto &[library, name] :
       {std::pair{ProductLibrary::OneDnn, "oneDNN"}, {ProductLibrary::OpenBlas, "OpenBLAS"}}) {
    const Case<float> test(64, 64, 64, 7, 16, false, false, library);
    const auto product = makeProduct(test.spec, 2);
    ASSERT_TRUE(product.isOk()) << product.status().message();
    EXPECT_STREQ((*product)->libraryName(), name);
  }
}

TEST(MatrixProduct, EqualProductsAreMadeOnce) {
  ProductCache cache(1);
  const Case<float> test(8, 8, 8, 7, 0, false, false, ProductLibrary::Auto);
  const auto first = cache.get(test.spec), second = cache.get(test.spec);
  ASSERT_TRUE(first.isOk() && second.isOk());
  EXPECT_EQ(*first, *second);
  EXPECT_EQ(cache.size(), 1u);
}

TEST(MatrixProduct, RefusesImpossibleStrides) {
  Case<float> test(8, 6, 4, 7, 0, false, false, ProductLibrary::Auto);
  test.spec.aStride1 = 2;
  EXPECT_THAT(makeProduct(test.spec, 1).status().message(),
              testing::HasSubstr("operand a is 8x4 with strides (4, 2)"));
  test = Case<float>(8, 6, 4, 7, 0, false, false, ProductLibrary::Auto);
  test.spec.cStride0 = 5;
  EXPECT_THAT(makeProduct(test.spec, 1).status().message(), testing::HasSubstr("operand c"));
  const Case<double> noSuch(8, 6, 4, 7, 0, false, false, ProductLibrary::OneDnn);
  EXPECT_THAT(makeProduct(noSuch.spec, 1).status().message(), testing::HasSubstr("no float64 products"));
}

} // namespace
