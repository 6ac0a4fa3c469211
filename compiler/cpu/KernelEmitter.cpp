//===- KernelEmitter.cpp - the loops of a fused kernel --------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/cpu/KernelEmitter.h"

#include "compiler/cpu/PointEvaluator.h"
#include "compiler/cpu/SmallMatrixEmitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using kowari::flow::ResultKind;

namespace kowari::codegen {

namespace {

/// Rows added up one after the other before their sum joins the total: keeps the error of long column sums
/// small.
constexpr int64_t rowsPerBlock = 64;

/// How many points one step of a loop handles beside the vector lanes.
struct Unroll {
  unsigned outer = 1, inner = 1;
};

/// While it lives, `builder` stands in front of `op`, then behind it.
class PlaceBefore {
public:
  PlaceBefore(OpBuilder &builder, Operation *op) : builder(builder), op(op) { builder.setInsertionPoint(op); }
  ~PlaceBefore() { builder.setInsertionPointAfter(op); }

private:
  OpBuilder &builder;
  Operation *op;
};

class KernelEmitter {
public:
  KernelEmitter(func::FuncOp source, const KernelNest &nest, unsigned lanes, OpBuilder &top,
                KernelArguments arguments)
      : source(source), nest(nest), lanes(lanes), top(top), arguments(arguments), loc(source.getLoc()),
        evaluator(source, nest, lanes, std::move(arguments), kernelScope), unroll(chooseUnroll()) {
    kernelScope.builder = &top;
  }
  void emit();

private:
  using Scopes = ArrayRef<PointScope *>;
  struct Sweep {
    unsigned stage;
    SmallVector<OpResult> sums;
    SmallVector<unsigned> stores; // results with the inner axis
    Scopes scopes;
    bool masked; // lanes run along the inner axis and some must not count or be written
    Value limit; // end of the inner axis
  };

  Unroll chooseUnroll();
  void emitOuter();
  void emitOuterSteps(Value begin, Value end, unsigned count);
  void emitStages(Scopes scopes, Value limit);
  void emitSweep(unsigned stage, Scopes scopes);
  SmallVector<Value> emitBlocks(OpBuilder &b, Value begin, Value end, const Sweep &sweep);
  SmallVector<Value> emitRange(OpBuilder &b, Value begin, Value end, const Sweep &sweep,
                               OpBuilder *scopeBuilder);
  SmallVector<Value> emitLoop(OpBuilder &b, Value begin, Value end, unsigned count, ValueRange totals,
                              const Sweep &sweep, OpBuilder *scopeBuilder);
  SmallVector<Value> emitTail(OpBuilder &b, Value begin, Value end, ValueRange totals, const Sweep &sweep,
                              OpBuilder *scopeBuilder);
  SmallVector<Value> emitBody(OpBuilder &b, Value index, unsigned count, ValueRange totals,
                              const Sweep &sweep, bool tail);
  void finishSums(const Sweep &sweep, ArrayRef<Value> totals);
  SmallVector<Value> addCopies(OpBuilder &b, ValueRange totals, unsigned count);
  SmallVector<Value> getZeros(OpBuilder &b, const Sweep &sweep);
  Value reduceLanes(OpBuilder &b, Value vector);

  Value index(OpBuilder &b, int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  Value roundDown(OpBuilder &b, Value begin, Value end, int64_t step) {
    Value length = arith::SubIOp::create(b, loc, end, begin), stepValue = index(b, step);
    Value whole = arith::DivUIOp::create(b, loc, length, stepValue);
    return arith::AddIOp::create(b, loc, begin, arith::MulIOp::create(b, loc, whole, stepValue));
  }
  bool innerIsLane() const { return nest.inner == nest.lane; }
  int64_t innerStep() const { return innerIsLane() ? lanes : 1; }
  unsigned pointsOf(OpResult sum) const { return nest.widthOf(sum); }
  OperandRange results() { return source.front().getTerminator()->getOperands(); }

  func::FuncOp source;
  const KernelNest &nest;
  unsigned lanes;
  OpBuilder &top;
  KernelArguments arguments;
  Location loc;
  PointScope kernelScope;
  PointEvaluator evaluator;
  Unroll unroll;
};

} // namespace

/// Light kernels are limited by memory and latency: several points a step. Splines and random numbers fill a
/// core with one, and their code is long.
Unroll KernelEmitter::chooseUnroll() {
  for (Operation &op : source.front().without_terminator()) {
    auto rowwise = cast<flow::RowwiseOpInterface>(op);
    for (unsigned i = 0; i < op.getNumOperands(); ++i)
      if (rowwise.getOperandPointWidth(i) > 1)
        return {};
    for (Value v : op.getResults())
      if (nest.widthOf(v) > 1)
        return {};
  }
  if (!nest.hasOuter)
    return {1, 4};
  if (innerIsLane())
    return {1, 2};
  return {nest.lane == Axis::Columns ? 4u : std::max(1u, 16 / lanes), 1};
}

void KernelEmitter::emit() {
  if (nest.hasOuter)
    emitOuter();
  else
    emitStages({&kernelScope}, {});
}

//===-- outer loop --------------------------------------------------------===//

void KernelEmitter::emitOuter() {
  bool rows = nest.outer() == Axis::Rows;
  Value begin = rows ? arguments.rowBegin : arguments.columnBegin,
        end = rows ? arguments.rowEnd : arguments.columnEnd;
  if (unroll.outer > 1) {
    Value split = roundDown(top, begin, end, (int64_t)unroll.outer * lanes);
    emitOuterSteps(begin, split, unroll.outer);
    begin = split;
  }
  emitOuterSteps(begin, end, 1);
}

/// Steps of `count` vectors of the outer axis, or of one index where the lanes run along the inner one.
void KernelEmitter::emitOuterSteps(Value begin, Value end, unsigned count) {
  int64_t step = nest.outer() == nest.lane ? (int64_t)lanes : 1;
  Value stepValue = index(top, step * count);
  auto loop = scf::ForOp::create(top, loc, begin, end, stepValue);
  PlaceBefore place(top, loop);
  OpBuilder b = OpBuilder::atBlockTerminator(loop.getBody());
  SmallVector<PointScope> scopes(count);
  SmallVector<PointScope *> pointers;
  for (unsigned i = 0; i < count; ++i) {
    Value at = loop.getInductionVar();
    if (i > 0)
      at = arith::AddIOp::create(b, loc, at, index(b, i * step));
    (nest.outer() == Axis::Rows ? scopes[i].row : scopes[i].column) = at;
    scopes[i].parent = &kernelScope;
    scopes[i].builder = &b;
    pointers.push_back(&scopes[i]);
  }
  emitStages(pointers, count == 1 && step > 1 ? end : Value());
}

void KernelEmitter::emitStages(Scopes scopes, Value limit) {
  for (unsigned stage = 0; stage < nest.stageCount; ++stage) {
    for (PointScope *scope : scopes) {
      scope->stage = stage;
      for (unsigned i = 0; i < results().size(); ++i)
        if (nest.storeStage[i] == stage && !nest.isInner(getAxes(results()[i])))
          evaluator.store(i, *scope, limit);
    }
    emitSweep(stage, scopes);
  }
}

//===-- inner loop --------------------------------------------------------===//

void KernelEmitter::emitSweep(unsigned stage, Scopes scopes) {
  bool rows = nest.inner == Axis::Rows;
  Sweep sweep{stage, {}, {}, scopes, false, rows ? arguments.rowEnd : arguments.columnEnd};
  for (Operation &op : source.front().without_terminator())
    for (OpResult result : op.getResults())
      if (getKind(&op, result.getResultNumber()) != ResultKind::Pointwise &&
          nest.stage.lookup(result) == stage + 1)
        sweep.sums.push_back(result);
  bool columnStores = false;
  for (auto [i, result] : llvm::enumerate(results())) {
    Axes axes = getAxes(result);
    if (nest.storeStage[i] != stage || !nest.isInner(axes))
      continue;
    sweep.stores.push_back(i);
    columnStores |= !axes.rows || source.getResultAttr(i, "flow.partial");
  }
  if (sweep.sums.empty() && sweep.stores.empty())
    return;
  sweep.masked = innerIsLane() && (!sweep.sums.empty() || columnStores);
  Value begin = rows ? arguments.rowBegin : arguments.columnBegin;
  OpBuilder &b = *scopes.front()->builder;
  bool blocks = rows && !sweep.sums.empty();
  SmallVector<Value> totals =
      blocks ? emitBlocks(b, begin, sweep.limit, sweep) : emitRange(b, begin, sweep.limit, sweep, &b);
  finishSums(sweep, totals);
}

SmallVector<Value> KernelEmitter::getZeros(OpBuilder &b, const Sweep &sweep) {
  SmallVector<Value> zeros;
  for (size_t scope = 0; scope < sweep.scopes.size(); ++scope)
    for (OpResult sum : sweep.sums) {
      Type type = evaluator.getType(flow::getElementType(sum), getAxes(sum.getOwner()));
      for (unsigned i = 0; i < pointsOf(sum); ++i)
        zeros.push_back(arith::ConstantOp::create(b, loc, b.getZeroAttr(type)));
    }
  return zeros;
}

SmallVector<Value> KernelEmitter::emitBlocks(OpBuilder &b, Value begin, Value end, const Sweep &sweep) {
  Value step = index(b, rowsPerBlock * innerStep());
  auto loop = scf::ForOp::create(b, loc, begin, end, step, getZeros(b, sweep));
  PlaceBefore place(b, loop);
  OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
  Value blockBegin = loop.getInductionVar();
  Value blockEnd =
      arith::MinSIOp::create(inside, loc, arith::AddIOp::create(inside, loc, blockBegin, step), end);
  SmallVector<Value> block = emitRange(inside, blockBegin, blockEnd, sweep, nullptr);
  for (auto [i, total] : llvm::enumerate(loop.getRegionIterArgs()))
    block[i] = arith::AddFOp::create(inside, loc, total, block[i]);
  scf::YieldOp::create(inside, loc, block);
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// One range of the inner axis: unrolled steps, single steps, and a masked last one where lanes beyond the
/// end matter.
SmallVector<Value> KernelEmitter::emitRange(OpBuilder &b, Value begin, Value end, const Sweep &sweep,
                                            OpBuilder *scopeBuilder) {
  SmallVector<Value> totals;
  if (unroll.inner > 1) {
    for (unsigned i = 0; i < unroll.inner; ++i)
      totals.append(getZeros(b, sweep));
    Value split = roundDown(b, begin, end, innerStep() * unroll.inner);
    totals = emitLoop(b, begin, split, unroll.inner, totals, sweep, scopeBuilder);
    totals = addCopies(b, totals, unroll.inner);
    begin = split;
  } else {
    totals = getZeros(b, sweep);
  }
  if (!sweep.masked)
    return emitLoop(b, begin, end, 1, totals, sweep, scopeBuilder);
  Value split = roundDown(b, begin, end, innerStep());
  totals = emitLoop(b, begin, split, 1, totals, sweep, scopeBuilder);
  return emitTail(b, split, end, totals, sweep, scopeBuilder);
}

SmallVector<Value> KernelEmitter::emitLoop(OpBuilder &b, Value begin, Value end, unsigned count,
                                           ValueRange totals, const Sweep &sweep, OpBuilder *scopeBuilder) {
  auto loop = scf::ForOp::create(b, loc, begin, end, index(b, innerStep() * count), totals);
  std::optional<PlaceBefore> place;
  if (scopeBuilder)
    place.emplace(*scopeBuilder, loop);
  OpBuilder inside =
      totals.empty() ? OpBuilder::atBlockTerminator(loop.getBody()) : OpBuilder::atBlockEnd(loop.getBody());
  SmallVector<Value> next =
      emitBody(inside, loop.getInductionVar(), count, ValueRange(loop.getRegionIterArgs()), sweep, false);
  if (!totals.empty())
    scf::YieldOp::create(inside, loc, next);
  return llvm::to_vector_of<Value>(loop.getResults());
}

SmallVector<Value> KernelEmitter::emitTail(OpBuilder &b, Value begin, Value end, ValueRange totals,
                                           const Sweep &sweep, OpBuilder *scopeBuilder) {
  Value rest = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, begin, end);
  auto branch = scf::IfOp::create(b, loc, TypeRange(totals), rest, !totals.empty());
  std::optional<PlaceBefore> place;
  if (scopeBuilder)
    place.emplace(*scopeBuilder, branch);
  OpBuilder inside = totals.empty() ? OpBuilder::atBlockTerminator(branch.thenBlock())
                                    : OpBuilder::atBlockEnd(branch.thenBlock());
  SmallVector<Value> next = emitBody(inside, begin, 1, totals, sweep, true);
  if (totals.empty())
    return {};
  scf::YieldOp::create(inside, loc, next);
  OpBuilder otherwise = OpBuilder::atBlockEnd(branch.elseBlock());
  scf::YieldOp::create(otherwise, loc, totals);
  return llvm::to_vector_of<Value>(branch.getResults());
}

/// `count` steps of the inner axis for every outer place. All values are built before the first store, so
/// that a load never has to wait for it.
SmallVector<Value> KernelEmitter::emitBody(OpBuilder &b, Value at, unsigned count, ValueRange totals,
                                           const Sweep &sweep, bool tail) {
  SmallVector<PointScope> places;
  places.reserve(count * sweep.scopes.size());
  SmallVector<Value> next(totals);
  size_t slot = 0;
  for (unsigned step = 0; step < count; ++step) {
    Value here = step == 0 ? at : arith::AddIOp::create(b, loc, at, index(b, step * innerStep())).getResult();
    for (PointScope *scope : sweep.scopes) {
      PointScope &place = places.emplace_back();
      place.parent = scope;
      place.builder = &b;
      place.stage = sweep.stage;
      (nest.inner == Axis::Rows ? place.row : place.column) = here;
      for (OpResult sum : sweep.sums) {
        SmallVector<Value> points = evaluator.getPoints(sum, place);
        for (auto [i, point] : llvm::enumerate(points)) {
          if (tail && isa<VectorType>(point.getType())) {
            Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(point.getType()));
            Value mask = evaluator.getMask(b, here, sweep.limit);
            point = arith::SelectOp::create(b, loc, mask, point, zero);
          }
          size_t target = slot + i % pointsOf(sum);
          next[target] = arith::AddFOp::create(b, loc, next[target], point);
        }
        slot += pointsOf(sum);
      }
      for (unsigned i : sweep.stores)
        evaluator.get(results()[i], place);
    }
  }
  for (PointScope &place : places)
    for (unsigned i : sweep.stores)
      evaluator.store(i, place, tail ? sweep.limit : Value());
  return next;
}

//===-- sums --------------------------------------------------------------===//

SmallVector<Value> KernelEmitter::addCopies(OpBuilder &b, ValueRange totals, unsigned count) {
  SmallVector<Value> copies(totals);
  size_t size = copies.size() / count;
  for (; count > 1; count /= 2)
    for (size_t i = 0; i < size * count / 2; ++i)
      copies[i] = arith::AddFOp::create(b, loc, copies[i], copies[i + size * count / 2]);
  copies.truncate(size);
  return copies;
}

/// Adds the lanes pairwise: the same order on every machine of one vector length.
Value KernelEmitter::reduceLanes(OpBuilder &b, Value vector) {
  for (int64_t width = lanes / 2; width >= 1; width /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t i = 0; i < width; ++i) {
      low.push_back(i);
      high.push_back(i + width);
    }
    Value a = vector::ShuffleOp::create(b, loc, vector, vector, low);
    Value c = vector::ShuffleOp::create(b, loc, vector, vector, high);
    vector = arith::AddFOp::create(b, loc, a, c);
  }
  return vector::ExtractOp::create(b, loc, vector, ArrayRef<int64_t>{0});
}

void KernelEmitter::finishSums(const Sweep &sweep, ArrayRef<Value> totals) {
  size_t slot = 0;
  for (PointScope *scope : sweep.scopes)
    for (OpResult sum : sweep.sums) {
      SmallVector<Value> mine(totals.slice(slot, pointsOf(sum)));
      slot += pointsOf(sum);
      if (innerIsLane())
        for (Value &total : mine)
          total = reduceLanes(*scope->builder, total);
      evaluator.finish(sum, mine, *scope);
    }
}

//===-- the function ------------------------------------------------------===//

static KernelArguments loadArguments(OpBuilder &b, Location loc, Value args, unsigned count) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto field = [&](Value base, int32_t i, Type type) -> Value {
    Value address = LLVM::GEPOp::create(b, loc, pointer, b.getI64Type(), base, ArrayRef<LLVM::GEPArg>{i});
    return LLVM::LoadOp::create(b, loc, type, address, 8);
  };
  KernelArguments a;
  Value *fields[] = {&a.rowBegin, &a.rowEnd, &a.columnBegin, &a.columnEnd, &a.rows, &a.columns};
  for (auto [i, target] : llvm::enumerate(fields))
    *target = field(args, i, b.getI64Type());
  Value pointers = field(args, 6, pointer), strides = field(args, 7, pointer);
  for (unsigned i = 0; i < count; ++i) {
    a.pointers.push_back(field(pointers, i, pointer));
    a.strides.push_back(field(strides, i, b.getI64Type()));
  }
  return a;
}

/// Lanes are counted in float32. A kernel whose vectors are all 8 bytes wide takes half as many; in mixed
/// ones a float64 vector is two registers.
static unsigned chooseLanes(func::FuncOp kernel, unsigned lanes) {
  bool narrow = false, any = false;
  auto visit = [&](Value v) {
    if (!isa<RankedTensorType>(v.getType()) || !getAxes(v).any())
      return;
    any = true;
    narrow |= flow::getElementType(v).isF32();
  };
  kernel.walk([&](Operation *op) { llvm::for_each(op->getResults(), visit); });
  llvm::for_each(kernel.front().getArguments(), visit);
  return any && !narrow ? lanes / 2 : lanes;
}

LogicalResult emitKernel(func::FuncOp kernel, unsigned lanes) {
  Block &body = kernel.front();
  bool smallMatrix = llvm::any_of(body, [](Operation &op) { return isa<flow::SmallMatrixOpInterface>(op); });
  FailureOr<KernelNest> nest;
  if (!smallMatrix && failed(nest = planNest(kernel)))
    return failure();

  OpBuilder b(kernel);
  auto type = b.getFunctionType({LLVM::LLVMPointerType::get(b.getContext())}, {});
  auto compiled = func::FuncOp::create(b, kernel.getLoc(), kernel.getName(), type);
  Block *entry = compiled.addEntryBlock();
  b.setInsertionPointToStart(entry);
  unsigned slots = kernel.getNumArguments() + kernel.getNumResults();
  KernelArguments arguments = loadArguments(b, kernel.getLoc(), entry->getArgument(0), slots);
  auto end = func::ReturnOp::create(b, kernel.getLoc());
  b.setInsertionPoint(end);
  LogicalResult emitted = success();
  if (smallMatrix)
    emitted = emitSmallMatrix(kernel, arguments, b);
  else
    KernelEmitter(kernel, *nest, chooseLanes(kernel, lanes), b, std::move(arguments)).emit();
  kernel.erase();
  return emitted;
}

} // namespace kowari::codegen
