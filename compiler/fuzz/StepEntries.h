//===- StepEntries.h - an entry for each step of a plan ---------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace kowari::fuzz {

/// The entry that runs step `step` of the program alone.
std::string getStepEntryName(const std::string &program, int64_t step);

/// A copy of a planned module with one more program for each step of each program. They share the arena:
/// running them in order does what the whole does, and between them its memory can be read.
mlir::OwningOpRef<mlir::ModuleOp> withStepEntries(mlir::ModuleOp planned);

} // namespace kowari::fuzz
