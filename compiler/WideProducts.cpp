//===- WideProducts.cpp - products by one input, done as one --------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/WideProducts.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using Kind = kowari::WideProduct::Kind;

namespace kowari {

namespace {

/// A product that can be a member: its weight's place, and what has to be common to all members.
struct Candidate {
  Operation *op;
  const PersistentLayout::Place *weight;
  int64_t position;
};

class Finder {
public:
  Finder(func::FuncOp searched, const SymbolTable &table, const PersistentLayout &persistent, int64_t rows,
         int64_t budget)
      : function(searched), symbols(table), layout(persistent), maxRows(rows), budgetBytes(budget) {}

  std::vector<WideProduct> run() {
    int64_t position = 0;
    for (Operation &op : function.getBody().front()) {
      consider(&op, position);
      ++position;
    }
    std::vector<WideProduct> result;
    for (auto &[key, candidates] : sets)
      appendRuns(static_cast<Kind>(key.second), candidates, result);
    return result;
  }

private:
  const PersistentLayout::Place *getPlace(Value weight) {
    auto argument = dyn_cast<BlockArgument>(weight);
    auto name = argument ? function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "flow.parameter")
                         : StringAttr();
    return name ? &layout.getPlace("flow.parameter", name.getValue()) : nullptr;
  }

  /// The parameter whose optimizer takes this gradient.
  static Value getUpdatedParameter(Value gradient) {
    for (Operation *user : gradient.getUsers())
      if (isa<flow::AdamOp, flow::SgdOp>(user) && user->getOperand(1) == gradient)
        return user->getOperand(0);
    return Value();
  }

  void add(Kind kind, Value common, Value weight, Operation *op, int64_t position) {
    if (const PersistentLayout::Place *place = weight ? getPlace(weight) : nullptr)
      if (place->view.getDim0() % 16 == 0 && place->view.getDim0() > 0)
        sets[{common, static_cast<int>(kind)}].push_back({op, place, position});
  }

  void consider(Operation *op, int64_t position) {
    if (auto linear = dyn_cast<flow::LinearOp>(op)) {
      if (linear.getInputs().size() == 1 && !linear.getBias() && !linear.getResult().use_empty() &&
          isRead(linear))
        add(Kind::Forward, linear.getInputs()[0], linear.getWeight(), op, position);
    } else if (auto grad = dyn_cast<flow::LinearGradWeightOp>(op)) {
      if (grad.getInputs().size() == 1 && isFreeToPlace(grad.getDy()))
        add(Kind::GradWeight, grad.getInputs()[0], getUpdatedParameter(grad.getResult()), op, position);
    } else if (auto grad = dyn_cast<flow::LinearGradInputOp>(op)) {
      const PersistentLayout::Place *place = getPlace(grad.getWeight());
      if (place && grad.getStart() == 0 && flow::getColumns(grad.getType()) == place->view.getDim1() &&
          isFreeToPlace(grad.getDy()))
        add(Kind::GradInput, chainStart(grad), grad.getWeight(), op, position);
    }
  }

  /// Results that lie in a wide matrix are read by kernels with lanes over columns alone.
  bool runsOverColumns(Operation *call) const {
    auto fused = dyn_cast_or_null<flow::FusedOp>(call);
    if (!fused)
      return false;
    auto kernel = symbols.lookup<func::FuncOp>(fused.getKernel());
    return kernel->getAttrOfType<DictionaryAttr>("flow.kernel").getAs<StringAttr>("lanes").getValue() ==
           "columns";
  }
  bool isRead(flow::LinearOp linear) const {
    return llvm::all_of(linear->getUsers(), [this](Operation *user) { return runsOverColumns(user); });
  }
  bool isFreeToPlace(Value dy) const { return runsOverColumns(dy.getDefiningOp()); }

  /// Members of one sum share the first operation of their chain.
  Value chainStart(flow::LinearGradInputOp op) {
    Value start = op.getResult();
    if (op.getAccumulator()) {
      auto it = chains.find(op.getAccumulator());
      start = it != chains.end() ? it->second : op.getAccumulator();
    }
    chains[op.getResult()] = start;
    return start;
  }

  void appendRuns(Kind kind, std::vector<Candidate> &candidates, std::vector<WideProduct> &result) {
    llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
      return a.weight->offset < b.weight->offset;
    });
    for (size_t begin = 0; begin < candidates.size();) {
      size_t end = begin + 1;
      while (end < candidates.size() && follows(candidates[end - 1], candidates[end]))
        ++end;
      appendRun(kind, ArrayRef<Candidate>(candidates).slice(begin, end - begin), result);
      begin = end;
    }
  }

  static bool follows(const Candidate &a, const Candidate &b) {
    plan::ViewType view = a.weight->view;
    int64_t bytes = view.getDim0() * view.getStride0() * plan::getElementBytes(view.getElementType());
    return b.weight->view == view && b.weight->offset == a.weight->offset + bytes;
  }

  void appendRun(Kind kind, ArrayRef<Candidate> run, std::vector<WideProduct> &result) {
    if (run.size() < 2)
      return;
    plan::ViewType view = run[0].weight->view;
    int64_t bytes = maxRows * view.getDim0() * run.size() * plan::getElementBytes(view.getElementType());
    if (bytes > budgetBytes)
      return;
    WideProduct wide;
    wide.kind = kind;
    wide.outputs = view.getDim0();
    for (const Candidate &c : run)
      wide.members.push_back(c.op);
    auto byPosition = [](const Candidate &a, const Candidate &b) { return a.position < b.position; };
    auto first = llvm::min_element(run, byPosition),
         last = std::max_element(run.begin(), run.end(), byPosition);
    wide.emitAt = kind == Kind::Forward ? first->op : last->op;
    if (kind == Kind::GradInput) {
      if (!isConsecutive(run))
        return;
      wide.accumulate = bool(cast<flow::LinearGradInputOp>(first->op).getAccumulator());
    }
    result.push_back(std::move(wide));
  }

  /// Whether each member adds to the result of the one before it, so that nobody sees a sum in between.
  static bool isConsecutive(ArrayRef<Candidate> run) {
    std::vector<Candidate> order(run.begin(), run.end());
    llvm::sort(order, [](const Candidate &a, const Candidate &b) { return a.position < b.position; });
    for (size_t i = 1; i < order.size(); ++i)
      if (cast<flow::LinearGradInputOp>(order[i].op).getAccumulator() != order[i - 1].op->getResult(0) ||
          !order[i - 1].op->hasOneUse())
        return false;
    return true;
  }

  func::FuncOp function;
  const SymbolTable &symbols; // a lookup without it walks the module
  const PersistentLayout &layout;
  int64_t maxRows, budgetBytes;
  llvm::MapVector<std::pair<Value, int>, std::vector<Candidate>> sets;
  DenseMap<Value, Value> chains;
};

} // namespace

std::vector<WideProduct> findWideProducts(func::FuncOp function, const SymbolTable &symbols,
                                          const PersistentLayout &layout, int64_t maxRows,
                                          int64_t budgetBytes) {
  return Finder(function, symbols, layout, maxRows, budgetBytes).run();
}

} // namespace kowari
