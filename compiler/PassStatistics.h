//===- PassStatistics.h - what every pass made of the module ----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// MLIR's own pass statistics count nothing in LLVM's release builds, which Debian's are.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <string>

namespace kowari {

/// Prints after every pass which operations it has left more or fewer of, in the whole module:
///
///   pass fuse: 3312 -> 1460 operations
///     flow.activation       120 -> 40
///     flow.fused              0 -> 230
///
/// Nothing is printed of a pass that leaves all counts as they were. The context must not be multithreaded.
class PassStatistics : public mlir::PassInstrumentation {
public:
  explicit PassStatistics(llvm::raw_ostream &out) : out(out) {}

  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override;

  using Counts = std::map<std::string, int64_t>; ///< by name of the operation

private:
  llvm::raw_ostream &out;
  mlir::Operation *lastModule = nullptr;
  Counts counts;
};

} // namespace kowari
