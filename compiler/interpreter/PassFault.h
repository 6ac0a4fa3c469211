//===- PassFault.h - what a pass does wrong ---------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/ModuleNumbers.h"

#include "mlir/Pass/Pass.h"

#include <optional>
#include <string>

namespace kowari::interpreter {

struct PassFault {
  enum class Kind { Numbers, Gradient, Plan };
  Kind kind = Kind::Numbers;
  std::string text;     ///< function, output and difference
  std::string function; ///< that differs; "" for other kinds
  int64_t rows = 0;     ///< it ran with
};

/// A pass with its options, as text, so that it can run again on another module.
class PassRun {
public:
  /// `op` is what the pass runs on, a module or something in one.
  PassRun(mlir::Pass *pass, mlir::Operation *op);

  /// Without options, for messages.
  const std::string &getName() const { return name; }
  /// "builtin.module(func.func(cse))"; empty for a pass that is not registered and cannot run again.
  const std::string &getPipeline() const { return pipeline; }
  /// Runs it on a module; no diagnostics.
  mlir::LogicalResult run(mlir::ModuleOp module) const;

private:
  std::string name, pipeline;
};

/// What is wrong with `after`, which `run` made of `before`; `numbers` and `numbersAfter` are theirs.
std::optional<PassFault> findFault(mlir::ModuleOp before, const ModuleNumbers &numbers, mlir::ModuleOp after,
                                   const ModuleNumbers &numbersAfter, const PassRun &run,
                                   const NumbersOptions &options);

/// Runs the pass on a copy of the module and looks for a fault.
std::optional<PassFault> findFault(mlir::ModuleOp before, const PassRun &run, const NumbersOptions &options);

} // namespace kowari::interpreter
