//===- WideProducts.h - products by one input, done as one ------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The gates of a flow step multiply the same context by weights that lie side by side (PersistentLayout).
// Done together they are one product with a larger shape, forward, for the weights' gradients and for the
// context's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/PersistentLayout.h"

namespace kowari {

/// Products of one kind whose weights follow each other in memory, in that order.
struct WideProduct {
  enum class Kind { Forward, GradWeight, GradInput };
  Kind kind = Kind::Forward;
  llvm::SmallVector<mlir::Operation *> members; // by place of the weight
  mlir::Operation *emitAt = nullptr;            // first (forward) or last member in program order
  int64_t outputs = 0;                          // rows of each weight
  bool accumulate = false;                      // GradInput: the chain of sums begins before the members
};

/// `symbols` are the module's. The sets worth doing together in a function: at least two members, rows a
/// multiple of the vector pad, together at most `budgetBytes` of results.
std::vector<WideProduct> findWideProducts(mlir::func::FuncOp function, const mlir::SymbolTable &symbols,
                                          const PersistentLayout &layout, int64_t maxRows,
                                          int64_t budgetBytes);

} // namespace kowari
