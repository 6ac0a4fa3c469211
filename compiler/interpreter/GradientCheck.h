//===- GradientCheck.h - @gradient against its loss -------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/ModuleNumbers.h"

namespace kowari::interpreter {

/// @gradient returns a loss and, as "gradient/NAME", its gradients by parameters NAME. Compares each of these
/// with the derivative of the loss along a random direction of the parameter, by central differences in
/// double. Returns the first parameter that disagrees, in words; nothing if all agree, without @gradient, or
/// if that is beyond the budget.
std::optional<std::string> findWrongGradient(mlir::ModuleOp module, const NumbersOptions &options);

} // namespace kowari::interpreter
