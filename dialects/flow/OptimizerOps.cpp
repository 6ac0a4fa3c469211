//===- OptimizerOps.cpp - parameter updates -------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/flow/PointBuilder.h"
#include "dialects/flow/ShapeChecks.h"

#include <limits>

using namespace mlir;

namespace kowari::flow {

using Points = ArrayRef<SmallVector<Value>>;
using PointResults = SmallVector<SmallVector<Value>>;

static LogicalResult checkScalars(Operation *op, int constraint, ValueRange values) {
  for (Value v : values)
    if (failed(check(op, getShape(v.getType()) == Shape::Scalar, constraint, "needs scalars")))
      return failure();
  return success();
}

LogicalResult IsFiniteOp::verify() {
  if (failed(checkScalars(*this, 1, {getX(), getResult()})))
    return failure();
  return checkSameType(*this, 1, {getX(), getResult()});
}

void IsFiniteOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                           PointResults &results) {
  PointBuilder p(builder, location);
  Value x = operands[0][0], infinity = p.constant(std::numeric_limits<double>::infinity(), x);
  Value size = math::AbsFOp::create(builder, location, x);
  results = {{p.select(p.less(size, infinity), p.constant(1.0, x), p.constant(0.0, x))}};
}

LogicalResult AdamCorrectionOp::verify() {
  if (failed(checkScalars(*this, 1, {getRate(), getStep(), getStepSize(), getRoot()})))
    return failure();
  return check(*this, getElementType(getRate()).isF64() && getElementType(getStep()).isF64(), 1,
               "rate and step are not f64");
}

static Value emitRound(OpBuilder &builder, Location location, Value x, Type element) {
  if (x.getType() == element)
    return x;
  return arith::TruncFOp::create(builder, location, element, x);
}

void AdamCorrectionOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                                 PointResults &results) {
  PointBuilder p(builder, location);
  Value rate = operands[0][0], step = operands[1][0], one = p.constant(1.0, rate);
  auto correction = [&](double beta) -> Value {
    Value power = math::PowFOp::create(builder, location, p.constant(beta, step), step);
    return p.sub(one, power);
  };
  Value size = p.div(rate, correction(getBeta1().convertToDouble()));
  Value root = p.sqrt(correction(getBeta2().convertToDouble()));
  Type element = getElementType(getRoot());
  results = {{emitRound(builder, location, size, element)}, {emitRound(builder, location, root, element)}};
}

LogicalResult AdamOp::verify() {
  if (failed(checkSameType(*this, 1,
                           {getParameter(), getGradient(), getMean(), getSquare(), getNewParameter(),
                            getNewMean(), getNewSquare()})) ||
      failed(checkScalars(*this, 2, {getStepSize(), getRoot(), getRate(), getOk()})))
    return failure();
  if (failed(check(*this, bool(getMaximum()) == bool(getNewMaximum()), 3,
                   "the maximum comes in or goes out alone")))
    return failure();
  return getMaximum() ? checkSameType(*this, 1, {getParameter(), getMaximum(), getNewMaximum()}) : success();
}

void AdamOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                       PointResults &results) {
  PointBuilder p(builder, location);
  Value w = operands[0][0], g = operands[1][0], m = operands[2][0], v = operands[3][0];
  Value stepSize = operands[4][0], root = operands[5][0], rate = operands[6][0], ok = operands[7][0];
  double decay = getWeightDecay().convertToDouble(), beta1 = getBeta1().convertToDouble();
  double beta2 = getBeta2().convertToDouble();
  Value go = p.greater(ok, p.constant(0.0, ok)), start = w;
  if (getMaximize())
    g = p.neg(g);
  if (decay != 0.0 && getDecoupled())
    start = p.mul(w, p.sub(p.constant(1.0, w), p.mul(rate, p.constant(decay, w))));
  else if (decay != 0.0)
    g = p.fma(w, p.constant(decay, w), g);
  Value newM = p.fma(p.sub(g, m), p.constant(1.0 - beta1, m), m);
  Value newV = p.fma(p.mul(g, g), p.constant(1.0 - beta2, v), p.mul(v, p.constant(beta2, v)));
  Value largest = getMaximum() ? p.max(operands[8][0], newV) : newV;
  Value denominator = p.add(p.div(p.sqrt(largest), root), p.constant(getEpsilon().convertToDouble(), v));
  Value newW = p.sub(start, p.div(p.mul(stepSize, newM), denominator));
  results = {{p.select(go, newW, w)}, {p.select(go, newM, m)}, {p.select(go, newV, v)}};
  if (getMaximum())
    results.push_back({p.select(go, largest, operands[8][0])});
}

LogicalResult SgdOp::verify() {
  if (failed(checkSameType(*this, 1, {getParameter(), getGradient(), getNewParameter()})) ||
      failed(checkScalars(*this, 2, {getRate(), getStep(), getOk()})))
    return failure();
  bool moves = getMomentum().convertToDouble() != 0.0;
  if (failed(check(*this, bool(getBuffer()) == moves && bool(getNewBuffer()) == moves, 3,
                   "the momentum buffer comes in and goes out exactly when momentum is not 0")))
    return failure();
  return moves ? checkSameType(*this, 1, {getParameter(), getBuffer(), getNewBuffer()}) : success();
}

void SgdOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                      PointResults &results) {
  PointBuilder p(builder, location);
  Value w = operands[0][0], g = operands[1][0], rate = operands[2][0], step = operands[3][0],
        ok = operands[4][0];
  Value go = p.greater(ok, p.constant(0.0, ok)), newBuffer;
  double decay = getWeightDecay().convertToDouble(), momentum = getMomentum().convertToDouble();
  if (getMaximize())
    g = p.neg(g);
  if (decay != 0.0)
    g = p.fma(w, p.constant(decay, w), g);
  if (getBuffer()) {
    Value buffer = operands[5][0], first = p.less(step, p.constant(1.5, step));
    Value moved = p.fma(g, p.constant(1.0 - getDampening().convertToDouble(), g),
                        p.mul(buffer, p.constant(momentum, buffer)));
    newBuffer = p.select(first, g, moved);
    g = getNesterov() ? p.fma(newBuffer, p.constant(momentum, g), g) : newBuffer;
  }
  results = {{p.select(go, p.sub(w, p.mul(rate, g)), w)}};
  if (getBuffer())
    results.push_back({p.select(go, newBuffer, operands[5][0])});
}

LogicalResult ConvertOp::verify() {
  auto from = cast<RankedTensorType>(getX().getType()), to = cast<RankedTensorType>(getResult().getType());
  return check(*this, from.getShape() == to.getShape(), 1, "shapes differ");
}

void ConvertOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                          PointResults &results) {
  Value x = operands[0][0];
  Type element = getElementType(getResult()), type = element;
  if (auto vector = dyn_cast<VectorType>(x.getType()))
    type = vector.clone(element);
  if (type != x.getType() && element.isF32())
    x = arith::TruncFOp::create(builder, location, type, x);
  else if (type != x.getType())
    x = arith::ExtFOp::create(builder, location, type, x);
  results = {{x}};
}

} // namespace kowari::flow
