//===- PlanMemory.cpp - places for scratch buffers ------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/Passes.h"
#include "compiler/Stages.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kowari {

#define GEN_PASS_DEF_PLANMEMORY
#include "compiler/Passes.h.inc"

namespace {

struct LiveRange {
  plan::BufferOp buffer;
  int64_t bytes = 0, first = -1, last = -1; // steps that touch it
  int64_t offset = 0;
};

std::vector<LiveRange> findLiveRanges(plan::ProgramOp program, int64_t maxRows) {
  std::vector<LiveRange> ranges;
  DenseMap<Operation *, size_t> indices;
  int64_t step = 0;
  auto touch = [&](Value view) {
    auto it = indices.find(plan::getBase(view).first);
    if (it == indices.end())
      return; // persistent
    LiveRange &range = ranges[it->second];
    range.first = range.first < 0 ? step : range.first;
    range.last = step;
  };
  for (Operation &op : program.getBlock()) {
    if (auto buffer = dyn_cast<plan::BufferOp>(op)) {
      auto type = cast<plan::ViewType>(buffer.getType());
      int64_t bytes = plan::getSpan(type, maxRows) * plan::getElementBytes(type.getElementType());
      indices[&op] = ranges.size();
      ranges.push_back({buffer, static_cast<int64_t>(llvm::alignTo(bytes, 64))});
    } else if (auto access = dyn_cast<plan::StepOpInterface>(op)) {
      ++step;
      for (Value view : access.getReads())
        touch(view);
      for (Value view : access.getWrites())
        touch(view);
    } else if (auto output = dyn_cast<plan::OutputOp>(op)) {
      ++step;
      touch(output.getView());
    }
  }
  // Outputs stay readable after the run.
  for (auto output : program.getOps<plan::OutputOp>()) {
    auto it = indices.find(plan::getBase(output.getView()).first);
    if (it != indices.end())
      ranges[it->second].last = step;
  }
  return ranges;
}

/// Largest first, each at the lowest offset that no range living at the same time takes. Returns the peak.
int64_t placeRanges(std::vector<LiveRange> &ranges, int64_t base) {
  std::vector<LiveRange *> order, placed;
  for (LiveRange &range : ranges)
    if (range.first >= 0)
      order.push_back(&range);
  llvm::stable_sort(order, [](LiveRange *a, LiveRange *b) { return a->bytes > b->bytes; });
  int64_t peak = base;
  for (LiveRange *range : order) {
    int64_t offset = base;
    for (LiveRange *other : placed) { // sorted by offset
      if (other->last < range->first || other->first > range->last)
        continue;
      if (other->offset >= offset + range->bytes)
        break;
      offset = std::max(offset, other->offset + other->bytes);
    }
    range->offset = offset;
    peak = std::max(peak, offset + range->bytes);
    placed.insert(
        llvm::upper_bound(placed, range, [](LiveRange *a, LiveRange *b) { return a->offset < b->offset; }),
        range);
  }
  return peak;
}

struct PlanMemoryPass : impl::PlanMemoryBase<PlanMemoryPass> {
  void runOnOperation() override {
    auto rows = getOperation()->getAttrOfType<IntegerAttr>("plan.max_rows");
    auto persistent = getOperation()->getAttrOfType<IntegerAttr>("plan.persistent_bytes");
    if (!rows || !persistent) {
      getOperation().emitError("plan-memory needs plan.max_rows and plan.persistent_bytes on the module");
      return signalPassFailure();
    }
    Builder b(&getContext());
    int64_t base = llvm::alignTo(persistent.getInt(), 4096), peak = base;
    for (auto program : getOperation().getOps<plan::ProgramOp>()) {
      std::vector<LiveRange> ranges = findLiveRanges(program, rows.getInt());
      peak = std::max(peak, placeRanges(ranges, base));
      for (LiveRange &range : ranges) {
        if (range.first < 0) { // nobody touches it
          range.buffer.erase();
          continue;
        }
        range.buffer.setOffset(range.offset);
      }
    }
    getOperation()->setAttr("plan.arena_bytes", b.getI64IntegerAttr(peak));
    markReached(getOperation(), "planned");
  }
};

} // namespace
} // namespace kowari
