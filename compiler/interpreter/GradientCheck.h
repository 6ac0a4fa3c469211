//===- GradientCheck.h - @gradient against its loss -------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/ModuleNumbers.h"

namespace kowari::interpreter {

/// @gradient returns `flow.output = "loss"` and, as "gradient/NAME", its gradients by parameters NAME.
/// Compares each of these with the derivative of `loss` (of @gradient itself, if that is null or returns no
/// loss) along a random direction of the parameter, by central differences in double. Where that is beyond
/// the budget, several parameters are moved together, and one by one only if they disagree. Returns the first
/// parameter that disagrees, in words; nothing if all agree, or without @gradient.
std::optional<std::string> findWrongGradient(mlir::ModuleOp module, mlir::func::FuncOp loss,
                                             const NumbersOptions &options);

} // namespace kowari::interpreter
