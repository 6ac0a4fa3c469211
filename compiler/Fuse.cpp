//===- Fuse.cpp - what lies between matrix products, as kernels -----------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/FusionGroups.h"
#include "compiler/KernelOutliner.h"
#include "compiler/Passes.h"
#include "compiler/Stages.h"

#include <queue>

using namespace mlir;

namespace kowari {

#define GEN_PASS_DEF_FUSE
#include "compiler/Passes.h.inc"

namespace {

void decomposeNorms(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto decomposable = dyn_cast<flow::DecomposableOpInterface>(op);
    if (!decomposable)
      continue;
    OpBuilder builder(&op);
    op.replaceAllUsesWith(decomposable.decompose(builder));
    op.erase();
  }
}

/// Whether `user` reads `value` point by point, so that a bias in front of it costs nothing.
bool readsPointwise(OpOperand &use) {
  auto rowwise = dyn_cast<flow::RowwiseOpInterface>(use.getOwner());
  return rowwise && classify(use.getOwner()) != PointClass::None &&
         rowwise.getOperandPointWidth(use.getOperandNumber()) == 1;
}

/// Moves the bias of a product into the kernels that read its result: each gets an addition of its own, which
/// is cheaper than writing the sum and reading it again. A product that something else reads keeps its bias.
void splitBias(flow::LinearOp linear) {
  bool hasInputs =
      llvm::any_of(linear.getInputs(), [](Value x) { return flow::getColumns(x.getType()) > 0; });
  bool pointwise = llvm::all_of(linear.getResult().getUses(), readsPointwise);
  if (!linear.getBias() || linear.getResult().use_empty() || (hasInputs && !pointwise))
    return;
  Value bias = linear.getBias();
  linear.getBiasMutable().clear();
  if (!pointwise) { // no product at all: the bias is the result
    OpBuilder builder(linear->getContext());
    builder.setInsertionPointAfter(linear);
    Value sum = flow::AddBiasOp::create(builder, linear.getLoc(), linear.getType(), linear.getResult(), bias);
    linear.getResult().replaceAllUsesExcept(sum, sum.getDefiningOp());
    return;
  }
  for (OpOperand &use : llvm::make_early_inc_range(linear.getResult().getUses())) {
    OpBuilder builder(use.getOwner());
    use.set(flow::AddBiasOp::create(builder, linear.getLoc(), linear.getType(), linear.getResult(), bias));
  }
}

/// Kernels and products in an order close to the program's in which every value is computed before it is
/// used.
class Scheduler {
public:
  explicit Scheduler(Block &scheduledBlock) : block(scheduledBlock) {
    for (Operation &op : block.without_terminator())
      order[&op] = order.size();
  }

  /// Makes `op` come as late as `like` did.
  void placeLike(Operation *op, Operation *like) { order[op] = order.lookup(like); }

  void run() {
    DenseMap<Operation *, int64_t> waiting;
    using Entry = std::pair<int64_t, Operation *>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    SmallVector<Operation *> all;
    for (Operation &op : block.without_terminator())
      all.push_back(&op);
    for (Operation *op : all) {
      DenseSet<Operation *> sources;
      for (Value v : op->getOperands())
        if (Operation *def = v.getDefiningOp())
          sources.insert(def);
      waiting[op] = sources.size();
      if (sources.empty())
        ready.push({order.lookup(op), op});
    }
    Operation *terminator = block.getTerminator();
    while (!ready.empty()) {
      Operation *op = ready.top().second;
      ready.pop();
      op->moveBefore(terminator);
      DenseSet<Operation *> users(op->user_begin(), op->user_end());
      SmallVector<Operation *> released;
      for (Operation *user : users)
        if (user != terminator && --waiting[user] == 0)
          released.push_back(user);
      for (Operation *user : released)
        ready.push({order.lookup(user), user});
    }
  }

private:
  Block &block;
  DenseMap<Operation *, int64_t> order;
};

struct FusePass : impl::FuseBase<FusePass> {
  void runOnOperation() override {
    KernelOutliner outliner(getOperation());
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function->hasAttr("flow.kernel") && !function.isExternal())
        functions.push_back(function);
    for (func::FuncOp function : functions)
      fuse(function, outliner);
    markReached(getOperation(), "fused");
  }

  static int64_t getSquareSize(Operation *op) {
    for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
      for (Value v : values)
        if (auto tensor = cast<RankedTensorType>(v.getType()); tensor.getRank() == 2)
          return tensor.getDimSize(0);
    return 1;
  }

  void fuse(func::FuncOp function, KernelOutliner &outliner) {
    Block &block = function.getBody().front();
    decomposeNorms(block);
    for (auto linear : llvm::make_early_inc_range(block.getOps<flow::LinearOp>()))
      splitBias(linear);
    std::vector<FusionGroup> groups = findFusionGroups(block);
    for (auto &op : block)
      if (isa<flow::SmallMatrixOpInterface>(op)) // its kernel takes the size of the square matrix as columns
        groups.push_back({{&op}, getSquareSize(&op), 0});
    // Kernels may stand before what they read until the scheduler has put everything in order.
    Scheduler scheduler(block);
    SmallVector<Operation *> calls;
    for (FusionGroup &group : groups) {
      Operation *last = group.ops.back();
      OpBuilder builder(last);
      Operation *call = outliner.outline(group, builder);
      scheduler.placeLike(call, last);
      for (Operation *op : llvm::reverse(group.ops)) {
        op->dropAllUses();
        op->erase();
      }
    }
    scheduler.run();
  }
};

} // namespace
} // namespace kowari
