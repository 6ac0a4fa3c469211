//===- GpuKernels.cpp - fused kernels as gpu functions --------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/cuda/GpuKernels.h"

#include "compiler/cpu/PointEvaluator.h"
#include "compiler/cpu/SmallMatrixEmitter.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using kowari::codegen::Axis;
using kowari::codegen::getAxes;
using kowari::codegen::getKind;
using kowari::codegen::KernelArguments;
using kowari::codegen::KernelNest;
using kowari::codegen::PointEvaluator;
using kowari::codegen::PointScope;
using kowari::flow::ResultKind;

namespace kowari::cuda {

namespace {

constexpr int64_t warpSize = 32;

/// Rows added up one after the other before their sum joins the total, as on the CPU.
constexpr int64_t rowsPerBlock = 64;

/// The places of one axis that a thread visits.
struct Range {
  Value begin, end, step; // i64
};

/// While it lives, `builder` stands in front of `op`, then behind it.
class PlaceBefore {
public:
  PlaceBefore(OpBuilder &placed, Operation *operation) : builder(placed), op(operation) {
    builder.setInsertionPoint(op);
  }
  ~PlaceBefore() { builder.setInsertionPointAfter(op); }

private:
  OpBuilder &builder;
  Operation *op;
};

/// Indices of the thread in its launch.
class ThreadIndices {
public:
  ThreadIndices(OpBuilder &builder, Location location) : b(builder), loc(location) {}

  Value thread(gpu::Dimension d) { return widen(gpu::ThreadIdOp::create(b, loc, d)); }
  Value block(gpu::Dimension d) { return widen(gpu::BlockIdOp::create(b, loc, d)); }
  Value blockSize(gpu::Dimension d) { return widen(gpu::BlockDimOp::create(b, loc, d)); }
  Value gridSize(gpu::Dimension d) { return widen(gpu::GridDimOp::create(b, loc, d)); }

  /// One place for each thread of dimension `ids`, blocks counted along `blocks`.
  Range spread(gpu::Dimension blocks, gpu::Dimension ids, Value end) {
    Value size = blockSize(ids);
    Value begin = arith::MulIOp::create(b, loc, block(blocks), size);
    begin = arith::AddIOp::create(b, loc, begin, thread(ids));
    return {begin, end, arith::MulIOp::create(b, loc, gridSize(blocks), size)};
  }

private:
  Value widen(Value index) { return arith::IndexCastOp::create(b, loc, b.getI64Type(), index); }

  OpBuilder &b;
  Location loc;
};

class GpuEmitter {
public:
  GpuEmitter(func::FuncOp kernel, const KernelNest &kernelNest, ThreadMapping threadMapping, OpBuilder &entry,
             KernelArguments arguments)
      : source(kernel), nest(kernelNest), mapping(threadMapping), top(entry), loc(kernel.getLoc()),
        ranges(chooseRanges(arguments)), evaluator(kernel, nest, 1, std::move(arguments), kernelScope) {
    kernelScope.builder = &top;
  }

  void emit() {
    if (nest.hasOuter)
      emitOuter();
    else
      emitStages(kernelScope);
  }

private:
  struct Ranges {
    Range outer, inner;
  };
  struct Sweep {
    PointScope &scope;
    SmallVector<OpResult> sums;
    SmallVector<unsigned> stores; // results with the inner axis
  };

  Ranges chooseRanges(KernelArguments &arguments);
  void emitOuter();
  void emitStages(PointScope &scope);
  void storeOutside(unsigned result, PointScope &scope);
  void emitSweep(PointScope &scope);
  SmallVector<Value> emitBlocks(const Sweep &sweep);
  SmallVector<Value> emitLoop(OpBuilder &b, Range range, const Sweep &sweep, bool placeScope);
  SmallVector<Value> emitBody(OpBuilder &b, Value at, ValueRange totals, const Sweep &sweep);
  SmallVector<Value> getZeros(OpBuilder &b, const Sweep &sweep);
  void finishSums(const Sweep &sweep, ArrayRef<Value> totals);
  Value reduceWarp(OpBuilder &b, Value value);
  void synchronizeWarp(OpBuilder &b);

  Value index(OpBuilder &b, int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  OperandRange results() { return source.front().getTerminator()->getOperands(); }

  func::FuncOp source;
  const KernelNest &nest;
  ThreadMapping mapping;
  OpBuilder &top;
  Location loc;
  PointScope kernelScope;
  Ranges ranges;
  PointEvaluator evaluator;
};

} // namespace

//===-- places ------------------------------------------------------------===//

/// Also tells the evaluator, in rowBegin and columnBegin, where this thread starts: it stores scalars in the
/// one that starts at 0 in both.
GpuEmitter::Ranges GpuEmitter::chooseRanges(KernelArguments &arguments) {
  ThreadIndices threads(top, loc);
  auto extent = [&](Axis axis) { return axis == Axis::Rows ? arguments.rows : arguments.columns; };
  Value zero = index(top, 0), one = index(top, 1);
  Range none{zero, zero, one};
  Ranges chosen{none, none};
  using Dimension = gpu::Dimension;
  if (nest.hasInner)
    chosen.inner.end = extent(nest.inner);
  if (nest.hasOuter)
    chosen.outer.end = extent(nest.outer());
  if (mapping == ThreadMapping::Points) {
    Range &contiguous = nest.inner == nest.lane ? chosen.inner : chosen.outer;
    contiguous = threads.spread(Dimension::x, Dimension::x, contiguous.end);
    Range &other = nest.inner == nest.lane ? chosen.outer : chosen.inner;
    if (nest.hasOuter)
      other = threads.spread(Dimension::y, Dimension::y, other.end);
  } else if (mapping == ThreadMapping::Outer) {
    chosen.outer = threads.spread(Dimension::x, Dimension::x, chosen.outer.end);
  } else if (mapping == ThreadMapping::Warps) {
    if (nest.hasOuter)
      chosen.outer = threads.spread(Dimension::x, Dimension::y, chosen.outer.end);
    chosen.inner.begin = threads.thread(Dimension::x);
    chosen.inner.step = index(top, warpSize);
  }
  bool innerRows = nest.inner == Axis::Rows;
  arguments.rowBegin = (innerRows ? chosen.inner : chosen.outer).begin;
  arguments.columnBegin = (innerRows ? chosen.outer : chosen.inner).begin;
  return chosen;
}

void GpuEmitter::emitOuter() {
  const Range &range = ranges.outer;
  auto loop = scf::ForOp::create(top, loc, range.begin, range.end, range.step);
  PlaceBefore place(top, loop);
  OpBuilder b = OpBuilder::atBlockTerminator(loop.getBody());
  PointScope scope;
  (nest.outer() == Axis::Rows ? scope.row : scope.column) = loop.getInductionVar();
  scope.parent = &kernelScope;
  scope.builder = &b;
  emitStages(scope);
}

void GpuEmitter::emitStages(PointScope &scope) {
  for (scope.stage = 0; scope.stage < nest.stageCount; ++scope.stage) {
    for (unsigned i = 0; i < results().size(); ++i)
      if (nest.storeStage[i] == scope.stage && !nest.isInner(getAxes(results()[i])))
        storeOutside(i, scope);
    emitSweep(scope);
  }
}

/// Stores a result without the inner axis. A warp has it in all lanes: the first one writes it, once all have
/// read what it may overwrite.
void GpuEmitter::storeOutside(unsigned result, PointScope &scope) {
  if (auto tied = source.getResultAttrOfType<IntegerAttr>(result, "flow.tied"))
    evaluator.get(source.getArgument(tied.getInt()), scope);
  evaluator.get(results()[result], scope);
  if (mapping != ThreadMapping::Warps) {
    evaluator.store(result, scope, {});
    return;
  }
  OpBuilder &b = *(getAxes(results()[result]).any() ? scope : kernelScope).builder;
  synchronizeWarp(b);
  Value first = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, ranges.inner.begin, index(b, 0));
  auto guarded = scf::IfOp::create(b, loc, first);
  b.setInsertionPointToStart(guarded.thenBlock());
  evaluator.store(result, scope, {});
  b.setInsertionPointAfter(guarded);
}

//===-- inner loop --------------------------------------------------------===//

void GpuEmitter::emitSweep(PointScope &scope) {
  Sweep sweep{scope, {}, {}};
  for (Operation &op : source.front().without_terminator())
    for (OpResult result : op.getResults())
      if (getKind(&op, result.getResultNumber()) != ResultKind::Pointwise &&
          nest.stage.lookup(result) == scope.stage + 1)
        sweep.sums.push_back(result);
  for (unsigned i = 0; i < results().size(); ++i)
    if (nest.storeStage[i] == scope.stage && nest.isInner(getAxes(results()[i])))
      sweep.stores.push_back(i);
  if (sweep.sums.empty() && sweep.stores.empty())
    return;
  bool blocks = nest.inner == Axis::Rows && mapping == ThreadMapping::Outer && !sweep.sums.empty();
  finishSums(sweep, blocks ? emitBlocks(sweep) : emitLoop(*scope.builder, ranges.inner, sweep, true));
}

SmallVector<Value> GpuEmitter::getZeros(OpBuilder &b, const Sweep &sweep) {
  SmallVector<Value> zeros;
  for (OpResult sum : sweep.sums)
    zeros.append(nest.widthOf(sum),
                 arith::ConstantOp::create(b, loc, b.getZeroAttr(flow::getElementType(sum))));
  return zeros;
}

SmallVector<Value> GpuEmitter::emitBlocks(const Sweep &sweep) {
  OpBuilder &b = *sweep.scope.builder;
  Value step = index(b, rowsPerBlock), end = ranges.inner.end;
  auto loop = scf::ForOp::create(b, loc, ranges.inner.begin, end, step, getZeros(b, sweep));
  PlaceBefore place(b, loop);
  OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
  Value begin = loop.getInductionVar();
  Value blockEnd = arith::AddIOp::create(inside, loc, begin, step);
  blockEnd = arith::MinSIOp::create(inside, loc, blockEnd, end);
  SmallVector<Value> block = emitLoop(inside, {begin, blockEnd, ranges.inner.step}, sweep, false);
  for (auto [sum, total] : llvm::zip(block, loop.getRegionIterArgs()))
    sum = arith::AddFOp::create(inside, loc, total, sum);
  scf::YieldOp::create(inside, loc, block);
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// `placeScope`: values of the sweep's own scope go in front of this loop.
SmallVector<Value> GpuEmitter::emitLoop(OpBuilder &b, Range range, const Sweep &sweep, bool placeScope) {
  SmallVector<Value> zeros = getZeros(b, sweep);
  auto loop = scf::ForOp::create(b, loc, range.begin, range.end, range.step, zeros);
  std::optional<PlaceBefore> place;
  if (placeScope)
    place.emplace(*sweep.scope.builder, loop);
  OpBuilder inside =
      zeros.empty() ? OpBuilder::atBlockTerminator(loop.getBody()) : OpBuilder::atBlockEnd(loop.getBody());
  SmallVector<Value> next =
      emitBody(inside, loop.getInductionVar(), ValueRange(loop.getRegionIterArgs()), sweep);
  if (!zeros.empty())
    scf::YieldOp::create(inside, loc, next);
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// One step of the inner axis. All values are built before the first store.
SmallVector<Value> GpuEmitter::emitBody(OpBuilder &b, Value at, ValueRange totals, const Sweep &sweep) {
  PointScope place;
  place.parent = &sweep.scope;
  place.builder = &b;
  place.stage = sweep.scope.stage;
  (nest.inner == Axis::Rows ? place.row : place.column) = at;
  SmallVector<Value> next(totals);
  size_t slot = 0;
  for (OpResult sum : sweep.sums) {
    size_t width = nest.widthOf(sum);
    SmallVector<Value> points = evaluator.getPoints(sum, place);
    for (auto [i, point] : llvm::enumerate(points)) {
      Value &total = next[slot + i % width];
      total = arith::AddFOp::create(b, loc, total, point);
    }
    slot += width;
  }
  for (unsigned i : sweep.stores)
    evaluator.get(results()[i], place);
  for (unsigned i : sweep.stores)
    evaluator.store(i, place, {});
  return next;
}

//===-- sums --------------------------------------------------------------===//

/// Adds the lanes of a warp pairwise; every lane has the same bits.
Value GpuEmitter::reduceWarp(OpBuilder &b, Value value) {
  for (int32_t offset = warpSize / 2; offset > 0; offset /= 2) {
    auto other = gpu::ShuffleOp::create(b, loc, value, offset, warpSize, gpu::ShuffleMode::XOR);
    value = arith::AddFOp::create(b, loc, value, other.getShuffleResult());
  }
  return value;
}

void GpuEmitter::synchronizeWarp(OpBuilder &b) {
  Value all = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(-1));
  LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr("llvm.nvvm.bar.warp.sync"), ValueRange{all});
}

void GpuEmitter::finishSums(const Sweep &sweep, ArrayRef<Value> totals) {
  for (OpResult sum : sweep.sums) {
    SmallVector<Value> mine(totals.take_front(nest.widthOf(sum)));
    totals = totals.drop_front(mine.size());
    if (mapping == ThreadMapping::Warps)
      for (Value &total : mine)
        total = reduceWarp(*sweep.scope.builder, total);
    evaluator.finish(sum, mine, sweep.scope);
  }
}

//===-- the function ------------------------------------------------------===//

static ThreadMapping chooseMapping(func::FuncOp kernel, const KernelNest &nest) {
  if (!nest.hasInner)
    return ThreadMapping::Single;
  bool pointwise = nest.stageCount == 1;
  for (Value result : kernel.front().getTerminator()->getOperands())
    pointwise &= nest.isInner(getAxes(result)) && (!nest.hasOuter || getAxes(result).has(nest.outer()));
  if (pointwise)
    return ThreadMapping::Points;
  return nest.inner == nest.lane ? ThreadMapping::Warps : ThreadMapping::Outer;
}

static GpuLaunch chooseLaunch(func::FuncOp kernel, const KernelNest &nest) {
  GpuLaunch launch;
  launch.kernel = kernel.getName().str();
  launch.mapping = chooseMapping(kernel, nest);
  switch (launch.mapping) {
  case ThreadMapping::Points:
    launch.blockX = nest.hasOuter ? warpSize : 256;
    launch.blockY = nest.hasOuter ? 8 : 1;
    break;
  case ThreadMapping::Outer:
    launch.blockX = 64;
    break;
  case ThreadMapping::Warps:
    launch.blockX = warpSize;
    launch.blockY = nest.hasOuter ? 4 : 1;
    launch.oneBlock = !nest.hasOuter;
    break;
  case ThreadMapping::Single:
    launch.oneBlock = true;
    break;
  }
  return launch;
}

/// Threads that run at different times would read a scalar before and after it is overwritten.
static LogicalResult checkScalars(func::FuncOp kernel, const GpuLaunch &launch) {
  for (auto [i, result] : llvm::enumerate(kernel.front().getTerminator()->getOperands()))
    if (!launch.oneBlock && !getAxes(result).any() && kernel.getResultAttr(i, "flow.tied"))
      return kernel.emitOpError("result ")
             << i << " overwrites a scalar that other threads read: put it into a kernel of scalars";
  return success();
}

static gpu::GPUFuncOp createFunction(func::FuncOp kernel, const GpuLaunch &launch, OpBuilder &b) {
  unsigned slots = kernel.getNumArguments() + kernel.getNumResults();
  SmallVector<Type> types(slots, LLVM::LLVMPointerType::get(b.getContext()));
  types.append(slots + 2, b.getI64Type());
  auto function = gpu::GPUFuncOp::create(b, kernel.getLoc(), kernel.getName(), b.getFunctionType(types, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  function.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr({(int32_t)launch.blockX, (int32_t)launch.blockY, 1}));
  llvm::BitVector shared(slots);
  for (unsigned i = 0; i < kernel.getNumResults(); ++i)
    if (auto tied = kernel.getResultAttrOfType<IntegerAttr>(i, "flow.tied")) {
      shared.set(tied.getInt());
      shared.set(kernel.getNumArguments() + i);
    }
  for (unsigned i = 0; i < slots; ++i)
    if (!shared[i])
      function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
  return function;
}

static KernelArguments collectArguments(gpu::GPUFuncOp function, unsigned slots) {
  KernelArguments arguments;
  for (unsigned i = 0; i < slots; ++i) {
    arguments.pointers.push_back(function.getArgument(i));
    arguments.strides.push_back(function.getArgument(slots + i));
  }
  arguments.rows = arguments.rowEnd = function.getArgument(2 * slots);
  arguments.columns = arguments.columnEnd = function.getArgument(2 * slots + 1);
  return arguments;
}

FailureOr<GpuLaunch> emitGpuKernel(func::FuncOp kernel, OpBuilder &builder) {
  bool smallMatrix =
      llvm::any_of(kernel.front(), [](Operation &op) { return isa<flow::SmallMatrixOpInterface>(op); });
  FailureOr<KernelNest> nest;
  if (!smallMatrix && failed(nest = codegen::planNest(kernel)))
    return failure();
  GpuLaunch launch = chooseLaunch(kernel, smallMatrix ? KernelNest() : *nest);
  if (failed(checkScalars(kernel, launch)))
    return failure();
  gpu::GPUFuncOp function = createFunction(kernel, launch, builder);
  KernelArguments arguments = collectArguments(function, kernel.getNumArguments() + kernel.getNumResults());
  OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
  auto end = gpu::ReturnOp::create(b, kernel.getLoc());
  b.setInsertionPoint(end);
  if (smallMatrix) {
    if (failed(codegen::emitSmallMatrix(kernel, arguments, b)))
      return failure();
  } else {
    GpuEmitter(kernel, *nest, launch.mapping, b, std::move(arguments)).emit();
  }
  return launch;
}

} // namespace kowari::cuda
