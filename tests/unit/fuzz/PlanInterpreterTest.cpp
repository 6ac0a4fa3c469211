//===- PlanInterpreterTest.cpp - what plans compute and do wrong ----------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/interpreter/PlanInterpreter.h"
#include "dialects/flow/FlowOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kowari::interpreter {
namespace {

using ::testing::HasSubstr;

/// Two inputs of four columns and up to eight rows, a table and an index, two kernels.
const char *const head =
    R"(module attributes {plan.max_rows = 8 : i64, plan.persistent_bytes = 2048 : i64, plan.arena_bytes = 8192 : i64} {
  plan.tensor @x {kind = "input", shape = array<i64: -1, 4>, view = !plan.view<[-1, 4], [16, 1], f32>, offset = 0 : i64}
  plan.tensor @w {kind = "parameter", shape = array<i64: 3, 4>, view = !plan.view<[3, 4], [16, 1], f32>, offset = 512 : i64}
  plan.tensor @b {kind = "parameter", shape = array<i64: 3>, view = !plan.view<[3, 1], [1, 1], f32>, offset = 704 : i64}
  plan.tensor @index {kind = "input", shape = array<i64: -1>, view = !plan.view<[-1, 1], [1, 1], i64>, offset = 768 : i64}
  func.func private @negate(%x: tensor<?x2xf32>) -> tensor<?x2xf32>
      attributes {flow.kernel = {chunks = "rows", lanes = "columns"}, flow.columns = 2 : i64} {
    %y = flow.negate %x : (tensor<?x2xf32>) -> tensor<?x2xf32>
    return %y : tensor<?x2xf32>
  }
  plan.program @step {
    %x = plan.persistent {offset = 0 : i64} : !plan.view<[-1, 4], [16, 1], f32>
    %w = plan.persistent {offset = 512 : i64} : !plan.view<[3, 4], [16, 1], f32>
    %wt = plan.subview %w {offset = 0 : i64} : !plan.view<[3, 4], [16, 1], f32> -> !plan.view<[4, 3], [1, 16], f32>
    %b = plan.persistent {offset = 704 : i64} : !plan.view<[3, 1], [1, 1], f32>
)";

class Plans : public ::testing::Test {
protected:
  Plans() : context(mlir::MLIRContext::Threading::DISABLED) {
    context.loadDialect<flow::FlowDialect, plan::PlanDialect, mlir::func::FuncDialect>();
  }

  PlanOutcome run(const std::string &steps, int64_t rows = 2) {
    module = mlir::parseSourceString<mlir::ModuleOp>(head + steps + "  }\n}\n", &context);
    if (!module) {
      ADD_FAILURE() << "does not parse:\n" << steps;
      return {};
    }
    Tensor x(ElementKind::F64, {rows, 4});
    for (int64_t i = 0; i < x.getSize(); ++i)
      x.setReal(i, static_cast<double>(i));
    NamedTensors tensors;
    tensors.insert_or_assign("flow.batch x", x);
    tensors.insert_or_assign("flow.parameter w", Tensor::fromReals(ElementKind::F64, {3, 4},
                                                                   {1, 0, 0, 0, 0, 2, 0, 0, 1, 1, 1, 1}));
    tensors.insert_or_assign("flow.parameter b", Tensor::fromReals(ElementKind::F64, {3}, {0.5, 0, -1}));
    tensors.insert_or_assign("flow.batch index", Tensor::fromIndices({rows}, std::vector<int64_t>(rows, 2)));
    return runPlan(*module->getOps<plan::ProgramOp>().begin(), tensors, rows, false);
  }
  static std::vector<double> reals(const PlanOutcome &outcome, const std::string &key) {
    auto found = outcome.outputs.find(key);
    return found == outcome.outputs.end() ? std::vector<double>() : found->second.getReals<double>();
  }
  std::string fault(const std::string &steps) { return run(steps).fault.value_or("no fault"); }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(Plans, ProductsWithBiasAndAccumulation) {
  PlanOutcome outcome = run(R"(
    %y = plan.buffer {offset = 2048 : i64} : !plan.view<[-1, 3], [16, 1], f32>
    plan.gemm %x, %wt, %y bias %b : !plan.view<[-1, 4], [16, 1], f32>, !plan.view<[4, 3], [1, 16], f32>, !plan.view<[-1, 3], [16, 1], f32>, !plan.view<[3, 1], [1, 1], f32>
    plan.gemm %x, %wt, %y {accumulate} : !plan.view<[-1, 4], [16, 1], f32>, !plan.view<[4, 3], [1, 16], f32>, !plan.view<[-1, 3], [16, 1], f32>
    plan.output %y "y" shape [-1, 3] : !plan.view<[-1, 3], [16, 1], f32>
)");
  EXPECT_EQ(outcome.fault.value_or(""), "");
  EXPECT_THAT(reals(outcome, "flow.output y"), ::testing::ElementsAre(0.5, 4, 11, 8.5, 20, 43));
}

TEST_F(Plans, KernelsCopiesFillsAndGathers) {
  PlanOutcome outcome = run(R"(
    %i = plan.persistent {offset = 768 : i64} : !plan.view<[-1, 1], [1, 1], i64>
    %f = plan.buffer {offset = 2048 : i64} : !plan.view<[-1, 4], [1, 16], f32>
    %g = plan.buffer {offset = 4096 : i64} : !plan.view<[-1, 4], [16, 1], f32>
    %z = plan.buffer {offset = 6144 : i64} : !plan.view<[1, 1], [1, 1], f32>
    plan.copy %x, %f : !plan.view<[-1, 4], [16, 1], f32>, !plan.view<[-1, 4], [1, 16], f32>
    plan.copy %f, %x : !plan.view<[-1, 4], [1, 16], f32>, !plan.view<[-1, 4], [16, 1], f32>
    plan.kernel @negate reads(%x) writes(%g) {rows = -1 : i64, columns = 4 : i64, group = "elementwise"} : !plan.view<[-1, 4], [16, 1], f32> -> !plan.view<[-1, 4], [16, 1], f32>
    plan.gather %w, %i, %x : !plan.view<[3, 4], [16, 1], f32>, !plan.view<[-1, 1], [1, 1], i64>, !plan.view<[-1, 4], [16, 1], f32>
    plan.fill %z, 7.0 : !plan.view<[1, 1], [1, 1], f32>
    plan.output %g "g" shape [-1, 4] : !plan.view<[-1, 4], [16, 1], f32>
    plan.output %z "z" shape [] : !plan.view<[1, 1], [1, 1], f32>
)");
  EXPECT_EQ(outcome.fault.value_or(""), "");
  EXPECT_THAT(reals(outcome, "flow.output g"), ::testing::ElementsAre(0, -1, -2, -3, -4, -5, -6, -7));
  EXPECT_THAT(reals(outcome, "flow.output z"), ::testing::ElementsAre(7));
  EXPECT_THAT(reals(outcome, "flow.batch x"), ::testing::ElementsAre(1, 1, 1, 1, 1, 1, 1, 1));
  EXPECT_EQ(outcome.outputs.count("flow.parameter w"), 0u) << "nobody wrote to it";
}

const std::string copyOf = " : !plan.view<[-1, 4], [16, 1], f32>, !plan.view<[-1, 4], [16, 1], f32>\n";
const std::string negation =
    " {rows = -1 : i64, columns = 4 : i64, group = \"elementwise\"} : !plan.view<[-1, 4], [16, 1], f32> -> "
    "!plan.view<[-1, 4], [16, 1], f32>\n";
std::string buffer(const std::string &name, int64_t offset) {
  return name + " = plan.buffer {offset = " + std::to_string(offset) +
         " : i64} : !plan.view<[-1, 4], [16, 1], f32>\n";
}

TEST_F(Plans, ReadsOfBytesNobodyWrote) {
  EXPECT_THAT(
      fault(buffer("%a", 2048) + "plan.copy %a, %x" + copyOf),
      HasSubstr("step 0 (plan.copy): reads element (0, 0) of a view at byte 2048, which nobody wrote"));
  // A kernel may leave anything behind its lanes.
  EXPECT_THAT(fault(buffer("%a", 2048) + "plan.kernel @negate reads(%x) writes(%a)" + negation + R"(
    %p = plan.subview %a {offset = 4 : i64} : !plan.view<[-1, 4], [16, 1], f32> -> !plan.view<[-1, 4], [16, 1], f32>
    plan.copy %x, %p)" +
                    copyOf + "plan.kernel @negate reads(%x) writes(%a)" + negation + "plan.copy %p, %x" +
                    copyOf),
              HasSubstr("which nobody wrote"));
}

TEST_F(Plans, BuffersThatLiveTogetherMustNotOverlap) {
  const std::string copies =
      "plan.copy %x, %a" + copyOf + "plan.copy %x, %b2" + copyOf + "plan.copy %a, %x" + copyOf;
  EXPECT_THAT(fault(buffer("%a", 2048) + buffer("%b2", 2496) + copies),
              HasSubstr("overlaps the one at bytes 2048"));
  EXPECT_EQ(fault(buffer("%a", 2048) + buffer("%b2", 2560) + copies), "no fault");
  // One after the other they may.
  EXPECT_EQ(fault(buffer("%a", 2048) + buffer("%b2", 2048) + "plan.copy %x, %a" + copyOf +
                  "plan.copy %x, %b2" + copyOf),
            "no fault");
}

TEST_F(Plans, PlacesOutsideTheArena) {
  EXPECT_THAT(fault(buffer("%a", 7744) + "plan.copy %x, %a" + copyOf),
              HasSubstr("outside the arena of 8192 bytes"));
  EXPECT_THAT(fault(buffer("%a", 1984) + "plan.copy %x, %a" + copyOf), HasSubstr("in the persistent part"));
  EXPECT_THAT(fault(R"(
    %a = plan.buffer {offset = 2048 : i64} : !plan.view<[-1, 2], [16, 1], f32>
    %p = plan.subview %a {offset = 64 : i64} : !plan.view<[-1, 2], [16, 1], f32> -> !plan.view<[-1, 4], [16, 1], f32>
    plan.copy %x, %p)" +
                    copyOf),
              HasSubstr("ends at byte"));
}

TEST_F(Plans, StreamsNeedWaits) {
  auto plan = [&](const std::string &between) {
    return fault(buffer("%a", 2048) + "plan.copy %x, %a" + copyOf + between +
                 "plan.all_reduce %a on 1 : !plan.view<[-1, 4], [16, 1], f32>\n");
  };
  EXPECT_THAT(
      plan(""),
      HasSubstr("step 1 (plan.all_reduce): reads element (0, 0) of a view at byte 2048 without a wait "
                "for step 0"));
  EXPECT_EQ(plan("plan.record 0 on 0\nplan.wait 0 on 1\n"), "no fault");
  EXPECT_THAT(plan("plan.record 0 on 0\n"), HasSubstr("without a wait"));
  EXPECT_THAT(plan("plan.wait 0 on 1\n"), HasSubstr("waits for event 0, which nobody has recorded"));
  // The bytes that another stream still reads must not be written.
  EXPECT_THAT(fault(buffer("%a", 2048) + buffer("%b2", 2560) + "plan.copy %x, %a" + copyOf +
                    "plan.record 0 on 0\nplan.wait 0 on 1\nplan.copy %a, %b2 {stream = 1 : i64}" + copyOf +
                    "plan.copy %x, %a" + copyOf),
              HasSubstr("writes element (0, 0) of a view at byte 2048 without a wait for step 3"));
}

TEST_F(Plans, ResultsOverOperandsMustBeTied) {
  EXPECT_THAT(fault("plan.kernel @negate reads(%x) writes(%x)" + negation),
              HasSubstr("result 0 overlaps operand 0, to which the kernel does not tie it"));
}

TEST_F(Plans, IndicesOutsideTheTableAreNoFaultOfThePlan) {
  PlanOutcome outcome = run(R"(
    %i = plan.persistent {offset = 768 : i64} : !plan.view<[-1, 1], [1, 1], i64>
    %t = plan.subview %w {offset = 0 : i64} : !plan.view<[3, 4], [16, 1], f32> -> !plan.view<[2, 4], [16, 1], f32>
    plan.gather %t, %i, %x : !plan.view<[2, 4], [16, 1], f32>, !plan.view<[-1, 1], [1, 1], i64>, !plan.view<[-1, 4], [16, 1], f32>
)");
  EXPECT_FALSE(outcome.fault);
  EXPECT_THAT(outcome.unsuited.value_or(""), HasSubstr("asks for row 2 of a table of 2"));
  EXPECT_THAT(run("", 9).unsuited.value_or(""), HasSubstr("takes 1 to 8 rows"));
}

} // namespace
} // namespace kowari::interpreter
