//===- Evaluators.h - one function an operation -----------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// An evaluator computes an operation's results from its operands, straight from the formula in the
// operation's description and without the arithmetic that emitPoint builds for the code generator. A family
// is a struct template over the type T that is computed in, with one `static void run(Op, Frame &)` an
// operation.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/Frame.h"

#include "llvm/ADT/StringMap.h"

namespace kowari::interpreter {

using Evaluator = void (*)(mlir::Operation *, Frame &);

class EvaluatorTable {
public:
  /// The evaluators of every operation of the flow dialect.
  static const EvaluatorTable &get();

  /// Family<float> runs where the operation's first real operand (without one: result) is f32, else
  /// Family<double>.
  template <template <class> class Family, class... Ops> void add() {
    (add(Ops::getOperationName(), &run<Family<float>, Ops>, &run<Family<double>, Ops>), ...);
  }
  /// For operations that mix element types and compute in double whatever these are.
  template <template <class> class Family, class... Ops> void addInDouble() {
    (add(Ops::getOperationName(), &run<Family<double>, Ops>, &run<Family<double>, Ops>), ...);
  }
  /// The evaluator for an operation in this frame; null for an operation nobody registered.
  Evaluator find(mlir::Operation *op, const Frame &frame) const;

private:
  void add(llvm::StringRef name, Evaluator inFloat, Evaluator inDouble) { table[name] = {inFloat, inDouble}; }
  template <class Family, class Op> static void run(mlir::Operation *op, Frame &frame) {
    Family::run(mlir::cast<Op>(op), frame);
  }

  llvm::StringMap<std::pair<Evaluator, Evaluator>> table;
};

void addProductEvaluators(EvaluatorTable &table);
void addNormEvaluators(EvaluatorTable &table);
void addDensityEvaluators(EvaluatorTable &table);
void addOptimizerEvaluators(EvaluatorTable &table);
void addDataEvaluators(EvaluatorTable &table);

} // namespace kowari::interpreter
