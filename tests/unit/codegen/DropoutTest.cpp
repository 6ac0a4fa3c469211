//===- DropoutTest.cpp - counter-based random zeros -----------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "KernelHarness.h"

#include <Random123/philox.h>
#include <gtest/gtest.h>

#include <cmath>

namespace kowari::test {
namespace {

constexpr double probability = 0.3;
constexpr uint32_t site = 5;

std::string writeKernel(const std::string &element, const std::string &lanes, const std::string &chunks) {
  return substitute(R"(
    func.func @$E_$L_$K(%x: $M, %sample: tensor<?xi64>, %seed: tensor<i64>, %epoch: tensor<i64>) -> $M
        attributes {flow.kernel = {lanes = "$L", chunks = "$K"}} {
      %y = flow.dropout %x, %sample, %seed, %epoch {probability = 0.3 : f64, site = 5 : i64}
        : ($M, tensor<?xi64>, tensor<i64>, tensor<i64>) -> $M
      return %y : $M
    })",
                    {{"M", "tensor<?x8x$E>"}, {"E", element}, {"L", lanes}, {"K", chunks}});
}

bool keeps(uint64_t seed, uint32_t epoch, uint64_t sample, uint32_t column) {
  r123::Philox4x32 philox;
  r123::Philox4x32::ctr_type counter = {{(uint32_t)sample, epoch, site, column}};
  r123::Philox4x32::key_type key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
  return philox(counter, key)[0] / 4294967296.0 >= probability;
}

TEST(Dropout, IsRandom123sPhiloxInEveryLayout) {
  std::string text;
  for (const char *element : {"f32", "f64"})
    for (const char *lanes : {"rows", "columns"})
      for (const char *chunks : {"rows", "columns"})
        text += writeKernel(element, lanes, chunks);
  auto module = CompiledModule::compile(text);
  ASSERT_TRUE(module);
  std::mt19937 random(3);
  constexpr int64_t rows = 37, columns = 21;
  Array x = Array::make(Form::Matrix, rows, columns).fill(random, 0.5, 2);
  Array sample = Array::make(Form::RowIndex, rows, 1).fill(random, 0, 5e6);
  Array seed = Array::make(Form::Index, 1, 1), epoch = seed;
  seed.data[0] = 1234567890123456.0;
  epoch.data[0] = 17;
  for (Type type : {Type::F32, Type::F64})
    for (bool lanesRows : {false, true})
      for (const char *chunks : {"rows", "columns"}) {
        std::string name =
            std::string(type == Type::F32 ? "f32_" : "f64_") + (lanesRows ? "rows_" : "columns_") + chunks;
        auto y = run(module->get(name), {lanesRows, chunks, rows, columns, 16, {}}, {x, sample, seed, epoch},
                     {x}, std::vector<Type>(5, type));
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t c = 0; c < columns; ++c) {
            bool keep = keeps((uint64_t)seed.data[0], 17, (uint64_t)sample.at(r, 0), c);
            ASSERT_NEAR(y[0].at(r, c), keep ? x.at(r, c) / (1 - probability) : 0.0, 1e-6)
                << name << r << " " << c;
          }
      }
}

} // namespace
} // namespace kowari::test
