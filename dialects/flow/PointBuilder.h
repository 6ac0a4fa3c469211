//===- PointBuilder.h - arithmetic on one point -----------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Shorthand with which emitPoint writes formulas. Every value is T or vector<WxT>; constants take the type of
// the value they stand beside.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/flow/FlowOps.h"

namespace kowari::flow {

class PointBuilder {
public:
  PointBuilder(mlir::OpBuilder &builder, mlir::Location location) : b(builder), loc(location) {}

  using Value = mlir::Value;
  Value add(Value x, Value y) { return mlir::arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return mlir::arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return mlir::arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return mlir::arith::DivFOp::create(b, loc, x, y); }
  Value neg(Value x) { return mlir::arith::NegFOp::create(b, loc, x); }
  Value fma(Value x, Value y, Value z) { return mlir::math::FmaOp::create(b, loc, x, y, z); }
  Value min(Value x, Value y) { return mlir::arith::MinNumFOp::create(b, loc, x, y); }
  Value max(Value x, Value y) { return mlir::arith::MaxNumFOp::create(b, loc, x, y); }
  Value exp(Value x) { return mlir::math::ExpOp::create(b, loc, x); }
  Value log(Value x) { return mlir::math::LogOp::create(b, loc, x); }
  Value log1p(Value x) { return mlir::math::Log1pOp::create(b, loc, x); }
  Value sqrt(Value x) { return mlir::math::SqrtOp::create(b, loc, x); }
  Value erf(Value x) { return mlir::math::ErfOp::create(b, loc, x); }
  Value select(Value condition, Value x, Value y) {
    return mlir::arith::SelectOp::create(b, loc, condition, x, y);
  }
  Value greater(Value x, Value y) { return compare(mlir::arith::CmpFPredicate::OGT, x, y); }
  Value greaterEqual(Value x, Value y) { return compare(mlir::arith::CmpFPredicate::OGE, x, y); }
  Value less(Value x, Value y) { return compare(mlir::arith::CmpFPredicate::OLT, x, y); }
  Value compare(mlir::arith::CmpFPredicate predicate, Value x, Value y) {
    return mlir::arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  /// A floating-point constant of `like`'s type.
  Value constant(double value, Value like) {
    mlir::Type type = like.getType();
    mlir::Type element = mlir::getElementTypeOrSelf(type);
    mlir::TypedAttr attribute = b.getFloatAttr(element, value);
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
      attribute = mlir::DenseElementsAttr::get(vector, mlir::cast<mlir::Attribute>(attribute));
    return mlir::arith::ConstantOp::create(b, loc, attribute);
  }
  /// 1/(1 + exp(-x)).
  Value sigmoid(Value x) {
    Value one = constant(1.0, x);
    return div(one, add(one, exp(neg(x))));
  }

  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace kowari::flow
