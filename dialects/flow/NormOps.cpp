//===- NormOps.cpp - activations, norms, gates ----------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/flow/PointBuilder.h"
#include "dialects/flow/ShapeChecks.h"

#include <cmath>

using namespace mlir;

namespace kowari::flow {

using Points = ArrayRef<SmallVector<Value>>;
using PointResults = SmallVector<SmallVector<Value>>;

//===-- activations -------------------------------------------------------===//

LogicalResult ActivationOp::verify() { return checkSameType(*this, 1, {getX(), getResult()}); }

void ActivationOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                             PointResults &results) {
  PointBuilder p(builder, location);
  Value x = operands[0][0], zero = p.constant(0.0, x), y;
  switch (getKind()) {
  case ActivationKind::Elu: // exp(min(x, 0)) - 1 instead of expm1: three times faster, exact enough next to
                            // the rest
    y = p.select(p.greater(x, zero), x, p.sub(p.exp(p.min(x, zero)), p.constant(1.0, x)));
    break;
  case ActivationKind::Relu:
    y = p.max(x, zero);
    break;
  case ActivationKind::LeakyRelu:
    y = p.select(p.greater(x, zero), x, p.mul(x, p.constant(0.01, x)));
    break;
  case ActivationKind::Gelu: {
    Value half = p.constant(0.5, x);
    y = p.mul(p.mul(half, x), p.add(p.constant(1.0, x), p.erf(p.mul(x, p.constant(M_SQRT1_2, x)))));
    break;
  }
  }
  results = {{y}};
}

void ActivationOp::buildAdjoint(OpBuilder &builder, ArrayRef<Value> resultGradients, ArrayRef<bool> needed,
                                SmallVectorImpl<Value> &operandGradients) {
  Value saved = getKind() == ActivationKind::Gelu ? getX() : getResult();
  operandGradients[0] =
      ActivationGradOp::create(builder, getLoc(), getX().getType(), resultGradients[0], saved, getKind());
}

LogicalResult ActivationGradOp::verify() {
  return checkSameType(*this, 1, {getDy(), getSaved(), getResult()});
}

void ActivationGradOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                                 PointResults &results) {
  PointBuilder p(builder, location);
  Value dy = operands[0][0], s = operands[1][0], zero = p.constant(0.0, s), dx;
  Value positive = p.greater(s, zero);
  switch (getKind()) {
  case ActivationKind::Elu:
    dx = p.select(positive, dy, p.mul(dy, p.add(s, p.constant(1.0, s))));
    break;
  case ActivationKind::Relu:
    dx = p.select(positive, dy, zero);
    break;
  case ActivationKind::LeakyRelu:
    dx = p.select(positive, dy, p.mul(dy, p.constant(0.01, s)));
    break;
  case ActivationKind::Gelu: {
    Value half = p.constant(0.5, s);
    Value cdf = p.mul(half, p.add(p.constant(1.0, s), p.erf(p.mul(s, p.constant(M_SQRT1_2, s)))));
    Value pdf = p.mul(p.constant(0.5 * M_SQRT1_2 * M_2_SQRTPI, s), p.exp(p.neg(p.mul(half, p.mul(s, s)))));
    dx = p.mul(dy, p.fma(s, pdf, cdf));
    break;
  }
  }
  results = {{dx}};
}

//===-- sums and gates ----------------------------------------------------===//

LogicalResult AddOp::verify() { return checkSameType(*this, 1, {getA(), getB(), getResult()}); }

void AddOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                      PointResults &results) {
  results = {{PointBuilder(builder, location).add(operands[0][0], operands[1][0])}};
}

void AddOp::buildAdjoint(OpBuilder &, ArrayRef<Value> resultGradients, ArrayRef<bool> needed,
                         SmallVectorImpl<Value> &operandGradients) {
  for (unsigned i : {0u, 1u})
    if (needed[i])
      operandGradients[i] = resultGradients[0];
}

LogicalResult SubOp::verify() { return checkSameType(*this, 1, {getA(), getB(), getResult()}); }

void SubOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                      PointResults &results) {
  results = {{PointBuilder(builder, location).sub(operands[0][0], operands[1][0])}};
}

LogicalResult NegateOp::verify() { return checkSameType(*this, 1, {getX(), getResult()}); }

void NegateOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                         PointResults &results) {
  results = {{PointBuilder(builder, location).neg(operands[0][0])}};
}

LogicalResult GluOp::verify() { return checkSameType(*this, 1, {getT(), getGate(), getResult()}); }

void GluOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                      PointResults &results) {
  PointBuilder p(builder, location);
  results = {{p.mul(operands[0][0], p.sigmoid(operands[1][0]))}};
}

void GluOp::buildAdjoint(OpBuilder &builder, ArrayRef<Value> resultGradients, ArrayRef<bool> needed,
                         SmallVectorImpl<Value> &operandGradients) {
  auto grad = GluGradOp::create(builder, getLoc(), TypeRange{getT().getType(), getGate().getType()},
                                resultGradients[0], getT(), getGate());
  for (unsigned i : {0u, 1u})
    if (needed[i])
      operandGradients[i] = grad.getResult(i);
}

LogicalResult GluGradOp::verify() {
  return checkSameType(*this, 1, {getDy(), getT(), getGate(), getDt(), getDgate()});
}

void GluGradOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                          PointResults &results) {
  PointBuilder p(builder, location);
  Value dy = operands[0][0], t = operands[1][0], s = p.sigmoid(operands[2][0]);
  Value dt = p.mul(dy, s);
  results = {{dt}, {p.mul(p.mul(dt, t), p.sub(p.constant(1.0, s), s))}};
}

LogicalResult DropoutOp::verify() {
  double probability = getProbability().convertToDouble();
  if (failed(check(*this, probability >= 0.0 && probability < 1.0, 1, "probability outside [0, 1)")))
    return failure();
  return check(
      *this,
      getX().getType() == getResult().getType() && getShape(getSample().getType()) == Shape::RowVector &&
          getShape(getSeed().getType()) == Shape::Scalar && getShape(getEpoch().getType()) == Shape::Scalar,
      2, "operand and result differ, sample is not one index a row or seed and epoch are no scalars");
}

void DropoutOp::buildAdjoint(OpBuilder &builder, ArrayRef<Value> resultGradients, ArrayRef<bool> needed,
                             SmallVectorImpl<Value> &operandGradients) {
  operandGradients[0] =
      DropoutOp::create(builder, getLoc(), getX().getType(), resultGradients[0], getSample(), getSeed(),
                        getEpoch(), getProbabilityAttr(), getSiteAttr());
}

//===-- BatchNorm ---------------------------------------------------------===//

static Value rstd(PointBuilder &p, Value variance, double epsilon) {
  return p.div(p.constant(1.0, variance), p.sqrt(p.add(variance, p.constant(epsilon, variance))));
}

LogicalResult BatchNormStatisticsOp::verify() {
  return checkShape(*this, 1, Shape::ColumnVector, getX(), getResults());
}

SmallVector<Value> BatchNormStatisticsOp::decompose(OpBuilder &builder) {
  Value mean = ColumnMeanOp::create(builder, getLoc(), getMean().getType(), getX());
  Value variance = ColumnVarianceOp::create(builder, getLoc(), getVariance().getType(), getX(), mean);
  return {mean, variance};
}

LogicalResult ColumnMeanOp::verify() {
  return checkShape(*this, 1, Shape::ColumnVector, getX(), {getResult()});
}
ResultKind ColumnMeanOp::getResultKind(unsigned) { return ResultKind::ColumnSum; }

void ColumnMeanOp::emitPoint(OpBuilder &, Location, Points operands, const PointExtent &,
                             PointResults &results) {
  results = {{operands[0][0]}};
}

Value ColumnMeanOp::emitFinish(OpBuilder &builder, Location location, unsigned, Value total,
                               const PointExtent &extent) {
  return PointBuilder(builder, location).div(total, extent.rows);
}

LogicalResult ColumnVarianceOp::verify() {
  return checkShape(*this, 1, Shape::ColumnVector, getX(), {getMean(), getResult()});
}
ResultKind ColumnVarianceOp::getResultKind(unsigned) { return ResultKind::ColumnSum; }

static void emitSquaredDistance(OpBuilder &builder, Location location, Points operands,
                                PointResults &results) {
  PointBuilder p(builder, location);
  Value d = p.sub(operands[0][0], operands[1][0]);
  results = {{p.mul(d, d)}};
}

void ColumnVarianceOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                                 PointResults &results) {
  emitSquaredDistance(builder, location, operands, results);
}

Value ColumnVarianceOp::emitFinish(OpBuilder &builder, Location location, unsigned, Value total,
                                   const PointExtent &extent) {
  return PointBuilder(builder, location).div(total, extent.rows);
}

LogicalResult BatchNormOp::verify() {
  if (failed(checkSameType(*this, 1, {getX(), getResult()})) ||
      failed(checkShape(*this, 2, Shape::ColumnVector, getX(),
                        {getMean(), getVariance(), getGamma(), getBeta()})))
    return failure();
  if (!getTraining())
    return success();
  auto isStatisticOfX = [&](Value v) {
    Operation *op = v.getDefiningOp();
    return isa_and_nonnull<BatchNormStatisticsOp, ColumnMeanOp, ColumnVarianceOp>(op) &&
           op->getOperand(0) == getX();
  };
  // Inside a kernel the statistics may have been computed by another one.
  auto function = (*this)->getParentOfType<func::FuncOp>();
  bool fused = function && function->hasAttr("flow.kernel");
  return check(*this, fused || (isStatisticOfX(getMean()) && isStatisticOfX(getVariance())), 3,
               "training statistics are not those of the operand");
}

void BatchNormOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                            PointResults &results) {
  PointBuilder p(builder, location);
  Value scale = p.mul(rstd(p, operands[2][0], getEpsilon().convertToDouble()), operands[3][0]);
  results = {{p.fma(p.sub(operands[0][0], operands[1][0]), scale, operands[4][0])}};
}

void BatchNormOp::buildAdjoint(OpBuilder &builder, ArrayRef<Value> resultGradients, ArrayRef<bool> needed,
                               SmallVectorImpl<Value> &operandGradients) {
  Type column = getGamma().getType();
  auto params =
      BatchNormGradParamsOp::create(builder, getLoc(), TypeRange{column, column}, resultGradients[0], getX(),
                                    getMean(), getVariance(), getEpsilonAttr());
  if (needed[0])
    operandGradients[0] = BatchNormGradInputOp::create(
        builder, getLoc(), getX().getType(), resultGradients[0], getX(), getMean(), getVariance(), getGamma(),
        params.getDgamma(), params.getDbeta(), getEpsilonAttr(), getTrainingAttr());
  if (needed[3])
    operandGradients[3] = params.getDgamma();
  if (needed[4])
    operandGradients[4] = params.getDbeta();
}

LogicalResult BatchNormGradParamsOp::verify() {
  if (failed(checkSameType(*this, 1, {getDy(), getX()})))
    return failure();
  return checkShape(*this, 2, Shape::ColumnVector, getX(),
                    {getMean(), getVariance(), getDgamma(), getDbeta()});
}

ResultKind BatchNormGradParamsOp::getResultKind(unsigned) { return ResultKind::ColumnSum; }

static Value emitXhat(PointBuilder &p, Value x, Value mean, Value variance, double epsilon) {
  return p.mul(p.sub(x, mean), rstd(p, variance, epsilon));
}

void BatchNormGradParamsOp::emitPoint(OpBuilder &builder, Location location, Points operands,
                                      const PointExtent &, PointResults &results) {
  PointBuilder p(builder, location);
  Value dy = operands[0][0];
  Value xhat = emitXhat(p, operands[1][0], operands[2][0], operands[3][0], getEpsilon().convertToDouble());
  results = {{p.mul(dy, xhat)}, {dy}};
}

LogicalResult BatchNormGradInputOp::verify() {
  if (failed(checkSameType(*this, 1, {getDy(), getX(), getResult()})))
    return failure();
  return checkShape(*this, 2, Shape::ColumnVector, getX(),
                    {getMean(), getVariance(), getGamma(), getDgamma(), getDbeta()});
}

void BatchNormGradInputOp::emitPoint(OpBuilder &builder, Location location, Points operands,
                                     const PointExtent &extent, PointResults &results) {
  PointBuilder p(builder, location);
  Value dy = operands[0][0], r = rstd(p, operands[3][0], getEpsilon().convertToDouble());
  Value scale = p.mul(operands[4][0], r), inner = dy;
  if (getTraining()) {
    Value xhat = p.mul(p.sub(operands[1][0], operands[2][0]), r),
          reciprocal = p.div(p.constant(1.0, dy), extent.rows);
    Value dgamma = p.mul(operands[5][0], reciprocal), dbeta = p.mul(operands[6][0], reciprocal);
    inner = p.sub(p.sub(dy, dbeta), p.mul(xhat, dgamma));
  }
  results = {{p.mul(scale, inner)}};
}

LogicalResult BatchNormRunningOp::verify() {
  if (failed(checkShape(*this, 1, Shape::ColumnVector, getMean(), {getMean()})))
    return failure();
  return checkSameType(
      *this, 1,
      {getRunningMean(), getRunningVariance(), getMean(), getVariance(), getNewMean(), getNewVariance()});
}

void BatchNormRunningOp::emitPoint(OpBuilder &builder, Location location, Points operands,
                                   const PointExtent &extent, PointResults &results) {
  PointBuilder p(builder, location);
  Value oldMean = operands[0][0], momentum = p.constant(getMomentum().convertToDouble(), oldMean);
  Value rest = p.constant(1.0 - getMomentum().convertToDouble(), oldMean);
  Value unbiased = p.mul(operands[3][0], p.div(extent.rows, p.sub(extent.rows, p.constant(1.0, oldMean))));
  results = {{p.add(p.mul(rest, oldMean), p.mul(momentum, operands[2][0]))},
             {p.add(p.mul(rest, operands[1][0]), p.mul(momentum, unbiased))}};
}

//===-- LayerNorm ---------------------------------------------------------===//

LogicalResult LayerNormOp::verify() {
  if (failed(checkSameType(*this, 1, {getX(), getResult()})) ||
      failed(checkShape(*this, 2, Shape::ColumnVector, getX(), {getGamma(), getBeta()})))
    return failure();
  return checkShape(*this, 3, Shape::RowVector, getX(), {getMean(), getVariance()});
}

SmallVector<Value> LayerNormOp::decompose(OpBuilder &builder) {
  Type row = getMean().getType();
  Value mean = RowMeanOp::create(builder, getLoc(), row, getX());
  Value variance = RowVarianceOp::create(builder, getLoc(), row, getX(), mean);
  Value y = NormalizeRowsOp::create(builder, getLoc(), getX().getType(), getX(), mean, variance, getGamma(),
                                    getBeta(), getEpsilonAttr());
  return {y, mean, variance};
}

void LayerNormOp::buildAdjoint(OpBuilder &builder, ArrayRef<Value> resultGradients, ArrayRef<bool> needed,
                               SmallVectorImpl<Value> &operandGradients) {
  Value dy = resultGradients[0];
  if (needed[0])
    operandGradients[0] =
        LayerNormGradInputOp::create(builder, getLoc(), getX().getType(), dy, getX(), getMean(),
                                     getVariance(), getGamma(), getEpsilonAttr());
  if (needed[1] || needed[2]) {
    Type column = getGamma().getType();
    auto params = LayerNormGradParamsOp::create(builder, getLoc(), TypeRange{column, column}, dy, getX(),
                                                getMean(), getVariance(), getEpsilonAttr());
    operandGradients[1] = params.getDgamma();
    operandGradients[2] = params.getDbeta();
  }
}

LogicalResult LayerNormGradInputOp::verify() {
  if (failed(checkSameType(*this, 1, {getDy(), getX(), getResult()})) ||
      failed(checkShape(*this, 2, Shape::RowVector, getX(), {getMean(), getVariance()})))
    return failure();
  return checkShape(*this, 2, Shape::ColumnVector, getX(), {getGamma()});
}

SmallVector<Value> LayerNormGradInputOp::decompose(OpBuilder &builder) {
  Type row = getMean().getType();
  auto sums = LayerNormGradSumsOp::create(builder, getLoc(), TypeRange{row, row}, getDy(), getX(), getMean(),
                                          getVariance(), getGamma(), getEpsilonAttr());
  Value dx = LayerNormGradApplyOp::create(builder, getLoc(), getX().getType(), getDy(), getX(), getMean(),
                                          getVariance(), getGamma(), sums.getMeanG(), sums.getMeanGXhat(),
                                          getEpsilonAttr());
  return {dx};
}

LogicalResult LayerNormGradParamsOp::verify() {
  if (failed(checkSameType(*this, 1, {getDy(), getX()})) ||
      failed(checkShape(*this, 2, Shape::RowVector, getX(), {getMean(), getVariance()})))
    return failure();
  return checkShape(*this, 2, Shape::ColumnVector, getX(), {getDgamma(), getDbeta()});
}

ResultKind LayerNormGradParamsOp::getResultKind(unsigned) { return ResultKind::ColumnSum; }

void LayerNormGradParamsOp::emitPoint(OpBuilder &builder, Location location, Points operands,
                                      const PointExtent &, PointResults &results) {
  PointBuilder p(builder, location);
  Value xhat = emitXhat(p, operands[1][0], operands[2][0], operands[3][0], getEpsilon().convertToDouble());
  results = {{p.mul(operands[0][0], xhat)}, {operands[0][0]}};
}

LogicalResult RowMeanOp::verify() { return checkShape(*this, 1, Shape::RowVector, getX(), {getResult()}); }
ResultKind RowMeanOp::getResultKind(unsigned) { return ResultKind::RowSum; }

void RowMeanOp::emitPoint(OpBuilder &, Location, Points operands, const PointExtent &,
                          PointResults &results) {
  results = {{operands[0][0]}};
}

Value RowMeanOp::emitFinish(OpBuilder &builder, Location location, unsigned, Value total,
                            const PointExtent &extent) {
  return PointBuilder(builder, location).div(total, extent.columns);
}

LogicalResult RowVarianceOp::verify() {
  return checkShape(*this, 1, Shape::RowVector, getX(), {getMean(), getResult()});
}
ResultKind RowVarianceOp::getResultKind(unsigned) { return ResultKind::RowSum; }

void RowVarianceOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                              PointResults &results) {
  emitSquaredDistance(builder, location, operands, results);
}

Value RowVarianceOp::emitFinish(OpBuilder &builder, Location location, unsigned, Value total,
                                const PointExtent &extent) {
  return PointBuilder(builder, location).div(total, extent.columns);
}

LogicalResult NormalizeRowsOp::verify() {
  if (failed(checkSameType(*this, 1, {getX(), getResult()})) ||
      failed(checkShape(*this, 2, Shape::RowVector, getX(), {getMean(), getVariance()})))
    return failure();
  return checkShape(*this, 2, Shape::ColumnVector, getX(), {getGamma(), getBeta()});
}

void NormalizeRowsOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                                PointResults &results) {
  PointBuilder p(builder, location);
  Value xhat = emitXhat(p, operands[0][0], operands[1][0], operands[2][0], getEpsilon().convertToDouble());
  results = {{p.fma(xhat, operands[3][0], operands[4][0])}};
}

static LogicalResult checkLayerNormGrad(Operation *op, Value dy, Value x, Value mean, Value variance,
                                        Value gamma) {
  if (failed(checkSameType(op, 1, {dy, x})) ||
      failed(checkShape(op, 2, Shape::RowVector, x, {mean, variance})))
    return failure();
  return checkShape(op, 2, Shape::ColumnVector, x, {gamma});
}

LogicalResult LayerNormGradSumsOp::verify() {
  if (failed(checkLayerNormGrad(*this, getDy(), getX(), getMean(), getVariance(), getGamma())))
    return failure();
  return checkShape(*this, 2, Shape::RowVector, getX(), getResults());
}
ResultKind LayerNormGradSumsOp::getResultKind(unsigned) { return ResultKind::RowSum; }

void LayerNormGradSumsOp::emitPoint(OpBuilder &builder, Location location, Points operands,
                                    const PointExtent &, PointResults &results) {
  PointBuilder p(builder, location);
  Value g = p.mul(operands[0][0], operands[4][0]);
  Value xhat = emitXhat(p, operands[1][0], operands[2][0], operands[3][0], getEpsilon().convertToDouble());
  results = {{g}, {p.mul(g, xhat)}};
}

Value LayerNormGradSumsOp::emitFinish(OpBuilder &builder, Location location, unsigned, Value total,
                                      const PointExtent &extent) {
  return PointBuilder(builder, location).div(total, extent.columns);
}

LogicalResult LayerNormGradApplyOp::verify() {
  if (failed(checkLayerNormGrad(*this, getDy(), getX(), getMean(), getVariance(), getGamma())) ||
      failed(checkSameType(*this, 1, {getDy(), getResult()})))
    return failure();
  return checkShape(*this, 2, Shape::RowVector, getX(), {getMeanG(), getMeanGXhat()});
}

void LayerNormGradApplyOp::emitPoint(OpBuilder &builder, Location location, Points operands,
                                     const PointExtent &, PointResults &results) {
  PointBuilder p(builder, location);
  Value r = rstd(p, operands[3][0], getEpsilon().convertToDouble());
  Value xhat = p.mul(p.sub(operands[1][0], operands[2][0]), r);
  Value inner =
      p.sub(p.sub(p.mul(operands[0][0], operands[4][0]), operands[5][0]), p.mul(xhat, operands[6][0]));
  results = {{p.mul(r, inner)}};
}

} // namespace kowari::flow
