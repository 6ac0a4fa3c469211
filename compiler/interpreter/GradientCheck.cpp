//===- GradientCheck.cpp - @gradient against its loss ---------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/interpreter/GradientCheck.h"

#include "compiler/interpreter/Interpreter.h"
#include "compiler/interpreter/RandomArguments.h"
#include "dialects/flow/FlowOps.h"

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

class GradientCheck {
public:
  GradientCheck(func::FuncOp gradientFunction, std::vector<Tensor> arguments, int64_t rows)
      : gradientFunction(gradientFunction), arguments(std::move(arguments)),
        options{.rows = rows, .inDouble = true} {}

  struct Derivatives {
    double numeric, projected;
    bool agree() const {
      return std::fabs(numeric - projected) <= tolerance * std::max(1.0, std::fabs(numeric));
    }
  };
  /// Along a random direction of argument `index`: by differences of the loss, and by its gradient. If they
  /// disagree, along others.
  FailureOr<Derivatives> compareOften(unsigned index, const Tensor &gradient) {
    for (unsigned attempt = 0;; ++attempt) {
      auto derivatives = compare(index, gradient, attempt);
      if (failed(derivatives) || derivatives->agree() || attempt + 1 == std::size(steps))
        return derivatives;
    }
  }

private:
  FailureOr<Derivatives> compare(unsigned index, const Tensor &gradient, unsigned attempt) {
    double step = steps[attempt];
    Tensor &argument = arguments[index], start = argument;
    std::mt19937_64 generator(index + 1000003ull * attempt);
    std::normal_distribution<double> normal;
    double projected = 0;
    std::vector<double> direction(start.getSize());
    for (int64_t i = 0; i < start.getSize(); ++i) {
      direction[i] = normal(generator);
      projected += direction[i] * gradient.getReal(i);
    }
    double losses[2];
    for (int side : {0, 1}) {
      for (int64_t i = 0; i < start.getSize(); ++i)
        argument.setReal(i, start.getReal(i) + (side ? step : -step) * direction[i]);
      auto results = interpret(gradientFunction, arguments, options);
      if (failed(results))
        return failure();
      losses[side] = results->front().getReal(0);
    }
    argument = start;
    return Derivatives{(losses[1] - losses[0]) / (2 * step), projected};
  }

  func::FuncOp gradientFunction; ///< its first result is the loss
  std::vector<Tensor> arguments;
  InterpretOptions options;
};

} // namespace

std::optional<std::string> findWrongGradient(ModuleOp module, const NumbersOptions &options) {
  auto gradient = module.lookupSymbol<func::FuncOp>("gradient");
  if (!gradient || !isInterpretable(gradient) || gradient.getNumResults() == 0 ||
      flow::getShape(gradient.getResultTypes().front()) != flow::Shape::Scalar)
    return std::nullopt;
  int64_t rows = 7;
  double evaluations = 2.0 * gradient.getNumResults();
  if (evaluations * rows * countMultiplyAdds(gradient) > options.multiplyAddBudget)
    return std::nullopt;
  std::vector<Tensor> arguments = makeRandomArguments(gradient, rows, options.seed);
  for (Tensor &argument : arguments)
    argument = argument.convertedTo(ElementKind::F64);
  auto gradients = interpret(gradient, arguments, {.rows = rows, .inDouble = true});
  if (failed(gradients))
    return std::nullopt;
  GradientCheck check(gradient, arguments, rows);
  for (unsigned result = 0; result < gradient.getNumResults(); ++result)
    for (unsigned index = 0; index < gradient.getNumArguments(); ++index) {
      StringRef parameter = "flow.parameter ", output = "flow.output gradient/";
      std::string from = getArgumentKey(gradient, index), to = getResultKey(gradient, result);
      if (!StringRef(from).starts_with(parameter) || !StringRef(to).starts_with(output) ||
          StringRef(from).drop_front(parameter.size()) != StringRef(to).drop_front(output.size()))
        continue;
      auto derivatives = check.compareOften(index, (*gradients)[result]);
      if (failed(derivatives))
        return std::nullopt;
      if (derivatives->agree())
        continue;
      std::string text;
      llvm::raw_string_ostream(text) << "@gradient of " << StringRef(from).drop_front(parameter.size())
                                     << llvm::format(
                                            ": %.9g along a direction in which the loss changes by %.9g",
                                            derivatives->projected, derivatives->numeric);
      return text;
    }
  return std::nullopt;
}

} // namespace kowari::interpreter
