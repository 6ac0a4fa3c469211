//===- NormEvaluators.cpp - activations, gates, norms ---------------------===//
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

template <class T> T sigmoid(T x) {
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}

template <class T> T activate(ActivationKind kind, T x) {
  switch (kind) {
  case ActivationKind::Elu:
    return x > 0 ? x : std::expm1(x);
  case ActivationKind::Relu:
    return x > 0 ? x : T(0);
  case ActivationKind::LeakyRelu:
    return x > 0 ? x : T(0.01) * x;
  case ActivationKind::Gelu:
    return x * std::erfc(-x / std::sqrt(T(2))) / 2;
  }
  return x;
}

/// f'(x), from y = f(x) where that is enough (gelu: from x).
template <class T> T differentiate(ActivationKind kind, T saved) {
  switch (kind) {
  case ActivationKind::Elu:
    return saved > 0 ? T(1) : saved + 1;
  case ActivationKind::Relu:
    return saved > 0 ? T(1) : T(0);
  case ActivationKind::LeakyRelu:
    return saved > 0 ? T(1) : T(0.01);
  case ActivationKind::Gelu: {
    T cumulative = std::erfc(-saved / std::sqrt(T(2))) / 2;
    T density = std::exp(-saved * saved / 2) / std::sqrt(T(2 * M_PI));
    return cumulative + saved * density;
  }
  }
  return 1;
}

template <class T> struct Activations {
  using P = Points<T>;

  static void run(ActivationOp op, Frame &f) {
    P x = f.get<T>(op.getX()), y = x;
    f.set(op.getResult(), y.fill([&](int64_t r, int64_t c) { return activate(op.getKind(), x(r, c)); }));
  }

  /// dx = dy f'
  static void run(ActivationGradOp op, Frame &f) {
    P dy = f.get<T>(op.getDy()), saved = f.get<T>(op.getSaved()), dx = dy;
    f.set(op.getResult(),
          dx.fill([&](int64_t r, int64_t c) { return dy(r, c) * differentiate(op.getKind(), saved(r, c)); }));
  }

  static void run(AddOp op, Frame &f) {
    P a = f.get<T>(op.getA()), b = f.get<T>(op.getB()), y = a;
    f.set(op.getResult(), y.fill([&](int64_t r, int64_t c) { return a(r, c) + b(r, c); }));
  }

  static void run(SubOp op, Frame &f) {
    P a = f.get<T>(op.getA()), b = f.get<T>(op.getB()), y = a;
    f.set(op.getResult(), y.fill([&](int64_t r, int64_t c) { return a(r, c) - b(r, c); }));
  }

  static void run(NegateOp op, Frame &f) {
    P x = f.get<T>(op.getX()), y = x;
    f.set(op.getResult(), y.fill([&](int64_t r, int64_t c) { return -x(r, c); }));
  }

  /// t sigmoid(g)
  static void run(GluOp op, Frame &f) {
    P t = f.get<T>(op.getT()), g = f.get<T>(op.getGate()), y = t;
    f.set(op.getResult(), y.fill([&](int64_t r, int64_t c) { return t(r, c) * sigmoid(g(r, c)); }));
  }

  /// dt = dy s, dg = dy t s (1 - s), where 1 - s = sigmoid(-g)
  static void run(GluGradOp op, Frame &f) {
    P dy = f.get<T>(op.getDy()), t = f.get<T>(op.getT()), g = f.get<T>(op.getGate()), dt = t, dg = t;
    f.set(op.getDt(), dt.fill([&](int64_t r, int64_t c) { return dy(r, c) * sigmoid(g(r, c)); }));
    f.set(op.getDgate(), dg.fill([&](int64_t r, int64_t c) {
      return dy(r, c) * t(r, c) * sigmoid(g(r, c)) * sigmoid(-g(r, c));
    }));
  }
};

/// (x - mean)/sqrt(variance + epsilon); mean and variance one entry a column or one a row.
template <class T> struct Standardized {
  Points<T> x, mean, variance;
  T epsilon;
  T reciprocalDeviation(int64_t r, int64_t c) const { return 1 / std::sqrt(variance(r, c) + epsilon); }
  T operator()(int64_t r, int64_t c) const { return (x(r, c) - mean(r, c)) * reciprocalDeviation(r, c); }
};

template <class T, class Op> Standardized<T> standardize(Op op, Frame &f) {
  return {f.get<T>(op.getX()), f.get<T>(op.getMean()), f.get<T>(op.getVariance()),
          static_cast<T>(op.getEpsilon().convertToDouble())};
}

/// sum_r term(r, c)/divisor
template <class T, class Term> Points<T> sumColumns(int64_t rows, int64_t columns, T divisor, Term term) {
  Points<T> sums(1, columns);
  return sums.fill([&](int64_t, int64_t c) {
    T sum = 0;
    for (int64_t r = 0; r < rows; ++r)
      sum += term(r, c);
    return sum / divisor;
  });
}

/// sum_c term(r, c)/divisor
template <class T, class Term> Points<T> sumRows(int64_t rows, int64_t columns, T divisor, Term term) {
  Points<T> sums(rows, 1);
  return sums.fill([&](int64_t r, int64_t) {
    T sum = 0;
    for (int64_t c = 0; c < columns; ++c)
      sum += term(r, c);
    return sum / divisor;
  });
}

template <class T> T square(T x) { return x * x; }

template <class T> Points<T> getColumnMean(const Points<T> &x) {
  return sumColumns<T>(x.rows, x.columns, x.rows, x);
}
template <class T> Points<T> getColumnVariance(const Points<T> &x, const Points<T> &mean) {
  return sumColumns<T>(x.rows, x.columns, x.rows,
                       [&](int64_t r, int64_t c) { return square(x(r, c) - mean(0, c)); });
}
template <class T> Points<T> getRowMean(const Points<T> &x) {
  return sumRows<T>(x.rows, x.columns, x.columns, x);
}
template <class T> Points<T> getRowVariance(const Points<T> &x, const Points<T> &mean) {
  return sumRows<T>(x.rows, x.columns, x.columns,
                    [&](int64_t r, int64_t c) { return square(x(r, c) - mean(r, 0)); });
}

template <class T> struct BatchNorms {
  using P = Points<T>;

  static void run(BatchNormStatisticsOp op, Frame &f) {
    P x = f.get<T>(op.getX()), mean = getColumnMean(x);
    f.set(op.getMean(), mean);
    f.set(op.getVariance(), getColumnVariance(x, mean));
  }
  static void run(ColumnMeanOp op, Frame &f) { f.set(op.getResult(), getColumnMean(f.get<T>(op.getX()))); }
  static void run(ColumnVarianceOp op, Frame &f) {
    f.set(op.getResult(), getColumnVariance(f.get<T>(op.getX()), f.get<T>(op.getMean())));
  }

  /// y = xhat gamma + beta
  static void run(BatchNormOp op, Frame &f) {
    auto xhat = standardize<T>(op, f);
    P gamma = f.get<T>(op.getGamma()), beta = f.get<T>(op.getBeta()), y = xhat.x;
    f.set(op.getResult(),
          y.fill([&](int64_t r, int64_t c) { return xhat(r, c) * gamma(0, c) + beta(0, c); }));
  }

  /// dgamma = sum_r dy xhat, dbeta = sum_r dy
  static void run(BatchNormGradParamsOp op, Frame &f) {
    auto xhat = standardize<T>(op, f);
    P dy = f.get<T>(op.getDy());
    f.set(op.getDgamma(),
          sumColumns<T>(dy.rows, dy.columns, 1, [&](int64_t r, int64_t c) { return dy(r, c) * xhat(r, c); }));
    f.set(op.getDbeta(), sumColumns<T>(dy.rows, dy.columns, 1, dy));
  }

  /// dx = gamma rstd (dy - dbeta/B - xhat dgamma/B); without training dx = gamma rstd dy
  static void run(BatchNormGradInputOp op, Frame &f) {
    auto xhat = standardize<T>(op, f);
    P dy = f.get<T>(op.getDy()), gamma = f.get<T>(op.getGamma()), dx = dy;
    P dgamma = f.get<T>(op.getDgamma()), dbeta = f.get<T>(op.getDbeta());
    T b = f.rows;
    f.set(op.getResult(), dx.fill([&](int64_t r, int64_t c) {
      T inner = op.getTraining() ? dy(r, c) - dbeta(0, c) / b - xhat(r, c) * dgamma(0, c) / b : dy(r, c);
      return gamma(0, c) * xhat.reciprocalDeviation(r, c) * inner;
    }));
  }

  /// mean' = (1 - momentum) old + momentum mean; the variance alike, with B/(B - 1) variance
  static void run(BatchNormRunningOp op, Frame &f) {
    P oldMean = f.get<T>(op.getRunningMean()), oldVariance = f.get<T>(op.getRunningVariance());
    P mean = f.get<T>(op.getMean()), variance = f.get<T>(op.getVariance()), newMean = mean,
      newVariance = mean;
    T momentum = op.getMomentum().convertToDouble(), b = f.rows;
    f.set(op.getNewMean(), newMean.fill([&](int64_t r, int64_t c) {
      return (1 - momentum) * oldMean(r, c) + momentum * mean(r, c);
    }));
    f.set(op.getNewVariance(), newVariance.fill([&](int64_t r, int64_t c) {
      return (1 - momentum) * oldVariance(r, c) + momentum * variance(r, c) * b / (b - 1);
    }));
  }
};

template <class T> struct LayerNorms {
  using P = Points<T>;

  static void run(LayerNormOp op, Frame &f) {
    P x = f.get<T>(op.getX()), mean = getRowMean(x), variance = getRowVariance(x, mean);
    Standardized<T> xhat{x, mean, variance, static_cast<T>(op.getEpsilon().convertToDouble())};
    P gamma = f.get<T>(op.getGamma()), beta = f.get<T>(op.getBeta()), y = x;
    f.set(op.getMean(), mean);
    f.set(op.getVariance(), variance);
    f.set(op.getResult(),
          y.fill([&](int64_t r, int64_t c) { return xhat(r, c) * gamma(0, c) + beta(0, c); }));
  }
  static void run(RowMeanOp op, Frame &f) { f.set(op.getResult(), getRowMean(f.get<T>(op.getX()))); }
  static void run(RowVarianceOp op, Frame &f) {
    f.set(op.getResult(), getRowVariance(f.get<T>(op.getX()), f.get<T>(op.getMean())));
  }

  /// y = xhat gamma + beta
  static void run(NormalizeRowsOp op, Frame &f) {
    auto xhat = standardize<T>(op, f);
    P gamma = f.get<T>(op.getGamma()), beta = f.get<T>(op.getBeta()), y = xhat.x;
    f.set(op.getResult(),
          y.fill([&](int64_t r, int64_t c) { return xhat(r, c) * gamma(0, c) + beta(0, c); }));
  }

  /// dgamma = sum_r dy xhat, dbeta = sum_r dy
  static void run(LayerNormGradParamsOp op, Frame &f) {
    auto xhat = standardize<T>(op, f);
    P dy = f.get<T>(op.getDy());
    f.set(op.getDgamma(),
          sumColumns<T>(dy.rows, dy.columns, 1, [&](int64_t r, int64_t c) { return dy(r, c) * xhat(r, c); }));
    f.set(op.getDbeta(), sumColumns<T>(dy.rows, dy.columns, 1, dy));
  }

  /// mean_c(g), mean_c(g xhat) with g = dy gamma
  static std::pair<P, P> getSums(const Standardized<T> &xhat, const P &dy, const P &gamma) {
    auto g = [&](int64_t r, int64_t c) { return dy(r, c) * gamma(0, c); };
    return {sumRows<T>(dy.rows, dy.columns, dy.columns, g),
            sumRows<T>(dy.rows, dy.columns, dy.columns,
                       [&](int64_t r, int64_t c) { return g(r, c) * xhat(r, c); })};
  }
  /// rstd (dy gamma - meanG - xhat meanGXhat)
  static P apply(const Standardized<T> &xhat, const P &dy, const P &gamma, const P &meanG,
                 const P &meanGXhat) {
    P dx = dy;
    return dx.fill([&](int64_t r, int64_t c) {
      return xhat.reciprocalDeviation(r, c) *
             (dy(r, c) * gamma(0, c) - meanG(r, 0) - xhat(r, c) * meanGXhat(r, 0));
    });
  }
  static void run(LayerNormGradInputOp op, Frame &f) {
    auto xhat = standardize<T>(op, f);
    P dy = f.get<T>(op.getDy()), gamma = f.get<T>(op.getGamma());
    auto [meanG, meanGXhat] = getSums(xhat, dy, gamma);
    f.set(op.getResult(), apply(xhat, dy, gamma, meanG, meanGXhat));
  }
  static void run(LayerNormGradSumsOp op, Frame &f) {
    auto [meanG, meanGXhat] = getSums(standardize<T>(op, f), f.get<T>(op.getDy()), f.get<T>(op.getGamma()));
    f.set(op.getMeanG(), meanG);
    f.set(op.getMeanGXhat(), meanGXhat);
  }
  static void run(LayerNormGradApplyOp op, Frame &f) {
    f.set(op.getResult(), apply(standardize<T>(op, f), f.get<T>(op.getDy()), f.get<T>(op.getGamma()),
                                f.get<T>(op.getMeanG()), f.get<T>(op.getMeanGXhat())));
  }
};

} // namespace

void addNormEvaluators(EvaluatorTable &table) {
  table.add<Activations, ActivationOp, ActivationGradOp, AddOp, SubOp, NegateOp, GluOp, GluGradOp>();
  table.add<BatchNorms, BatchNormStatisticsOp, ColumnMeanOp, ColumnVarianceOp, BatchNormOp,
            BatchNormGradParamsOp, BatchNormGradInputOp, BatchNormRunningOp>();
  table.add<LayerNorms, LayerNormOp, RowMeanOp, RowVarianceOp, NormalizeRowsOp, LayerNormGradParamsOp,
            LayerNormGradInputOp, LayerNormGradSumsOp, LayerNormGradApplyOp>();
}

} // namespace kowari::interpreter
