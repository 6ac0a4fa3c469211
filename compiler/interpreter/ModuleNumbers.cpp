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
#include "llvm/Support/FormatVariadic.h"

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

/// The row counts that the budgets leave, `maximum` (null: none is known) among them.
std::vector<int64_t> ModuleNumbers::chooseRows(StringRef name, const NumbersOptions &options,
                                               double multiplyAdds, IntegerAttr maximum) {
  std::vector<int64_t> chosen;
  for (int64_t rows : options.rowCounts)
    if (rows * multiplyAdds <= options.multiplyAddBudget)
      chosen.push_back(rows);
  if (maximum && maximum.getInt() * multiplyAdds <= options.maximumBudget &&
      !llvm::is_contained(chosen, maximum.getInt()))
    chosen.push_back(maximum.getInt());
  if (chosen.empty())
    leftOut.insert(
        llvm::formatv("@{0}: its products take {1:e2} multiply-adds a row, which is beyond the budget; "
                      "make the network narrower",
                      name, multiplyAdds));
  return chosen;
}

/// Entries of all arguments.
static double countEntries(func::FuncOp function, int64_t rows) {
  double all = 0;
  for (Type type : function.getArgumentTypes()) {
    double entries = 1;
    for (int64_t extent : cast<RankedTensorType>(type).getShape())
      entries *= static_cast<double>(ShapedType::isDynamic(extent) ? rows : extent);
    all += entries;
  }
  return all;
}

void ModuleNumbers::addFunction(func::FuncOp function, const NumbersOptions &options) {
  for (int64_t rows : chooseRows(function.getName(), options, countMultiplyAdds(function),
                                 function->getAttrOfType<IntegerAttr>("flow.max_rows"))) {
    if (countEntries(function, rows) > options.entryBudget) {
      leftOut.insert("@" + function.getName().str() +
                     ": its arguments are too large; make the network narrower");
      continue;
    }
    std::vector<Tensor> arguments = makeRandomArguments(function, rows, options.seed, options.perturbation);
    for (bool inDouble : {true, false}) {
      if (inDouble && isF64(function))
        continue;
      auto results = interpret(function, arguments, {.rows = rows, .inDouble = inDouble});
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
    for (int64_t rows : chooseRows(program.getSymName(), options, countMultiplyAdds(program),
                                   module->getAttrOfType<IntegerAttr>("plan.max_rows"))) {
      NamedTensors tensors = makeRandomTensors(program, rows, options.seed, options.perturbation);
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
    if (function.isPublic() && !function->hasAttr("flow.kernel")) {
      if (isInterpretable(function))
        numbers.addFunction(function, options);
      else
        numbers.leftOut.insert("@" + function.getName().str() +
                               ": it has an operation or a type that the interpreter does not know");
    }
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

/// How far rounding has moved an output from that of another run.
static double getRoundingError(const ModuleNumbers::Outputs *other, const std::string &key,
                               const Tensor &rounded) {
  if (!other || !other->count(key) || !rounded.isReal())
    return 0;
  return findLargestDifference(other->at(key).convertedTo(ElementKind::F64),
                               rounded.convertedTo(ElementKind::F64))
      .relative;
}

/// Whether rounding errors leave an output less than a digit: gradients behind ten batch norms over two rows,
/// say. What optimizers make of these is as arbitrary, so the whole run says nothing.
static bool hasNoDigitsLeft(const ModuleNumbers::Outputs &outputs, const ModuleNumbers::Outputs *other,
                            double factor) {
  return llvm::any_of(outputs, [&](auto &output) {
    return !(factor * getRoundingError(other, output.first, output.second) < 0.1);
  });
}

std::optional<std::string> ModuleNumbers::compare(const Outputs &before, const Outputs &after,
                                                  double baseTolerance, const Outputs *other, double factor) {
  if (hasNoDigitsLeft(before, other, factor))
    return std::nullopt;
  for (auto &[key, expected] : before) {
    auto found = after.find(key);
    if (found == after.end())
      continue;
    const Tensor &actual = found->second;
    if (expected.getShape() != actual.getShape() || expected.isReal() != actual.isReal())
      return "output " + key + " was " + expected.describe() + " and is " + actual.describe();
    double tolerance = baseTolerance + factor * getRoundingError(other, key, expected);
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

std::optional<ModuleNumbers::OutputDifference>
ModuleNumbers::findDifference(const ModuleNumbers &later, const NumbersOptions &options,
                              const ModuleNumbers *perturbed) const {
  for (auto &[name, runs] : functions) {
    auto function = later.functions.find(name);
    if (function == later.functions.end())
      continue;
    for (auto &[run, outputs] : runs) {
      auto again = function->second.find(run);
      if (again == function->second.end())
        continue;
      const Outputs *exact = run.inDouble ? nullptr : find(name, run.rows, true);
      auto difference =
          exact ? compare(outputs, again->second, options.toleranceF32, exact, 30)
                : compare(outputs, again->second, options.tolerance,
                          perturbed ? perturbed->find(name, run.rows, run.inDouble) : nullptr, 100);
      if (difference)
        return OutputDifference{"@" + name + " with " + std::to_string(run.rows) + " rows" +
                                    (run.inDouble ? " in double" : "") + ": " + *difference,
                                name, run.rows};
    }
  }
  return std::nullopt;
}

} // namespace kowari::interpreter
