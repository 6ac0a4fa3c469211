//===- RandomFunction.h - functions of flow operations at random *- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// A straight line of statements, each a few operations. A statement names its operands by numbers that are
// taken modulo how many values of the right kind there are, so that any statement can be left out and a valid
// function remains.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace kowari::fuzz {

/// The first ones have an adjoint.
enum class StatementKind {
  Activation,
  Add,
  Glu,
  Linear,
  LinearOfTwo,
  LayerNorm,
  BatchNormTraining,
  BatchNormEvaluation,
  Spline,
  SplitAndInterleave,
  LuProduct,
  Dropout,
  BaseLogProb,
  lastWithAdjoint = BaseLogProb,
  Sub,
  Negate,
  AddBias,
  SubBias,
  SumRows,
  ColumnMean,
  RowMean,
  SplineInverse,
  last = SplineInverse
};

struct Statement {
  StatementKind kind = StatementKind::Activation;
  std::array<uint32_t, 4> picks{}; ///< operands, column counts, variants
};

struct RandomFunction {
  bool isF64 = false;
  int64_t maxRows = 2;
  /// Ends in a loss that autodiff makes train steps and gradients of; otherwise every unused value is an
  /// output.
  bool hasLoss = false;
  bool usesAdam = true;
  std::vector<int64_t> inputColumns; ///< of the matrices it starts from, at least one
  std::vector<Statement> statements;

  /// The module, with @loss or @function, as text.
  std::string print() const;
};

RandomFunction makeRandomFunction(std::mt19937_64 &generator);

/// Simpler functions that differ in one thing.
std::vector<RandomFunction> simplify(const RandomFunction &function);

} // namespace kowari::fuzz
