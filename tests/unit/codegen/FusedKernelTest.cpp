//===- FusedKernelTest.cpp - kernels of several operations ----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "KernelHarness.h"

#include "compiler/cpu/CpuCodegen.h"
#include "dialects/flow/FlowOps.h"

#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace kowari::test {
namespace {

const std::map<std::string, std::string> types = {
    {"M", "tensor<?x8xf32>"}, {"R", "tensor<?xf32>"}, {"C", "tensor<8xf32>"}, {"S", "tensor<f32>"}};

std::unique_ptr<CompiledModule> compile(const std::string &text) {
  return CompiledModule::compile(substitute(text, types));
}

void expectNear(const Array &expected, const Array &actual, double tolerance) {
  for (size_t i = 0; i < expected.data.size(); ++i)
    ASSERT_NEAR(expected.data[i], actual.data[i], tolerance) << i;
}

double elu(double x) { return x > 0 ? x : std::expm1(x); }

TEST(FusedKernel, LayerNormWithActivationInThreeStages) {
  auto module = compile(R"(
    func.func @k(%h: $M, %b: $C, %r: $M, %g: $C, %bb: $C) -> ($M, $R, $R, $M) attributes {flow.kernel = {lanes = "columns", chunks = "rows"}} {
      %hb = flow.add_bias %h, %b : ($M, $C) -> $M
      %x = flow.add %hb, %r : ($M, $M) -> $M
      %m = flow.row_mean %x : ($M) -> $R
      %v = flow.row_variance %x, %m : ($M, $R) -> $R
      %n = flow.normalize_rows %x, %m, %v, %g, %bb {epsilon = 1.0e-5 : f64} : ($M, $R, $R, $C, $C) -> $M
      %y = flow.activation %n {kind = #flow.activation<elu>} : ($M) -> $M
      return %x, %m, %v, %y : $M, $R, $R, $M
    })");
  ASSERT_TRUE(module);
  std::mt19937 random(5);
  for (auto [rows, columns] : {std::pair<int64_t, int64_t>{33, 64}, {17, 133}, {1, 7}}) {
    Array h = Array::make(Form::Matrix, rows, columns).fill(random, -2, 2), r = h, x = h, y = h;
    Array b = Array::make(Form::Column, rows, columns).fill(random, -1, 1), g = b, bb = b;
    Array m = Array::make(Form::Row, rows, 1), v = m;
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t c = 0; c < columns; ++c) {
        x.at(i, c) = h.at(i, c) + b.at(0, c) + r.at(i, c);
        m.at(i, 0) += x.at(i, c) / columns;
      }
      for (int64_t c = 0; c < columns; ++c)
        v.at(i, 0) += (x.at(i, c) - m.at(i, 0)) * (x.at(i, c) - m.at(i, 0)) / columns;
      for (int64_t c = 0; c < columns; ++c)
        y.at(i, c) = elu((x.at(i, c) - m.at(i, 0)) / std::sqrt(v.at(i, 0) + 1e-5) * g.at(0, c) + bb.at(0, c));
    }
    Launch launch{false, "rows", rows, columns, 16, {}};
    auto out = run(module->get("k"), launch, {h, b, r, g, bb}, {x, m, v, y}, std::vector<Type>(9, Type::F32));
    expectNear(x, out[0], 1e-6);
    expectNear(m, out[1], 2e-6);
    expectNear(v, out[2], 1e-5);
    expectNear(y, out[3], 2e-5);
    launch.tied = {{0, 0}, {3, 2}}; // x over h, y over r: both read before
    auto over =
        run(module->get("k"), launch, {h, b, r, g, bb}, {x, m, v, y}, std::vector<Type>(9, Type::F32));
    EXPECT_EQ(out[0].data, over[0].data);
  }
}

/// The gradient of a training-mode batch norm, its bias gradient, and the same with dx written over dy.
TEST(FusedKernel, BatchNormGradientChainAlsoInPlace) {
  std::string body = R"(
      %dg, %db = flow.batch_norm_grad_params %dy, %x, %m, %v {epsilon = 1.0e-3 : f64} : ($M, $M, $C, $C) -> ($C, $C)
      %dx = flow.batch_norm_grad_input %dy, %x, %m, %v, %g, %dg, %db {epsilon = 1.0e-3 : f64, training} : ($M, $M, $C, $C, $C, $C, $C) -> $M
      %s = flow.column_variance %dx, %m : ($M, $C) -> $C
      return %dx, %dg, %db, %s : $M, $C, $C, $C
    })";
  std::string head = "func.func @$N(%dy: $M, %x: $M, %m: $C, %v: $C, %g: $C) -> ($M$A, $C, $C, $C) "
                     "attributes {flow.kernel = {lanes = \"$L\", chunks = \"columns\"}} {";
  std::string text;
  for (const char *lanes : {"rows", "columns"}) {
    text += substitute(head + body, {{"N", std::string("apart_") + lanes}, {"A", ""}, {"L", lanes}});
    text += substitute(head + body,
                       {{"N", std::string("tied_") + lanes}, {"A", " {flow.tied = 0 : i64}"}, {"L", lanes}});
  }
  auto module = compile(text);
  ASSERT_TRUE(module);
  std::mt19937 random(6);
  constexpr int64_t rows = 150, columns = 53;
  Array dy = Array::make(Form::Matrix, rows, columns).fill(random, -1, 1), x = dy;
  x.fill(random, -2, 2);
  Array m = Array::make(Form::Column, rows, columns).fill(random, -1, 1), v = m, g = m, dg = m, db = m, s = m;
  v.fill(random, 0.5, 2);
  Array dx = dy;
  for (int64_t c = 0; c < columns; ++c) {
    double rstd = 1 / std::sqrt(v.at(0, c) + 1e-3);
    dg.at(0, c) = db.at(0, c) = s.at(0, c) = 0;
    for (int64_t r = 0; r < rows; ++r) {
      dg.at(0, c) += dy.at(r, c) * (x.at(r, c) - m.at(0, c)) * rstd;
      db.at(0, c) += dy.at(r, c);
    }
    for (int64_t r = 0; r < rows; ++r) {
      double xhat = (x.at(r, c) - m.at(0, c)) * rstd;
      dx.at(r, c) = g.at(0, c) * rstd * (dy.at(r, c) - db.at(0, c) / rows - xhat * dg.at(0, c) / rows);
      s.at(0, c) += std::pow(dx.at(r, c) - m.at(0, c), 2) / rows;
    }
  }
  for (bool lanesRows : {false, true})
    for (bool tied : {false, true}) {
      Launch launch{lanesRows, "columns", rows, columns, 16, {}};
      if (tied)
        launch.tied = {{0, 0}};
      std::string name = std::string(tied ? "tied_" : "apart_") + (lanesRows ? "rows" : "columns");
      auto out =
          run(module->get(name), launch, {dy, x, m, v, g}, {dx, dg, db, s}, std::vector<Type>(9, Type::F32));
      SCOPED_TRACE(name);
      expectNear(dx, out[0], 1e-5);
      expectNear(dg, out[1], 1e-4);
      expectNear(db, out[2], 1e-4);
      expectNear(s, out[3], 1e-5);
    }
}

TEST(FusedKernel, TrainingBatchNormWithRunningStatistics) {
  auto module = compile(R"(
    func.func @k(%x: $M, %g: $C, %b: $C, %rm: $C, %rv: $C) -> ($M, $C, $C, $C, $C) attributes {flow.kernel = {lanes = "columns", chunks = "columns"}} {
      %m = flow.column_mean %x : ($M) -> $C
      %v = flow.column_variance %x, %m : ($M, $C) -> $C
      %n = flow.batch_norm %x, %m, %v, %g, %b {epsilon = 1.0e-3 : f64, training} : ($M, $C, $C, $C, $C) -> $M
      %y = flow.activation %n {kind = #flow.activation<relu>} : ($M) -> $M
      %nm, %nv = flow.batch_norm_running %rm, %rv, %m, %v {momentum = 0.1 : f64} : ($C, $C, $C, $C) -> ($C, $C)
      return %y, %m, %v, %nm, %nv : $M, $C, $C, $C, $C
    })");
  ASSERT_TRUE(module);
  std::mt19937 random(7);
  constexpr int64_t rows = 5000, columns = 37;
  Array x = Array::make(Form::Matrix, rows, columns).fill(random, 99, 101), y = x;
  Array g = Array::make(Form::Column, rows, columns).fill(random, -1, 1), b = g, m = g, v = g, rm = g, rv = g,
        nm = g, nv = g;
  for (int64_t c = 0; c < columns; ++c) {
    m.at(0, c) = v.at(0, c) = 0;
    for (int64_t r = 0; r < rows; ++r)
      m.at(0, c) += x.at(r, c) / rows;
    for (int64_t r = 0; r < rows; ++r)
      v.at(0, c) += std::pow(x.at(r, c) - m.at(0, c), 2) / rows;
    for (int64_t r = 0; r < rows; ++r)
      y.at(r, c) =
          std::max(0.0, (x.at(r, c) - m.at(0, c)) / std::sqrt(v.at(0, c) + 1e-3) * g.at(0, c) + b.at(0, c));
    nm.at(0, c) = 0.9 * rm.at(0, c) + 0.1 * m.at(0, c);
    nv.at(0, c) = 0.9 * rv.at(0, c) + 0.1 * v.at(0, c) * rows / (rows - 1);
  }
  auto out = run(module->get("k"), {false, "columns", rows, columns, 16, {}}, {x, g, b, rm, rv},
                 {y, m, v, nm, nv}, std::vector<Type>(10, Type::F32));
  expectNear(m, out[1], 4e-5); // five last digits of 100 after 5000 rows
  expectNear(v, out[2], 1e-6);
  expectNear(y, out[0], 1e-4);
  expectNear(nm, out[3], 1e-5);
  expectNear(nv, out[4], 1e-6);
}

/// The bias of the spline's parameters is added inside the spline's kernel: a point is 3K-1 columns of it.
TEST(FusedKernel, WidePointsRunThroughNarrowOperations) {
  std::string spline = "flow.rq_spline %x, $u {num_bins = 2 : i64, tail_bound = 1.0 : f64, divisor = 2.0 : "
                       "f64} : ($X, $U) -> ($X, $R)";
  auto fill = [&](std::string text) {
    return substitute(text, {{"X", "tensor<?x3xf32>"},
                             {"U", "tensor<?x15xf32>"},
                             {"B", "tensor<15xf32>"},
                             {"R", "tensor<?xf32>"}});
  };
  auto module =
      CompiledModule::compile(fill("func.func @fused(%x: $X, %u: $U, %b: $B) -> ($X, $R, $U) attributes "
                                   "{flow.kernel = {lanes = \"rows\", chunks = \"rows\"}} {\n"
                                   "%w = flow.add_bias %u, %b : ($U, $B) -> $U\n%y, %l = " +
                                   substitute(spline, {{"u", "%w"}}) +
                                   "\nreturn %y, %l, %w : $X, $R, $U\n}\n"
                                   "func.func @bare(%x: $X, %u: $U) -> ($X, $R) attributes {flow.kernel = "
                                   "{lanes = \"rows\", chunks = \"rows\"}} {\n%y, %l = " +
                                   substitute(spline, {{"u", "%u"}}) + "\nreturn %y, %l : $X, $R\n}"));
  ASSERT_TRUE(module);
  std::mt19937 random(8);
  Array x = Array::make(Form::Matrix, 21, 3).fill(random, -1, 1),
        u = Array::make(Form::Matrix, 21, 15).fill(random, -3, 3);
  Array b = Array::make(Form::Column, 1, 15).fill(random, -1, 1), l = Array::make(Form::Row, 21, 1);
  Launch launch{true, "rows", 21, 3, 16, {}};
  auto fused = run(module->get("fused"), launch, {x, u, b}, {x, l, u}, std::vector<Type>(6, Type::F32));
  for (int64_t r = 0; r < 21; ++r)
    for (int64_t c = 0; c < 15; ++c)
      u.at(r, c) = (float)u.at(r, c) + (float)b.at(0, c);
  auto bare = run(module->get("bare"), launch, {x, u}, {x, l}, std::vector<Type>(4, Type::F32));
  expectNear(bare[0], fused[0], 1e-6);
  expectNear(bare[1], fused[1], 1e-5);
  expectNear(u, fused[2], 1e-6);
}

/// Scalars in double, the update in single, parameters written in place: the optimizer as a plan runs it.
TEST(FusedKernel, AdamFromDoubleScalarsInPlace) {
  auto module = compile(R"(
    func.func @k(%w: $C, %g: $C, %m: $C, %v: $C, %rate: tensor<f64>, %step: tensor<f64>, %ok: $S)
        -> ($C {flow.tied = 0 : i64}, $C {flow.tied = 2 : i64}, $C {flow.tied = 3 : i64}, $S) attributes {flow.kernel = {lanes = "columns", chunks = "columns"}} {
      %size, %root = flow.adam_correction %rate, %step {beta1 = 0.9 : f64, beta2 = 0.999 : f64} : (tensor<f64>, tensor<f64>) -> ($S, $S)
      %r = flow.convert %rate : (tensor<f64>) -> $S
      %w1, %m1, %v1 = flow.adam state(%w, %g, %m, %v : $C, $C, $C, $C) scalars(%size, %root, %r, %ok : $S, $S, $S, $S) {beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64, weight_decay = 0.0 : f64} -> $C, $C, $C
      return %w1, %m1, %v1, %size : $C, $C, $C, $S
    })");
  ASSERT_TRUE(module);
  std::mt19937 random(9);
  constexpr int64_t columns = 1003;
  Array w = Array::make(Form::Column, 1, columns).fill(random, -1, 1), g = w, m = w, v = w;
  g.fill(random, -1, 1);
  v.fill(random, 0, 1);
  Array rate = Array::make(Form::Scalar, 1, 1), step = rate, ok = rate;
  rate.data[0] = 1e-3, step.data[0] = 3, ok.data[0] = 1;
  std::vector<Type> kinds(11, Type::F32);
  kinds[4] = kinds[5] = Type::F64;
  Launch launch{false, "columns", 1, columns, 256, {{0, 0}, {1, 2}, {2, 3}}};
  auto out = run(module->get("k"), launch, {w, g, m, v, rate, step, ok}, {w, m, v, ok}, kinds);
  double size = 1e-3 / (1 - std::pow(0.9, 3)), root = std::sqrt(1 - std::pow(0.999, 3));
  EXPECT_NEAR(out[3].data[0], size, 1e-9);
  for (int64_t c = 0; c < columns; ++c) {
    double m1 = 0.9 * m.data[c] + 0.1 * g.data[c], v1 = 0.999 * v.data[c] + 0.001 * g.data[c] * g.data[c];
    ASSERT_NEAR(out[1].data[c], m1, 1e-6);
    ASSERT_NEAR(out[2].data[c], v1, 1e-6);
    ASSERT_NEAR(out[0].data[c], w.data[c] - size * m1 / (std::sqrt(v1) / root + 1e-8), 1e-6);
  }
  ok.data[0] = 0; // a refused step changes nothing
  out = run(module->get("k"), launch, {w, g, m, v, rate, step, ok}, {w, m, v, ok}, kinds);
  EXPECT_EQ(out[0].data, w.data);
  EXPECT_EQ(out[1].data, m.data);
}

/// Compiles and returns the diagnostics of a module that must be refused.
std::string getError(const std::string &text) {
  mlir::MLIRContext context;
  context.loadDialect<flow::FlowDialect, mlir::func::FuncDialect>();
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    messages += d.str();
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(substitute(text, types), &context);
  EXPECT_TRUE(module) << messages;
  if (module) {
    EXPECT_TRUE(mlir::failed(codegen::compileKernels(*module, *codegen::CpuTarget::get("x86-64-v3"))));
  }
  return messages;
}

TEST(FusedKernel, RefusesWhatItCannotCut) {
  EXPECT_THAT(
      getError(R"(func.func @k(%x: $M) -> $C attributes {flow.kernel = {lanes = "columns", chunks = "rows"}} {
      %y = flow.sum_rows %x : ($M) -> $C
      return %y : $C })"),
      testing::HasSubstr("sums over rows"));
  EXPECT_THAT(
      getError(
          R"(func.func @k(%x: $M, %a: $C, %b: $C) -> ($M, $C) attributes {flow.kernel = {lanes = "columns", chunks = "rows"}} {
      %c = flow.add %a, %b : ($C, $C) -> $C
      %y = flow.add_bias %x, %c : ($M, $C) -> $M
      return %y, %c : $M, $C })"),
      testing::HasSubstr("every chunk"));
  EXPECT_THAT(
      getError(
          R"(func.func @k(%x: $M) -> $M attributes {flow.kernel = {lanes = "diagonal", chunks = "rows"}} {
      return %x : $M })"),
      testing::HasSubstr("lanes"));
}

TEST(FusedKernel, EqualModulesGiveEqualBytesAndOtherTargetsOthers) {
  std::string text = R"(
    func.func @a(%x: $M) -> $M attributes {flow.kernel = {lanes = "columns", chunks = "rows"}} {
      %y = flow.activation %x {kind = #flow.activation<gelu>} : ($M) -> $M
      return %y : $M
    }
    func.func @b(%x: $M) -> $C attributes {flow.kernel = {lanes = "columns", chunks = "columns"}} {
      %y = flow.sum_rows %x : ($M) -> $C
      return %y : $C
    })";
  auto first = compile(text), second = compile(text);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->getBytes(), second->getBytes());
  EXPECT_EQ(first->getBytes().find("/tmp"), std::string::npos);
  EXPECT_NE(first->getBytes(), CompiledModule::compile(substitute(text, types), "x86-64-v4")->getBytes());
}

TEST(CpuTarget, NamesAreChecked) {
  auto bad = codegen::CpuTarget::get("pentium");
  ASSERT_FALSE(bad.isOk());
  EXPECT_NE(bad.status().message().find("x86-64-v3"), std::string::npos);
  EXPECT_EQ(codegen::CpuTarget::get("x86-64-v4")->lanes, 16u);
  EXPECT_EQ(codegen::CpuTarget::get("x86-64-v3")->lanes, 8u);
}

} // namespace
} // namespace kowari::test
