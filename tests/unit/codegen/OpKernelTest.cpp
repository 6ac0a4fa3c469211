//===- OpKernelTest.cpp - every rowwise operation as a kernel -------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Each operation in float32 and float64, lanes along rows and columns, every way of cutting it that its sums
// allow, on ragged shapes, against plain loops in double; and the same bits however it is cut.
//
//===----------------------------------------------------------------------===//
#include "OpCases.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kowari::test {
namespace {

struct Mode {
  bool lanesRows;
  const char *chunks;
  std::string name() const { return std::string(lanesRows ? "rows_" : "columns_") + chunks; }
};

std::vector<Mode> getModes(const OpCase &c) {
  std::vector<Mode> modes;
  for (bool lanesRows : {false, true})
    for (const char *chunks : {"rows", "columns", "none"}) {
      bool allowed = c.cuts == Cuts::Any || (c.cuts == Cuts::Rows) != (std::string(chunks) == "columns");
      if (c.cuts == Cuts::Columns)
        allowed = std::string(chunks) != "rows";
      if (c.oneDimension != 0 && std::string(chunks) == (c.oneDimension == 1 ? "columns" : "rows") &&
          c.cuts == Cuts::Any)
        allowed = false;
      if (c.oneDimension == 3)
        allowed = std::string(chunks) == "none";
      if (allowed)
        modes.push_back({lanesRows, chunks});
    }
  return modes;
}

Form getForm(char letter) {
  switch (letter) {
  case 'M':
    return Form::Matrix;
  case 'R':
    return Form::Row;
  case 'C':
    return Form::Column;
  case 'S':
    return Form::Scalar;
  case 'I':
    return Form::RowIndex;
  default:
    return Form::Index;
  }
}

std::string getTypeList(const std::string &forms) {
  std::string list;
  for (char letter : forms)
    list += (list.empty() ? "$" : ", $") + std::string(1, letter);
  return list;
}

std::string writeKernel(const OpCase &c, const Mode &mode, const std::string &element) {
  std::string arguments;
  for (size_t i = 0; i < c.forms.size(); ++i)
    arguments += (i ? ", %" : "%") + std::to_string(i) + ": $" + c.forms[i];
  std::string text = "func.func @" + element + "_" + mode.name() + "(" + arguments + ") -> (" +
                     getTypeList(c.results) + ") attributes {flow.kernel = {lanes = \"" +
                     (mode.lanesRows ? "rows" : "columns") + "\", chunks = \"" + mode.chunks + "\"}} {\n" +
                     c.body + "\n}\n";
  return substitute(text, {{"M", "tensor<?x8x" + element + ">"},
                           {"R", "tensor<?x" + element + ">"},
                           {"C", "tensor<8x" + element + ">"},
                           {"S", "tensor<" + element + ">"}});
}

class OpKernelTest : public testing::TestWithParam<OpCase> {
protected:
  void compare(const Mode &mode, Type type, int64_t rows, int64_t columns) {
    const OpCase &c = GetParam();
    std::mt19937 random(rows * 1000 + columns);
    std::vector<Array> in, out;
    for (size_t i = 0; i < c.forms.size(); ++i) {
      bool positive = std::find(c.positive.begin(), c.positive.end(), (int)i) != c.positive.end();
      in.push_back(Array::make(getForm(c.forms[i]), rows, columns));
      in.back().fill(random, positive ? 0.2 : c.low, positive ? 2.0 : c.high);
    }
    for (char letter : c.results)
      out.push_back(Array::make(getForm(letter), rows, columns));
    std::vector<Array> expected = out;
    c.formula(in, expected, rows, columns);
    std::vector<Type> types(in.size() + out.size(), type);
    KowariKernel kernel = module->get(std::string(type == Type::F32 ? "f32_" : "f64_") + mode.name());
    Launch launch{mode.lanesRows, mode.chunks, rows, columns, 0, {}};
    std::vector<Array> whole = run(kernel, launch, in, out, types);
    check(expected, whole, type == Type::F32 ? c.tolerance32 : c.tolerance64);
    for (int64_t cut : {16, 64}) {
      launch.cut = cut;
      std::vector<Array> pieces = run(kernel, launch, in, out, types);
      for (size_t i = 0; i < whole.size(); ++i)
        ASSERT_EQ(whole[i].data, pieces[i].data) << "cut into pieces of " << cut;
    }
  }

  static void check(const std::vector<Array> &expected, const std::vector<Array> &actual, double tolerance) {
    for (size_t i = 0; i < expected.size(); ++i) {
      double largest = 1;
      for (double v : expected[i].data)
        largest = std::max(largest, std::abs(v));
      for (size_t k = 0; k < expected[i].data.size(); ++k)
        ASSERT_NEAR(expected[i].data[k], actual[i].data[k], tolerance * largest)
            << "result " << i << " entry " << k;
    }
  }

  std::unique_ptr<CompiledModule> module;
};

TEST_P(OpKernelTest, AgreesWithPlainLoops) {
  const OpCase &c = GetParam();
  std::string text;
  for (const char *element : {"f32", "f64"})
    for (const Mode &mode : getModes(c))
      text += writeKernel(c, mode, element);
  module = CompiledModule::compile(text);
  ASSERT_TRUE(module);
  const std::pair<int64_t, int64_t> shapes[] = {{1, 1},   {7, 15},   {15, 7},  {16, 16},  {17, 133},
                                                {64, 17}, {133, 64}, {133, 1}, {300, 40}, {2, 300}};
  for (Type type : {Type::F32, Type::F64})
    for (const Mode &mode : getModes(c))
      for (auto [rows, columns] : shapes) {
        SCOPED_TRACE(mode.name() + (type == Type::F32 ? " f32 " : " f64 ") + std::to_string(rows) + " x " +
                     std::to_string(columns));
        if (c.name == "batch_norm_running" && rows < 2)
          continue;
        int64_t oneColumn = c.oneDimension == 1 || c.oneDimension == 3 ? 1 : columns;
        int64_t oneRow =
            c.oneDimension == 3 || (c.oneDimension == 2 && c.name != "batch_norm_running") ? 1 : rows;
        compare(mode, type, oneRow, oneColumn);
        if (HasFatalFailure())
          return;
      }
}

std::string getName(const testing::TestParamInfo<OpCase> &info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Pointwise, OpKernelTest, testing::ValuesIn(getPointwiseCases()), getName);
INSTANTIATE_TEST_SUITE_P(Norms, OpKernelTest, testing::ValuesIn(getNormCases()), getName);
INSTANTIATE_TEST_SUITE_P(Vectors, OpKernelTest, testing::ValuesIn(getVectorCases()), getName);
INSTANTIATE_TEST_SUITE_P(Optimizers, OpKernelTest, testing::ValuesIn(getOptimizerCases()), getName);

} // namespace
} // namespace kowari::test
