//===- DensityOps.cpp - densities, the loss, and checks of splines and LU -===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The arithmetic of splines is in SplineOps.cpp, that of LU factors in LuOps.cpp.
//
//===----------------------------------------------------------------------===//
#include "dialects/flow/PointBuilder.h"
#include "dialects/flow/ShapeChecks.h"

#include <cmath>

using namespace mlir;

namespace kowari::flow {

using Points = ArrayRef<SmallVector<Value>>;
using PointResults = SmallVector<SmallVector<Value>>;

//===-- splines -----------------------------------------------------------===//

template <class Op> static LogicalResult checkSpline(Op op, Value x, Value y, Value u, Value rowVector) {
  int64_t bins = op.getNumBins();
  if (failed(checkSameType(op, 1, {x, y})) ||
      failed(check(op,
                   bins >= 1 && bins < 1000 && op.getTailBound().convertToDouble() > 0 &&
                       op.getDivisor().convertToDouble() > 0,
                   3, "num_bins, tail_bound or divisor out of range")) ||
      failed(check(op,
                   getShape(u.getType()) == Shape::Matrix &&
                       getColumns(u.getType()) == getColumns(x.getType()) * (3 * bins - 1),
                   2, "u does not have T (3K - 1) columns")))
    return failure();
  return checkShape(op, 4, Shape::RowVector, x, {rowVector});
}

LogicalResult RqSplineOp::verify() { return checkSpline(*this, getX(), getY(), getU(), getLogabsdet()); }
LogicalResult RqSplineInverseOp::verify() {
  return checkSpline(*this, getY(), getX(), getU(), getLogabsdet());
}

LogicalResult RqSplineGradOp::verify() {
  if (failed(checkSpline(*this, getX(), getDx(), getU(), getDlogabsdet())) ||
      failed(checkSameType(*this, 1, {getX(), getDy()})))
    return failure();
  return checkSameType(*this, 2, {getU(), getDu()});
}

void RqSplineOp::buildAdjoint(OpBuilder &builder, ArrayRef<Value> resultGradients, ArrayRef<bool> needed,
                              SmallVectorImpl<Value> &operandGradients) {
  auto orZeros = [&](Value gradient, Value like) -> Value {
    return gradient ? gradient : ZerosOp::create(builder, getLoc(), like.getType()).getResult();
  };
  auto grad =
      RqSplineGradOp::create(builder, getLoc(), TypeRange{getX().getType(), getU().getType()}, getX(), getU(),
                             orZeros(resultGradients[0], getY()), orZeros(resultGradients[1], getLogabsdet()),
                             getNumBinsAttr(), getTailBoundAttr(), getDivisorAttr());
  for (unsigned i : {0u, 1u})
    if (needed[i])
      operandGradients[i] = grad.getResult(i);
}

//===-- LU ----------------------------------------------------------------===//

static LogicalResult checkLu(Operation *op, Value lower, Value upper, Value diagonal, Value permutation,
                             Value weight, Value logabsdet) {
  int64_t d = getColumns(diagonal.getType()), entries = d * (d - 1) / 2;
  bool sizes = getColumns(lower.getType()) == entries && getColumns(upper.getType()) == entries &&
               getColumns(permutation.getType()) == d;
  if (failed(check(op, sizes, 1, "factors or permutation do not have the sizes of the diagonal")))
    return failure();
  auto square = cast<RankedTensorType>(weight.getType());
  return check(op,
               square.getRank() == 2 && square.getDimSize(0) == d && square.getDimSize(1) == d &&
                   getShape(logabsdet.getType()) == Shape::Scalar,
               2, "weight is not square of that size or logabsdet no scalar");
}

LogicalResult LuWeightOp::verify() {
  return checkLu(*this, getLower(), getUpper(), getDiagonal(), getPermutation(), getWeight(), getLogabsdet());
}
LogicalResult LuWeightInverseOp::verify() {
  return checkLu(*this, getLower(), getUpper(), getDiagonal(), getPermutation(), getWeight(), getLogabsdet());
}
LogicalResult LuWeightGradOp::verify() {
  if (failed(checkLu(*this, getLower(), getUpper(), getDiagonal(), getPermutation(), getDweight(),
                     getDlogabsdet())) ||
      failed(checkSameType(*this, 1, {getLower(), getDlower()})) ||
      failed(checkSameType(*this, 1, {getUpper(), getDupper()})))
    return failure();
  return checkSameType(*this, 1, {getDiagonal(), getDdiagonal()});
}

void LuWeightOp::buildAdjoint(OpBuilder &builder, ArrayRef<Value> resultGradients, ArrayRef<bool> needed,
                              SmallVectorImpl<Value> &operandGradients) {
  auto orZeros = [&](Value gradient, Value like) -> Value {
    return gradient ? gradient : ZerosOp::create(builder, getLoc(), like.getType()).getResult();
  };
  auto grad = LuWeightGradOp::create(
      builder, getLoc(), TypeRange{getLower().getType(), getUpper().getType(), getDiagonal().getType()},
      orZeros(resultGradients[0], getWeight()), orZeros(resultGradients[1], getLogabsdet()), getLower(),
      getUpper(), getDiagonal(), getPermutation());
  for (unsigned i : {0u, 1u, 2u})
    if (needed[i])
      operandGradients[i] = grad.getResult(i);
}

//===-- densities and the loss --------------------------------------------===//

LogicalResult BaseLogProbOp::verify() {
  return checkShape(*this, 1, Shape::RowVector, getZ(), {getResult()});
}
ResultKind BaseLogProbOp::getResultKind(unsigned) { return ResultKind::RowSum; }

void BaseLogProbOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                              PointResults &results) {
  PointBuilder p(builder, location);
  Value z = operands[0][0];
  results = {{p.fma(p.mul(z, z), p.constant(-0.5, z), p.constant(-0.5 * std::log(2 * M_PI), z))}};
}

void BaseLogProbOp::buildAdjoint(OpBuilder &builder, ArrayRef<Value> resultGradients, ArrayRef<bool> needed,
                                 SmallVectorImpl<Value> &operandGradients) {
  operandGradients[0] =
      BaseLogProbGradOp::create(builder, getLoc(), getZ().getType(), getZ(), resultGradients[0]);
}

LogicalResult BaseLogProbGradOp::verify() {
  if (failed(checkSameType(*this, 1, {getZ(), getResult()})))
    return failure();
  return checkShape(*this, 1, Shape::RowVector, getZ(), {getDl()});
}

void BaseLogProbGradOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                                  PointResults &results) {
  PointBuilder p(builder, location);
  results = {{p.neg(p.mul(operands[0][0], operands[1][0]))}};
}

LogicalResult AddScalarOp::verify() {
  if (failed(checkSameType(*this, 1, {getX(), getResult()})) ||
      failed(checkShape(*this, 1, Shape::RowVector, getX(), {getX()})))
    return failure();
  return checkShape(*this, 1, Shape::Scalar, getX(), {getScalar()});
}

void AddScalarOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                            PointResults &results) {
  results = {{PointBuilder(builder, location).add(operands[0][0], operands[1][0])}};
}

void AddScalarOp::buildAdjoint(OpBuilder &builder, ArrayRef<Value> resultGradients, ArrayRef<bool> needed,
                               SmallVectorImpl<Value> &operandGradients) {
  if (needed[0])
    operandGradients[0] = resultGradients[0];
  if (needed[1])
    operandGradients[1] = SumRowsOp::create(builder, getLoc(), getScalar().getType(), resultGradients[0]);
}

LogicalResult NegativeMeanOp::verify() {
  if (failed(checkShape(*this, 1, Shape::RowVector, getX(), {getX()})))
    return failure();
  return checkShape(*this, 1, Shape::Scalar, getX(), {getResult()});
}
ResultKind NegativeMeanOp::getResultKind(unsigned) { return ResultKind::ColumnSum; }

void NegativeMeanOp::emitPoint(OpBuilder &, Location, Points operands, const PointExtent &,
                               PointResults &results) {
  results = {{operands[0][0]}};
}

Value NegativeMeanOp::emitFinish(OpBuilder &builder, Location location, unsigned, Value total,
                                 const PointExtent &extent) {
  PointBuilder p(builder, location);
  return p.neg(p.div(total, extent.rows));
}

void NegativeMeanOp::buildAdjoint(OpBuilder &builder, ArrayRef<Value> resultGradients, ArrayRef<bool> needed,
                                  SmallVectorImpl<Value> &operandGradients) {
  operandGradients[0] =
      NegativeMeanGradOp::create(builder, getLoc(), getX().getType(), getX(), resultGradients[0]);
}

LogicalResult NegativeMeanGradOp::verify() {
  if (failed(checkSameType(*this, 1, {getX(), getResult()})) ||
      failed(checkShape(*this, 1, Shape::RowVector, getX(), {getX()})))
    return failure();
  return checkShape(*this, 1, Shape::Scalar, getX(), {getDl()});
}

void NegativeMeanGradOp::emitPoint(OpBuilder &builder, Location location, Points operands,
                                   const PointExtent &extent, PointResults &results) {
  PointBuilder p(builder, location);
  results = {{p.neg(p.div(operands[1][0], extent.rows))}};
}

LogicalResult OneOp::verify() {
  return check(*this, getShape(getResult().getType()) == Shape::Scalar, 1, "the result is no scalar");
}

void OneOp::emitPoint(OpBuilder &builder, Location location, Points, const PointExtent &extent,
                      PointResults &results) {
  results = {{PointBuilder(builder, location).constant(1.0, extent.rows)}};
}

} // namespace kowari::flow
