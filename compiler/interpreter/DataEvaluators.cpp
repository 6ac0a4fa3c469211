//===- DataEvaluators.cpp - drawing and preparing a batch -----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// In double whatever the operands' types, rounded to the results' types.
//
//===----------------------------------------------------------------------===//
#include "compiler/interpreter/Evaluators.h"

#include <Random123/philox.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

using namespace mlir;
using namespace kowari::flow;

namespace kowari::interpreter {

namespace {

constexpr double pi = std::numbers::pi;

/// The counter of one operation: words and uniform numbers of (sample, epoch, site, column).
class Counter {
public:
  template <class Op>
  Counter(Op op, Frame &f)
      : samples(f.getIndices(op.getSample())), seed(f.getIndices(op.getSeed())[0]),
        epoch(f.getIndices(op.getEpoch())[0]), site(op.getSite()) {}

  r123::Philox4x32::ctr_type words(int64_t row, int64_t column) const {
    auto word = [](int64_t x) { return static_cast<uint32_t>(x); };
    return r123::Philox4x32()({{word(samples[row]), word(epoch), word(site), word(column)}},
                              {{word(seed), word(seed >> 32)}});
  }
  double uniform(int64_t row) const {
    auto w = words(row, 0);
    return ((static_cast<uint64_t>(w[0]) << 32 | w[1]) / 4096 + 0.5) * 0x1p-52;
  }

private:
  const std::vector<int64_t> &samples;
  int64_t seed, epoch, site;
};

/// Phi^-1(u) by bisection: slow, but nothing to get wrong.
double invertNormal(double u) {
  double low = -40, high = 40;
  for (int step = 0; step < 200; ++step) {
    double middle = (low + high) / 2;
    (std::erfc(-middle / std::numbers::sqrt2) / 2 < u ? low : high) = middle;
  }
  return low;
}

template <class T> struct Draws {
  using P = Points<T>;

  static void run(UniformDrawOp op, Frame &f) {
    Counter counter(op, f);
    f.set(op.getResult(), P(f.rows, 1).fill([&](int64_t r, int64_t) { return counter.uniform(r); }));
  }

  static void run(RandomIndexOp op, Frame &f) {
    Counter counter(op, f);
    int64_t count = f.getIndices(op.getCount())[0];
    std::vector<int64_t> indices;
    for (int64_t r = 0; r < f.rows; ++r)
      indices.push_back(std::min(static_cast<int64_t>(counter.uniform(r) * count), count - 1));
    f.bind(op.getResult(), Tensor::fromIndices({f.rows}, indices));
  }

  static void run(TableDrawOp op, Frame &f) {
    Counter counter(op, f);
    std::vector<int64_t> cells;
    P fraction(f.rows, 1);
    for (int64_t r = 0; r < f.rows; ++r) {
      double place = counter.uniform(r) * op.getCells();
      cells.push_back(static_cast<int64_t>(place));
      fraction.at(r, 0) = place - std::floor(place);
    }
    f.bind(op.getCell(), Tensor::fromIndices({f.rows}, cells));
    f.set(op.getFraction(), fraction);
  }

  static void run(AddWhiteNoiseOp op, Frame &f) {
    Counter counter(op, f);
    P real = f.get<T>(op.getReal()), imaginary = f.get<T>(op.getImaginary());
    for (int64_t r = 0; r < real.rows; ++r)
      for (int64_t c = 0; c < real.columns; ++c) {
        auto w = counter.words(r, c);
        double radius = std::sqrt(-2 * std::log((w[0] / 2 + 0.5) * 0x1p-31));
        std::complex<double> noise = std::polar(radius, 2 * pi * (static_cast<int32_t>(w[1]) * 0x1p-32));
        real.at(r, c) += noise.real();
        imaginary.at(r, c) += noise.imag();
      }
    f.set(op.getNoisyReal(), real);
    f.set(op.getNoisyImaginary(), imaginary);
  }

  static double rescale(StringRef family, double u, ArrayRef<double> p) {
    if (family == "DeltaFunction")
      return p[0];
    if (family == "Uniform")
      return p[0] + u * (p[1] - p[0]);
    if (family == "Sine")
      return std::acos(std::clamp(std::cos(p[0]) - u * (std::cos(p[0]) - std::cos(p[1])), -1.0, 1.0));
    if (family == "Cosine")
      return std::asin(std::clamp(std::sin(p[0]) + u * (std::sin(p[1]) - std::sin(p[0])), -1.0, 1.0));
    if (family == "LogUniform" || (family == "PowerLaw" && p[0] == -1)) {
      double low = p[p.size() - 2], high = p[p.size() - 1];
      return low * std::pow(high / low, u);
    }
    if (family == "PowerLaw") {
      double q = p[0] + 1, first = std::pow(p[1], q);
      return std::pow(first + u * (std::pow(p[2], q) - first), 1 / q);
    }
    return p[0] + p[1] * invertNormal(u);
  }

  static void run(PriorRescaleOp op, Frame &f) {
    P u = f.get<T>(op.getU()), x = u;
    SmallVector<double> parameters;
    for (Value v : op.getParameters())
      parameters.push_back(f.get<T>(v)(0, 0));
    f.set(op.getResult(),
          x.fill([&](int64_t r, int64_t) { return rescale(op.getFamily(), u(r, 0), parameters); }));
  }

  static void run(InterpolateOp op, Frame &f) {
    P low = f.get<T>(op.getLow()), high = f.get<T>(op.getHigh()), at = f.get<T>(op.getFraction()), y = low;
    f.set(op.getResult(),
          y.fill([&](int64_t r, int64_t c) { return low(r, c) + at(r, c) * (high(r, c) - low(r, c)); }));
  }

  static void run(StandardizeOp op, Frame &f) {
    P x = f.get<T>(op.getX()), mean = f.get<T>(op.getMean()), deviation = f.get<T>(op.getDeviation()), y = x;
    f.set(op.getResult(),
          y.fill([&](int64_t r, int64_t) { return (x(r, 0) - mean(0, 0)) / deviation(0, 0); }));
  }
};

template <class T> struct Columns {
  using P = Points<T>;

  static void run(GatherRowsOp op, Frame &f) {
    P table = f.get<T>(op.getTable()), y(f.rows, table.columns);
    const std::vector<int64_t> &index = f.getIndices(op.getIndex());
    for (int64_t i : index)
      if (i < 0 || i >= table.rows)
        return f.fail(op, "index " + Twine(i) + " outside a table of " + Twine(table.rows) + " rows");
    f.set(op.getResult(), y.fill([&](int64_t r, int64_t c) { return table.row(index[r])[c]; }));
  }

  static void run(SliceColumnsOp op, Frame &f) {
    P x = f.get<T>(op.getX()), y(x.rows, flow::getColumns(op.getResult().getType()));
    int64_t start = op.getStart();
    f.set(op.getResult(), y.fill([&](int64_t r, int64_t c) { return x.row(r)[start + c]; }));
  }

  static void run(ColumnOp op, Frame &f) {
    P x = f.get<T>(op.getX()), y(x.rows, 1);
    int64_t index = op.getIndex();
    f.set(op.getResult(), y.fill([&](int64_t r, int64_t) { return x.row(r)[index]; }));
  }

  static void run(StackColumnsOp op, Frame &f) {
    P y(f.rows, static_cast<int64_t>(op.getInputs().size()));
    for (auto [c, input] : llvm::enumerate(op.getInputs())) {
      P x = f.get<T>(input);
      for (int64_t r = 0; r < f.rows; ++r)
        y.at(r, c) = x(r, 0);
    }
    f.set(op.getResult(), y);
  }
};

using Vector = std::array<double, 3>;

double dot(const Vector &a, const Vector &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

template <class T> struct Physics {
  using P = Points<T>;

  static void run(ArrivalTimeOp op, Frame &f) {
    P ra = f.get<T>(op.getRa()), dec = f.get<T>(op.getDec()), time = f.get<T>(op.getTime()), y = ra;
    double sidereal = f.get<T>(op.getSiderealTime())(0, 0);
    Vector place = {f.get<T>(op.getX())(0, 0), f.get<T>(op.getY())(0, 0), f.get<T>(op.getZ())(0, 0)};
    f.set(op.getResult(), y.fill([&](int64_t r, int64_t) {
      double phi = ra(r, 0) - sidereal, d = dec(r, 0);
      Vector n = {std::cos(d) * std::cos(phi), std::cos(d) * std::sin(phi), std::sin(d)};
      return time(r, 0) - dot(place, n) / 299792458.0;
    }));
  }

  static void run(AntennaPatternOp op, Frame &f) {
    P ra = f.get<T>(op.getRa()), dec = f.get<T>(op.getDec()), psi = f.get<T>(op.getPsi()), plus = ra,
      cross = ra;
    double sidereal = f.get<T>(op.getSiderealTime())(0, 0);
    SmallVector<double> d;
    for (Value v : op.getTensor())
      d.push_back(f.get<T>(v)(0, 0));
    const Vector rows[3] = {{d[0], d[1], d[2]}, {d[1], d[3], d[4]}, {d[2], d[4], d[5]}};
    auto apply = [&](const Vector &x) { return Vector{dot(rows[0], x), dot(rows[1], x), dot(rows[2], x)}; };
    for (int64_t r = 0; r < f.rows; ++r) {
      double phi = ra(r, 0) - sidereal, delta = dec(r, 0);
      Vector u = {std::cos(phi) * std::sin(delta), std::sin(phi) * std::sin(delta), -std::cos(delta)};
      Vector v = {-std::sin(phi), std::cos(phi), 0};
      double a = dot(u, apply(u)) - dot(v, apply(v)), b = 2 * dot(u, apply(v));
      double twist = 2 * psi(r, 0);
      plus.at(r, 0) = b * std::sin(twist) - a * std::cos(twist);
      cross.at(r, 0) = a * std::sin(twist) + b * std::cos(twist);
    }
    f.set(op.getPlus(), plus);
    f.set(op.getCross(), cross);
  }

  static void run(ScaleByDistanceOp op, Frame &f) {
    P distance = f.get<T>(op.getDistance());
    double reference = f.get<T>(op.getReference())(0, 0);
    for (auto [from, to] :
         {std::pair{op.getPlus(), op.getScaledPlus()}, {op.getCross(), op.getScaledCross()}}) {
      P x = f.get<T>(from), y = x;
      f.set(to, y.fill([&](int64_t r, int64_t) { return x(r, 0) * reference / distance(r, 0); }));
    }
  }

  static void run(ProjectOp op, Frame &f) {
    P plusReal = f.get<T>(op.getPlusReal()), plusImaginary = f.get<T>(op.getPlusImaginary());
    P crossReal = f.get<T>(op.getCrossReal()), crossImaginary = f.get<T>(op.getCrossImaginary());
    P plus = f.get<T>(op.getPlus()), cross = f.get<T>(op.getCross());
    P time = f.get<T>(op.getTime()), frequency = f.get<T>(op.getFrequency()), real = plusReal,
      imaginary = plusReal;
    for (int64_t r = 0; r < real.rows; ++r)
      for (int64_t c = 0; c < real.columns; ++c) {
        std::complex<double> hPlus(plusReal(r, c), plusImaginary(r, c)),
            hCross(crossReal(r, c), crossImaginary(r, c));
        std::complex<double> strain = (double(plus(r, 0)) * hPlus + double(cross(r, 0)) * hCross) *
                                      std::polar(1.0, -2 * pi * frequency(0, c) * time(r, 0));
        real.at(r, c) = strain.real();
        imaginary.at(r, c) = strain.imag();
      }
    f.set(op.getReal(), real);
    f.set(op.getImaginary(), imaginary);
  }

  static void run(WhitenOp op, Frame &f) {
    P inverse = f.get<T>(op.getInverseAsd()), scale = f.get<T>(op.getScale());
    for (auto [from, to] :
         {std::pair{op.getReal(), op.getWhiteReal()}, {op.getImaginary(), op.getWhiteImaginary()}}) {
      P x = f.get<T>(from), y = x;
      f.set(to, y.fill([&](int64_t r, int64_t c) { return x(r, c) * inverse(r, c) * scale(0, 0); }));
    }
  }
};

} // namespace

void addDataEvaluators(EvaluatorTable &table) {
  table.addInDouble<Draws, UniformDrawOp, RandomIndexOp, TableDrawOp, AddWhiteNoiseOp, PriorRescaleOp,
                    InterpolateOp, StandardizeOp>();
  table.addInDouble<Columns, GatherRowsOp, SliceColumnsOp, ColumnOp, StackColumnsOp>();
  table.addInDouble<Physics, ArrivalTimeOp, AntennaPatternOp, ScaleByDistanceOp, ProjectOp, WhitenOp>();
}

} // namespace kowari::interpreter
