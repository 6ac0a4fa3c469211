//===- GradientCheck.cpp - @gradient against its loss ---------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/interpreter/GradientCheck.h"

#include "compiler/interpreter/Interpreter.h"
#include "compiler/interpreter/RandomArguments.h"
#include "dialects/flow/FlowOps.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"

#include <cmath>
#include <random>

using namespace mlir;

namespace kowari::interpreter {

namespace {

/// One step a try. A difference across a kink (relu, a knot of a spline) says nothing, a wrong adjoint is
/// wrong every time.
constexpr double steps[] = {1e-5, 3e-6, 1e-6, 1e-5};
constexpr double tolerance = 1e-5; ///< relative to the derivative or to 1

/// A parameter of the loss, and its gradient.
struct Parameter {
  unsigned argument; ///< of the loss
  const Tensor *gradient;
  StringRef name;
};

/// Which result of a function is its loss (state may stand before it); nothing if none is.
std::optional<unsigned> findLossResult(func::FuncOp function) {
  if (!function || !isInterpretable(function))
    return std::nullopt;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (getResultKey(function, i) == "flow.output loss" &&
        flow::getShape(function.getResultTypes()[i]) == flow::Shape::Scalar)
      return i;
  return std::nullopt;
}

class GradientCheck {
public:
  GradientCheck(func::FuncOp lossFunction, std::vector<Tensor> arguments, int64_t rows)
      : lossFunction(lossFunction), lossResult(*findLossResult(lossFunction)),
        arguments(std::move(arguments)), options{.rows = rows, .inDouble = true} {}

  struct Derivatives {
    double numeric = 0, projected = 0;
    double rounding = 0; ///< of the loss, which is large where base noise is far out, in `numeric`
    bool agree() const {
      return std::fabs(numeric - projected) <= tolerance * std::max(1.0, std::fabs(numeric)) + rounding;
    }
  };
  /// Along a random direction of these parameters together: by differences of the loss, and by its gradients.
  /// If they disagree, along others.
  FailureOr<Derivatives> compareOften(ArrayRef<Parameter> parameters) {
    std::optional<Derivatives> wrong;
    for (unsigned attempt = 0; attempt < std::size(steps); ++attempt) {
      auto derivatives = compare(parameters, attempt, steps[attempt]);
      if (failed(derivatives) || derivatives->agree())
        return derivatives;
      // Differences across a kink, or of a loss that explodes, say nothing: a smaller step must come to the
      // same.
      auto again = compare(parameters, attempt, steps[attempt] / 3);
      if (failed(again))
        return again;
      if (std::fabs(again->numeric - derivatives->numeric) <
          0.1 * std::fabs(derivatives->numeric - derivatives->projected))
        wrong = *derivatives;
    }
    return wrong.value_or(Derivatives());
  }

private:
  FailureOr<Derivatives> compare(ArrayRef<Parameter> parameters, unsigned attempt, double step) {
    double losses[2]; // behind a step back and a step forward
    double projected = 0;
    for (int side : {0, 1}) {
      std::vector<Tensor> moved = arguments;
      for (const Parameter &parameter : parameters) {
        std::mt19937_64 generator(parameter.argument + 1000003ull * attempt);
        std::normal_distribution<double> normal;
        Tensor &tensor = moved[parameter.argument];
        for (int64_t i = 0; i < tensor.getSize(); ++i) {
          const double direction = normal(generator);
          tensor.setReal(i, tensor.getReal(i) + (side ? step : -step) * direction);
          projected += side ? direction * parameter.gradient->getReal(i) : 0.0;
        }
      }
      auto results = interpret(lossFunction, std::move(moved), options);
      if (failed(results))
        return failure();
      losses[side] = (*results)[lossResult].getReal(0);
    }
    const double rounding = 64 * 0x1p-53 * std::max(std::fabs(losses[0]), std::fabs(losses[1])) / step;
    return Derivatives{(losses[1] - losses[0]) / (2 * step), projected, rounding};
  }

  func::FuncOp lossFunction;
  unsigned lossResult;
  std::vector<Tensor> arguments;
  InterpretOptions options;
};

std::vector<Tensor> makeArguments(func::FuncOp function, int64_t rows, uint64_t seed) {
  std::vector<Tensor> arguments = makeRandomArguments(function, rows, seed);
  for (Tensor &argument : arguments)
    argument = argument.convertedTo(ElementKind::F64);
  return arguments;
}

/// The parameters of `loss` that `gradient` returns a gradient of, from its results.
std::vector<Parameter> matchParameters(func::FuncOp loss, func::FuncOp gradient, ArrayRef<Tensor> results,
                                       llvm::StringMap<unsigned> &byName) {
  constexpr StringRef parameter = "flow.parameter ", output = "flow.output gradient/";
  for (unsigned i = 0; i < loss.getNumArguments(); ++i)
    if (std::string key = getArgumentKey(loss, i); StringRef(key).starts_with(parameter))
      byName[StringRef(key).drop_front(parameter.size())] = i;
  std::vector<Parameter> parameters;
  for (unsigned i = 0; i < gradient.getNumResults(); ++i) {
    std::string key = getResultKey(gradient, i);
    if (!StringRef(key).starts_with(output))
      continue;
    auto found = byName.find(StringRef(key).drop_front(output.size()));
    if (found != byName.end())
      parameters.push_back({found->second, &results[i], found->first()});
  }
  return parameters;
}

} // namespace

std::optional<std::string> findWrongGradient(ModuleOp module, func::FuncOp loss,
                                             const NumbersOptions &options) {
  auto gradient = module.lookupSymbol<func::FuncOp>("gradient");
  if (!findLossResult(gradient))
    return std::nullopt;
  if (!findLossResult(loss))
    loss = gradient;
  const int64_t rows = 7;
  auto gradients =
      interpret(gradient, makeArguments(gradient, rows, options.seed), {.rows = rows, .inDouble = true});
  if (failed(gradients))
    return std::nullopt;
  llvm::StringMap<unsigned> names;
  const std::vector<Parameter> parameters = matchParameters(loss, gradient, *gradients, names);
  // One parameter at a time if the budget allows, and otherwise as many together as it takes.
  const double comparisons =
      options.multiplyAddBudget / (2.0 * rows * std::max(1.0, countMultiplyAdds(loss)));
  if (comparisons < 1)
    return std::nullopt;
  const size_t together = std::ceil(parameters.size() / std::min<double>(comparisons, 1e6));
  GradientCheck check(loss, makeArguments(loss, rows, options.seed), rows);
  for (size_t first = 0; first < parameters.size(); first += together) {
    auto group = ArrayRef(parameters).slice(first, std::min(together, parameters.size() - first));
    auto derivatives = check.compareOften(group);
    if (failed(derivatives))
      return std::nullopt;
    for (size_t i = 0; !derivatives->agree() && i < group.size(); ++i) { // which one?
      auto ofOne = check.compareOften(group[i]);
      if (failed(ofOne) || ofOne->agree())
        continue;
      std::string text;
      llvm::raw_string_ostream(text) << "@gradient of " << group[i].name
                                     << llvm::format(
                                            ": %.9g along a direction in which the loss changes by %.9g",
                                            ofOne->projected, ofOne->numeric);
      return text;
    }
  }
  return std::nullopt;
}

} // namespace kowari::interpreter
