//===- ModuleReducer.cpp - the smallest module that still fails -----------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/reduce/ModuleReducer.h"
#include "compiler/reduce/Removals.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

#include <chrono>

using namespace mlir;

namespace kowari::reduce {

namespace {

class ModuleReducer {
public:
  ModuleReducer(ModuleOp module, llvm::function_ref<bool(ModuleOp)> isInteresting,
                const ReductionLimits &limits)
      : isInteresting(isInteresting),
        end(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(std::min(limits.seconds, 1e6)))) {
    reduction.module = module.clone();
  }

  Reduction run() {
    // What is quick to take away first; a round without success is the last.
    do {
      changed = false;
      for (const Removal &removal : getRemovals())
        shrink(removal);
    } while (changed && !isLate());
    reduction.finished = !isLate();
    return std::move(reduction);
  }

private:
  using Clock = std::chrono::steady_clock;
  bool isLate() const { return Clock::now() >= end; }

  /// From the back, because what is used stands before its users: portions of all items, half of them, ...
  /// one.
  void shrink(const Removal &removal) {
    for (size_t portion = removal.count(*reduction.module); portion >= 1; portion /= 2)
      for (size_t last = removal.count(*reduction.module); last > 0;) {
        if (isLate())
          return;
        size_t first = last > portion ? last - portion : 0;
        if (attempt(removal, first, last))
          last = std::min(first, removal.count(*reduction.module));
        else
          last = first;
      }
  }

  bool attempt(const Removal &removal, size_t first, size_t last) {
    OwningOpRef<ModuleOp> smaller = reduction.module->clone();
    removal.remove(*smaller, first, last);
    eraseUnused(*smaller);
    ScopedDiagnosticHandler silence(smaller->getContext(), [](Diagnostic &) { return success(); });
    if (failed(verify(*smaller)))
      return false;
    ++reduction.tests;
    if (!isInteresting(*smaller))
      return false;
    reduction.module = std::move(smaller);
    return changed = true;
  }

  Reduction reduction;
  llvm::function_ref<bool(ModuleOp)> isInteresting;
  Clock::time_point end;
  bool changed = false;
};

} // namespace

Reduction reduceModule(ModuleOp module, llvm::function_ref<bool(ModuleOp)> isInteresting,
                       const ReductionLimits &limits) {
  return ModuleReducer(module, isInteresting, limits).run();
}

int64_t countOperations(ModuleOp module) { return collectOperations(module).size(); }

std::string listOperations(ModuleOp module) {
  constexpr size_t most = 5;
  llvm::SetVector<StringRef> names;
  for (Operation *op : collectOperations(module))
    names.insert(op->getName().getStringRef());
  std::string text = llvm::join(names.getArrayRef().take_front(most), ", ");
  return names.size() > most ? text + ", ..." : text;
}

} // namespace kowari::reduce
