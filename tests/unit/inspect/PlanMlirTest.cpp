//===- PlanMlirTest.cpp - plans as MLIR text --------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// tests/lit/tools/inspect-mlir.test has kowari-opt read such text.
//
//===----------------------------------------------------------------------===//
#include "InspectTesting.h"

#include "frontend/inspect/PlanMlir.h"

#include <limits>

using namespace kowari;
using namespace kowari::inspect;
using namespace kowari::inspect::test;
using testing::HasSubstr;

namespace {

TEST(PlanMlirTest, SmallPlan) {
  const auto bytes = smallManifest();
  EXPECT_EQ(
      planMlir(*fb::GetManifest(bytes.data())),
      R"(module attributes {plan.arena_bytes = 3200 : i64, plan.max_rows = 8 : i64, plan.persistent_bytes = 1024 : i64} {
  plan.tensor @"w" {kind = "parameter", shape = array<i64: 8, 4>, view = !plan.view<[8, 4], [16, 1], f32>, offset = 0 : i64, init = "uniform", init_value = 2.50000000000000000e-01 : f64}
  plan.tensor @"b" {kind = "parameter", shape = array<i64: 8>, view = !plan.view<[8, 1], [1, 1], f32>, offset = 512 : i64, init = "uniform", init_value = 2.50000000000000000e-01 : f64}
  plan.tensor @"x" {kind = "input", shape = array<i64: -1, 4>, view = !plan.view<[-1, 4], [4, 1], f32>, offset = 640 : i64}
  plan.program @"step" {
    plan.input @"x"
    %0 = plan.persistent {offset = 640 : i64} : !plan.view<[-1, 4], [4, 1], f32>
    %1 = plan.persistent {offset = 0 : i64} : !plan.view<[4, 8], [1, 16], f32>
    %2 = plan.persistent {offset = 512 : i64} : !plan.view<[8, 1], [1, 1], f32>
    %3 = plan.buffer {offset = 1024 : i64} : !plan.view<[-1, 8], [16, 1], f32>
    plan.gemm %0, %1, %3 bias %2 : !plan.view<[-1, 4], [4, 1], f32>, !plan.view<[4, 8], [1, 16], f32>, !plan.view<[-1, 8], [16, 1], f32>, !plan.view<[8, 1], [1, 1], f32>
    %4 = plan.buffer {offset = 1536 : i64} : !plan.view<[-1, 8], [16, 1], f32>
    plan.kernel @"k0_elu" reads(%3) writes(%4) {rows = -1 : i64, columns = 8 : i64, group = "elementwise"} : !plan.view<[-1, 8], [16, 1], f32> -> !plan.view<[-1, 8], [16, 1], f32>
    %5 = plan.buffer {offset = 1024 : i64} : !plan.view<[-1, 8], [16, 1], f32>
    %6 = plan.buffer {offset = 2048 : i64} : !plan.view<[8, 1], [1, 1], f32>
    plan.kernel @"k1_sums" reads(%4) writes(%5, %6) {rows = -1 : i64, columns = 8 : i64, group = "norm"} : !plan.view<[-1, 8], [16, 1], f32> -> !plan.view<[-1, 8], [16, 1], f32>, !plan.view<[8, 1], [1, 1], f32>
    %7 = plan.buffer {offset = 2112 : i64} : !plan.view<[-1, 4], [16, 1], f32>
    plan.fill %7, 5.00000000000000000e-01 : !plan.view<[-1, 4], [16, 1], f32>
    %8 = plan.persistent {offset = 0 : i64} : !plan.view<[8, 4], [16, 1], f32>
    plan.gemm %5, %8, %7 {accumulate} : !plan.view<[-1, 8], [16, 1], f32>, !plan.view<[8, 4], [16, 1], f32>, !plan.view<[-1, 4], [16, 1], f32>
    %9 = plan.buffer {offset = 2688 : i64} : !plan.view<[-1, 8], [16, 1], f32>
    %10 = plan.subview %9 {offset = 0 : i64} : !plan.view<[-1, 8], [16, 1], f32> -> !plan.view<[-1, 4], [16, 1], f32>
    plan.copy %0, %10 : !plan.view<[-1, 4], [4, 1], f32>, !plan.view<[-1, 4], [16, 1], f32>
    %11 = plan.subview %9 {offset = 4 : i64} : !plan.view<[-1, 8], [16, 1], f32> -> !plan.view<[-1, 4], [16, 1], f32>
    plan.copy %7, %11 : !plan.view<[-1, 4], [16, 1], f32>, !plan.view<[-1, 4], [16, 1], f32>
    plan.output %9 "o" shape [-1, 8] : !plan.view<[-1, 8], [16, 1], f32>
  }
}
)");
}

std::string mlirOf(PlanBuilder &plan, int64_t arenaBytes, int64_t persistentBytes) {
  plan.entry("step");
  const auto bytes = plan.finish(8, arenaBytes, persistentBytes);
  return planMlir(*fb::GetManifest(bytes.data()));
}

TEST(PlanMlirTest, TensorsKeepInitializersAndFlags) {
  PlanBuilder plan;
  const fb::View view = vector(64, 4);
  std::vector<int64_t> shape = {4}, none;
  std::vector<uint8_t> flags = {0, 1};
  plan.tensors.push_back(fb::CreateTensorDirect(plan.builder, "a \"b\"\\", fb::TensorKind::OptimizerState,
                                                &shape, &view, fb::InitKind::Fill, 0.1, &flags));
  const fb::View one = vector(0, 1, fb::DType::F64);
  plan.tensors.push_back(fb::CreateTensorDirect(plan.builder, "lr", fb::TensorKind::Scalar, &none, &one));
  const std::string text = mlirOf(plan, 128, 128);
  EXPECT_THAT(
      text,
      HasSubstr("  plan.tensor @\"a \\22b\\22\\5C\" {kind = \"optimizer\", shape = array<i64: 4>, view = "
                "!plan.view<[4, 1], [1, 1], f32>, offset = 64 : i64, init = \"fill\", init_value = "
                "1.00000000000000006e-01 : f64, trainable = array<i1: false, true>}\n"));
  EXPECT_THAT(text, HasSubstr("@\"lr\" {kind = \"scalar\", shape = array<i64>, view = "
                              "!plan.view<[1, 1], [1, 1], f64>, offset = 0 : i64}\n"));
}

TEST(PlanMlirTest, EveryStep) {
  PlanBuilder plan;
  plan.kernel("one", fb::Lanes::Columns, fb::Chunks::Rows, 1);
  plan.run(0, 1, 1, {vector(0, 1)});
  plan.fill(vector(64, 4), -std::numeric_limits<double>::infinity());
  plan.gather(rowMajor(128, 2, 4, 4), vector(192, 8, fb::DType::I64), rowMajor(256, 8, 4, 4));
  const fb::View target = vector(64, 4);
  plan.step(fb::StepKind::CollectiveStep,
            fb::CreateCollectiveStep(plan.builder, &target, fb::Reduction::Sum, 1), "all_reduce");
  plan.step(fb::StepKind::RecordStep, fb::CreateRecordStep(plan.builder, 3, 1), "record");
  plan.step(fb::StepKind::WaitStep, fb::CreateWaitStep(plan.builder, 3, 0), "wait");
  const std::string text = mlirOf(plan, 512, 256);
  EXPECT_THAT(text,
              HasSubstr("plan.kernel @\"one\" reads() writes(%0) {rows = 1 : i64, columns = 1 : i64, group "
                        "= \"test\"} -> !plan.view<[1, 1], [1, 1], f32>\n"));
  EXPECT_THAT(text, HasSubstr("plan.fill %1, 0xFFF0000000000000 : !plan.view<[4, 1], [1, 1], f32>\n"));
  EXPECT_THAT(
      text, HasSubstr("plan.gather %2, %3, %4 : !plan.view<[2, 4], [4, 1], f32>, !plan.view<[8, 1], [1, 1], "
                      "i64>, !plan.view<[8, 4], [4, 1], f32>\n"));
  EXPECT_THAT(text, HasSubstr("plan.all_reduce %1 on 1 : !plan.view<[4, 1], [1, 1], f32>\n"
                              "    plan.record 3 on 1\n    plan.wait 3 on 0\n"));
}

} // namespace
