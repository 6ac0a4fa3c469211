//===- Interpreter.h - runs functions of the flow dialect -------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The reference that compiled code and every pass are compared with: plain, slow, and written from the
// operations' formulas.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace kowari::interpreter {

struct InterpretOptions {
  /// Row count of the batch; needed only where no argument has a row dimension.
  std::optional<int64_t> rows;
  /// Computes f32 functions in double throughout: arguments may be F32, results are F64. Differences between
  /// two versions of a function that are not rounding then stand out.
  bool inDouble = false;
};

/// Runs `function` on tensors for its arguments and returns those of its results. Calls of flow.fused kernels
/// run with the column counts of the use. Arguments that do not fit the function's types, and operations that
/// have no evaluator, are reported as errors at their location.
mlir::FailureOr<std::vector<Tensor>> interpret(mlir::func::FuncOp function, std::vector<Tensor> arguments,
                                               const InterpretOptions &options = {});

/// Runs a fused kernel on `rows` rows as a step of a plan does: the column counts in its types are those of
/// its first use and may differ from the arguments'.
mlir::FailureOr<std::vector<Tensor>> interpretKernel(mlir::func::FuncOp kernel, std::vector<Tensor> arguments,
                                                     int64_t rows, bool inDouble);

/// Whether every operation of `function`, and of what it calls, can be interpreted.
bool isInterpretable(mlir::func::FuncOp function);

} // namespace kowari::interpreter
