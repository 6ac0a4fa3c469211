//===- Frame.h - what an operation sees while it is interpreted -*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// A frame holds the tensors of one call. Evaluators read operands as Points of the type they compute in
// (float or double) and write results back; a result is rounded to its own element type.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/Tensor.h"
#include "dialects/flow/FlowOps.h"

#include "llvm/ADT/DenseMap.h"

namespace kowari::interpreter {

/// A tensor over the points (row, column) of the batch: matrices and weights are rows x columns, row vectors
/// rows x 1, column vectors 1 x columns, scalars 1 x 1. Reading broadcasts an extent of 1 along its
/// dimension.
template <class T> struct Points {
  int64_t rows = 1, columns = 1;
  std::vector<T> entries;

  Points(int64_t rows, int64_t columns) : rows(rows), columns(columns), entries(rows * columns) {}
  T operator()(int64_t r, int64_t c) const {
    assert((rows == 1 || r < rows) && (columns == 1 || c < columns));
    return entries[(rows == 1 ? 0 : r) * columns + (columns == 1 ? 0 : c)];
  }
  T &at(int64_t r, int64_t c) { return entries[r * columns + c]; }
  T *row(int64_t r) { return entries.data() + r * columns; }
  const T *row(int64_t r) const { return entries.data() + r * columns; }
  /// Sets every point to formula(row, column).
  template <class Formula> Points &fill(Formula formula) {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c)
        at(r, c) = formula(r, c);
    return *this;
  }
};

class Frame {
public:
  /// `rows` is the batch's row count; with `inDouble`, f32 tensors hold doubles and nothing is rounded to
  /// f32.
  Frame(int64_t rows, bool inDouble) : rows(rows), inDouble(inDouble) {}

  const int64_t rows;
  const bool inDouble;

  void bind(mlir::Value value, Tensor tensor) { tensors[value] = std::move(tensor); }
  const Tensor &lookup(mlir::Value value) const { return tensors.find(value)->second; }
  ElementKind getKind(mlir::Type elementType) const;

  /// A real tensor in the type an evaluator computes in. Matrices and weights of rank 2 keep their extents.
  template <class T> Points<T> get(mlir::Value value) const {
    const Tensor &tensor = lookup(value);
    auto [rowCount, columnCount] = getExtents(value, tensor);
    Points<T> points(rowCount, columnCount);
    points.entries = tensor.getReals<T>();
    return points;
  }
  const std::vector<int64_t> &getIndices(mlir::Value value) const { return lookup(value).getIndices(); }
  /// An index scalar.
  int64_t getIndex(mlir::Value value) const { return getIndices(value)[0]; }

  /// Binds a result, whose rank and element type are those of its type in the function.
  template <class T> void set(mlir::Value value, const Points<T> &points) {
    Tensor tensor(getKind(flow::getElementType(value)), getShapeFor(value, points.rows, points.columns));
    assert(tensor.getSize() == static_cast<int64_t>(points.entries.size()));
    for (size_t i = 0; i < points.entries.size(); ++i)
      tensor.setReal(i, points.entries[i]);
    bind(value, std::move(tensor));
  }

  /// Reports that an operation cannot go on with these operands, and ends the run.
  void fail(mlir::Operation *op, const llvm::Twine &message) {
    op->emitError(message);
    failed = true;
  }
  bool hasFailed() const { return failed; }

private:
  static std::pair<int64_t, int64_t> getExtents(mlir::Value value, const Tensor &tensor);
  static std::vector<int64_t> getShapeFor(mlir::Value value, int64_t rows, int64_t columns);

  llvm::DenseMap<mlir::Value, Tensor> tensors;
  bool failed = false;
};

} // namespace kowari::interpreter
