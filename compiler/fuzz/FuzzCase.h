//===- FuzzCase.h - one program to try ---------------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/fuzz/RandomFunction.h"
#include "compiler/fuzz/RandomPlan.h"
#include "frontend/settings/ProgramSpec.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <variant>

namespace kowari::fuzz {

/// A network, a random function, a random plan, or a module from a file (as text), which cannot be
/// simplified.
class FuzzCase {
public:
  explicit FuzzCase(std::variant<ProgramSpec, RandomFunction, RandomPlan, std::string> source)
      : content(std::move(source)) {}
  /// Case number `index` of a seed.
  static FuzzCase make(uint64_t seed, uint64_t index);
  /// Reads a spec (.json) or a module (.mlir), as writeTo leaves them.
  static Result<FuzzCase> read(const std::string &path);

  bool isNetwork() const { return std::holds_alternative<ProgramSpec>(content); }
  bool isPlan() const { return std::holds_alternative<RandomPlan>(content); }
  /// "network of 2 steps ..." for messages.
  std::string describe() const;
  std::vector<FuzzCase> simplify() const;
  /// Writes spec.json or module.mlir into a folder; returns the file's name.
  Result<std::string> writeTo(const std::string &folder) const;

  /// The flow module, in a context that has the dialects; null, with diagnostics, if it is not valid.
  mlir::OwningOpRef<mlir::ModuleOp> build(mlir::MLIRContext &context) const;
  /// What the manifest of its artifact holds beside the module.
  ProgramSpec getSpec() const;

  /// The spec as JSON, or the module.
  std::string print() const;

private:
  std::variant<ProgramSpec, RandomFunction, RandomPlan, std::string> content;
};

} // namespace kowari::fuzz
