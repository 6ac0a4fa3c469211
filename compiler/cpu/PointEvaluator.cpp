//===- PointEvaluator.cpp - values of a kernel at one place ---------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/cpu/PointEvaluator.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using kowari::flow::PointExtent;
using kowari::flow::ResultKind;
using kowari::flow::RowwiseOpInterface;
using kowari::flow::Shape;

namespace kowari::codegen {

static Value constantIndex(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
}

Type PointEvaluator::getType(Type element, Axes axes) const {
  return isVector(axes) ? VectorType::get({(int64_t)lanes}, element) : element;
}

Value PointEvaluator::broadcast(OpBuilder &builder, Value value) {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(builder, getLocation(),
                                     VectorType::get({(int64_t)lanes}, value.getType()), value);
}

static Value getLaneNumbers(OpBuilder &builder, Location loc, unsigned lanes) {
  SmallVector<int64_t> numbers;
  for (unsigned i = 0; i < lanes; ++i)
    numbers.push_back(i);
  return arith::ConstantOp::create(builder, loc, builder.getI64VectorAttr(numbers));
}

Value PointEvaluator::getMask(OpBuilder &builder, Value first, Value limit) {
  Value rest = arith::SubIOp::create(builder, getLocation(), limit, first);
  return arith::CmpIOp::create(builder, getLocation(), arith::CmpIPredicate::slt,
                               getLaneNumbers(builder, getLocation(), lanes), broadcast(builder, rest));
}

PointScope &PointEvaluator::homeOf(Axes axes, PointScope &scope) {
  if (nest.isInner(axes)) {
    assert(&scope != &kernelScope && "an inner value asked for outside the inner loop");
    return scope;
  }
  if (!nest.hasOuter || !axes.has(nest.outer()))
    return kernelScope;
  return scope.parent && scope.parent != &kernelScope ? *scope.parent : scope;
}

const PointEvaluator::Values &PointEvaluator::get(Value value, PointScope &scope) {
  PointScope &home = homeOf(getAxes(value), scope);
  auto found = home.values.find(value);
  if (found != home.values.end())
    return found->second;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Values loaded = load(value, argument.getArgNumber(), home);
    return home.values[value] = std::move(loaded);
  }
  if (auto stored = nest.findStored(source, value, scope.stage)) {
    Values loaded = load(value, source.getNumArguments() + *stored, home);
    return home.values[value] = std::move(loaded);
  }
  evaluate(value.getDefiningOp(), home);
  return home.values[value];
}

const PointEvaluator::Values &PointEvaluator::getPoints(OpResult sum, PointScope &scope) {
  auto found = scope.values.find(sum);
  if (found == scope.values.end())
    evaluate(sum.getOwner(), scope);
  return scope.values[sum];
}

PointExtent PointEvaluator::getExtent(Type type) {
  auto found = extents.find(type);
  if (found != extents.end())
    return found->second;
  OpBuilder &b = *kernelScope.builder;
  auto make = [&](Value count) -> Value {
    Value number = arith::SIToFPOp::create(b, getLocation(), getElementTypeOrSelf(type), count);
    return isa<VectorType>(type) ? broadcast(b, number) : number;
  };
  return extents[type] = PointExtent{make(arguments.rows), make(arguments.columns), Value()};
}

Value PointEvaluator::getColumnIndex(PointScope &scope, bool vector, unsigned column, unsigned count) {
  OpBuilder &b = *scope.builder;
  Value first = scope.column ? scope.column : scope.parent ? scope.parent->column : Value();
  if (!first)
    return {};
  if (count > 1) {
    first = arith::MulIOp::create(b, getLocation(), first, constantIndex(b, getLocation(), count));
    first = arith::AddIOp::create(b, getLocation(), first, constantIndex(b, getLocation(), column));
  }
  if (!vector)
    return first;
  first = broadcast(b, first);
  if (nest.lane == Axis::Columns)
    first = arith::AddIOp::create(b, getLocation(), first, getLaneNumbers(b, getLocation(), lanes));
  return first;
}

/// The type an operation's points are computed in: that of its first real operand, else of its first real
/// result.
static Type getPointElement(Operation *op) {
  for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
    for (Value v : values)
      if (isa<FloatType>(flow::getElementType(v)))
        return flow::getElementType(v);
  return Float64Type::get(op->getContext());
}

void PointEvaluator::evaluateColumn(Operation *op, unsigned column, unsigned count, PointScope &scope,
                                    SmallVector<Values> &results) {
  Axes axes = getAxes(op);
  bool vector = isVector(axes);
  SmallVector<SmallVector<Value>> operands;
  for (Value operand : op->getOperands()) {
    Values values = get(operand, scope);
    if (count > 1 && getAxes(operand).columns)
      values = {values[column]};
    for (Value &v : values)
      v = vector ? broadcast(*scope.builder, v) : v;
    operands.push_back(std::move(values));
  }
  PointExtent extent = getExtent(getType(getPointElement(op), axes));
  if (axes.columns)
    extent.column = getColumnIndex(scope, vector, column, count);
  cast<RowwiseOpInterface>(op).emitPoint(*scope.builder, op->getLoc(), operands, extent, results);
}

void PointEvaluator::evaluate(Operation *op, PointScope &scope) {
  unsigned count = getOperationWidth(op, nest);
  SmallVector<Values> all(op->getNumResults());
  for (unsigned column = 0; column < count; ++column) {
    SmallVector<SmallVector<Value>> results;
    evaluateColumn(op, column, count, scope, results);
    assert(results.size() == all.size() && "emitPoint returned another number of results");
    for (auto [collected, part] : llvm::zip(all, results))
      collected.append(part);
  }
  for (auto [result, values] : llvm::zip(op->getResults(), all))
    scope.values[result] = std::move(values);
}

void PointEvaluator::finish(OpResult sum, ArrayRef<Value> totals, PointScope &scope) {
  Values finished;
  auto rowwise = cast<RowwiseOpInterface>(sum.getOwner());
  for (Value total : totals)
    finished.push_back(rowwise.emitFinish(*scope.builder, sum.getOwner()->getLoc(), sum.getResultNumber(),
                                          total, getExtent(total.getType())));
  scope.values[sum] = std::move(finished);
}

//===-- memory ------------------------------------------------------------===//

Value PointEvaluator::getAddress(Value like, unsigned slot, unsigned column, PointScope &scope) {
  OpBuilder &b = *scope.builder;
  Location loc = getLocation();
  Value row = scope.row ? scope.row : scope.parent ? scope.parent->row : Value();
  Value columnIndex = scope.column ? scope.column : scope.parent ? scope.parent->column : Value();
  unsigned width = nest.widthOf(like);
  auto widened = [&]() -> Value {
    if (width == 1)
      return columnIndex;
    Value first = arith::MulIOp::create(b, loc, columnIndex, constantIndex(b, loc, width));
    return arith::AddIOp::create(b, loc, first, constantIndex(b, loc, column));
  };
  Axes axes = getAxes(like);
  Value index;
  if (axes.rows && axes.columns) {
    bool rowMajor = nest.lane == Axis::Columns;
    Value major = rowMajor ? row : widened(), minor = rowMajor ? columnIndex : row;
    index =
        arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, major, arguments.strides[slot]), minor);
  } else if (axes.rows) {
    index = row;
  } else if (axes.columns) {
    index = widened();
  } else {
    index = constantIndex(b, loc, 0);
  }
  return LLVM::GEPOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), flow::getElementType(like),
                             arguments.pointers[slot], ValueRange{index});
}

static unsigned getBytes(Type element) { return element.getIntOrFloatBitWidth() / 8; }

PointEvaluator::Values PointEvaluator::load(Value like, unsigned slot, PointScope &scope) {
  Values values;
  Type element = flow::getElementType(like), type = getType(element, getAxes(like));
  for (unsigned column = 0; column < nest.widthOf(like); ++column)
    values.push_back(LLVM::LoadOp::create(*scope.builder, getLocation(), type,
                                          getAddress(like, slot, column, scope), getBytes(element)));
  return values;
}

void PointEvaluator::storeOne(Value value, Value address, OpBuilder &builder, Value mask) {
  unsigned alignment = getBytes(getElementTypeOrSelf(value.getType()));
  if (mask)
    LLVM::MaskedStoreOp::create(builder, getLocation(), value, address, mask, alignment);
  else
    LLVM::StoreOp::create(builder, getLocation(), value, address, alignment);
}

void PointEvaluator::store(unsigned index, PointScope &scope, Value limit) {
  Value result = source.front().getTerminator()->getOperand(index);
  Axes axes = getAxes(result);
  PointScope &home = homeOf(axes, scope);
  if (auto tied = source.getResultAttrOfType<IntegerAttr>(index, "flow.tied"))
    get(source.getArgument(tied.getInt()),
        scope); // read before it is overwritten, for whoever needs it later
  Values values = get(result, scope);
  OpBuilder &b = *home.builder;
  OpBuilder::InsertionGuard guard(b);
  Value mask;
  bool shared =
      !axes.rows || source.getResultAttr(index, "flow.partial"); // what lies behind it is somebody else's
  if (limit && shared && axes.has(nest.lane))
    mask = getMask(b, scope.column ? scope.column : scope.parent->column, limit);
  if (!axes.any()) { // every chunk computes scalars; the first one stores them
    Value zero = constantIndex(b, getLocation(), 0);
    Value begin = arith::OrIOp::create(b, getLocation(), arguments.rowBegin, arguments.columnBegin);
    Value first = arith::CmpIOp::create(b, getLocation(), arith::CmpIPredicate::eq, begin, zero);
    auto guarded = scf::IfOp::create(b, getLocation(), first);
    b.setInsertionPointToStart(guarded.thenBlock());
    PointScope inside;
    inside.builder = &b;
    storeOne(values[0], getAddress(result, source.getNumArguments() + index, 0, inside), b, {});
    return;
  }
  for (auto [column, value] : llvm::enumerate(values))
    storeOne(value, getAddress(result, source.getNumArguments() + index, column, home), b, mask);
}

} // namespace kowari::codegen
