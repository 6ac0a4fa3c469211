//===- TurnBuilder.h - double beside float, sine and cosine of turns -*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/flow/PointBuilder.h"

#include <cmath>
#include <numbers>

namespace kowari::flow {

class TurnBuilder : public PointBuilder {
public:
  using PointBuilder::PointBuilder;

  /// `x` with another element type; nothing is built where it has that type already.
  Value as(Value x, mlir::Type element) {
    mlir::Type from = mlir::getElementTypeOrSelf(x), type = element;
    if (from == element)
      return x;
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(x.getType()))
      type = vector.clone(element);
    if (element.isF64())
      return mlir::arith::ExtFOp::create(b, loc, type, x);
    return mlir::arith::TruncFOp::create(b, loc, type, x);
  }
  Value asDouble(Value x) { return as(x, b.getF64Type()); }
  Value absolute(Value x) { return mlir::math::AbsFOp::create(b, loc, x); }
  Value copySign(Value x, Value sign) { return mlir::math::CopySignOp::create(b, loc, x, sign); }

  /// x minus the nearest integer, in [-1/2, 1/2].
  Value reduceTurn(Value x) { return sub(x, mlir::math::RoundEvenOp::create(b, loc, x)); }

  /// sin(2 pi x) and cos(2 pi x) for |x| <= 1/2. Both come down to the sine of at most a quarter turn: cos(2
  /// pi x) = sin(2 pi (1/4 - |x|)), and beyond a quarter sin(2 pi x) = sin(2 pi (1/2 - x)). Errors: 2e-7 for
  /// f32, 4e-16 for f64.
  std::pair<Value, Value> sineAndCosine(Value x) {
    Value size = absolute(x), quarter = constant(0.25, x);
    Value mirrored = sub(copySign(constant(0.5, x), x), x);
    Value folded = select(greater(size, quarter), mirrored, x);
    return {sineOfQuarter(folded), sineOfQuarter(sub(quarter, size))};
  }

private:
  /// sin(2 pi x), |x| <= 1/4: the series, whose first term left out is below the last digit.
  Value sineOfQuarter(Value x) {
    int terms = mlir::getElementTypeOrSelf(x).isF64() ? 11 : 6;
    std::vector<double> coefficients;
    double coefficient = 2.0 * std::numbers::pi;
    for (int k = 0; k < terms; ++k) {
      coefficients.push_back(coefficient);
      coefficient *= -4.0 * std::numbers::pi * std::numbers::pi / ((2 * k + 2) * (2 * k + 3));
    }
    Value square = mul(x, x), sum = constant(coefficients.back(), x);
    for (int k = terms - 2; k >= 0; --k)
      sum = fma(sum, square, constant(coefficients[k], x));
    return mul(sum, x);
  }
};

} // namespace kowari::flow
