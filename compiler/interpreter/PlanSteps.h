//===- PlanSteps.h - what each step of a plan does --------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/PlanWatchedMemory.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kowari::interpreter {

class PlanSteps {
public:
  PlanSteps(WatchedMemory &watchedMemory, int64_t rowCount) : memory(watchedMemory), rows(rowCount) {}

  /// Runs one step; faults are left in the memory. Returns why the inputs do not suit it, if they do not.
  std::optional<std::string> run(mlir::Operation *step);

private:
  std::optional<std::string> runKernel(plan::KernelOp step);
  void runGemm(plan::GemmOp step);
  void runCopy(plan::CopyOp step);
  void runFill(plan::FillOp step);
  std::optional<std::string> runGather(plan::GatherOp step);
  void runWait(plan::WaitOp step);

  bool checkKernelOperands(plan::KernelOp step, mlir::func::FuncOp kernel);
  void checkTies(plan::KernelOp step, mlir::func::FuncOp kernel);
  void spoilPads(mlir::func::FuncOp kernel, unsigned result, const ArenaView &view);

  WatchedMemory &memory;
  int64_t rows;
};

} // namespace kowari::interpreter
