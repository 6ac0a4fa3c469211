//===- PassFault.cpp - what a pass does wrong -----------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/interpreter/PassFault.h"

#include "compiler/interpreter/GradientCheck.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace kowari::interpreter {

PassRun::PassRun(Pass *pass, Operation *op)
    : name(pass->getArgument().empty() ? pass->getName() : pass->getArgument()) {
  if (pass->getArgument().empty())
    return;
  llvm::raw_string_ostream stream(pipeline);
  pass->printAsTextualPipeline(stream);
  for (; op; op = op->getParentOp())
    pipeline = op->getName().getStringRef().str() + "(" + pipeline + ")";
}

LogicalResult PassRun::run(ModuleOp module) const {
  PassManager manager(module.getContext());
  ScopedDiagnosticHandler silence(module.getContext(), [](Diagnostic &) { return success(); });
  return success(
      succeeded(parsePassPipeline(
          pipeline.substr(pipeline.find('(') + 1, pipeline.size() - pipeline.find('(') - 2), manager)) &&
      succeeded(manager.run(module)));
}

/// Whether the pass has differentiated @loss without leaving @gradient to compare.
static bool hidesGradient(const ModuleNumbers &before, ModuleOp after) {
  return before.has("loss") && !after.lookupSymbol("loss") && !after.lookupSymbol("gradient") &&
         after.lookupSymbol("train_step_0");
}

static std::optional<std::string> findGradientFault(ModuleOp before, const ModuleNumbers &numbers,
                                                    ModuleOp after, const PassRun &run,
                                                    const NumbersOptions &options) {
  auto loss = before.lookupSymbol<func::FuncOp>("loss");
  if (!hidesGradient(numbers, after))
    return numbers.has("gradient") ? std::nullopt : findWrongGradient(after, loss, options);
  if (run.getPipeline().empty())
    return std::nullopt;
  OwningOpRef<ModuleOp> again = before.clone();
  again.get()->setAttr("flow.gradient_entry", UnitAttr::get(before.getContext()));
  return succeeded(run.run(*again)) ? findWrongGradient(*again, loss, options) : std::nullopt;
}

std::optional<PassFault> findFault(ModuleOp before, const ModuleNumbers &numbers, ModuleOp after,
                                   const ModuleNumbers &numbersAfter, const PassRun &run,
                                   const NumbersOptions &options) {
  if (numbers.findDifference(numbersAfter, options)) {
    // Batch norms over two rows, say, amplify rounding errors: see by how much.
    NumbersOptions perturbed = options;
    perturbed.perturbation = 1e-15;
    ModuleNumbers perturbedNumbers = ModuleNumbers::compute(before, perturbed);
    if (auto difference = numbers.findDifference(numbersAfter, options, &perturbedNumbers))
      return PassFault{PassFault::Kind::Numbers, difference->text, difference->function, difference->rows};
  }
  if (auto difference = findGradientFault(before, numbers, after, run, options))
    return PassFault{PassFault::Kind::Gradient, *difference, "", 0};
  if (numbersAfter.getPlanFault() && !numbers.getPlanFault())
    return PassFault{PassFault::Kind::Plan, *numbersAfter.getPlanFault(), "", 0};
  return std::nullopt;
}

std::optional<PassFault> findFault(ModuleOp before, const PassRun &run, const NumbersOptions &options) {
  OwningOpRef<ModuleOp> after = before.clone();
  if (failed(run.run(*after)))
    return std::nullopt;
  return findFault(before, ModuleNumbers::compute(before, options), *after,
                   ModuleNumbers::compute(*after, options), run, options);
}

} // namespace kowari::interpreter
