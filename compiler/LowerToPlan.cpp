//===- LowerToPlan.cpp - functions as ordered plans -----------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/EntryChecks.h"
#include "compiler/Passes.h"
#include "compiler/PlanBuilder.h"
#include "compiler/Stages.h"

using namespace mlir;

namespace kowari {

#define GEN_PASS_DEF_LOWERTOPLAN
#include "compiler/Passes.h.inc"

namespace {

struct LowerToPlanPass : impl::LowerToPlanBase<LowerToPlanPass> {
  void runOnOperation() override {
    if (failed(checkEntries(getOperation())))
      return signalPassFailure();
    SmallVector<func::FuncOp> functions;
    int64_t maxRows = 0;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (auto rows = function->getAttrOfType<IntegerAttr>("flow.max_rows")) {
        functions.push_back(function);
        maxRows = std::max(maxRows, rows.getInt());
      }
    PersistentLayout layout(getOperation(), maxRows);
    OptimizerKernels optimizerKernels;
    for (func::FuncOp function : functions) {
      if (failed(PlanBuilder(function, layout, maxRows, optimizerKernels).build()))
        return signalPassFailure();
      function.erase();
    }
    markReached(getOperation(), "lower-to-plan");
  }
};

} // namespace
} // namespace kowari
