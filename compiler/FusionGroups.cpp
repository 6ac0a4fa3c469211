//===- FusionGroups.cpp - which operations share a kernel -----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/FusionGroups.h"

#include "llvm/ADT/EquivalenceClasses.h"

#include <map>

using namespace mlir;
using kowari::flow::Shape;

namespace kowari {

PointClass classify(Operation *op) {
  auto rowwise = dyn_cast<flow::RowwiseOpInterface>(op);
  if (!rowwise || isa<flow::AdamOp, flow::SgdOp>(op)) // optimizers run over flat groups: LowerToPlan
    return PointClass::None;
  bool matrix = false, rows = false, columns = false;
  for (Value v : llvm::concat<Value>(llvm::to_vector(op->getOperands()), llvm::to_vector(op->getResults()))) {
    Shape shape = flow::getShape(v.getType());
    if (shape == Shape::None)
      return PointClass::None;
    matrix |= shape == Shape::Matrix;
    rows |= shape == Shape::RowVector;
    columns |= shape == Shape::ColumnVector;
  }
  bool rowSum = false, columnSum = false;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    rowSum |= rowwise.getResultKind(i) == flow::ResultKind::RowSum;
    columnSum |= rowwise.getResultKind(i) == flow::ResultKind::ColumnSum;
  }
  if (matrix)
    return rowSum ? PointClass::RowSum : columnSum ? PointClass::ColumnSum : PointClass::Pointwise;
  if (rows)
    return columnSum ? PointClass::RowVectorSum : PointClass::RowVector;
  return columns ? PointClass::ColumnVector : PointClass::Scalar;
}

int64_t getPointColumns(Operation *op) {
  auto rowwise = cast<flow::RowwiseOpInterface>(op);
  int64_t columns = 0;
  auto consider = [&](Value v, int64_t width) {
    Shape shape = flow::getShape(v.getType());
    if ((shape == Shape::Matrix || shape == Shape::ColumnVector) && columns == 0)
      columns = flow::getColumns(v.getType()) / width;
  };
  for (auto [i, v] : llvm::enumerate(op->getOperands()))
    consider(v, rowwise.getOperandPointWidth(i));
  for (auto [i, v] : llvm::enumerate(op->getResults()))
    consider(v, rowwise.getResultPointWidth(i));
  return columns;
}

/// Whether one kernel can hold operations of all these classes.
static bool isAllowed(unsigned classes) {
  auto within = [&](std::initializer_list<PointClass> allowed) {
    unsigned mask = 0;
    for (PointClass c : allowed)
      mask |= 1u << static_cast<unsigned>(c);
    return (classes & ~mask) == 0;
  };
  return within({PointClass::Pointwise, PointClass::RowSum, PointClass::RowVector}) ||
         within({PointClass::Pointwise, PointClass::ColumnSum, PointClass::ColumnVector}) ||
         within({PointClass::RowVector, PointClass::RowVectorSum}) || within({PointClass::Scalar});
}

namespace {

class GroupFinder {
public:
  explicit GroupFinder(Block &fusedBlock) : block(fusedBlock) {}

  std::vector<FusionGroup> run() {
    SmallVector<Operation *> sums;
    for (Operation &op : block) {
      order[&op] = order.size();
      if (isAbsorbed(&op))
        continue; // placed with the operation that reads it
      if (isFinalSum(&op))
        sums.push_back(&op);
      else
        place(&op);
    }
    for (Operation *op : sums)
      place(op);
    return collect();
  }

private:
  /// A sum over the batch that no other kernel waits for (a gradient): it joins a group that is there already
  /// rather than keep a row reduction out of it.
  static bool isFinalSum(Operation *op) {
    return classify(op) == PointClass::ColumnSum && llvm::none_of(op->getUsers(), [](Operation *user) {
             return classify(user) != PointClass::None || isa<flow::SmallMatrixOpInterface>(user);
           });
  }

  /// A bias that one kernel reads is added there, however much later than the product that is.
  static bool isAbsorbed(Operation *op) {
    return isa<flow::AddBiasOp>(op) && op->hasOneUse() && classify(*op->user_begin()) != PointClass::None;
  }

  /// What `op` reads once absorbed operations, one behind the other, are taken to be part of it.
  static SmallVector<Value> getSources(Operation *op) {
    SmallVector<Value> sources;
    for (Value v : op->getOperands()) {
      Operation *def = v.getDefiningOp();
      if (def && isAbsorbed(def))
        llvm::append_range(sources, getSources(def));
      else
        sources.push_back(v);
    }
    return sources;
  }

  int findRoot(int group) {
    while (parent[group] != group)
      group = parent[group];
    return group;
  }

  void place(Operation *op) {
    PointClass pointClass = classify(op);
    int64_t last = -1;
    for (Value v : getSources(op))
      if (Operation *def = v.getDefiningOp())
        last = std::max(last, level.lookup(def));
    if (pointClass == PointClass::None) {
      level[op] = last + 1;
      return;
    }
    SmallVector<int> candidates = findGroupsAt(op, last);
    if (tryJoin(op, pointClass, candidates)) {
      level[op] = last;
      return;
    }
    level[op] = last + 1;
    joinSiblings(op, pointClass);
  }

  /// Groups of the operands at level `last`; empty if something that is no group stands there too.
  SmallVector<int> findGroupsAt(Operation *op, int64_t last) {
    SmallVector<int> groups;
    for (Value v : getSources(op)) {
      Operation *def = v.getDefiningOp();
      if (!def || level.lookup(def) != last)
        continue;
      auto it = groupOf.find(def);
      if (it == groupOf.end())
        return {};
      groups.push_back(findRoot(it->second));
    }
    llvm::sort(groups);
    groups.erase(llvm::unique(groups), groups.end());
    return groups;
  }

  bool tryJoin(Operation *op, PointClass pointClass, ArrayRef<int> candidates) {
    if (candidates.empty())
      return false;
    unsigned classes = 1u << static_cast<unsigned>(pointClass);
    int64_t columns = getPointColumns(op);
    for (int g : candidates) {
      classes |= groups[g].classes;
      if (columns != 0 && groups[g].columns != 0 && groups[g].columns != columns)
        return false;
      columns = columns ? columns : groups[g].columns;
    }
    if (!isAllowed(classes))
      return false;
    FusionGroup &target = groups[candidates[0]];
    for (int g : candidates.drop_front()) {
      llvm::append_range(target.ops, groups[g].ops);
      groups[g].ops.clear();
      parent[g] = candidates[0];
    }
    target.ops.push_back(op);
    target.classes = classes;
    target.columns = columns;
    groupOf[op] = candidates[0];
    return true;
  }

  /// A new group, or one at the same level that reads one of the same matrices (gradient sums of one tensor).
  void joinSiblings(Operation *op, PointClass pointClass) {
    if (isFinalSum(op))
      for (Value v : op->getOperands()) {
        auto it = finalSumsOf.find({v, level[op]});
        if (flow::getShape(v.getType()) == Shape::Matrix && it != finalSumsOf.end() &&
            tryJoin(op, pointClass, {findRoot(it->second)}))
          return;
      }
    groupOf[op] = groups.size();
    parent.push_back(groups.size());
    groups.push_back({{op}, getPointColumns(op), 1u << static_cast<unsigned>(pointClass)});
    if (isFinalSum(op))
      for (Value v : op->getOperands())
        finalSumsOf[{v, level[op]}] = groupOf[op];
  }

  std::vector<FusionGroup> collect() {
    std::vector<FusionGroup> result;
    for (FusionGroup &group : groups) {
      if (group.ops.empty())
        continue;
      for (size_t i = 0; i < group.ops.size(); ++i) // absorbed ones may have absorbed others
        for (Value v : group.ops[i]->getOperands())
          if (Operation *def = v.getDefiningOp(); def && isAbsorbed(def))
            group.ops.push_back(def);
      llvm::sort(group.ops, [&](Operation *a, Operation *b) { return order.lookup(a) < order.lookup(b); });
      result.push_back(std::move(group));
    }
    llvm::sort(result, [&](const FusionGroup &a, const FusionGroup &b) {
      return order.lookup(a.ops.front()) < order.lookup(b.ops.front());
    });
    return result;
  }

  Block &block;
  DenseMap<Operation *, int64_t> level, order;
  DenseMap<Operation *, int> groupOf;
  std::vector<int> parent;
  std::vector<FusionGroup> groups;
  DenseMap<std::pair<Value, int64_t>, int> finalSumsOf;
};

} // namespace

std::vector<FusionGroup> findFusionGroups(Block &block) { return GroupFinder(block).run(); }

} // namespace kowari
