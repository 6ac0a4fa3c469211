//===- LuOps.cpp - loops over LU factors ----------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// D is the size of the diagonal's memref; the packed triangles have D (D - 1)/2 entries whatever theirs say.
// Matrices are at most some sixty wide, so plain loops do.
//
//===----------------------------------------------------------------------===//
#include "dialects/flow/PointBuilder.h"

using namespace mlir;

namespace kowari::flow {

namespace {

class LuBuilder : public PointBuilder {
public:
  LuBuilder(OpBuilder &builder, Location location, Value lower, Value upper, Value diagonal,
            Value permutation)
      : PointBuilder(builder, location), lower(lower), upper(upper), diagonal(diagonal),
        permutation(permutation) {
    zero = index(0);
    one = index(1);
    size = memref::DimOp::create(builder, location, diagonal, 0);
  }

  Value index(int64_t v) { return arith::ConstantIndexOp::create(b, loc, v); }
  Value addI(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value subI(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value mulI(Value x, Value y) { return arith::MulIOp::create(b, loc, x, y); }
  Value next(Value i) { return addI(i, one); }
  /// Reals are widened to float64 here and rounded in store(): an outlier of fifty standard deviations
  /// multiplies every rounding of these small matrices.
  Value load(Value memref, ValueRange at) {
    Value value = memref::LoadOp::create(b, loc, memref, at);
    return value.getType().isF32() ? arith::ExtFOp::create(b, loc, b.getF64Type(), value).getResult() : value;
  }
  void store(Value value, Value memref, ValueRange at) {
    if (cast<MemRefType>(memref.getType()).getElementType().isF32())
      value = arith::TruncFOp::create(b, loc, b.getF32Type(), value);
    memref::StoreOp::create(b, loc, value, memref, at);
  }
  Value real(double v) { return constant(v, getOne()); }

  void loop(Value begin, Value end, llvm::function_ref<void(Value)> body) {
    auto op = scf::ForOp::create(b, loc, begin, end, one);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(op.getBody());
    body(op.getInductionVar());
  }
  /// start + term(begin) + ... + term(end - 1).
  Value sum(Value begin, Value end, Value start, llvm::function_ref<Value(Value)> term) {
    auto op = scf::ForOp::create(b, loc, begin, end, one, ValueRange{start});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(op.getBody());
    scf::YieldOp::create(b, loc, ValueRange{add(op.getRegionIterArg(0), term(op.getInductionVar()))});
    return op.getResult(0);
  }

  /// Row-major number of entry (i, k), k < i, below the diagonal.
  Value lowerSlot(Value i, Value k) { return addI(half(mulI(i, subI(i, one))), k); }
  /// Row-major number of entry (k, j), j > k, above the diagonal.
  Value upperSlot(Value k, Value j) {
    Value before = subI(mulI(k, size), half(mulI(k, next(k))));
    return addI(before, subI(subI(j, k), one));
  }
  Value loadLower(Value i, Value k) { return load(lower, lowerSlot(i, k)); }
  Value loadUpper(Value k, Value j) { return load(upper, upperSlot(k, j)); }
  Value loadDiagonal(Value i) {
    Value x = load(diagonal, i), top = constant(20.0, x);
    Value soft = select(greater(x, top), x, log1p(exp(select(greater(x, top), top, x))));
    return add(soft, constant(1e-3, x));
  }
  Value loadSlope(Value i) {
    Value x = load(diagonal, i);
    return select(greater(x, constant(20.0, x)), constant(1.0, x), sigmoid(x));
  }
  Value permuted(Value j) {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), load(permutation, j));
  }
  Value sumLogDiagonal() {
    return sum(zero, size, real(0.0), [&](Value i) { return log(loadDiagonal(i)); });
  }

  Value zero, one, size;

private:
  Value half(Value x) { return arith::DivUIOp::create(b, loc, x, index(2)); }
  Value getOne() { return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(1.0)); }

  Value lower, upper, diagonal, permutation;
};

} // namespace

/// weight[i, permutation[j]] = sum over k < min(i, j) of L_ik U_kj, and the term with k = min(i, j).
void LuWeightOp::emitLoops(OpBuilder &builder, Location location, ValueRange memrefs) {
  LuBuilder lu(builder, location, memrefs[0], memrefs[1], memrefs[2], memrefs[3]);
  Value weight = memrefs[4];
  lu.loop(lu.zero, lu.size, [&](Value j) {
    Value target = lu.permuted(j), pivot = lu.loadDiagonal(j);
    auto column = [&](Value begin, Value end, llvm::function_ref<Value(Value)> last) {
      lu.loop(begin, end, [&](Value i) {
        Value terms = arith::MinUIOp::create(builder, location, i, j);
        Value total = lu.sum(lu.zero, terms, last(i),
                             [&](Value k) { return lu.mul(lu.loadLower(i, k), lu.loadUpper(k, j)); });
        lu.store(total, weight, {i, target});
      });
    };
    column(lu.zero, j, [&](Value i) { return lu.loadUpper(i, j); });
    column(j, lu.next(j), [&](Value) { return pivot; });
    column(lu.next(j), lu.size, [&](Value i) { return lu.mul(lu.loadLower(i, j), pivot); });
  });
  lu.store(lu.sumLogDiagonal(), memrefs[5], lu.zero);
}

/// With G[i, j] = dweight[i, permutation[j]]: dL = (G U^T) below, dU = (L^T G) on and above the diagonal.
void LuWeightGradOp::emitLoops(OpBuilder &builder, Location location, ValueRange memrefs) {
  LuBuilder lu(builder, location, memrefs[2], memrefs[3], memrefs[4], memrefs[5]);
  Value dweight = memrefs[0], dlower = memrefs[6], dupper = memrefs[7], ddiagonal = memrefs[8];
  auto g = [&](Value i, Value j) { return lu.load(dweight, {i, lu.permuted(j)}); };
  auto transposedProduct = [&](Value i, Value j) { // (L^T G)_ij, L with a unit diagonal
    return lu.sum(lu.next(i), lu.size, g(i, j), [&](Value k) { return lu.mul(lu.loadLower(k, i), g(k, j)); });
  };
  lu.loop(lu.zero, lu.size, [&](Value i) {
    lu.loop(lu.zero, i, [&](Value j) {
      Value total = lu.sum(lu.next(j), lu.size, lu.mul(g(i, j), lu.loadDiagonal(j)),
                           [&](Value k) { return lu.mul(g(i, k), lu.loadUpper(j, k)); });
      lu.store(total, dlower, lu.lowerSlot(i, j));
    });
    Value dlog = lu.div(lu.load(memrefs[1], lu.zero), lu.loadDiagonal(i));
    lu.store(lu.mul(lu.add(transposedProduct(i, i), dlog), lu.loadSlope(i)), ddiagonal, i);
    lu.loop(lu.next(i), lu.size,
            [&](Value j) { lu.store(transposedProduct(i, j), dupper, lu.upperSlot(i, j)); });
  });
}

/// Column i of (L U)^-1 by L z = e_i, U y = z, in place in the result: row j of it lies at permutation[j].
void LuWeightInverseOp::emitLoops(OpBuilder &builder, Location location, ValueRange memrefs) {
  LuBuilder lu(builder, location, memrefs[0], memrefs[1], memrefs[2], memrefs[3]);
  Value weight = memrefs[4];
  lu.loop(lu.zero, lu.size, [&](Value i) {
    auto entry = [&](Value j) { return lu.load(weight, {lu.permuted(j), i}); };
    auto setEntry = [&](Value j, Value v) { lu.store(v, weight, {lu.permuted(j), i}); };
    lu.loop(lu.zero, i, [&](Value j) { setEntry(j, lu.real(0.0)); });
    setEntry(i, lu.real(1.0));
    lu.loop(lu.next(i), lu.size, [&](Value j) { // z_k = 0 for k < i
      Value total = lu.sum(i, j, lu.real(0.0), [&](Value k) { return lu.mul(lu.loadLower(j, k), entry(k)); });
      setEntry(j, lu.neg(total));
    });
    lu.loop(lu.zero, lu.size, [&](Value step) {
      Value j = lu.subI(lu.subI(lu.size, step), lu.one);
      Value total = lu.sum(lu.next(j), lu.size, lu.real(0.0),
                           [&](Value k) { return lu.mul(lu.loadUpper(j, k), entry(k)); });
      setEntry(j, lu.div(lu.sub(entry(j), total), lu.loadDiagonal(j)));
    });
  });
  lu.store(lu.neg(lu.sumLogDiagonal()), memrefs[5], lu.zero);
}

} // namespace kowari::flow
