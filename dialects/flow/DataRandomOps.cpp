//===- DataRandomOps.cpp - random numbers of the input pipeline -----------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/flow/PhiloxBuilder.h"
#include "dialects/flow/ShapeChecks.h"
#include "dialects/flow/TurnBuilder.h"

using namespace mlir;

namespace kowari::flow {

using Points = ArrayRef<SmallVector<Value>>;
using PointResults = SmallVector<SmallVector<Value>>;

static LogicalResult checkCounter(Operation *op, int constraint, Value sample, Value seed, Value epoch) {
  return check(op,
               getShape(sample.getType()) == Shape::RowVector && getShape(seed.getType()) == Shape::Scalar &&
                   getShape(epoch.getType()) == Shape::Scalar,
               constraint, "sample is not one index a row or seed and epoch are no scalars");
}

static bool isDoubleRowVector(Value v) {
  return getShape(v.getType()) == Shape::RowVector && getElementType(v).isF64();
}

namespace {
/// Philox words and what is made of them, for one point.
class RandomBuilder {
public:
  RandomBuilder(OpBuilder &builder, Location location) : p(builder, location), philox(builder, location) {}

  /// Words of (sample, epoch, site, column) under the seed. A null column is column 0.
  void draw(Value sample, Value seed, Value epoch, int64_t site, Value column) {
    Value low = philox.getWord(sample, 0);
    Value last = column ? philox.getWord(column, 0) : philox.constant(0, low);
    words = philox.generate({low, philox.getWord(epoch, 0), philox.constant((uint32_t)site, low), last},
                            philox.getWord(seed, 0), philox.getWord(seed, 1));
  }
  /// (word0 2^20 + word1 div 2^12 + 1/2)/2^52: 53 bits, never 0 or 1.
  Value getUniform() {
    Value high = unsignedReal(words[0]), low = unsignedReal(shiftRight(words[1], 12));
    low = p.mul(p.add(low, p.constant(0.5, low)), p.constant(0x1p-20, low));
    return p.mul(p.add(high, low), p.constant(0x1p-32, high));
  }
  /// The largest whole number not above `x` >= 0, and what is left of x.
  std::pair<Value, Value> splitWhole(Value x) {
    Value whole = math::FloorOp::create(p.b, p.loc, x);
    return {arith::FPToSIOp::create(p.b, p.loc, cloneWith(x, p.b.getI64Type()), whole), p.sub(x, whole)};
  }
  /// A word as a signed number of the type of `like`.
  Value signedReal(Value word, Value like) {
    return arith::SIToFPOp::create(p.b, p.loc, like.getType(), word);
  }
  Value shiftRight(Value word, uint32_t bits) {
    return arith::ShRUIOp::create(p.b, p.loc, word, philox.constant(bits, word));
  }

  TurnBuilder p;
  PhiloxBuilder::Words words;

private:
  static Type cloneWith(Value like, Type element) {
    auto vector = dyn_cast<VectorType>(like.getType());
    return vector ? Type(vector.clone(element)) : element;
  }
  Value unsignedReal(Value word) {
    return arith::UIToFPOp::create(p.b, p.loc, cloneWith(word, p.b.getF64Type()), word);
  }

  PhiloxBuilder philox;
};
} // namespace

//===-- draws -------------------------------------------------------------===//

LogicalResult UniformDrawOp::verify() {
  if (failed(checkCounter(*this, 1, getSample(), getSeed(), getEpoch())))
    return failure();
  return check(*this, isDoubleRowVector(getResult()), 2, "the result is no f64 row vector");
}

void UniformDrawOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                              PointResults &results) {
  RandomBuilder random(builder, location);
  random.draw(operands[0][0], operands[1][0], operands[2][0], getSite(), {});
  results = {{random.getUniform()}};
}

LogicalResult RandomIndexOp::verify() {
  if (failed(checkCounter(*this, 1, getSample(), getSeed(), getEpoch())))
    return failure();
  return check(*this,
               getShape(getCount().getType()) == Shape::Scalar &&
                   getShape(getResult().getType()) == Shape::RowVector,
               2, "count is no scalar or the result no row vector");
}

void RandomIndexOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                              PointResults &results) {
  RandomBuilder random(builder, location);
  random.draw(operands[0][0], operands[1][0], operands[2][0], getSite(), {});
  Value u = random.getUniform(), count = operands[3][0];
  Value scaled = random.p.mul(u, random.signedReal(count, u));
  Value one = arith::ConstantOp::create(builder, location, builder.getOneAttr(count.getType()));
  Value last = arith::SubIOp::create(builder, location, count, one);
  results = {{arith::MinSIOp::create(builder, location, random.splitWhole(scaled).first, last)}};
}

LogicalResult TableDrawOp::verify() {
  if (failed(checkCounter(*this, 1, getSample(), getSeed(), getEpoch())) ||
      failed(check(*this, (int64_t)getCells() > 0, 2, "a table needs a cell")))
    return failure();
  return check(*this, getShape(getCell().getType()) == Shape::RowVector && isDoubleRowVector(getFraction()),
               3, "cell is no row vector of indices or fraction none of f64");
}

void TableDrawOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                            PointResults &results) {
  RandomBuilder random(builder, location);
  random.draw(operands[0][0], operands[1][0], operands[2][0], getSite(), {});
  Value u = random.getUniform();
  // u is below 1 by 2^-53 at least, and a table far smaller than 2^52 keeps the product below the cell count.
  auto [cell, fraction] = random.splitWhole(random.p.mul(u, random.p.constant((double)getCells(), u)));
  results = {{cell}, {fraction}};
}

//===-- noise -------------------------------------------------------------===//

LogicalResult AddWhiteNoiseOp::verify() {
  if (failed(checkSameType(*this, 1, {getReal(), getImaginary(), getNoisyReal(), getNoisyImaginary()})) ||
      failed(check(*this, getShape(getReal().getType()) == Shape::Matrix, 1, "needs matrices")))
    return failure();
  return checkCounter(*this, 2, getSample(), getSeed(), getEpoch());
}

void AddWhiteNoiseOp::emitPoint(OpBuilder &builder, Location location, Points operands,
                                const PointExtent &extent, PointResults &results) {
  RandomBuilder random(builder, location);
  TurnBuilder &p = random.p;
  Value real = operands[0][0], imaginary = operands[1][0];
  random.draw(operands[2][0], operands[3][0], operands[4][0], getSite(), extent.column);
  Value u = random.signedReal(random.shiftRight(random.words[0], 1), real);
  u = p.mul(p.add(u, p.constant(0.5, u)), p.constant(0x1p-31, u)); // rounded to f32 it may be 1, never 0
  Value square = p.mul(p.log(u), p.constant(-2.0, u)), zero = p.constant(0.0, u);
  Value radius = p.sqrt(p.select(p.greater(square, zero), square, zero));
  Value turn = p.mul(random.signedReal(random.words[1], real), p.constant(0x1p-32, real));
  auto [sine, cosine] = p.sineAndCosine(turn);
  results = {{p.fma(radius, cosine, real)}, {p.fma(radius, sine, imaginary)}};
}

} // namespace kowari::flow
