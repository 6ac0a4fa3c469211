//===- PhiloxBuilder.h - counter-based random numbers -----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Philox 4x32 with 10 rounds, as Random123's philox4x32 bit for bit. Every value is i32 or vector<Wxi32>.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/flow/FlowOps.h"

#include <array>

namespace kowari::flow {

class PhiloxBuilder {
public:
  using Words = std::array<mlir::Value, 4>;
  PhiloxBuilder(mlir::OpBuilder &builder, mlir::Location location) : b(builder), loc(location) {}

  /// The four random words of a counter under a key of two words.
  Words generate(Words counter, mlir::Value key0, mlir::Value key1) {
    for (int round = 0; round < 10; ++round) {
      if (round > 0) {
        key0 = add(key0, constant(0x9E3779B9u, key0));
        key1 = add(key1, constant(0xBB67AE85u, key1));
      }
      auto first = multiply(counter[0], 0xD2511F53u), second = multiply(counter[2], 0xCD9E8D57u);
      counter = {exclusiveOr(exclusiveOr(second.getHigh(), counter[1]), key0), second.getLow(),
                 exclusiveOr(exclusiveOr(first.getHigh(), counter[3]), key1), first.getLow()};
    }
    return counter;
  }
  /// The low (`part` 0) or high (1) word of an i64 or vector<Wxi64>.
  mlir::Value getWord(mlir::Value wide, unsigned part) {
    mlir::Type narrow = cloneWith(wide.getType(), b.getI32Type());
    if (part == 1)
      wide = mlir::arith::ShRUIOp::create(b, loc, wide, constantOf(wide.getType(), 32));
    return mlir::arith::TruncIOp::create(b, loc, narrow, wide);
  }
  mlir::Value constant(uint32_t value, mlir::Value like) { return constantOf(like.getType(), value); }

private:
  static mlir::Type cloneWith(mlir::Type like, mlir::Type element) {
    auto vector = mlir::dyn_cast<mlir::VectorType>(like);
    return vector ? mlir::Type(vector.clone(element)) : element;
  }
  mlir::Value constantOf(mlir::Type type, uint32_t value) {
    mlir::Type element = mlir::getElementTypeOrSelf(type);
    mlir::TypedAttr attribute =
        b.getIntegerAttr(element, llvm::APInt(element.getIntOrFloatBitWidth(), value));
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
      attribute = mlir::DenseElementsAttr::get(vector, mlir::cast<mlir::Attribute>(attribute));
    return mlir::arith::ConstantOp::create(b, loc, attribute);
  }
  mlir::Value add(mlir::Value x, mlir::Value y) { return mlir::arith::AddIOp::create(b, loc, x, y); }
  mlir::Value exclusiveOr(mlir::Value x, mlir::Value y) { return mlir::arith::XOrIOp::create(b, loc, x, y); }
  mlir::arith::MulUIExtendedOp multiply(mlir::Value x, uint32_t y) {
    return mlir::arith::MulUIExtendedOp::create(b, loc, x, constant(y, x));
  }

  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace kowari::flow
