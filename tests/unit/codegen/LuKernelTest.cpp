//===- LuKernelTest.cpp - kernels of LU factors ---------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "KernelHarness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kowari::test {
namespace {

std::string writeKernels(const std::string &element) {
  return substitute(R"(
    func.func @weight_$E(%lo: $P, %up: $P, %d: $D, %p: tensor<4xi64>) -> ($W, $S) attributes {flow.kernel = {lanes = "columns", chunks = "none"}} {
      %w, %l = flow.lu_weight %lo, %up, %d, %p : ($P, $P, $D, tensor<4xi64>) -> ($W, $S)
      return %w, %l : $W, $S
    }
    func.func @inverse_$E(%lo: $P, %up: $P, %d: $D, %p: tensor<4xi64>) -> ($W, $S) attributes {flow.kernel = {lanes = "columns", chunks = "none"}} {
      %w, %l = flow.lu_weight_inverse %lo, %up, %d, %p : ($P, $P, $D, tensor<4xi64>) -> ($W, $S)
      return %w, %l : $W, $S
    }
    func.func @gradient_$E(%dw: $W, %dl: $S, %lo: $P, %up: $P, %d: $D, %p: tensor<4xi64>) -> ($P, $P, $D) attributes {flow.kernel = {lanes = "columns", chunks = "none"}} {
      %a, %b, %c = flow.lu_weight_grad %dw, %dl, %lo, %up, %d, %p : ($W, $S, $P, $P, $D, tensor<4xi64>) -> ($P, $P, $D)
      return %a, %b, %c : $P, $P, $D
    })",
                    {{"P", "tensor<6x$E>"},
                     {"D", "tensor<4x$E>"},
                     {"W", "tensor<4x4x$E>"},
                     {"S", "tensor<$E>"},
                     {"E", element}});
}

struct Factors {
  int64_t size;
  Array lower, upper, diagonal, permutation;
};

Factors makeFactors(int64_t size, std::mt19937 &random) {
  int64_t entries = size * (size - 1) / 2;
  Factors f{size, Array::make(Form::Column, 1, entries), Array::make(Form::Column, 1, entries),
            Array::make(Form::Column, 1, size), Array::make(Form::Column, 1, size)};
  f.lower.fill(random, -0.5, 0.5);
  f.upper.fill(random, -0.5, 0.5);
  f.diagonal.fill(random, -1, 2);
  f.diagonal.data[0] = 25; // softplus is the identity there
  std::iota(f.permutation.data.begin(), f.permutation.data.end(), 0.0);
  std::shuffle(f.permutation.data.begin(), f.permutation.data.end(), random);
  return f;
}

double pivot(double x) { return (x > 20 ? x : std::log1p(std::exp(x))) + 1e-3; }

/// The dense matrix by definition, and sum log diag U.
std::pair<Array, double> multiply(const Factors &f) {
  int64_t n = f.size;
  std::vector<double> l(n * n, 0), u(n * n, 0);
  int64_t low = 0, up = 0;
  double log = 0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      l[i * n + j] = j < i ? f.lower.data[low++] : i == j;
      u[i * n + j] = j > i ? f.upper.data[up++] : i == j ? pivot(f.diagonal.data[i]) : 0.0;
    }
  Array w = Array::make(Form::Matrix, n, n);
  for (int64_t i = 0; i < n; ++i) {
    log += std::log(u[i * n + i]);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t k = 0; k < n; ++k)
        w.at(i, (int64_t)f.permutation.data[j]) += l[i * n + k] * u[k * n + j];
  }
  return {w, log};
}

class LuKernelTest : public testing::TestWithParam<int> {
protected:
  void SetUp() override {
    module = CompiledModule::compile(writeKernels("f32") + writeKernels("f64"));
    ASSERT_TRUE(module);
    std::mt19937 random(GetParam());
    factors = makeFactors(GetParam(), random);
  }
  std::vector<Array> call(const std::string &name, std::vector<Array> in, std::vector<Array> out, Type type) {
    in.insert(in.end(), {factors.lower, factors.upper, factors.diagonal, factors.permutation});
    in.back().form = Form::ColumnIndex;
    Launch launch{false, "none", factors.size, factors.size, 0, {}};
    return run(module->get(name + (type == Type::F32 ? "_f32" : "_f64")), launch, in, out,
               std::vector<Type>(in.size() + out.size(), type));
  }
  std::vector<Array> outputs() const {
    return {Array::make(Form::Matrix, factors.size, factors.size), Array::make(Form::Scalar, 1, 1)};
  }

  std::unique_ptr<CompiledModule> module;
  Factors factors;
};

TEST_P(LuKernelTest, WeightIsTheProduct) {
  auto [expected, log] = multiply(factors);
  for (Type type : {Type::F32, Type::F64}) {
    double tolerance = type == Type::F32 ? 2e-5 : 1e-12;
    auto out = call("weight", {}, outputs(), type);
    for (size_t i = 0; i < expected.data.size(); ++i)
      EXPECT_NEAR(expected.data[i], out[0].data[i], tolerance) << i;
    EXPECT_NEAR(log, out[1].data[0], tolerance * factors.size);
  }
}

TEST_P(LuKernelTest, InverseTimesWeightIsOne) {
  auto [w, log] = multiply(factors);
  auto out = call("inverse", {}, outputs(), Type::F64);
  EXPECT_NEAR(-log, out[1].data[0], 1e-11);
  int64_t n = factors.size;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0, scale = 1;
      for (int64_t k = 0; k < n; ++k) {
        sum += w.at(i, k) * out[0].at(k, j);
        scale = std::max(scale, std::abs(w.at(i, k) * out[0].at(k, j)));
      }
      EXPECT_NEAR(sum, i == j, 1e-12 * scale) << i << " " << j;
    }
}

TEST_P(LuKernelTest, GradientAgreesWithFiniteDifferences) {
  std::mt19937 random(77);
  Array dw = Array::make(Form::Matrix, factors.size, factors.size).fill(random, -1, 1);
  Array dl = Array::make(Form::Scalar, 1, 1).fill(random, 0.5, 1);
  auto objective = [&] {
    auto [w, log] = multiply(factors);
    double total = dl.data[0] * log;
    for (size_t i = 0; i < w.data.size(); ++i)
      total += dw.data[i] * w.data[i];
    return total;
  };
  std::vector<Array> shapes = {factors.lower, factors.upper, factors.diagonal};
  auto exact = call("gradient", {dw, dl}, shapes, Type::F64);
  auto single = call("gradient", {dw, dl}, shapes, Type::F32);
  Array *moved[] = {&factors.lower, &factors.upper, &factors.diagonal};
  for (int part = 0; part < 3; ++part)
    for (size_t i = 0; i < moved[part]->data.size(); i += 1 + moved[part]->data.size() / 40) {
      double saved = moved[part]->data[i], step = 1e-5;
      moved[part]->data[i] = saved + step;
      double up = objective();
      moved[part]->data[i] = saved - step;
      double down = objective();
      moved[part]->data[i] = saved;
      EXPECT_NEAR((up - down) / (2 * step), exact[part].data[i], 1e-7) << part << " " << i;
      EXPECT_NEAR(exact[part].data[i], single[part].data[i],
                  2e-5 * std::max(1.0, std::abs(exact[part].data[i])));
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, LuKernelTest, testing::Values(1, 2, 3, 15, 64));

} // namespace
} // namespace kowari::test
