//===- PointEvaluator.h - values of a kernel at one place -------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Builds, on demand and once for each place, what a kernel's values are there. A place is a PointScope: the
// whole kernel, one step of the outer loop, or one step of the inner loop. Asking an inner scope for a value
// that does not depend on the inner axis builds it in the scope it belongs to, outside the inner loop.
// With one lane every value is a scalar: that is how a GPU thread sees a kernel.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/KernelNest.h"

namespace kowari::codegen {

struct PointScope {
  PointScope *parent = nullptr;
  mlir::OpBuilder *builder = nullptr; ///< Stands where this scope's code goes.
  mlir::Value row, column; ///< i64; along the lanes, those of lane 0. Null where the scope has none.
  unsigned stage = 0;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> values; ///< One entry a column of the point.
};

/// Fields of KowariKernelArgs, loaded at the kernel's entry.
struct KernelArguments {
  mlir::Value rowBegin, rowEnd, columnBegin, columnEnd, rows, columns; // i64
  llvm::SmallVector<mlir::Value> pointers, strides;                    // operands, then results
};

class PointEvaluator {
public:
  using Values = llvm::SmallVector<mlir::Value>;
  PointEvaluator(mlir::func::FuncOp source, const KernelNest &nest, unsigned lanes, KernelArguments arguments,
                 PointScope &kernelScope)
      : source(source), nest(nest), lanes(lanes), arguments(std::move(arguments)), kernelScope(kernelScope) {}

  /// A value at a place: vectors if it has the lane axis, scalars otherwise.
  const Values &get(mlir::Value value, PointScope &scope);
  /// What a sum adds up at this point: one entry a column of the point.
  const Values &getPoints(mlir::OpResult sum, PointScope &scope);
  /// Turns the sum of an operation's result into the result, in the scope outside the inner loop.
  void finish(mlir::OpResult sum, llvm::ArrayRef<mlir::Value> totals, PointScope &scope);
  /// Stores result `index`. With `limit`, lanes from that index on stay unwritten if the result is a column
  /// vector: what lies behind it may belong to somebody else.
  void store(unsigned index, PointScope &scope, mlir::Value limit);
  /// Which lanes of a vector that begins at `first` lie before `limit`: vector<Wxi1>.
  mlir::Value getMask(mlir::OpBuilder &builder, mlir::Value first, mlir::Value limit);
  /// T, or vector<WxT> if the axes have the lane's.
  mlir::Type getType(mlir::Type element, Axes axes) const;
  mlir::Location getLocation() { return source.getLoc(); }

private:
  /// Values with these axes are vectors.
  bool isVector(Axes axes) const { return lanes > 1 && axes.has(nest.lane); }
  PointScope &homeOf(Axes axes, PointScope &scope);
  void evaluate(mlir::Operation *op, PointScope &scope);
  void evaluateColumn(mlir::Operation *op, unsigned column, unsigned count, PointScope &scope,
                      llvm::SmallVector<Values> &results);
  Values load(mlir::Value like, unsigned slot, PointScope &scope);
  mlir::Value getAddress(mlir::Value like, unsigned slot, unsigned column, PointScope &scope);
  void storeOne(mlir::Value value, mlir::Value address, mlir::OpBuilder &builder, mlir::Value mask);
  flow::PointExtent getExtent(mlir::Type type);
  mlir::Value getColumnIndex(PointScope &scope, bool vector, unsigned column, unsigned count);
  mlir::Value broadcast(mlir::OpBuilder &builder, mlir::Value value);

  mlir::func::FuncOp source;
  const KernelNest &nest;
  unsigned lanes;
  KernelArguments arguments;
  PointScope &kernelScope;
  llvm::DenseMap<mlir::Type, flow::PointExtent> extents;
};

} // namespace kowari::codegen
