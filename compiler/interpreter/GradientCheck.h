//===- GradientCheck.h - @gradient against @loss ----------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/ModuleNumbers.h"

namespace kowari::interpreter {

/// Compares what @gradient returns for each parameter with the derivative of @loss along a random direction
/// of that parameter, by central differences in double. Returns the first parameter that disagrees, in words;
/// nothing if all agree, if the module does not have both functions, or if they are beyond the budget.
std::optional<std::string> findWrongGradient(mlir::ModuleOp module, const NumbersOptions &options);

} // namespace kowari::interpreter
