//===- FlowOps.h - the flow dialect -----------------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Operations, interfaces and the few types the interfaces speak in. FlowOps.td and its neighbors hold the
// formulas.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kowari::flow {

/// How a rowwise operation's result comes from its points.
enum class ResultKind { Pointwise, RowSum, ColumnSum };

/// Shapes a tensor can have (FlowDialect.td); None: weights, index tables of more dimensions.
enum class Shape { Matrix, RowVector, ColumnVector, Scalar, None };
Shape getShape(mlir::Type type);
/// Columns of a matrix or entries of a column vector; 1 otherwise.
int64_t getColumns(mlir::Type type);
mlir::Type getElementType(mlir::Value value);

/// Whether flow.prior_rescale knows a family of priors (a class name of bilby), and how many parameters it
/// takes.
bool hasClosedQuantile(llvm::StringRef family);
unsigned getQuantileParameters(llvm::StringRef family);

/// Row and column count of the batch, as values of the points' type (T or vector<WxT>), and the column of the
/// point (i64 or vector<Wxi64>; null where the operation has no column: row vectors, scalars).
struct PointExtent {
  mlir::Value rows, columns, column;
};

/// What operations that are no part of a kernel lower themselves to. Values are `plan` views: strided
/// two-dimensional windows of memory. Implemented by LowerToPlan.
class PlanEmitter {
public:
  virtual ~PlanEmitter() = default;
  /// The view that holds a tensor operand: (rows, columns) for matrices, (n, 1) for vectors, (O, I) for
  /// weights.
  virtual mlir::Value getView(mlir::Value tensor) = 0;
  /// The view in which result `index` of the operation being lowered is to be left.
  virtual mlir::Value getResultView(unsigned index) = 0;
  /// Makes a result an existing view, without a copy.
  virtual void setResultView(unsigned index, mlir::Value view) = 0;
  virtual mlir::Value transpose(mlir::Value view) = 0;
  /// Columns start, start + step, ... (count of them) of a view.
  virtual mlir::Value getColumnsOf(mlir::Value view, int64_t start, int64_t count, int64_t step = 1) = 0;
  virtual int64_t getColumnCount(mlir::Value view) = 0;
  /// c (+)= a b (+ bias on every row).
  virtual void emitProduct(mlir::Value a, mlir::Value b, mlir::Value c, mlir::Value bias,
                           bool accumulate) = 0;
  virtual void emitCopy(mlir::Value source, mlir::Value target) = 0;
  virtual void emitFill(mlir::Value target, double value) = 0;
  /// target[r, :] = table[index[r], :], index an (n, 1) view of i64.
  virtual void emitGather(mlir::Value table, mlir::Value index, mlir::Value target) = 0;
};

} // namespace kowari::flow

#include "dialects/flow/FlowDialect.h.inc"
#include "dialects/flow/FlowEnums.h.inc"
#include "dialects/flow/FlowInterfaces.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/flow/FlowAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/flow/FlowOps.h.inc"
