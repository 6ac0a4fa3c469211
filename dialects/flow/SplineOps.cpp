//===- SplineOps.cpp - rational-quadratic splines at one point ------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The 3K-1 numbers of a point are values in registers, K is known: bins are found by a chain of comparisons
// and selects, no memory is indexed. Names follow the formulas in DensityOps.td.
//
//===----------------------------------------------------------------------===//
#include "dialects/flow/PointBuilder.h"

using namespace mlir;

namespace kowari::flow {

using Points = ArrayRef<SmallVector<Value>>;
using PointResults = SmallVector<SmallVector<Value>>;

namespace {

constexpr double minimum = 1e-3; // of a width, a height (as shares of 1) and a derivative

struct SplineShape {
  int64_t bins;
  double bound, divisor;
};

/// Widths or heights of all bins and the knots between them.
struct Knots {
  SmallVector<Value> shares; ///< softmax, K values
  SmallVector<Value> inner;  ///< knots 1 ... K-1
};

/// The bin a point falls into.
struct Bin {
  SmallVector<Value> beyond; ///< beyond[k-1]: the point lies at or behind knot k, k = 1 ... K-1
  Value x0, x1, y0, y1;      ///< its corners
  Value d0, d1;              ///< derivatives there
  Value raw0, raw1;          ///< what they were made from; 0 at the ends of the spline
  Value isFirst, isLast;     ///< i1; null when there is one bin alone
};

/// What forward and gradient share, for a position inside the bound.
struct Fraction {
  Value width, height, slope, t, rest, product, curvature; // curvature: d1 + d0 - 2 slope
  Value numerator, denominator;                            // of y
  Value inner;                                             // d1 t^2 + 2 slope t (1-t) + d0 (1-t)^2
};

class SplineBuilder : public PointBuilder {
public:
  SplineBuilder(OpBuilder &builder, Location location, SplineShape shape, ArrayRef<Value> u)
      : PointBuilder(builder, location), shape(shape), u(u) {}

  Value isInside(Value x) {
    return both(greaterEqual(x, constant(-shape.bound, x)),
                compare(arith::CmpFPredicate::OLE, x, constant(shape.bound, x)));
  }
  Knots buildKnots(unsigned first);
  /// The bin of `position` among the knots `searched` (widths for the forward spline, heights for the
  /// inverse).
  Bin findBin(Value position, const Knots &searched, const Knots &widths, const Knots &heights);
  Fraction evaluate(const Bin &bin, Value t);
  Value getLogDerivative(const Fraction &f) {
    return sub(log(mul(mul(f.slope, f.slope), f.inner)), mul(constant(2.0, f.slope), log(f.denominator)));
  }
  Value both(Value p, Value q) { return arith::AndIOp::create(b, loc, p, q); }
  Value negate(Value p) {
    Type type = p.getType();
    TypedAttr all = b.getBoolAttr(true);
    if (auto vector = dyn_cast<VectorType>(type))
      all = DenseElementsAttr::get(vector, true);
    return arith::XOrIOp::create(b, loc, p, arith::ConstantOp::create(b, loc, all));
  }
  /// log(1 + e^x), and x beyond 20.
  Value softplus(Value x) {
    Value top = constant(20.0, x);
    return select(greater(x, top), x, log1p(exp(select(greater(x, top), top, x))));
  }
  /// softplus': 1 beyond 20.
  Value softplusSlope(Value x) { return select(greater(x, constant(20.0, x)), constant(1.0, x), sigmoid(x)); }

  /// Gradients of the raw numbers of widths (or heights) from those of the bin's two knots: `before` reaches
  /// every bin in front of the point's, `within` also its own.
  void emitKnotGradients(const Knots &knots, const Bin &bin, Value before, Value within,
                         SmallVectorImpl<Value> &gradients);
  void emitDerivativeGradients(const Bin &bin, Value g0, Value g1, SmallVectorImpl<Value> &gradients);

private:
  Value getKnot(const Knots &knots, int64_t k, Value like) {
    if (k == 0 || k == shape.bins)
      return constant(k == 0 ? -shape.bound : shape.bound, like);
    return knots.inner[k - 1];
  }
  double getScale() const { return 1.0 - minimum * shape.bins; }

  SplineShape shape;
  ArrayRef<Value> u;
};

} // namespace

Knots SplineBuilder::buildKnots(unsigned first) {
  Knots knots;
  ArrayRef<Value> raw = u.slice(first, shape.bins);
  Value inverse = constant(1.0 / shape.divisor, raw[0]), largest = raw[0];
  for (Value v : raw.drop_front())
    largest = max(largest, v);
  Value total;
  for (Value v : raw) {
    Value e = exp(mul(sub(v, largest), inverse));
    knots.shares.push_back(e);
    total = total ? add(total, e) : e;
  }
  Value reciprocal = div(constant(1.0, total), total);
  for (Value &share : knots.shares)
    share = mul(share, reciprocal);
  Value sum;
  for (int64_t k = 1; k < shape.bins; ++k) {
    Value share = fma(knots.shares[k - 1], constant(getScale(), total), constant(minimum, total));
    sum = sum ? add(sum, share) : share;
    knots.inner.push_back(fma(sum, constant(2.0 * shape.bound, total), constant(-shape.bound, total)));
  }
  return knots;
}

Bin SplineBuilder::findBin(Value position, const Knots &searched, const Knots &widths, const Knots &heights) {
  Bin bin;
  ArrayRef<Value> derivatives = u.drop_front(2 * shape.bins);
  Value zero = constant(0.0, position), one = constant(1.0, position);
  bin.x0 = getKnot(widths, 0, position), bin.x1 = getKnot(widths, 1, position);
  bin.y0 = getKnot(heights, 0, position), bin.y1 = getKnot(heights, 1, position);
  bin.raw0 = zero, bin.raw1 = shape.bins > 1 ? derivatives[0] : zero;
  for (int64_t k = 1; k < shape.bins; ++k) {
    Value beyond = greaterEqual(position, searched.inner[k - 1]);
    bin.beyond.push_back(beyond);
    auto move = [&](Value &current, Value next) { current = select(beyond, next, current); };
    move(bin.x0, getKnot(widths, k, position));
    move(bin.x1, getKnot(widths, k + 1, position));
    move(bin.y0, getKnot(heights, k, position));
    move(bin.y1, getKnot(heights, k + 1, position));
    move(bin.raw0, derivatives[k - 1]);
    move(bin.raw1, k + 1 < shape.bins ? derivatives[k] : zero);
  }
  bin.d0 = bin.d1 = one;
  if (shape.bins > 1) { // the two inner derivatives alone, not all K - 1: softplus is dear
    bin.isFirst = negate(bin.beyond.front());
    bin.isLast = bin.beyond.back();
    Value least = constant(minimum, position);
    bin.d0 = select(bin.isFirst, one, add(least, softplus(bin.raw0)));
    bin.d1 = select(bin.isLast, one, add(least, softplus(bin.raw1)));
  }
  return bin;
}

Fraction SplineBuilder::evaluate(const Bin &bin, Value t) {
  Fraction f;
  Value one = constant(1.0, bin.x0), two = constant(2.0, bin.x0);
  f.width = sub(bin.x1, bin.x0);
  f.height = sub(bin.y1, bin.y0);
  f.slope = div(f.height, f.width);
  f.t = t;
  f.rest = sub(one, t);
  f.product = mul(t, f.rest);
  f.curvature = sub(add(bin.d1, bin.d0), mul(two, f.slope));
  f.numerator = fma(f.slope, mul(t, t), mul(bin.d0, f.product));
  f.denominator = fma(f.curvature, f.product, f.slope);
  Value ends = fma(bin.d1, mul(t, t), mul(bin.d0, mul(f.rest, f.rest)));
  f.inner = fma(mul(two, f.slope), f.product, ends);
  return f;
}

void SplineBuilder::emitKnotGradients(const Knots &knots, const Bin &bin, Value before, Value within,
                                      SmallVectorImpl<Value> &gradients) {
  Value zero = constant(0.0, within);
  if (shape.bins == 1) {
    gradients.push_back(zero);
    return;
  }
  // The last knot is fixed: the last bin's right edge moves nothing.
  within = select(bin.isLast, zero, within);
  before = add(before, within);
  SmallVector<Value> shareGradients;
  Value mean;
  for (int64_t i = 0; i < shape.bins; ++i) {
    Value g = i == 0 ? within : select(bin.beyond[i - 1], within, zero);
    if (i + 1 < shape.bins)
      g = select(bin.beyond[i], before, g);
    shareGradients.push_back(g);
    Value weighted = mul(knots.shares[i], g);
    mean = mean ? add(mean, weighted) : weighted;
  }
  Value factor = constant(2.0 * shape.bound * getScale() / shape.divisor, within);
  for (auto [share, g] : llvm::zip(knots.shares, shareGradients))
    gradients.push_back(mul(mul(share, factor), sub(g, mean)));
}

void SplineBuilder::emitDerivativeGradients(const Bin &bin, Value g0, Value g1,
                                            SmallVectorImpl<Value> &gradients) {
  Value zero = constant(0.0, g0);
  if (shape.bins > 1) {
    g0 = mul(g0, softplusSlope(bin.raw0));
    g1 = mul(g1, softplusSlope(bin.raw1));
  }
  for (int64_t k = 1; k < shape.bins; ++k) { // the point is in bin k: g0; in bin k - 1: g1
    Value inOrBehind = bin.beyond[k - 1];
    Value g = k == 1 ? g1 : select(bin.beyond[k - 2], g1, zero);
    g = select(inOrBehind, g0, g);
    if (k + 1 < shape.bins)
      g = select(bin.beyond[k], zero, g);
    gradients.push_back(g);
  }
}

//===-- forward -----------------------------------------------------------===//

template <class Op> static SplineShape getShapeOf(Op op) {
  return {(int64_t)op.getNumBins(), op.getTailBound().convertToDouble(), op.getDivisor().convertToDouble()};
}

template <class Op> static int64_t getParameterCount(Op op) { return 3 * op.getNumBins() - 1; }

ResultKind RqSplineOp::getResultKind(unsigned index) {
  return index == 1 ? ResultKind::RowSum : ResultKind::Pointwise;
}
int64_t RqSplineOp::getOperandPointWidth(unsigned index) { return index == 1 ? getParameterCount(*this) : 1; }

void RqSplineOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                           PointResults &results) {
  SplineBuilder s(builder, location, getShapeOf(*this), operands[1]);
  Value x = operands[0][0], inside = s.isInside(x), zero = s.constant(0.0, x);
  Value safe = s.select(inside, x, zero);
  Knots widths = s.buildKnots(0), heights = s.buildKnots(getNumBins());
  Bin bin = s.findBin(safe, widths, widths, heights);
  Value t = s.div(s.sub(safe, bin.x0), s.sub(bin.x1, bin.x0));
  Fraction f = s.evaluate(bin, t);
  Value y = s.add(bin.y0, s.div(s.mul(f.height, f.numerator), f.denominator));
  results = {{s.select(inside, y, x)}, {s.select(inside, s.getLogDerivative(f), zero)}};
}

//===-- gradient ----------------------------------------------------------===//

int64_t RqSplineGradOp::getOperandPointWidth(unsigned index) {
  return index == 1 ? getParameterCount(*this) : 1;
}
int64_t RqSplineGradOp::getResultPointWidth(unsigned index) {
  return index == 1 ? getParameterCount(*this) : 1;
}

namespace {
struct BinGradient {
  Value x, x0, x1, y0, y1, d0, d1;
};
} // namespace

/// Back through y and log dy/dx to the position, the bin's corners and the derivatives there.
static BinGradient emitBinGradient(SplineBuilder &s, const Bin &bin, const Fraction &f, Value dy,
                                   Value dlog) {
  Value two = s.constant(2.0, dy), reciprocal = s.div(s.constant(1.0, dy), f.denominator);
  Value share = s.mul(f.numerator, reciprocal);
  Value dNumerator = s.mul(s.mul(dy, f.height), reciprocal);
  Value dDenominator = s.neg(s.fma(dNumerator, share, s.mul(s.mul(two, dlog), reciprocal)));
  Value dInner = s.div(dlog, f.inner), twoInner = s.mul(two, dInner);
  Value t2 = s.mul(f.t, f.t);

  Value dProduct = s.fma(dDenominator, f.curvature, s.fma(dNumerator, bin.d0, s.mul(twoInner, f.slope)));
  Value dSlope =
      s.fma(dDenominator, s.sub(s.constant(1.0, dy), s.mul(two, f.product)), s.mul(dNumerator, t2));
  dSlope = s.fma(twoInner, f.product, s.fma(two, s.div(dlog, f.slope), dSlope));
  Value dT = s.mul(twoInner, s.sub(s.mul(bin.d1, f.t), s.mul(bin.d0, f.rest)));
  dT = s.fma(dNumerator, s.mul(two, s.mul(f.slope, f.t)), dT);
  dT = s.fma(dProduct, s.sub(f.rest, f.t), dT);

  BinGradient g;
  Value common = s.mul(s.add(dNumerator, dDenominator), f.product);
  g.d0 = s.fma(dInner, s.mul(f.rest, f.rest), common);
  g.d1 = s.fma(dDenominator, f.product, s.mul(dInner, t2));
  Value inverseWidth = s.div(s.constant(1.0, dy), f.width);
  g.x = s.mul(dT, inverseWidth);
  Value dHeight = s.fma(dSlope, inverseWidth, s.mul(dy, share));
  Value dWidth = s.neg(s.fma(g.x, f.t, s.mul(s.mul(dSlope, f.slope), inverseWidth)));
  g.x1 = dWidth;
  g.x0 = s.neg(s.add(dWidth, g.x));
  g.y1 = dHeight;
  g.y0 = s.sub(dy, dHeight);
  return g;
}

void RqSplineGradOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                               PointResults &results) {
  SplineBuilder s(builder, location, getShapeOf(*this), operands[1]);
  Value x = operands[0][0], inside = s.isInside(x), zero = s.constant(0.0, x);
  // Outside, the gradients that enter the spline are zero, so those of u come out zero.
  Value safe = s.select(inside, x, zero), dy = s.select(inside, operands[2][0], zero);
  Value dlog = s.select(inside, operands[3][0], zero);
  Knots widths = s.buildKnots(0), heights = s.buildKnots(getNumBins());
  Bin bin = s.findBin(safe, widths, widths, heights);
  Value t = s.div(s.sub(safe, bin.x0), s.sub(bin.x1, bin.x0));
  BinGradient g = emitBinGradient(s, bin, s.evaluate(bin, t), dy, dlog);
  SmallVector<Value> du;
  s.emitKnotGradients(widths, bin, g.x0, g.x1, du);
  s.emitKnotGradients(heights, bin, g.y0, g.y1, du);
  s.emitDerivativeGradients(bin, g.d0, g.d1, du);
  results.clear();
  results.push_back({s.select(inside, g.x, operands[2][0])});
  results.push_back(std::move(du));
}

//===-- inverse -----------------------------------------------------------===//

ResultKind RqSplineInverseOp::getResultKind(unsigned index) {
  return index == 1 ? ResultKind::RowSum : ResultKind::Pointwise;
}
int64_t RqSplineInverseOp::getOperandPointWidth(unsigned index) {
  return index == 1 ? getParameterCount(*this) : 1;
}

void RqSplineInverseOp::emitPoint(OpBuilder &builder, Location location, Points operands, const PointExtent &,
                                  PointResults &results) {
  SplineBuilder s(builder, location, getShapeOf(*this), operands[1]);
  Value y = operands[0][0], inside = s.isInside(y), zero = s.constant(0.0, y);
  Value safe = s.select(inside, y, zero);
  Knots widths = s.buildKnots(0), heights = s.buildKnots(getNumBins());
  Bin bin = s.findBin(safe, heights, widths, heights);
  Value width = s.sub(bin.x1, bin.x0), height = s.sub(bin.y1, bin.y0), slope = s.div(height, width);
  Value e = s.sub(s.add(bin.d1, bin.d0), s.mul(s.constant(2.0, y), slope)), q = s.sub(safe, bin.y0);
  Value qe = s.mul(q, e), a = s.fma(height, s.sub(slope, bin.d0), qe),
        halfless = s.sub(s.mul(height, bin.d0), qe);
  Value c = s.neg(s.mul(slope, q));
  Value discriminant = s.sub(s.mul(halfless, halfless), s.mul(s.mul(s.constant(4.0, y), a), c));
  discriminant = s.max(discriminant, zero);
  Value t = s.div(s.mul(s.constant(2.0, y), c), s.sub(s.neg(halfless), s.sqrt(discriminant)));
  Value x = s.fma(t, width, bin.x0);
  Value logDerivative = s.neg(s.getLogDerivative(s.evaluate(bin, t)));
  results = {{s.select(inside, x, y)}, {s.select(inside, logDerivative, zero)}};
}

} // namespace kowari::flow
