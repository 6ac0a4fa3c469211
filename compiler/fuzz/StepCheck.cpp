//===- StepCheck.cpp - each compiled step against the interpreter ---------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/fuzz/StepCheck.h"
#include "compiler/fuzz/StepEntries.h"
#include "compiler/interpreter/PlanSteps.h"
#include "dialects/flow/FlowOps.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>

using namespace mlir;
using kowari::interpreter::ArenaView;
using kowari::interpreter::ElementKind;
using kowari::interpreter::NamedTensors;
using kowari::interpreter::PlanArena;
using kowari::interpreter::PlanSteps;
using kowari::interpreter::WatchedMemory;

namespace kowari::fuzz {

namespace {

/// What a kernel's result may be off: roundings of the tensor's largest entry, roundings of 1 (or of the
/// largest operand, if that is less), and multiples of the sampled error of the entry. A run in double has no
/// coarser one beside it that shows what is rounded inside a kernel, and gets more roundings.
constexpr double roundings = 32, unitRoundings = 16, spreads = 32, moreInDouble = 32;
/// Of the largest operand, for gradients of splines: that of a softmax is a difference of two numbers that
/// may be much larger, and no operand shows it.
constexpr double splineGradientRoundings = 128;
/// Runs with perturbed operands: always, and before a difference is believed.
constexpr int fewSamples = 2, manySamples = 64;
/// Largest relative perturbation of an operand, in roundings.
constexpr double perturbation = 2;

constexpr double infinity = std::numeric_limits<double>::infinity();

double getRounding(ElementKind kind) { return kind == ElementKind::F32 ? 0x1p-24 : 0x1p-53; }
double getSmallest(ElementKind kind) {
  return kind == ElementKind::F32 ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
}

/// What lies at a view's elements, row-major.
struct Contents {
  explicit Contents(const ArenaView &window)
      : view(window), defined(view.dim0 * view.dim1),
        reals(view.kind == ElementKind::I64 ? 0 : defined.size()),
        indices(view.kind == ElementKind::I64 ? defined.size() : 0) {}
  ArenaView view;
  std::vector<bool> defined; ///< the others hold anything
  std::vector<double> reals;
  std::vector<int64_t> indices;
};

template <class Action> void forEachElement(const ArenaView &view, Action action) {
  for (int64_t i = 0, position = 0; i < view.dim0; ++i)
    for (int64_t j = 0; j < view.dim1; ++j, ++position)
      action(i, j, position);
}

double getDifference(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return 0;
  double difference = std::fabs(a - b);
  return std::isnan(difference) ? infinity : difference;
}

/// Of the finite ones.
double getLargest(const std::vector<double> &values) {
  double largest = 0;
  for (double value : values)
    if (std::isfinite(value))
      largest = std::max(largest, std::fabs(value));
  return largest;
}

func::FuncOp getKernel(Operation *op) {
  auto step = dyn_cast<plan::KernelOp>(op);
  return step ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(step, step.getKernelAttr()) : nullptr;
}

bool hasSplineGradient(Operation *op) {
  func::FuncOp kernel = getKernel(op);
  return kernel && !kernel.getOps<flow::RqSplineGradOp>().empty();
}

/// Half the interval of the splines in a step's kernel; 0 without one.
double getTailBound(Operation *op) {
  double bound = 0;
  if (func::FuncOp kernel = getKernel(op))
    for (Operation &inner : kernel.getBody().front())
      if (auto attribute = inner.getAttrOfType<FloatAttr>("tail_bound"))
        bound = std::max(bound, attribute.getValueAsDouble());
  return bound;
}

/// The interpreter's own arena.
struct Run {
  Run(plan::ProgramOp program, const interpreter::ArenaBounds &bounds, int64_t rows, bool inDouble)
      : memory(program, bounds, rows, inDouble), steps(memory, rows) {}
  WatchedMemory memory;
  PlanSteps steps;
};

/// What a step should leave in a view.
struct Expectation {
  Contents exact;
  std::vector<double> rounded; ///< as the program's own precision has it
  std::vector<double> spread;  ///< of each entry, sampled
};

class StepCheck {
public:
  StepCheck(plan::Program &compiledProgram, plan::ProgramOp planProgram, int64_t rowCount, uint64_t seed)
      : compiled(compiledProgram), program(planProgram), rows(rowCount), generator(seed),
        bounds(*interpreter::getArenaBounds(program->getParentOfType<ModuleOp>())),
        exact(program, bounds, rows, true), rounded(program, bounds, rows, false),
        perturbed(program, bounds, rows, true), perturbedRounded(program, bounds, rows, false) {}

  std::optional<std::string> run(const NamedTensors &inputs);

private:
  void writeInputs(const NamedTensors &inputs);
  std::optional<std::string> runStep(Operation *op);
  /// Runs a step on the operands that the compiled step had; returns why it could not.
  std::optional<std::string> interpret(Run &run, Operation *op, bool perturb);

  Contents capture(const ArenaView &view);
  /// Perturbed, an entry moves by roundings of itself, or of the largest entry and `tailBound` if that is not
  /// 0.
  void restore(WatchedMemory &memory, const Contents &contents, bool perturb, double tailBound);
  double readCompiled(const ArenaView &view, int64_t i, int64_t j) const;
  int64_t readCompiledIndex(const ArenaView &view, int64_t i, int64_t j) const;

  void expect(Operation *op);
  void widen(Operation *op, int samples);
  std::vector<double> getAccepted(Operation *op, const Expectation &expectation);
  std::vector<double> boundProduct(plan::GemmOp product);
  std::optional<std::string> findDifference(Operation *op);

  plan::Program &compiled;
  plan::ProgramOp program;
  int64_t rows;
  std::mt19937_64 generator;
  interpreter::ArenaBounds bounds;
  /// In double and in the program's own precision; the same with operands a little off.
  Run exact, rounded, perturbed, perturbedRounded;
  std::vector<Contents> operands; ///< of the step, before it ran
  std::vector<Expectation> expectations;
  int64_t number = 0;
};

//===-- compiled memory ---------------------------------------------------===//

double StepCheck::readCompiled(const ArenaView &view, int64_t i, int64_t j) const {
  const void *address = compiled.data({.offset = view.getAddress(i, j)});
  if (view.kind == ElementKind::F64)
    return *static_cast<const double *>(address);
  return *static_cast<const float *>(address);
}

int64_t StepCheck::readCompiledIndex(const ArenaView &view, int64_t i, int64_t j) const {
  return *static_cast<const int64_t *>(compiled.data({.offset = view.getAddress(i, j)}));
}

/// The compiled program's view of what the interpreter knows to be defined.
Contents StepCheck::capture(const ArenaView &view) {
  Contents contents(view);
  forEachElement(view, [&](int64_t i, int64_t j, int64_t position) {
    contents.defined[position] = exact.memory.isDefined(view, i, j);
    if (!contents.defined[position])
      return;
    if (view.kind == ElementKind::I64)
      contents.indices[position] = readCompiledIndex(view, i, j);
    else
      contents.reals[position] = readCompiled(view, i, j);
  });
  return contents;
}

void StepCheck::restore(WatchedMemory &memory, const Contents &contents, bool perturb, double tailBound) {
  const double most = perturbation * getRounding(contents.view.kind);
  const double whole = tailBound > 0 ? std::max(tailBound, getLargest(contents.reals)) : 0;
  forEachElement(contents.view, [&](int64_t i, int64_t j, int64_t position) {
    if (!contents.defined[position])
      return;
    if (contents.view.kind == ElementKind::I64)
      return memory.writeIndex(contents.view, i, j, contents.indices[position]);
    double value = contents.reals[position];
    if (perturb)
      value += most * (static_cast<double>(generator() >> 11) * 0x1p-52 - 1) * (whole > 0 ? whole : value);
    memory.writeReal(contents.view, i, j, value);
  });
}

//===-- running -----------------------------------------------------------===//

void StepCheck::writeInputs(const NamedTensors &inputs) {
  auto module = program->getParentOfType<ModuleOp>();
  for (Run *run : {&exact, &rounded, &perturbed, &perturbedRounded})
    for (auto tensor : module.getOps<plan::TensorOp>())
      if (auto found = inputs.find(interpreter::getTensorKey(tensor)); found != inputs.end())
        run->memory.store(run->memory.resolve(cast<plan::ViewType>(tensor.getView()), tensor.getOffset(),
                                              PlanArena::persistentOwner),
                          found->second);
}

std::optional<std::string> StepCheck::run(const NamedTensors &inputs) {
  writeInputs(inputs);
  for (Operation &op : program.getBlock()) {
    if (!isa<plan::StepOpInterface>(op))
      continue;
    if (auto difference = runStep(&op))
      return interpreter::describeStep(&op, number) + ": " + *difference;
    ++number;
  }
  return std::nullopt;
}

std::optional<std::string> StepCheck::runStep(Operation *op) {
  operands.clear();
  for (Value view : cast<plan::StepOpInterface>(op).getReads())
    operands.push_back(capture(exact.memory.resolve(view)));
  for (Run *run : {&exact, &rounded})
    if (auto trouble = interpret(*run, op, false))
      return "cannot be interpreted: " + *trouble;
  int entry = compiled.findEntry(getStepEntryName(program.getSymName().str(), number));
  if (Status status = compiled.run(entry, rows); !status)
    return status.message();
  expect(op);
  if (!isa<plan::KernelOp>(op))
    return findDifference(op);
  widen(op, fewSamples);
  if (!findDifference(op))
    return std::nullopt;
  widen(op, manySamples);
  return findDifference(op);
}

std::optional<std::string> StepCheck::interpret(Run &run, Operation *op, bool perturb) {
  // The knots of a spline are sums across the whole interval, whatever the size of the entry between them.
  const double tailBound = getTailBound(op);
  for (const Contents &operand : operands)
    restore(run.memory, operand, perturb, tailBound);
  run.memory.begin(op, static_cast<int>(number));
  auto unsuited = run.steps.run(op);
  return unsuited ? unsuited : run.memory.getFault();
}

//===-- comparing ---------------------------------------------------------===//

void StepCheck::expect(Operation *op) {
  expectations.clear();
  for (Value result : cast<plan::StepOpInterface>(op).getWrites()) {
    const ArenaView view = exact.memory.resolve(result);
    Expectation e{Contents(view), {}, {}};
    e.rounded.resize(e.exact.reals.size());
    e.spread.resize(e.exact.reals.size());
    forEachElement(view, [&](int64_t i, int64_t j, int64_t position) {
      e.exact.defined[position] = exact.memory.isDefined(view, i, j);
      if (!e.exact.defined[position])
        return;
      if (view.kind == ElementKind::I64) {
        e.exact.indices[position] = exact.memory.readIndex(view, i, j);
        return;
      }
      e.exact.reals[position] = exact.memory.readReal(view, i, j);
      e.rounded[position] = rounded.memory.readReal(view, i, j);
      e.spread[position] = getDifference(e.rounded[position], e.exact.reals[position]);
    });
    expectations.push_back(std::move(e));
  }
}

/// Runs the step with operands a little off, which shows what it amplifies, and in its own precision beside,
/// where the same operands' roundings inside come out otherwise each time; notes what comes of it.
void StepCheck::widen(Operation *op, int samples) {
  for (int sample = 0; sample < samples; ++sample)
    for (Run *run : {&perturbed, &perturbedRounded}) {
      if (interpret(*run, op, true))
        return;
      for (Expectation &e : expectations)
        forEachElement(e.exact.view, [&](int64_t i, int64_t j, int64_t position) {
          if (e.exact.defined[position] && e.exact.view.kind != ElementKind::I64)
            e.spread[position] =
                std::max(e.spread[position],
                         getDifference(run->memory.readReal(e.exact.view, i, j), e.exact.reals[position]));
        });
    }
}

/// The a priori bound of a product whatever the order of its additions: a term is rounded at most as often as
/// there are terms, by either side.
std::vector<double> StepCheck::boundProduct(plan::GemmOp product) {
  const Contents &a = operands[0], &b = operands[1];
  const Contents *bias = product.getBias() ? &operands[2] : nullptr;
  const Contents *before = product.getAccumulate() ? &operands.back() : nullptr;
  const ArenaView &c = expectations.front().exact.view;
  std::vector<double> accepted;
  forEachElement(c, [&](int64_t i, int64_t j, int64_t position) {
    double sum = (bias ? std::fabs(bias->reals[j]) : 0) + (before ? std::fabs(before->reals[position]) : 0);
    for (int64_t k = 0; k < a.view.dim1; ++k)
      sum += std::fabs(a.reals[i * a.view.dim1 + k] * b.reals[k * b.view.dim1 + j]);
    accepted.push_back(2 * static_cast<double>(a.view.dim1 + 2) *
                       (getRounding(c.kind) * sum + getSmallest(c.kind)));
  });
  return accepted;
}

/// How far off each entry may be.
std::vector<double> StepCheck::getAccepted(Operation *op, const Expectation &e) {
  const size_t count = e.exact.reals.size();
  if (auto product = dyn_cast<plan::GemmOp>(op))
    return boundProduct(product);
  if (!isa<plan::KernelOp>(op)) // moves values
    return std::vector<double>(count, 0);
  const ElementKind kind = e.exact.view.kind;
  double largest = 0;
  for (const Contents &operand : operands)
    largest = std::max(largest, getLargest(operand.reals));
  const double unit =
      hasSplineGradient(op) ? splineGradientRoundings * largest : unitRoundings * std::min(largest, 1.0);
  const double absolute = getRounding(kind) * (kind == ElementKind::F64 ? moreInDouble : 1) *
                          (roundings * getLargest(e.exact.reals) + unit);
  std::vector<double> accepted(count, absolute + getSmallest(kind));
  for (size_t i = 0; i < count; ++i)
    accepted[i] += spreads * e.spread[i];
  return accepted;
}

std::optional<std::string> StepCheck::findDifference(Operation *op) {
  for (auto [result, e] : llvm::enumerate(expectations)) {
    const ArenaView &view = e.exact.view;
    const Contents actual = capture(view);
    const std::vector<double> accepted = getAccepted(op, e);
    // Copies and fills are those of the program's own precision.
    const std::vector<double> &expected = isa<plan::KernelOp, plan::GemmOp>(op) ? e.exact.reals : e.rounded;
    auto describe = [&](int64_t i, auto interpreted, auto ran) {
      std::ostringstream text;
      text.precision(9);
      text << "element (" << i / view.dim1 << ", " << i % view.dim1 << ") of result " << result << " is "
           << interpreted << " interpreted and " << ran << " compiled from the same operands";
      return text;
    };
    for (int64_t i = 0; i < view.dim0 * view.dim1; ++i) {
      if (!e.exact.defined[i])
        continue;
      if (view.kind == ElementKind::I64) {
        if (actual.indices[i] != e.exact.indices[i])
          return describe(i, e.exact.indices[i], actual.indices[i]).str();
        continue;
      }
      const double difference = getDifference(expected[i], actual.reals[i]);
      if (difference > accepted[i]) {
        std::ostringstream text = describe(i, expected[i], actual.reals[i]);
        text << ", a difference of " << difference << " where " << accepted[i] << " is accepted";
        return text.str();
      }
    }
  }
  return std::nullopt;
}

} // namespace

std::optional<std::string> findWrongStep(plan::Program &compiled, plan::ProgramOp program, int64_t rows,
                                         const NamedTensors &inputs, uint64_t seed) {
  for (Operation &op : program.getBlock())
    if (isa<plan::StepOpInterface>(op) && interpreter::getStream(&op) != 0)
      return std::nullopt;
  return StepCheck(compiled, program, rows, seed).run(inputs);
}

} // namespace kowari::fuzz
