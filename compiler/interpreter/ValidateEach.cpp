//===- ValidateEach.cpp - names the first pass that changes numbers -------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/interpreter/ValidateEach.h"

#include "compiler/interpreter/GradientCheck.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace kowari::interpreter {

static ModuleOp getOutermostModule(Operation *op) {
  ModuleOp outermost = dyn_cast<ModuleOp>(op);
  while ((op = op->getParentOp()))
    if (auto module = dyn_cast<ModuleOp>(op))
      outermost = module;
  return outermost;
}

static StringRef getPassName(Pass *pass) {
  return pass->getArgument().empty() ? pass->getName() : pass->getArgument();
}

void ValidateEach::runBeforePass(Pass *, Operation *op) {
  ModuleOp module = getOutermostModule(op);
  if (!module || *foundDifference || module.getOperation() == lastModule)
    return;
  lastModule = module;
  lastFingerPrint = OperationFingerPrint(module);
  numbers = ModuleNumbers::compute(module, options);
}

void ValidateEach::runAfterPass(Pass *pass, Operation *op) {
  ModuleOp module = getOutermostModule(op);
  if (!module || *foundDifference || module.getOperation() != lastModule)
    return;
  OperationFingerPrint fingerPrint(module);
  if (lastFingerPrint && *lastFingerPrint == fingerPrint)
    return;
  lastFingerPrint = fingerPrint;
  ModuleNumbers now = ModuleNumbers::compute(module, options);
  auto difference = numbers.findDifference(now, options);
  if (!difference && now.has("gradient") && !numbers.has("gradient"))
    difference = findWrongGradient(module, options);
  if (!difference && now.getPlanFault() && !numbers.getPlanFault()) {
    *foundDifference = true;
    emitError(module.getLoc()) << "pass '" << getPassName(pass)
                               << "' leaves a plan at fault: " << *now.getPlanFault();
  }
  if (difference) {
    *foundDifference = true;
    emitError(module.getLoc()) << "pass '" << getPassName(pass) << "' changes numbers: " << *difference;
  }
  numbers = std::move(now);
}

} // namespace kowari::interpreter
