//===- Removals.cpp - what can be taken away from a module ----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/reduce/Removals.h"

#include "dialects/flow/FlowOps.h"
#include "dialects/plan/PlanOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace kowari::reduce {

/// Functions whose inside is ours to change: entry points of one block, no kernels, whose signature others
/// rely on.
static SmallVector<func::FuncOp> getEntries(ModuleOp module) {
  SmallVector<func::FuncOp> entries;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal() && !function->hasAttr("flow.kernel") &&
        llvm::hasSingleElement(function.getBody()))
      entries.push_back(function);
  return entries;
}

static Operation *getReturn(func::FuncOp function) { return function.getBody().front().getTerminator(); }

//===- Functions and programs ----------------------------------------------------===//

static SmallVector<Operation *> collectSymbols(ModuleOp module) {
  SmallVector<Operation *> symbols;
  for (Operation &op : *module.getBody())
    if (isa<func::FuncOp, plan::ProgramOp, plan::TensorOp>(op) && !op.hasAttr("flow.kernel"))
      symbols.push_back(&op);
  return symbols;
}

static void removeSymbols(ModuleOp module, size_t first, size_t last) {
  SmallVector<Operation *> symbols = collectSymbols(module);
  for (Operation *op : ArrayRef(symbols).slice(first, last - first))
    op->erase();
}

//===- Results -------------------------------------------------------------------===//

static size_t countResults(ModuleOp module) {
  size_t count = 0;
  for (func::FuncOp function : getEntries(module))
    count += function.getNumResults();
  return count;
}

static void removeResults(ModuleOp module, size_t first, size_t last) {
  size_t number = 0;
  for (func::FuncOp function : getEntries(module)) {
    BitVector erased(function.getNumResults());
    for (unsigned i = 0; i < erased.size(); ++i, ++number)
      if (number >= first && number < last)
        erased.set(i);
    getReturn(function)->eraseOperands(erased);
    (void)function.eraseResults(erased);
  }
}

//===- Operations and steps ------------------------------------------------------===//

SmallVector<Operation *> collectOperations(ModuleOp module) {
  SmallVector<Operation *> operations;
  for (func::FuncOp function : getEntries(module))
    for (Operation &op : function.getBody().front().without_terminator())
      operations.push_back(&op);
  for (auto program : module.getOps<plan::ProgramOp>())
    for (Operation &op : program.getBlock())
      if (isa<plan::StepOpInterface, plan::OutputOp>(op))
        operations.push_back(&op);
  return operations;
}

/// The role of an argument that takes the place of a result: whatever lets passes and the interpreter work
/// with a tensor of that type; "" for what is no tensor.
static StringRef getCutRole(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return "";
  if (tensor.getRank() > 0 && tensor.isDynamicDim(0))
    return "flow.batch";
  if (!isa<FloatType>(tensor.getElementType()))
    return "flow.constant";
  return tensor.getRank() == 0 ? "flow.scalar" : "flow.parameter";
}

/// A name that no argument and no result has yet.
static std::string makeCutName(func::FuncOp function) {
  int64_t number = 0;
  auto skipUsed = [&](ArrayAttr attributes) {
    if (!attributes)
      return;
    for (auto ofOne : attributes.getAsRange<DictionaryAttr>())
      for (NamedAttribute attribute : ofOne)
        if (auto name = dyn_cast<StringAttr>(attribute.getValue()))
          if (int64_t used;
              name.getValue().starts_with("cut") && !name.getValue().substr(3).getAsInteger(10, used))
            number = std::max(number, used + 1);
  };
  skipUsed(function.getArgAttrsAttr());
  skipUsed(function.getResAttrsAttr());
  return "cut" + std::to_string(number);
}

static DictionaryAttr makeCutRole(func::FuncOp function, StringRef role) {
  Builder b(function.getContext());
  if (role.empty())
    return b.getDictionaryAttr({});
  return b.getDictionaryAttr(b.getNamedAttr(role, b.getStringAttr(makeCutName(function))));
}

static void cut(Operation *op) {
  auto function = dyn_cast<func::FuncOp>(op->getParentOp());
  for (Value result : op->getResults()) {
    if (result.use_empty())
      continue;
    unsigned index = function.getNumArguments();
    (void)function.insertArgument(index, result.getType(),
                                  makeCutRole(function, getCutRole(result.getType())), op->getLoc());
    result.replaceAllUsesWith(function.getArgument(index));
  }
  op->erase();
}

static void removeOperations(ModuleOp module, size_t first, size_t last) {
  // From the back, so that of operations that go together only the last one's users get an argument.
  SmallVector<Operation *> operations = collectOperations(module);
  for (Operation *op : llvm::reverse(ArrayRef(operations).slice(first, last - first)))
    cut(op);
}

//===- Last operations ---------------------------------------------------------------===//

/// Operations whose results are returned and nothing else.
static SmallVector<Operation *> collectLast(ModuleOp module) {
  SmallVector<Operation *> operations;
  for (func::FuncOp function : getEntries(module))
    for (Operation &op : function.getBody().front().without_terminator())
      if (llvm::all_of(op.getUsers(), [&](Operation *user) { return user == getReturn(function); }))
        operations.push_back(&op);
  return operations;
}

/// Returns what a last operation reads in place of what it computes.
static void returnOperands(Operation *op) {
  auto function = cast<func::FuncOp>(op->getParentOp());
  Operation *end = getReturn(function);
  BitVector erased(function.getNumResults());
  for (OpOperand &returned : end->getOpOperands())
    if (returned.get().getDefiningOp() == op)
      erased.set(returned.getOperandNumber());
  end->eraseOperands(erased);
  (void)function.eraseResults(erased);
  for (Value operand : op->getOperands()) {
    if (!operand.getDefiningOp() || llvm::is_contained(end->getOperands(), operand))
      continue;
    (void)function.insertResult(
        function.getNumResults(), operand.getType(),
        makeCutRole(function, isa<RankedTensorType>(operand.getType()) ? "flow.output" : ""));
    end->insertOperands(end->getNumOperands(), operand);
  }
  op->erase();
}

static void removeLast(ModuleOp module, size_t first, size_t last) {
  SmallVector<Operation *> operations = collectLast(module);
  for (Operation *op : llvm::reverse(ArrayRef(operations).slice(first, last - first)))
    returnOperands(op);
}

ArrayRef<Removal> getRemovals() {
  static const Removal removals[] = {
      {[](ModuleOp m) { return size_t(collectSymbols(m).size()); }, removeSymbols},
      {countResults, removeResults},
      {[](ModuleOp m) { return size_t(collectOperations(m).size()); }, removeOperations},
      {[](ModuleOp m) { return size_t(collectLast(m).size()); }, removeLast}};
  return removals;
}

//===- What nobody uses ------------------------------------------------------------===//

static void eraseUnusedOperations(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (op.getNumResults() > 0 && op.use_empty() && isMemoryEffectFree(&op))
      op.erase();
}

void eraseUnused(ModuleOp module) {
  for (func::FuncOp function : getEntries(module)) {
    eraseUnusedOperations(function.getBody().front());
    BitVector erased(function.getNumArguments());
    for (BlockArgument argument : function.getArguments())
      if (argument.use_empty())
        erased.set(argument.getArgNumber());
    (void)function.eraseArguments(erased);
  }
  for (auto program : module.getOps<plan::ProgramOp>())
    eraseUnusedOperations(program.getBlock());
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if ((function.isPrivate() || function->hasAttr("flow.kernel")) &&
        SymbolTable::symbolKnownUseEmpty(function, module))
      function.erase();
}

} // namespace kowari::reduce
