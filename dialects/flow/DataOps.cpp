//===- DataOps.cpp - priors, tables and columns of the input pipeline -----===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/flow/ShapeChecks.h"
#include "dialects/flow/TurnBuilder.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace kowari::flow {

using Points = ArrayRef<SmallVector<Value>>;
using PointResults = SmallVector<SmallVector<Value>>;

//===-- priors ------------------------------------------------------------===//

static std::optional<unsigned> countParameters(StringRef family) {
  return llvm::StringSwitch<std::optional<unsigned>>(family)
      .Case("DeltaFunction", 1)
      .Cases({"Uniform", "Sine", "Cosine", "LogUniform", "Gaussian", "Normal"}, 2)
      .Case("PowerLaw", 3)
      .Default(std::nullopt);
}

bool hasClosedQuantile(StringRef family) { return countParameters(family).has_value(); }
unsigned getQuantileParameters(StringRef family) { return *countParameters(family); }

LogicalResult PriorRescaleOp::verify() {
  std::optional<unsigned> count = countParameters(getFamily());
  if (failed(
          check(*this, count.has_value(), 1, "no closed quantile function of " + getFamily() + " is known")))
    return failure();
  bool scalars = getParameters().size() == *count;
  for (Value v : getParameters())
    scalars = scalars && getShape(v.getType()) == Shape::Scalar && getElementType(v).isF64();
  if (failed(check(*this, scalars, 2, getFamily() + " takes " + Twine(*count) + " f64 scalars")))
    return failure();
  if (failed(check(*this, getShape(getU().getType()) == Shape::RowVector && getElementType(getU()).isF64(), 3,
                   "u is no f64 row vector")))
    return failure();
  return checkSameType(*this, 3, {getU(), getResult()});
}

namespace {
/// Quantile functions of u, all in f64.
class QuantileBuilder : public TurnBuilder {
public:
  using TurnBuilder::TurnBuilder;

  Value cosine(Value x) { return math::CosOp::create(b, loc, x); }
  Value sine(Value x) { return math::SinOp::create(b, loc, x); }
  Value clampToOne(Value x) { return max(min(x, constant(1.0, x)), constant(-1.0, x)); }
  Value power(Value x, Value y) { return math::PowFOp::create(b, loc, x, y); }
  Value mix(Value low, Value high, Value u) { return fma(u, sub(high, low), low); }

  Value sineQuantile(Value u, Value low, Value high) {
    return math::AcosOp::create(b, loc, clampToOne(mix(cosine(low), cosine(high), u)));
  }
  Value cosineQuantile(Value u, Value low, Value high) {
    return math::AsinOp::create(b, loc, clampToOne(mix(sine(low), sine(high), u)));
  }
  Value logUniform(Value u, Value low, Value high) { return mul(low, exp(mul(u, log(div(high, low))))); }
  Value powerLaw(Value u, Value alpha, Value low, Value high) {
    Value one = constant(1.0, u), exponent = add(alpha, one);
    Value flat = compare(arith::CmpFPredicate::OEQ, exponent, constant(0.0, u));
    Value safe = select(flat, one, exponent);
    Value result = power(mix(power(low, safe), power(high, safe), u), div(one, safe));
    return select(flat, logUniform(u, low, high), result);
  }

  /// Phi^-1(u): Hastings' rational function (4.5e-4) for the nearer tail, then two of Halley's steps on erfc.
  Value normalQuantile(Value u) {
    Value one = constant(1.0, u), half = constant(0.5, u), upper = greater(u, half);
    Value tail = select(upper, sub(one, u), u);
    Value t = sqrt(mul(constant(-2.0, u), log(tail)));
    Value numerator = horner({2.515517, 0.802853, 0.010328}, t);
    Value denominator = horner({1.0, 1.432788, 0.189269, 0.001308}, t);
    Value x = sub(t, div(numerator, denominator));
    for (int step = 0; step < 2; ++step) {
      Value excess = sub(mul(half, erfc(mul(x, constant(std::numbers::sqrt2 / 2, u)))), tail);
      Value density =
          mul(constant(std::numbers::inv_sqrtpi / std::numbers::sqrt2, u), exp(mul(mul(x, x), neg(half))));
      Value newton = div(excess, density);
      x = add(x, div(newton, sub(one, mul(half, mul(x, newton)))));
    }
    return select(upper, x, neg(x));
  }

private:
  Value erfc(Value x) { return math::ErfcOp::create(b, loc, x); }
  Value horner(ArrayRef<double> c, Value x) {
    Value sum = constant(c.back(), x);
    for (double coefficient : llvm::reverse(c.drop_back()))
      sum = fma(sum, x, constant(coefficient, x));
    return sum;
  }
};
} // namespace

void PriorRescaleOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                               PointResults &results) {
  QuantileBuilder p(builder, location);
  Value u = operands[0][0], first = operands[1][0], second = operands.size() > 2 ? operands[2][0] : Value(),
        x;
  StringRef family = getFamily();
  if (family == "DeltaFunction")
    x = first;
  else if (family == "Uniform")
    x = p.mix(first, second, u);
  else if (family == "Sine")
    x = p.sineQuantile(u, first, second);
  else if (family == "Cosine")
    x = p.cosineQuantile(u, first, second);
  else if (family == "LogUniform")
    x = p.logUniform(u, first, second);
  else if (family == "PowerLaw")
    x = p.powerLaw(u, first, second, operands[3][0]);
  else
    x = p.fma(p.normalQuantile(u), second, first);
  results = {{x}};
}

LogicalResult InterpolateOp::verify() {
  return checkSameType(*this, 1, {getLow(), getHigh(), getFraction(), getResult()});
}

void InterpolateOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                              PointResults &results) {
  PointBuilder p(builder, location);
  Value low = operands[0][0];
  results = {{p.fma(operands[2][0], p.sub(operands[1][0], low), low)}};
}

LogicalResult StandardizeOp::verify() {
  if (failed(check(*this,
                   getShape(getX().getType()) == Shape::RowVector &&
                       getShape(getResult().getType()) == Shape::RowVector,
                   1, "needs row vectors")))
    return failure();
  for (Value v : {getMean(), getDeviation()})
    if (failed(check(*this, getShape(v.getType()) == Shape::Scalar && getElementType(v).isF64(), 2,
                     "mean or deviation is no f64 scalar")))
      return failure();
  return success();
}

void StandardizeOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                              PointResults &results) {
  TurnBuilder p(builder, location);
  Value x = p.asDouble(operands[0][0]);
  results = {{p.as(p.div(p.sub(x, operands[1][0]), operands[2][0]), getElementType(getResult()))}};
}

//===-- tables and columns ------------------------------------------------===//

LogicalResult GatherRowsOp::verify() {
  auto table = cast<RankedTensorType>(getTable().getType()),
       result = cast<RankedTensorType>(getResult().getType());
  return check(*this,
               getShape(table) == Shape::None && table.getRank() == 2 &&
                   getShape(getIndex().getType()) == Shape::RowVector && getShape(result) == Shape::Matrix &&
                   table.getDimSize(1) == result.getDimSize(1) &&
                   table.getElementType() == result.getElementType(),
               1, "table, index and result do not fit");
}

LogicalResult GatherRowsOp::lowerToPlan(PlanEmitter &emitter) {
  emitter.emitGather(emitter.getView(getTable()), emitter.getView(getIndex()), emitter.getResultView(0));
  return success();
}

LogicalResult SliceColumnsOp::verify() {
  bool matrices =
      getShape(getX().getType()) == Shape::Matrix && getShape(getResult().getType()) == Shape::Matrix;
  return check(*this,
               matrices && getElementType(getX()) == getElementType(getResult()) &&
                   (int64_t)getStart() >= 0 &&
                   (int64_t)getStart() + getColumns(getResult().getType()) <= getColumns(getX().getType()),
               1, "columns outside the matrix, or another element type");
}

LogicalResult SliceColumnsOp::lowerToPlan(PlanEmitter &emitter) {
  Value view = emitter.getColumnsOf(emitter.getView(getX()), getStart(), getColumns(getResult().getType()));
  emitter.setResultView(0, view);
  return success();
}

LogicalResult ColumnOp::verify() {
  bool shapes =
      getShape(getX().getType()) == Shape::Matrix && getShape(getResult().getType()) == Shape::RowVector;
  return check(*this,
               shapes && getElementType(getX()) == getElementType(getResult()) && (int64_t)getIndex() >= 0 &&
                   (int64_t)getIndex() < getColumns(getX().getType()),
               1, "no such column, or another shape or element type");
}

LogicalResult ColumnOp::lowerToPlan(PlanEmitter &emitter) {
  emitter.emitCopy(emitter.getColumnsOf(emitter.getView(getX()), getIndex(), 1), emitter.getResultView(0));
  return success();
}

LogicalResult StackColumnsOp::verify() {
  bool holds = getShape(getResult().getType()) == Shape::Matrix &&
               getColumns(getResult().getType()) == (int64_t)getInputs().size();
  for (Value v : getInputs())
    holds = holds && getShape(v.getType()) == Shape::RowVector &&
            getElementType(v) == getElementType(getResult());
  return check(*this, holds, 1, "needs one row vector of the result's element type a column");
}

LogicalResult StackColumnsOp::lowerToPlan(PlanEmitter &emitter) {
  Value y = emitter.getResultView(0);
  for (auto [column, input] : llvm::enumerate(getInputs()))
    emitter.emitCopy(emitter.getView(input), emitter.getColumnsOf(y, column, 1));
  return success();
}

} // namespace kowari::flow
