//===- ValidateEach.cpp - names the first pass that changes numbers -------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/interpreter/ValidateEach.h"

#include "compiler/IrFile.h"
#include "compiler/reduce/ModuleReducer.h"
#include "runtime/support/Status.h"

#include "llvm/Support/FileSystem.h"

using namespace mlir;

namespace kowari::interpreter {

static ModuleOp getOutermostModule(Operation *op) {
  ModuleOp outermost = dyn_cast<ModuleOp>(op);
  while ((op = op->getParentOp()))
    if (auto module = dyn_cast<ModuleOp>(op))
      outermost = module;
  return outermost;
}

void ValidateEach::keep(ModuleOp module, ModuleNumbers ofModule) {
  lastModule = module;
  lastFingerPrint = OperationFingerPrint(module);
  version = module.clone();
  for (const std::string &text : ofModule.getLeftOut())
    if (!numbers.getLeftOut().count(text)) // said already
      emitRemark(UnknownLoc::get(module.getContext())) << "not compared: " << text;
  numbers = std::move(ofModule);
}

void ValidateEach::runBeforePass(Pass *, Operation *op) {
  ModuleOp module = getOutermostModule(op);
  if (module && !isDone && module.getOperation() != lastModule)
    keep(module, ModuleNumbers::compute(module, options));
}

void ValidateEach::runAfterPass(Pass *pass, Operation *op) {
  ModuleOp module = getOutermostModule(op);
  if (!module || isDone || module.getOperation() != lastModule ||
      *lastFingerPrint == OperationFingerPrint(module))
    return;
  PassRun run(pass, op);
  ModuleNumbers now = ModuleNumbers::compute(module, options);
  if (auto fault = findFault(*version, numbers, module, now, run, options)) {
    isDone = *foundDifference = true;
    explain(module, run, *fault);
    return;
  }
  keep(module, std::move(now));
}

/// Writes the reduced module, with how to see the fault again on top. Returns what went wrong with that.
static Status writeReduced(ModuleOp reduced, const PassRun &run, const FailureReport &report,
                           const std::string &path) {
  if (std::error_code error = llvm::sys::fs::create_directories(report.folder))
    return Status::error("cannot make " + report.folder + ": " + error.message());
  return writeIrFile(path, reduced,
                     "// kowari-opt " + path + " " + report.toolOptions + "--pass-pipeline='" +
                         run.getPipeline() + "' --validate-each\n");
}

/// Numbers for one row count, where the fault is known to show with it: tests of a reduction are quick then.
static NumbersOptions narrow(NumbersOptions options, const PassFault &fault) {
  if (fault.rows > 0)
    options.rowCounts = {fault.rows};
  options.maximumBudget = 0;
  return options;
}

void ValidateEach::explain(ModuleOp module, const PassRun &run, const PassFault &fault) {
  Location nowhere = UnknownLoc::get(module.getContext()); // a line of the module's attributes says nothing
  emitError(nowhere) << "pass '" << run.getName() << "' "
                     << (fault.kind == PassFault::Kind::Plan ? "leaves a plan at fault: "
                                                             : "changes numbers: ")
                     << fault.text;
  if (report.folder.empty() || run.getPipeline().empty())
    return;
  NumbersOptions narrowed = narrow(options, fault);
  std::string text; // of the smallest module so far
  auto isInteresting = [&](ModuleOp candidate) {
    auto found = findFault(candidate, run, narrowed);
    if (!found || found->kind != fault.kind)
      return false;
    text = std::move(found->text);
    return true;
  };
  if (!isInteresting(*version)) { // the pass depends on more than the module, or spoils it at random
    emitRemark(nowhere) << "the fault does not come back when the pass runs again";
    return;
  }
  reduce::Reduction reduction = reduce::reduceModule(*version, isInteresting, {report.seconds});
  std::string path = report.folder + "/" + run.getName() + ".mlir";
  Status written = writeReduced(*reduction.module, run, report, path);
  emitRemark(nowhere) << "in " << reduce::listOperations(*reduction.module) << ": "
                      << reduce::countOperations(*reduction.module) << " of "
                      << reduce::countOperations(*version) << " operations are left"
                      << (reduction.finished ? "" : " (stopped by the time limit)") << ", "
                      << (written ? "see " + path : written.message()) << ": " << text;
}

} // namespace kowari::interpreter
