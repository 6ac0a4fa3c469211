//===- DensityEvaluators.cpp - splines, LU maps, densities, dropout -------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/interpreter/Evaluators.h"
#include "compiler/interpreter/PhiloxWords.h"
#include "compiler/interpreter/SplineFormula.h"

#include <cmath>

using namespace mlir;
using namespace kowari::flow;

namespace kowari::interpreter {

namespace {

//===-- splines -----------------------------------------------------------===//

template <class Op> SplineShape getSplineShape(Op op) {
  return {static_cast<int64_t>(op.getNumBins()), op.getTailBound().convertToDouble(),
          op.getDivisor().convertToDouble()};
}

template <class T> struct Splines {
  using P = Points<T>;

  static std::vector<T> getParameters(const P &u, int64_t r, int64_t c, const SplineShape &shape) {
    int64_t count = 3 * shape.bins - 1;
    return std::vector<T>(u.row(r) + c * count, u.row(r) + (c + 1) * count);
  }

  /// Applies `map` to each feature; the row's log determinant is the sum of what it returns second.
  template <class Map>
  static std::pair<P, P> forEachFeature(const P &in, const P &u, SplineShape shape, Map map) {
    P out = in, logabsdet(in.rows, 1);
    for (int64_t r = 0; r < in.rows; ++r)
      for (int64_t c = 0; c < in.columns; ++c) {
        auto [value, logSlope] = map(Spline<T>(shape, getParameters(u, r, c, shape)), in(r, c));
        out.at(r, c) = value;
        logabsdet.at(r, 0) += logSlope;
      }
    return {out, logabsdet};
  }

  static void run(RqSplineOp op, Frame &f) {
    auto [y, logabsdet] = forEachFeature(f.get<T>(op.getX()), f.get<T>(op.getU()), getSplineShape(op),
                                         [](const Spline<T> &spline, T x) { return spline.evaluate(x); });
    f.set(op.getY(), y);
    f.set(op.getLogabsdet(), logabsdet);
  }

  static void run(RqSplineInverseOp op, Frame &f) {
    auto [x, logabsdet] = forEachFeature(f.get<T>(op.getY()), f.get<T>(op.getU()), getSplineShape(op),
                                         [](const Spline<T> &spline, T y) { return spline.invert(y); });
    f.set(op.getX(), x);
    f.set(op.getLogabsdet(), logabsdet);
  }

  /// dv = dy dy/dv + dlogabsdet dlog/dv for v = x and each of u, one direction of Dual numbers after the
  /// other.
  static void run(RqSplineGradOp op, Frame &f) {
    using D = Dual<T>;
    P x = f.get<T>(op.getX()), u = f.get<T>(op.getU()), dy = f.get<T>(op.getDy()),
      dl = f.get<T>(op.getDlogabsdet());
    P dx = x, du = u;
    SplineShape shape = getSplineShape(op);
    int64_t count = 3 * shape.bins - 1;
    for (int64_t r = 0; r < x.rows; ++r)
      for (int64_t c = 0; c < x.columns; ++c) {
        std::vector<T> values = getParameters(u, r, c, shape);
        for (int64_t direction = -1; direction < count; ++direction) { // -1: x
          std::vector<D> seeded(values.begin(), values.end());
          if (direction >= 0)
            seeded[direction].slope = 1;
          auto [y, l] = Spline<D>(shape, seeded).evaluate(D(x(r, c), direction < 0 ? 1 : 0));
          T gradient = dy(r, c) * y.slope + dl(r, 0) * l.slope;
          (direction < 0 ? dx.at(r, c) : du.at(r, c * count + direction)) = gradient;
        }
      }
    f.set(op.getDx(), dx);
    f.set(op.getDu(), du);
  }
};

//===-- LU ----------------------------------------------------------------===//

/// Full matrices of the LU factors.
template <class T> struct Factors {
  Points<T> lower, upper;
  T logabsdet = 0; ///< sum log diag U

  Factors(const Points<T> &below, const Points<T> &above, const Points<T> &diagonal)
      : lower(diagonal.columns, diagonal.columns), upper(lower) {
    int64_t nextBelow = 0, nextAbove = 0;
    for (int64_t i = 0; i < lower.rows; ++i)
      for (int64_t j = 0; j < lower.rows; ++j) {
        if (j < i)
          lower.at(i, j) = below.entries[nextBelow++];
        else if (j > i)
          upper.at(i, j) = above.entries[nextAbove++];
        else {
          lower.at(i, i) = 1;
          upper.at(i, i) = softplus(diagonal.entries[i]) + T(1e-3);
          logabsdet += std::log(upper.at(i, i));
        }
      }
  }
};

template <class T> Points<T> multiply(const Points<T> &a, const Points<T> &b) {
  Points<T> product(a.rows, b.columns);
  return product.fill([&](int64_t i, int64_t j) {
    T sum = 0;
    for (int64_t k = 0; k < a.columns; ++k)
      sum += a.row(i)[k] * b.row(k)[j];
    return sum;
  });
}

template <class T> Points<T> transpose(const Points<T> &a) {
  Points<T> transposed(a.columns, a.rows);
  return transposed.fill([&](int64_t i, int64_t j) { return a.row(j)[i]; });
}

/// Gauss-Jordan elimination without pivoting, which suffices for triangular matrices.
template <class T> Points<T> invert(Points<T> a) {
  int64_t n = a.rows;
  Points<T> inverse(n, n);
  inverse.fill([](int64_t i, int64_t j) { return T(i == j); });
  for (int64_t pivot = 0; pivot < n; ++pivot) {
    T scale = 1 / a.at(pivot, pivot);
    for (int64_t j = 0; j < n; ++j) {
      a.at(pivot, j) *= scale;
      inverse.at(pivot, j) *= scale;
    }
    for (int64_t i = 0; i < n; ++i) {
      T factor = i == pivot ? 0 : a.at(i, pivot);
      for (int64_t j = 0; j < n; ++j) {
        a.at(i, j) -= factor * a.at(pivot, j);
        inverse.at(i, j) -= factor * inverse.at(pivot, j);
      }
    }
  }
  return inverse;
}

template <class T> struct LuMaps {
  using P = Points<T>;

  template <class Op> static Factors<T> getFactors(Op op, Frame &f) {
    return Factors<T>(f.get<T>(op.getLower()), f.get<T>(op.getUpper()), f.get<T>(op.getDiagonal()));
  }

  /// weight[i, permutation[j]] = (L U)[i, j]
  static void run(LuWeightOp op, Frame &f) {
    Factors<T> factors = getFactors(op, f);
    P product = multiply(factors.lower, factors.upper), weight = product;
    const std::vector<int64_t> &permutation = f.getIndices(op.getPermutation());
    for (int64_t i = 0; i < weight.rows; ++i)
      for (int64_t j = 0; j < weight.columns; ++j)
        weight.at(i, permutation[j]) = product.row(i)[j];
    f.set(op.getWeight(), weight);
    f.set(op.getLogabsdet(), P(1, 1).fill([&](int64_t, int64_t) { return factors.logabsdet; }));
  }

  /// weight = U^-1 L^-1 with rows permuted: weight[permutation[j], i] = (L U)^-1[j, i]
  static void run(LuWeightInverseOp op, Frame &f) {
    Factors<T> factors = getFactors(op, f);
    P product = multiply(invert(factors.upper), invert(factors.lower)), weight = product;
    const std::vector<int64_t> &permutation = f.getIndices(op.getPermutation());
    for (int64_t j = 0; j < weight.rows; ++j)
      for (int64_t i = 0; i < weight.columns; ++i)
        weight.at(permutation[j], i) = product.row(j)[i];
    f.set(op.getWeight(), weight);
    f.set(op.getLogabsdet(), P(1, 1).fill([&](int64_t, int64_t) { return -factors.logabsdet; }));
  }

  /// dlower = (G U^T) below, dupper = (L^T G) above the diagonal,
  /// ddiagonal_i = ((L^T G)_ii + dlogabsdet/U_ii) softplus'(diagonal_i)
  static void run(LuWeightGradOp op, Frame &f) {
    Factors<T> factors = getFactors(op, f);
    P dweight = f.get<T>(op.getDweight()), dlogabsdet = f.get<T>(op.getDlogabsdet());
    P diagonal = f.get<T>(op.getDiagonal()), g = dweight;
    const std::vector<int64_t> &permutation = f.getIndices(op.getPermutation());
    g.fill([&](int64_t i, int64_t j) { return dweight.row(i)[permutation[j]]; });
    P left = multiply(g, transpose(factors.upper)), right = multiply(transpose(factors.lower), g);
    P dlower = f.get<T>(op.getLower()), dupper = f.get<T>(op.getUpper()), ddiagonal = diagonal;
    int64_t nextBelow = 0, nextAbove = 0;
    for (int64_t i = 0; i < g.rows; ++i)
      for (int64_t j = 0; j < g.rows; ++j)
        if (j < i)
          dlower.entries[nextBelow++] = left.row(i)[j];
        else if (j > i)
          dupper.entries[nextAbove++] = right.row(i)[j];
    for (int64_t i = 0; i < g.rows; ++i) {
      T slope = diagonal.entries[i] > 20 ? T(1) : 1 / (1 + std::exp(-diagonal.entries[i]));
      ddiagonal.entries[i] = (right.row(i)[i] + dlogabsdet(0, 0) / factors.upper.row(i)[i]) * slope;
    }
    f.set(op.getDlower(), dlower);
    f.set(op.getDupper(), dupper);
    f.set(op.getDdiagonal(), ddiagonal);
  }
};

//===-- densities, the loss, dropout --------------------------------------===//

template <class T> struct Densities {
  using P = Points<T>;

  /// l[r] = sum_c (-z^2/2 - log(2 pi)/2)
  static void run(BaseLogProbOp op, Frame &f) {
    P z = f.get<T>(op.getZ()), l(z.rows, 1);
    for (int64_t r = 0; r < z.rows; ++r)
      for (int64_t c = 0; c < z.columns; ++c)
        l.at(r, 0) += -z(r, c) * z(r, c) / 2 - std::log(T(2 * M_PI)) / 2;
    f.set(op.getResult(), l);
  }

  /// dz = -z dl
  static void run(BaseLogProbGradOp op, Frame &f) {
    P z = f.get<T>(op.getZ()), dl = f.get<T>(op.getDl()), dz = z;
    f.set(op.getResult(), dz.fill([&](int64_t r, int64_t c) { return -z(r, c) * dl(r, 0); }));
  }

  /// y[r] = x[r] + s
  static void run(AddScalarOp op, Frame &f) {
    P x = f.get<T>(op.getX()), s = f.get<T>(op.getScalar()), y = x;
    f.set(op.getResult(), y.fill([&](int64_t r, int64_t c) { return x(r, c) + s(0, 0); }));
  }

  /// -sum_r x[r]/B
  static void run(NegativeMeanOp op, Frame &f) {
    P x = f.get<T>(op.getX()), loss(1, 1);
    T sum = 0;
    for (T entry : x.entries)
      sum += entry;
    loss.at(0, 0) = -sum / T(f.rows);
    f.set(op.getResult(), loss);
  }

  /// dx[r] = -dl/B
  static void run(NegativeMeanGradOp op, Frame &f) {
    P dl = f.get<T>(op.getDl()), dx(f.rows, 1);
    f.set(op.getResult(), dx.fill([&](int64_t, int64_t) { return -dl(0, 0) / T(f.rows); }));
  }

  static void run(OneOp op, Frame &f) {
    f.set(op.getResult(), P(1, 1).fill([](int64_t, int64_t) { return T(1); }));
  }

  /// x keep/(1 - p) with keep = [u >= p], u the first word of Philox 4x32-10 over 2^32
  static void run(DropoutOp op, Frame &f) {
    P x = f.get<T>(op.getX()), y = x;
    const std::vector<int64_t> &sample = f.getIndices(op.getSample());
    int64_t seed = f.getIndex(op.getSeed()), epoch = f.getIndex(op.getEpoch());
    double p = op.getProbability().convertToDouble();
    f.set(op.getResult(), y.fill([&](int64_t r, int64_t c) {
      double u = drawWords(seed, sample[r], epoch, op.getSite(), c)[0] * 0x1p-32;
      return u >= p ? x(r, c) / T(1 - p) : T(0);
    }));
  }
};

} // namespace

void addDensityEvaluators(EvaluatorTable &table) {
  table.add<Splines, RqSplineOp, RqSplineGradOp, RqSplineInverseOp>();
  table.add<LuMaps, LuWeightOp, LuWeightGradOp, LuWeightInverseOp>();
  table.add<Densities, BaseLogProbOp, BaseLogProbGradOp, AddScalarOp, NegativeMeanOp, NegativeMeanGradOp,
            OneOp, DropoutOp>();
}

} // namespace kowari::interpreter
