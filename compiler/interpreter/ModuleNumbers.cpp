//===- ModuleNumbers.cpp - what a module computes -------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/interpreter/ModuleNumbers.h"

#include "compiler/interpreter/Interpreter.h"
#include "compiler/interpreter/PlanNumbers.h"
#include "compiler/interpreter/RandomArguments.h"
#include "dialects/flow/FlowOps.h"

#include "llvm/Support/Format.h"

using namespace mlir;

namespace kowari::interpreter {

double countMultiplyAdds(func::FuncOp function) {
  double count = 0;
  function.walk([&](Operation *op) {
    for (Value v : {op->getNumOperands() > 1 ? op->getOperand(1) : Value(),
                    op->getNumResults() ? op->getResult(0) : Value()})
      if (v && isa<flow::LinearOp, flow::LinearGradInputOp, flow::LinearGradWeightOp>(op))
        if (auto type = dyn_cast<RankedTensorType>(v.getType());
            type && type.hasStaticShape() && type.getRank() == 2)
          count += type.getNumElements();
  });
  return count;
}

static bool isF64(func::FuncOp function) {
  return llvm::none_of(function.getArgumentTypes(),
                       [](Type type) { return cast<RankedTensorType>(type).getElementType().isF32(); });
}

void ModuleNumbers::addFunction(func::FuncOp function, const NumbersOptions &options) {
  for (int64_t rows : options.rowCounts) {
    if (rows * countMultiplyAdds(function) > options.multiplyAddBudget)
      continue;
    for (bool inDouble : {true, false}) {
      if (inDouble && isF64(function))
        continue;
      auto results = interpret(function, makeRandomArguments(function, rows, options.seed),
                               {.rows = rows, .inDouble = inDouble});
      if (failed(results))
        continue;
      Outputs &outputs = functions[function.getName().str()][{rows, inDouble}];
      for (auto [i, result] : llvm::enumerate(*results))
        outputs.insert_or_assign(getResultKey(function, i), std::move(result));
    }
  }
}

void ModuleNumbers::addPrograms(ModuleOp module, const NumbersOptions &options) {
  for (auto program : module.getOps<plan::ProgramOp>())
    for (int64_t rows : options.rowCounts) {
      if (rows * countMultiplyAdds(program) > options.multiplyAddBudget)
        continue;
      NamedTensors tensors = makeRandomTensors(program, rows, options.seed);
      for (bool inDouble : {true, false}) {
        if (inDouble && !usesF32(program))
          continue;
        PlanOutcome outcome = runPlan(program, tensors, rows, inDouble);
        if (outcome.fault && !planFault)
          planFault =
              "@" + program.getSymName().str() + " with " + std::to_string(rows) + " rows: " + *outcome.fault;
        if (!outcome.fault && !outcome.unsuited)
          functions[program.getSymName().str()][{rows, inDouble}] = std::move(outcome.outputs);
      }
    }
}

ModuleNumbers ModuleNumbers::compute(ModuleOp module, const NumbersOptions &options) {
  ModuleNumbers numbers;
  // A function that these inputs do not suit (an index outside its table) has no numbers, which is no error.
  ScopedDiagnosticHandler silence(module.getContext(), [](Diagnostic &) { return success(); });
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function->hasAttr("flow.kernel") && isInterpretable(function))
      numbers.addFunction(function, options);
  numbers.addPrograms(module, options);
  return numbers;
}

const ModuleNumbers::Outputs *ModuleNumbers::find(const std::string &name, int64_t rows,
                                                  bool inDouble) const {
  auto function = functions.find(name);
  if (function == functions.end())
    return nullptr;
  auto run = function->second.find({rows, inDouble});
  return run == function->second.end() ? nullptr : &run->second;
}

/// How far rounding has moved an output from the run in double.
static double getRoundingError(const ModuleNumbers::Outputs *exact, const std::string &key,
                               const Tensor &rounded) {
  if (!exact || !exact->count(key) || !rounded.isReal())
    return 0;
  return findLargestDifference(exact->at(key).convertedTo(ElementKind::F64),
                               rounded.convertedTo(ElementKind::F64))
      .relative;
}

std::optional<std::string> ModuleNumbers::compare(const Outputs &before, const Outputs &after,
                                                  double baseTolerance, const Outputs *exact) {
  for (auto &[key, expected] : before) {
    auto found = after.find(key);
    if (found == after.end())
      continue;
    const Tensor &actual = found->second;
    if (expected.getShape() != actual.getShape() || expected.isReal() != actual.isReal())
      return "output " + key + " was " + expected.describe() + " and is " + actual.describe();
    double tolerance = baseTolerance + 30 * getRoundingError(exact, key, expected);
    Difference difference =
        findLargestDifference(expected.convertedTo(ElementKind::F64), actual.convertedTo(ElementKind::F64));
    if (difference.relative <= tolerance)
      continue;
    std::string text = "output " + key + ": ";
    llvm::raw_string_ostream stream(text);
    if (expected.isReal())
      stream << llvm::format(
          "entry %lld was %.9g and is %.9g, largest difference %.3g where %.3g is accepted",
          static_cast<long long>(difference.position), expected.getReal(difference.position),
          actual.getReal(difference.position), difference.relative, tolerance);
    else
      stream << "index " << difference.position << " was " << expected.getIndices()[difference.position]
             << " and is " << actual.getIndices()[difference.position];
    return text;
  }
  return std::nullopt;
}

std::optional<std::string> ModuleNumbers::findDifference(const ModuleNumbers &later,
                                                         const NumbersOptions &options) const {
  for (auto &[name, runs] : functions) {
    auto function = later.functions.find(name);
    if (function == later.functions.end())
      continue;
    for (auto &[run, outputs] : runs) {
      auto again = function->second.find(run);
      if (again == function->second.end())
        continue;
      auto exact = run.inDouble ? runs.end() : runs.find({run.rows, true});
      bool isF32 = exact != runs.end();
      auto difference = compare(outputs, again->second, isF32 ? options.toleranceF32 : options.tolerance,
                                isF32 ? &exact->second : nullptr);
      if (difference)
        return "@" + name + " with " + std::to_string(run.rows) + " rows" +
               (run.inDouble ? " in double" : "") + ": " + *difference;
    }
  }
  return std::nullopt;
}

} // namespace kowari::interpreter
