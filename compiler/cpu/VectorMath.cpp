//===- VectorMath.cpp - elementary functions without a library ------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The coefficients are minimax fits made for this file (weighted least squares, reweighted until the error is
// level).
//
//===----------------------------------------------------------------------===//
#include "compiler/cpu/VectorMath.h"

#include "dialects/flow/PointBuilder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringSwitch.h"

#include <limits>

using namespace mlir;

namespace kowari::codegen {

namespace {
/// PointBuilder with what bit tricks need. Integers are i32 lanes beside float32 ones.
class MathBuilder : public flow::PointBuilder {
public:
  using PointBuilder::PointBuilder;

  Type integerType(Value like) {
    Type i32 = b.getI32Type();
    if (auto vector = dyn_cast<VectorType>(like.getType()))
      return vector.clone(i32);
    return i32;
  }
  Value integer(int64_t value, Value like) {
    Type type = integerType(like);
    TypedAttr attribute = b.getI32IntegerAttr((int32_t)value);
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = DenseElementsAttr::get(vector, cast<Attribute>(attribute));
    return arith::ConstantOp::create(b, loc, attribute);
  }
  Value bits(Value x) { return arith::BitcastOp::create(b, loc, integerType(x), x); }
  Value fromBits(Value bits, Value like) { return arith::BitcastOp::create(b, loc, like.getType(), bits); }
  Value toInteger(Value x) { return arith::FPToSIOp::create(b, loc, integerType(x), x); }
  Value toFloat(Value i, Value like) { return arith::SIToFPOp::create(b, loc, like.getType(), i); }
  Value addI(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value subI(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value andI(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
  Value xorI(Value x, Value y) { return arith::XOrIOp::create(b, loc, x, y); }
  Value shiftLeft(Value x, Value y) { return arith::ShLIOp::create(b, loc, x, y); }
  Value shiftRight(Value x, Value y) { return arith::ShRSIOp::create(b, loc, x, y); }
  Value roundEven(Value x) { return math::RoundEvenOp::create(b, loc, x); }
  Value absolute(Value x) { return math::AbsFOp::create(b, loc, x); }
  Value copySign(Value x, Value sign) { return math::CopySignOp::create(b, loc, x, sign); }
  /// c[0] + c[1] x + ..., by Horner's rule.
  Value polynomial(ArrayRef<double> c, Value x) {
    Value result = constant(c.back(), x);
    for (double coefficient : llvm::reverse(c.drop_back()))
      result = fma(result, x, constant(coefficient, x));
    return result;
  }
};

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double ln2High = 0.693359375,
                 ln2Low = -2.12194440e-4; // their sum is log 2, the first exact in 10 bits
} // namespace

/// exp(x) = 2^n exp(r), r = x - n log 2 in [-0.35, 0.35].
static Value emitExp(MathBuilder &m, Value x) {
  Value n = m.roundEven(m.mul(x, m.constant(1.44269504088896341, x)));
  // Written so that a comparison and a select are one instruction; a NaN takes the bound, and comes back
  // through r.
  Value top = m.constant(128.0, x), bottom = m.constant(-126.0, x);
  n = m.select(m.less(n, top), n, top);
  n = m.select(m.greater(n, bottom), n, bottom);
  Value r = m.fma(n, m.constant(-ln2Low, x), m.fma(n, m.constant(-ln2High, x), x));
  Value q = m.polynomial({0.4999999403953552, 0.1666651964187622, 0.04166839271783829, 0.008368780836462975,
                          0.001381446490995586},
                         r);
  Value p = m.add(m.fma(m.mul(r, r), q, r), m.constant(1.0, x));
  // 2^128 is no number: 2 p times 2^(n-1) overflows exactly where exp does.
  Value exponent = m.shiftLeft(m.addI(m.toInteger(n), m.integer(126, x)), m.integer(23, x));
  Value result = m.mul(m.add(p, p), m.fromBits(exponent, x));
  return m.select(m.less(x, m.constant(-86.98, x)), m.constant(0.0, x), result);
}

/// log(x) = e log 2 + log(1 + f), x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)).
static Value emitLog(MathBuilder &m, Value x) {
  Value tiny = m.less(x, m.constant(1.17549435e-38, x));
  Value scaled = m.select(tiny, m.mul(x, m.constant(8388608.0, x)), x);
  Value bits = m.bits(scaled), mantissa = m.integer(23, x);
  Value e = m.shiftRight(m.subI(bits, m.integer(0x3f3504f3, x)), mantissa);
  Value f = m.sub(m.fromBits(m.subI(bits, m.shiftLeft(e, mantissa)), x), m.constant(1.0, x));
  Value exponent = m.toFloat(e, x);
  exponent = m.select(tiny, m.sub(exponent, m.constant(23.0, x)), exponent);
  Value p = m.polynomial({0.3333331346511841, -0.25000008940696716, 0.2000211924314499, -0.1666799634695053,
                          0.14219550788402557, -0.12405591458082199, 0.11888174712657928,
                          -0.11675640940666199, 0.06746601313352585},
                         f);
  Value square = m.mul(f, f);
  Value tail = m.fma(exponent, m.constant(ln2Low, x), m.mul(m.mul(square, f), p));
  tail = m.fma(square, m.constant(-0.5, x), tail);
  Value result = m.fma(exponent, m.constant(ln2High, x), m.add(f, tail));
  Value zero = m.constant(0.0, x), inf = m.constant(infinity, x);
  result = m.select(m.less(x, inf), result, x); // infinity and NaN are their own logarithms
  Value special = m.select(m.compare(arith::CmpFPredicate::OEQ, x, zero), m.constant(-infinity, x),
                           m.constant(std::numeric_limits<double>::quiet_NaN(), x));
  return m.select(m.compare(arith::CmpFPredicate::OLE, x, zero), special, result);
}

/// log(u) + (x - (u - 1))/u with u = 1 + x rounded: the quotient gives back what rounding lost.
static Value emitLog1p(MathBuilder &m, Value x) {
  Value one = m.constant(1.0, x), u = m.add(x, one);
  Value logU = emitLog(m, u), lost = m.sub(x, m.sub(u, one));
  Value result = m.add(logU, m.div(lost, u));
  Value regular = m.compare(arith::CmpFPredicate::ONE, u, m.constant(0.0, x));
  Value finite = m.less(u, m.constant(infinity, x));
  return m.select(finite, m.select(regular, result, logU), logU);
}

/// |x| < 1: x P(x^2); beyond: 1 - exp(-Q(|x|)), and 1 from 4 on.
static Value emitErf(MathBuilder &m, Value x) {
  Value t = m.absolute(x), limit = m.constant(4.0, x);
  Value clamped = m.select(m.less(t, limit), t, limit);
  Value near = m.mul(
      x, m.polynomial({1.1283791065216064, -0.3761262595653534, 0.1128358542919159, -0.026853810995817184,
                       0.005188327748328447, -0.0008010192541405559, 7.853857823647559e-05},
                      m.mul(x, x)));
  Value q = m.polynomial({-0.0001880402269307524, 1.1295784711837769, 0.6332198977470398, 0.10841857641935349,
                          -0.025208257138729095, 0.004204561933875084, -0.00044133636401966214,
                          2.1686850232072175e-05},
                         clamped);
  Value far = m.copySign(m.sub(m.constant(1.0, x), emitExp(m, m.neg(q))), x);
  Value result = m.select(m.less(t, m.constant(1.0, x)), near, far);
  return m.select(m.compare(arith::CmpFPredicate::UNO, x, x), x, result);
}

/// r = x - n pi/2 in three parts; the octant decides which polynomial and sign. `cosine` shifts it by one.
static Value emitSinOrCos(MathBuilder &m, Value x, bool cosine) {
  Value n = m.roundEven(m.mul(x, m.constant(0.63661977236758134, x)));
  Value limit = m.constant(16777216.0, x);
  Value safe = m.select(m.less(m.absolute(n), limit), n, m.constant(0.0, x));
  Value r = m.fma(safe, m.constant(-1.5703125, x), x);
  r = m.fma(safe, m.constant(-4.837512969970703125e-4, x), r);
  r = m.fma(safe, m.constant(-7.549789948768648e-8, x), r);
  Value s = m.mul(r, r);
  Value sine = m.fma(
      m.mul(m.polynomial({-0.16666655242443085, 0.008332173340022564, -0.00019516654720064253}, s), s), r, r);
  Value cosinePart = m.fma(
      m.mul(s, s), m.polynomial({0.04166664555668831, -0.0013887309469282627, 2.4432411009911448e-05}, s),
      m.fma(s, m.constant(-0.5, x), m.constant(1.0, x)));
  Value octant = m.toInteger(safe);
  if (cosine)
    octant = m.addI(octant, m.integer(1, x));
  Value swap = arith::CmpIOp::create(m.b, m.loc, arith::CmpIPredicate::ne, m.andI(octant, m.integer(1, x)),
                                     m.integer(0, x));
  Value sign = m.shiftLeft(m.andI(octant, m.integer(2, x)), m.integer(30, x));
  Value result = m.select(swap, cosinePart, sine);
  return m.fromBits(m.xorI(m.bits(result), sign), x);
}

//===-- calls of libm -----------------------------------------------------===//

static StringRef getLibmName(Operation *op) {
  return llvm::StringSwitch<StringRef>(op->getName().getStringRef())
      .Case("math.exp", "exp")
      .Case("math.exp2", "exp2")
      .Case("math.expm1", "expm1")
      .Case("math.log", "log")
      .Case("math.log2", "log2")
      .Case("math.log10", "log10")
      .Case("math.log1p", "log1p")
      .Case("math.erf", "erf")
      .Case("math.erfc", "erfc")
      .Case("math.powf", "pow")
      .Case("math.sin", "sin")
      .Case("math.cos", "cos")
      .Case("math.tan", "tan")
      .Case("math.tanh", "tanh")
      .Case("math.sinh", "sinh")
      .Case("math.cosh", "cosh")
      .Case("math.asin", "asin")
      .Case("math.acos", "acos")
      .Case("math.atan", "atan")
      .Case("math.atan2", "atan2")
      .Case("math.asinh", "asinh")
      .Case("math.acosh", "acosh")
      .Case("math.atanh", "atanh")
      .Case("math.cbrt", "cbrt")
      .Default("");
}

static Value emitCall(OpBuilder &b, Operation *op, StringRef name, ArrayRef<Value> scalars) {
  auto module = op->getParentOfType<ModuleOp>();
  auto callee = module.lookupSymbol<func::FuncOp>(name);
  if (!callee) {
    OpBuilder top = OpBuilder::atBlockEnd(module.getBody());
    SmallVector<Type> types(scalars.size(), b.getF64Type());
    callee = func::FuncOp::create(top, module.getLoc(), name, b.getFunctionType(types, {b.getF64Type()}));
    callee.setPrivate();
    callee->setAttr("llvm.readnone", b.getUnitAttr());
  }
  SmallVector<Value> arguments;
  for (Value v : scalars)
    arguments.push_back(
        v.getType().isF64() ? v : arith::ExtFOp::create(b, op->getLoc(), b.getF64Type(), v).getResult());
  Value result = func::CallOp::create(b, op->getLoc(), callee, arguments).getResult(0);
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  return element.isF64() ? result : arith::TruncFOp::create(b, op->getLoc(), element, result).getResult();
}

static Value emitLibm(OpBuilder &b, Operation *op, StringRef name) {
  auto vector = dyn_cast<VectorType>(op->getResult(0).getType());
  if (!vector)
    return emitCall(b, op, name, llvm::to_vector_of<Value>(op->getOperands()));
  Value result = arith::ConstantOp::create(b, op->getLoc(), b.getZeroAttr(vector));
  for (int64_t lane = 0; lane < vector.getNumElements(); ++lane) {
    SmallVector<Value> scalars;
    for (Value operand : op->getOperands())
      scalars.push_back(vector::ExtractOp::create(b, op->getLoc(), operand, ArrayRef<int64_t>{lane}));
    Value one = emitCall(b, op, name, scalars);
    result = vector::InsertOp::create(b, op->getLoc(), one, result, ArrayRef<int64_t>{lane});
  }
  return result;
}

static Value emitPolynomial(MathBuilder &m, Operation *op) {
  Value x = op->getOperand(0);
  if (isa<math::ExpOp>(op))
    return emitExp(m, x);
  if (isa<math::LogOp>(op))
    return emitLog(m, x);
  if (isa<math::Log1pOp>(op))
    return emitLog1p(m, x);
  if (isa<math::ErfOp>(op))
    return emitErf(m, x);
  if (isa<math::SinOp>(op))
    return emitSinOrCos(m, x, false);
  if (isa<math::CosOp>(op))
    return emitSinOrCos(m, x, true);
  return {};
}

void expandMath(ModuleOp module) {
  SmallVector<Operation *> operations;
  module.walk([&](Operation *op) {
    if (!getLibmName(op).empty())
      operations.push_back(op);
  });
  for (Operation *op : operations) {
    OpBuilder b(op);
    MathBuilder m(b, op->getLoc());
    Value result;
    if (getElementTypeOrSelf(op->getResult(0).getType()).isF32())
      result = emitPolynomial(m, op);
    if (!result)
      result = emitLibm(b, op, getLibmName(op));
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }
}

} // namespace kowari::codegen
