//===- OptimizerEvaluators.cpp - parameter updates ------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/interpreter/Evaluators.h"

#include <cmath>

using namespace mlir;
using namespace kowari::flow;

namespace kowari::interpreter {

namespace {

template <class T> struct Optimizers {
  using P = Points<T>;

  static T getScalar(Frame &f, Value scalar) { return f.get<T>(scalar)(0, 0); }

  static void run(IsFiniteOp op, Frame &f) {
    P x = f.get<T>(op.getX()), y = x;
    f.set(op.getResult(), y.fill([&](int64_t r, int64_t c) { return T(std::isfinite(x(r, c))); }));
  }

  /// g' = (maximize ? -g : g) + weight_decay w, without the decay where it is decoupled
  template <class Op> static T getGradient(Op op, T g, T w, bool decays) {
    T signedGradient = op.getMaximize() ? -g : g;
    return decays ? signedGradient + T(op.getWeightDecay().convertToDouble()) * w : signedGradient;
  }

  /// m' = m + (1 - beta1)(g' - m), v' = beta2 v + (1 - beta2) g'^2, a = amsgrad ? max(vmax, v') : v',
  /// w' = w - step_size m'/(sqrt(a)/root + epsilon), after w <- w (1 - rate weight_decay) where decoupled
  static void run(AdamOp op, Frame &f) {
    P w = f.get<T>(op.getParameter()), g = f.get<T>(op.getGradient()), m = f.get<T>(op.getMean());
    P v = f.get<T>(op.getSquare()), largest = op.getMaximum() ? f.get<T>(op.getMaximum()) : v;
    T stepSize = getScalar(f, op.getStepSize()), root = getScalar(f, op.getRoot()),
      rate = getScalar(f, op.getRate());
    T beta1 = op.getBeta1().convertToDouble(), beta2 = op.getBeta2().convertToDouble();
    T decay = op.getWeightDecay().convertToDouble(), epsilon = op.getEpsilon().convertToDouble();
    bool isOk = getScalar(f, op.getOk()) > 0;
    for (size_t i = 0; isOk && i < w.entries.size(); ++i) {
      T gradient = getGradient(op, g.entries[i], w.entries[i], !op.getDecoupled());
      if (op.getDecoupled())
        w.entries[i] *= 1 - rate * decay;
      m.entries[i] += (1 - beta1) * (gradient - m.entries[i]);
      v.entries[i] = beta2 * v.entries[i] + (1 - beta2) * gradient * gradient;
      largest.entries[i] = op.getMaximum() ? std::max(largest.entries[i], v.entries[i]) : v.entries[i];
      w.entries[i] -= stepSize * m.entries[i] / (std::sqrt(largest.entries[i]) / root + epsilon);
    }
    f.set(op.getNewParameter(), w);
    f.set(op.getNewMean(), m);
    f.set(op.getNewSquare(), v);
    if (op.getNewMaximum())
      f.set(op.getNewMaximum(), largest);
  }

  /// b' = step = 1 ? g' : momentum b + (1 - dampening) g'; g' <- nesterov ? g' + momentum b' : b'; w' = w -
  /// rate g'
  static void run(SgdOp op, Frame &f) {
    P w = f.get<T>(op.getParameter()), g = f.get<T>(op.getGradient());
    P buffer = op.getBuffer() ? f.get<T>(op.getBuffer()) : w;
    T momentum = op.getMomentum().convertToDouble(), dampening = op.getDampening().convertToDouble();
    bool isFirst = getScalar(f, op.getStep()) == 1, isOk = getScalar(f, op.getOk()) > 0;
    for (size_t i = 0; isOk && i < w.entries.size(); ++i) {
      T gradient = getGradient(op, g.entries[i], w.entries[i], true);
      if (op.getBuffer()) {
        T &b = buffer.entries[i];
        b = isFirst ? gradient : momentum * b + (1 - dampening) * gradient;
        gradient = op.getNesterov() ? gradient + momentum * b : b;
      }
      w.entries[i] -= getScalar(f, op.getRate()) * gradient;
    }
    f.set(op.getNewParameter(), w);
    if (op.getNewBuffer())
      f.set(op.getNewBuffer(), buffer);
  }
};

/// What mixes element types: always in double, rounded to the results' types.
template <class T> struct Mixed {
  using P = Points<T>;

  /// step_size = rate/(1 - beta1^step), root = sqrt(1 - beta2^step)
  static void run(AdamCorrectionOp op, Frame &f) {
    T rate = f.get<T>(op.getRate())(0, 0), step = f.get<T>(op.getStep())(0, 0);
    auto makeScalar = [](T value) { return P(1, 1).fill([&](int64_t, int64_t) { return value; }); };
    f.set(op.getStepSize(), makeScalar(rate / (1 - std::pow(op.getBeta1().convertToDouble(), step))));
    f.set(op.getRoot(), makeScalar(std::sqrt(1 - std::pow(op.getBeta2().convertToDouble(), step))));
  }

  static void run(ConvertOp op, Frame &f) { f.set(op.getResult(), f.get<T>(op.getX())); }
};

} // namespace

void addOptimizerEvaluators(EvaluatorTable &table) {
  table.add<Optimizers, IsFiniteOp, AdamOp, SgdOp>();
  table.addInDouble<Mixed, AdamCorrectionOp, ConvertOp>();
}

} // namespace kowari::interpreter
