//===- ProductOps.cpp - matrix products and column movement ---------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/flow/PointBuilder.h"
#include "dialects/flow/ShapeChecks.h"

using namespace mlir;

namespace kowari::flow {

static int64_t countColumns(ValueRange inputs) {
  int64_t columns = 0;
  for (Value x : inputs)
    columns += getColumns(x.getType());
  return columns;
}

/// -1 for a dimension the tensor does not have, which fits nothing.
static int64_t getDim(Value v, unsigned dim) {
  auto type = cast<RankedTensorType>(v.getType());
  return dim < type.getRank() ? type.getDimSize(dim) : -1;
}

//===-- linear ------------------------------------------------------------===//

LogicalResult LinearOp::verify() {
  if (failed(check(*this, countColumns(getInputs()) == getDim(getWeight(), 1), 1,
                   "the inputs' columns do not add up to the weight's")))
    return failure();
  int64_t outputs = getDim(getWeight(), 0);
  bool fits = getColumns(getResult().getType()) == outputs &&
              (!getBias() ||
               (getShape(getBias().getType()) == Shape::ColumnVector && getDim(getBias(), 0) == outputs));
  if (failed(check(*this, fits && getShape(getResult().getType()) == Shape::Matrix, 2,
                   "result or bias do not have the weight's number of rows")))
    return failure();
  for (Value v : getOperands())
    if (failed(check(*this, getElementType(v) == getElementType(getResult()), 3, "element types differ")))
      return failure();
  return success();
}

void LinearOp::buildAdjoint(OpBuilder &builder, ArrayRef<Value> resultGradients, ArrayRef<bool> needed,
                            SmallVectorImpl<Value> &operandGradients) {
  Value dy = resultGradients[0];
  unsigned count = getInputs().size();
  int64_t start = 0;
  for (auto [i, x] : llvm::enumerate(getInputs())) {
    if (needed[i] && getColumns(x.getType()) > 0)
      operandGradients[i] =
          LinearGradInputOp::create(builder, getLoc(), x.getType(), dy, getWeight(), Value(), start);
    start += getColumns(x.getType());
  }
  if (needed[count])
    operandGradients[count] =
        LinearGradWeightOp::create(builder, getLoc(), getWeight().getType(), dy, getInputs());
  if (getBias() && needed[count + 1])
    operandGradients[count + 1] = SumRowsOp::create(builder, getLoc(), getBias().getType(), dy);
}

LogicalResult LinearOp::lowerToPlan(PlanEmitter &emitter) {
  Value weight = emitter.getView(getWeight()), y = emitter.getResultView(0);
  Value bias = getBias() ? emitter.getView(getBias()) : Value();
  int64_t start = 0;
  bool first = true;
  for (Value input : getInputs()) {
    int64_t columns = getColumns(input.getType());
    if (columns > 0) {
      Value part = emitter.getColumnsOf(weight, start, columns);
      emitter.emitProduct(emitter.getView(input), emitter.transpose(part), y, first ? bias : Value(), !first);
      first = false;
    }
    start += columns;
  }
  if (first) { // no input column at all: the bias alone
    emitter.emitFill(y, 0.0);
    if (bias)
      return emitOpError("a linear map without inputs needs its bias split off before it is planned");
  }
  return success();
}

LogicalResult LinearGradInputOp::verify() {
  if (failed(check(*this, getColumns(getDy().getType()) == getDim(getWeight(), 0), 1,
                   "dy does not fit the weight")) ||
      failed(check(*this,
                   (int64_t)getStart() >= 0 &&
                       (int64_t)getStart() + getColumns(getResult().getType()) <= getDim(getWeight(), 1),
                   2, "columns outside the weight")))
    return failure();
  return check(*this, !getAccumulator() || getAccumulator().getType() == getResult().getType(), 3,
               "the accumulator has another type");
}

LogicalResult LinearGradInputOp::lowerToPlan(PlanEmitter &emitter) {
  Value part =
      emitter.getColumnsOf(emitter.getView(getWeight()), getStart(), getColumns(getResult().getType()));
  if (getAccumulator())
    emitter.setResultView(0, emitter.getView(getAccumulator()));
  emitter.emitProduct(emitter.getView(getDy()), part, emitter.getResultView(0), Value(),
                      bool(getAccumulator()));
  return success();
}

LogicalResult LinearGradWeightOp::verify() {
  return check(*this,
               countColumns(getInputs()) == getDim(getResult(), 1) &&
                   getColumns(getDy().getType()) == getDim(getResult(), 0),
               1, "dy and inputs do not fit the weight");
}

LogicalResult LinearGradWeightOp::lowerToPlan(PlanEmitter &emitter) {
  Value dw = emitter.getResultView(0), dy = emitter.transpose(emitter.getView(getDy()));
  int64_t start = 0;
  for (Value input : getInputs()) {
    int64_t columns = getColumns(input.getType());
    if (columns > 0)
      emitter.emitProduct(dy, emitter.getView(input), emitter.getColumnsOf(dw, start, columns), Value(),
                          false);
    start += columns;
  }
  return success();
}

//===-- bias and sums -----------------------------------------------------===//

LogicalResult AddBiasOp::verify() {
  if (failed(checkSameType(*this, 1, {getX(), getResult()})))
    return failure();
  return checkShape(*this, 1, Shape::ColumnVector, getX(), {getBias()});
}

void AddBiasOp::emitPoint(OpBuilder &builder, Location location, ArrayRef<SmallVector<Value>> operands,
                          const PointExtent &extent, SmallVector<SmallVector<Value>> &results) {
  results = {{PointBuilder(builder, location).add(operands[0][0], operands[1][0])}};
}

LogicalResult SubBiasOp::verify() {
  if (failed(checkSameType(*this, 1, {getX(), getResult()})))
    return failure();
  return checkShape(*this, 1, Shape::ColumnVector, getX(), {getBias()});
}

void SubBiasOp::emitPoint(OpBuilder &builder, Location location, ArrayRef<SmallVector<Value>> operands,
                          const PointExtent &extent, SmallVector<SmallVector<Value>> &results) {
  results = {{PointBuilder(builder, location).sub(operands[0][0], operands[1][0])}};
}

LogicalResult SumRowsOp::verify() {
  Shape from = getShape(getX().getType()), to = getShape(getResult().getType());
  bool fits = (from == Shape::Matrix && to == Shape::ColumnVector &&
               getColumns(getX().getType()) == getColumns(getResult().getType())) ||
              (from == Shape::RowVector && to == Shape::Scalar);
  return check(*this, fits && getElementType(getX()) == getElementType(getResult()), 1,
               "the result is not the operand without its rows");
}

ResultKind SumRowsOp::getResultKind(unsigned) { return ResultKind::ColumnSum; }

void SumRowsOp::emitPoint(OpBuilder &, Location, ArrayRef<SmallVector<Value>> operands, const PointExtent &,
                          SmallVector<SmallVector<Value>> &results) {
  results = {{operands[0][0]}};
}

//===-- column movement ---------------------------------------------------===//

static LogicalResult checkSplit(Operation *op, int64_t start, Value whole, Value selected, Value others) {
  if (failed(check(op, start == 0 || start == 1, 1, "start is neither 0 nor 1")))
    return failure();
  int64_t columns = getColumns(whole.getType()), count = (columns - start + 1) / 2;
  return check(op, getColumns(selected.getType()) == count && getColumns(others.getType()) == columns - count,
               2, "column counts do not fit");
}

LogicalResult SplitColumnsOp::verify() {
  return checkSplit(*this, getStart(), getX(), getSelected(), getOthers());
}

void SplitColumnsOp::buildAdjoint(OpBuilder &builder, ArrayRef<Value> resultGradients, ArrayRef<bool> needed,
                                  SmallVectorImpl<Value> &operandGradients) {
  auto orZeros = [&](Value gradient, Value like) -> Value {
    return gradient ? gradient : ZerosOp::create(builder, getLoc(), like.getType()).getResult();
  };
  Value a = orZeros(resultGradients[0], getSelected()), b = orZeros(resultGradients[1], getOthers());
  operandGradients[0] = InterleaveColumnsOp::create(builder, getLoc(), getX().getType(), a, b, getStart());
}

LogicalResult SplitColumnsOp::lowerToPlan(PlanEmitter &emitter) {
  Value x = emitter.getView(getX());
  for (auto [index, first] : {std::pair<unsigned, int64_t>{0, getStart()}, {1, 1 - getStart()}}) {
    int64_t count = getColumns(getResult(index).getType());
    if (count > 0)
      emitter.emitCopy(emitter.getColumnsOf(x, first, count, 2), emitter.getResultView(index));
  }
  return success();
}

LogicalResult InterleaveColumnsOp::verify() {
  return checkSplit(*this, getStart(), getResult(), getSelected(), getOthers());
}

void InterleaveColumnsOp::buildAdjoint(OpBuilder &builder, ArrayRef<Value> resultGradients,
                                       ArrayRef<bool> needed, SmallVectorImpl<Value> &operandGradients) {
  auto split =
      SplitColumnsOp::create(builder, getLoc(), TypeRange{getSelected().getType(), getOthers().getType()},
                             resultGradients[0], getStart());
  for (unsigned i : {0u, 1u})
    if (needed[i])
      operandGradients[i] = split.getResult(i);
}

LogicalResult InterleaveColumnsOp::lowerToPlan(PlanEmitter &emitter) {
  Value y = emitter.getResultView(0);
  for (auto [source, first] :
       {std::pair<Value, int64_t>{getSelected(), getStart()}, {getOthers(), 1 - getStart()}}) {
    int64_t count = getColumns(source.getType());
    if (count > 0)
      emitter.emitCopy(emitter.getView(source), emitter.getColumnsOf(y, first, count, 2));
  }
  return success();
}

LogicalResult ConcatColumnsOp::verify() {
  return check(*this, countColumns(getInputs()) == getColumns(getResult().getType()), 1,
               "columns do not add up");
}

LogicalResult ConcatColumnsOp::lowerToPlan(PlanEmitter &emitter) {
  Value y = emitter.getResultView(0);
  int64_t start = 0;
  for (Value input : getInputs()) {
    int64_t count = getColumns(input.getType());
    emitter.emitCopy(emitter.getView(input), emitter.getColumnsOf(y, start, count));
    start += count;
  }
  return success();
}

LogicalResult ZerosOp::lowerToPlan(PlanEmitter &emitter) {
  emitter.emitFill(emitter.getResultView(0), 0.0);
  return success();
}

} // namespace kowari::flow
