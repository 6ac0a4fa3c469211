//===- DataPhysicsOps.cpp - from polarizations to whitened strain ---------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/flow/ShapeChecks.h"
#include "dialects/flow/TurnBuilder.h"

using namespace mlir;

namespace kowari::flow {

using Points = ArrayRef<SmallVector<Value>>;
using PointResults = SmallVector<SmallVector<Value>>;

static constexpr double speedOfLight = 299792458.0;

static bool isRowVector(Value v) { return getShape(v.getType()) == Shape::RowVector; }
static bool isDoubleRowVector(Value v) { return isRowVector(v) && getElementType(v).isF64(); }

static LogicalResult checkRowVectors(Operation *op, int constraint, ArrayRef<Value> values) {
  return check(op, llvm::all_of(values, isRowVector), constraint, "needs row vectors");
}
static LogicalResult checkDoubleRowVectors(Operation *op, int constraint, ArrayRef<Value> values) {
  return check(op, llvm::all_of(values, isDoubleRowVector), constraint, "needs f64 row vectors");
}
static LogicalResult checkDoubleScalars(Operation *op, int constraint, ArrayRef<Value> values) {
  auto isDoubleScalar = [](Value v) {
    return getShape(v.getType()) == Shape::Scalar && getElementType(v).isF64();
  };
  return check(op, llvm::all_of(values, isDoubleScalar), constraint, "needs f64 scalars");
}

namespace {
struct Angle {
  Value sine, cosine;
};

class SkyBuilder : public TurnBuilder {
public:
  using TurnBuilder::TurnBuilder;
  Angle angle(Value x) { return {math::SinOp::create(b, loc, x), math::CosOp::create(b, loc, x)}; }
};
} // namespace

//===-- geometry ----------------------------------------------------------===//

LogicalResult ArrivalTimeOp::verify() {
  if (failed(checkRowVectors(*this, 1, {getRa(), getDec(), getTime()})) ||
      failed(checkDoubleScalars(*this, 2, {getX(), getY(), getZ(), getSiderealTime()})))
    return failure();
  return checkDoubleRowVectors(*this, 3, {getResult()});
}

void ArrivalTimeOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                              PointResults &results) {
  SkyBuilder p(builder, location);
  Value ra = p.asDouble(operands[0][0]), dec = p.asDouble(operands[1][0]), time = p.asDouble(operands[2][0]);
  Value x = operands[3][0], y = operands[4][0], z = operands[5][0];
  Angle phi = p.angle(p.sub(ra, operands[6][0])), declination = p.angle(dec);
  Value level = p.fma(x, phi.cosine, p.mul(y, phi.sine));
  Value along = p.fma(level, declination.cosine, p.mul(z, declination.sine));
  results = {{p.sub(time, p.div(along, p.constant(speedOfLight, along)))}};
}

LogicalResult AntennaPatternOp::verify() {
  if (failed(checkRowVectors(*this, 1, {getRa(), getDec(), getPsi()})) ||
      failed(check(*this, getTensor().size() == 6, 2, "the response tensor has six numbers")) ||
      failed(checkDoubleScalars(*this, 2, {getSiderealTime()})) ||
      failed(checkDoubleScalars(*this, 2, llvm::to_vector(getTensor()))))
    return failure();
  return checkDoubleRowVectors(*this, 3, {getPlus(), getCross()});
}

void AntennaPatternOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                                 PointResults &results) {
  SkyBuilder p(builder, location);
  Value ra = p.asDouble(operands[0][0]), dec = p.asDouble(operands[1][0]), psi = p.asDouble(operands[2][0]);
  Angle phi = p.angle(p.sub(ra, operands[3][0])), declination = p.angle(dec),
        twist = p.angle(p.add(psi, psi));
  Value u[3] = {p.mul(phi.cosine, declination.sine), p.mul(phi.sine, declination.sine),
                p.neg(declination.cosine)};
  Value v[2] = {p.neg(phi.sine), phi.cosine}; // its third component is 0
  Value d[3][3];
  for (int i = 0, k = 4; i < 3; ++i)
    for (int j = i; j < 3; ++j, ++k)
      d[i][j] = d[j][i] = operands[k][0];
  auto dot = [&](ArrayRef<Value> left, ArrayRef<Value> right) {
    Value sum = p.mul(left[0], right[0]);
    for (size_t i = 1; i < left.size(); ++i)
      sum = p.fma(left[i], right[i], sum);
    return sum;
  };
  Value du[3], dv[2];
  for (int i = 0; i < 3; ++i)
    du[i] = dot({d[i][0], d[i][1], d[i][2]}, u);
  for (int i = 0; i < 2; ++i)
    dv[i] = dot({d[i][0], d[i][1]}, v);
  Value a = p.sub(dot(u, du), dot(v, dv)), half = dot(v, {du[0], du[1]}), c = p.add(half, half);
  results = {{p.sub(p.mul(c, twist.sine), p.mul(a, twist.cosine))},
             {p.fma(a, twist.sine, p.mul(c, twist.cosine))}};
}

LogicalResult ScaleByDistanceOp::verify() {
  if (failed(checkDoubleRowVectors(*this, 1, {getPlus(), getCross()})) ||
      failed(checkRowVectors(*this, 1, {getDistance()})) ||
      failed(checkDoubleScalars(*this, 2, {getReference()})) ||
      failed(checkRowVectors(*this, 3, {getScaledPlus(), getScaledCross()})))
    return failure();
  return checkSameType(*this, 3, {getScaledPlus(), getScaledCross()});
}

void ScaleByDistanceOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                                  PointResults &results) {
  TurnBuilder p(builder, location);
  Type element = getElementType(getScaledPlus());
  Value ratio = p.div(operands[3][0], p.asDouble(operands[2][0]));
  results = {{p.as(p.mul(operands[0][0], ratio), element)}, {p.as(p.mul(operands[1][0], ratio), element)}};
}

//===-- strain ------------------------------------------------------------===//

LogicalResult ProjectOp::verify() {
  if (failed(checkSameType(*this, 1,
                           {getPlusReal(), getPlusImaginary(), getCrossReal(), getCrossImaginary(), getReal(),
                            getImaginary()})) ||
      failed(check(*this, getShape(getPlusReal().getType()) == Shape::Matrix, 1, "needs matrices")) ||
      failed(checkShape(*this, 2, Shape::RowVector, getPlusReal(), {getPlus(), getCross()})) ||
      failed(checkShape(*this, 2, Shape::ColumnVector, getPlusReal(), {getFrequency()})))
    return failure();
  return checkDoubleRowVectors(*this, 3, {getTime()});
}

void ProjectOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                          PointResults &results) {
  TurnBuilder p(builder, location);
  Value plus = operands[4][0], cross = operands[5][0];
  Value real = p.fma(plus, operands[0][0], p.mul(cross, operands[2][0]));
  Value imaginary = p.fma(plus, operands[1][0], p.mul(cross, operands[3][0]));
  Value turns = p.mul(p.asDouble(operands[7][0]), operands[6][0]);
  Value turn = p.as(p.reduceTurn(turns), getElementTypeOrSelf(real));
  auto [sine, cosine] = p.sineAndCosine(turn);
  // (real + i imaginary)(cosine - i sine)
  results = {{p.fma(real, cosine, p.mul(imaginary, sine))},
             {p.sub(p.mul(imaginary, cosine), p.mul(real, sine))}};
}

LogicalResult WhitenOp::verify() {
  if (failed(checkSameType(
          *this, 1, {getReal(), getImaginary(), getInverseAsd(), getWhiteReal(), getWhiteImaginary()})))
    return failure();
  return checkShape(*this, 2, Shape::Scalar, getReal(), {getScale()});
}

void WhitenOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                         PointResults &results) {
  PointBuilder p(builder, location);
  Value factor = p.mul(operands[2][0], operands[3][0]);
  results = {{p.mul(operands[0][0], factor)}, {p.mul(operands[1][0], factor)}};
}

} // namespace kowari::flow
