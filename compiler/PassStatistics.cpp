//===- PassStatistics.cpp - what every pass made of the module ------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/PassStatistics.h"

#include "mlir/Pass/Pass.h"
#include "llvm/Support/Format.h"

using namespace mlir;

namespace kowari {

static Operation *getOutermost(Operation *op) {
  while (Operation *parent = op->getParentOp())
    op = parent;
  return op;
}

static PassStatistics::Counts countOperations(Operation *module) {
  PassStatistics::Counts counts;
  module->walk([&](Operation *op) { ++counts[op->getName().getStringRef().str()]; });
  return counts;
}

static int64_t getTotal(const PassStatistics::Counts &counts) {
  int64_t total = 0;
  for (const auto &[name, count] : counts)
    total += count;
  return total;
}

void PassStatistics::runBeforePass(Pass *, Operation *op) {
  if (Operation *module = getOutermost(op); module != lastModule) {
    lastModule = module;
    counts = countOperations(module);
  }
}

void PassStatistics::runAfterPass(Pass *pass, Operation *op) {
  Counts now = countOperations(getOutermost(op));
  if (now == counts)
    return;
  out << "pass " << (pass->getArgument().empty() ? pass->getName() : pass->getArgument()) << ": "
      << getTotal(counts) << " -> " << getTotal(now) << " operations\n";
  std::map<std::string, std::pair<long long, long long>> changes; // before and now
  for (const auto &[name, count] : counts)
    changes[name].first = count;
  for (const auto &[name, count] : now)
    changes[name].second = count;
  for (const auto &[name, change] : changes)
    if (change.first != change.second)
      out << llvm::format("  %-32s %7lld -> %lld\n", name.c_str(), change.first, change.second);
  counts = std::move(now);
}

} // namespace kowari
