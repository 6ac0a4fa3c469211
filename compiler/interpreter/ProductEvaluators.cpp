//===- ProductEvaluators.cpp - matrix products and column movement --------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/interpreter/Evaluators.h"

using namespace mlir;
using namespace kowari::flow;

namespace kowari::interpreter {

namespace {

/// [x_0 x_1 ...]
template <class T> Points<T> concatenate(Frame &f, ValueRange inputs) {
  int64_t columns = 0;
  for (Value input : inputs)
    columns += f.get<T>(input).columns;
  Points<T> whole(f.rows, columns);
  int64_t start = 0;
  for (Value input : inputs) {
    Points<T> x = f.get<T>(input);
    for (int64_t r = 0; r < f.rows; ++r)
      std::copy_n(x.row(r), x.columns, whole.row(r) + start);
    start += x.columns;
  }
  return whole;
}

template <class T> struct Products {
  using P = Points<T>;

  /// y = [x_0 x_1 ...] W^T + b
  static void run(LinearOp op, Frame &f) {
    P x = concatenate<T>(f, op.getInputs()), w = f.get<T>(op.getWeight()), y(f.rows, w.rows);
    P b = op.getBias() ? f.get<T>(op.getBias()) : P(1, 1);
    f.set(op.getResult(), y.fill([&](int64_t r, int64_t o) {
      T sum = b(0, o);
      for (int64_t i = 0; i < w.columns; ++i)
        sum += x.row(r)[i] * w.row(o)[i];
      return sum;
    }));
  }

  /// dx = dy W[:, start : start + I] (+ accumulator)
  static void run(LinearGradInputOp op, Frame &f) {
    P dy = f.get<T>(op.getDy()), w = f.get<T>(op.getWeight()),
      dx(f.rows, flow::getColumns(op.getResult().getType()));
    P before = op.getAccumulator() ? f.get<T>(op.getAccumulator()) : P(1, 1);
    int64_t start = op.getStart();
    f.set(op.getResult(), dx.fill([&](int64_t r, int64_t i) {
      T sum = before(r, i);
      for (int64_t o = 0; o < w.rows; ++o)
        sum += dy.row(r)[o] * w.row(o)[start + i];
      return sum;
    }));
  }

  /// dW = dy^T [x_0 x_1 ...]
  static void run(LinearGradWeightOp op, Frame &f) {
    P dy = f.get<T>(op.getDy()), x = concatenate<T>(f, op.getInputs()), dw(dy.columns, x.columns);
    f.set(op.getResult(), dw.fill([&](int64_t o, int64_t i) {
      T sum = 0;
      for (int64_t r = 0; r < f.rows; ++r)
        sum += dy.row(r)[o] * x.row(r)[i];
      return sum;
    }));
  }

  /// y[r, c] = x[r, c] + b[c]
  static void run(AddBiasOp op, Frame &f) {
    P x = f.get<T>(op.getX()), b = f.get<T>(op.getBias()), y = x;
    f.set(op.getResult(), y.fill([&](int64_t r, int64_t c) { return x(r, c) + b(0, c); }));
  }

  /// y[r, c] = x[r, c] - b[c]
  static void run(SubBiasOp op, Frame &f) {
    P x = f.get<T>(op.getX()), b = f.get<T>(op.getBias()), y = x;
    f.set(op.getResult(), y.fill([&](int64_t r, int64_t c) { return x(r, c) - b(0, c); }));
  }

  /// y[c] = sum_r x[r, c]
  static void run(SumRowsOp op, Frame &f) {
    P x = f.get<T>(op.getX()), y(1, x.columns);
    for (int64_t r = 0; r < x.rows; ++r)
      for (int64_t c = 0; c < x.columns; ++c)
        y.at(0, c) += x(r, c);
    f.set(op.getResult(), y);
  }

  /// a = x[:, start::2], b = x[:, (1 - start)::2]
  static void run(SplitColumnsOp op, Frame &f) {
    P x = f.get<T>(op.getX());
    int64_t start = op.getStart(), selected = (x.columns - start + 1) / 2;
    P a(x.rows, selected), b(x.rows, x.columns - selected);
    f.set(op.getSelected(), a.fill([&](int64_t r, int64_t j) { return x.row(r)[start + 2 * j]; }));
    f.set(op.getOthers(), b.fill([&](int64_t r, int64_t j) { return x.row(r)[1 - start + 2 * j]; }));
  }

  /// y[:, start::2] = a, y[:, (1 - start)::2] = b
  static void run(InterleaveColumnsOp op, Frame &f) {
    P a = f.get<T>(op.getSelected()), b = f.get<T>(op.getOthers()), y(f.rows, a.columns + b.columns);
    int64_t start = op.getStart();
    f.set(op.getResult(),
          y.fill([&](int64_t r, int64_t c) { return (c % 2 == start ? a : b).row(r)[c / 2]; }));
  }

  /// y = [x_0 x_1 ...]
  static void run(ConcatColumnsOp op, Frame &f) { f.set(op.getResult(), concatenate<T>(f, op.getInputs())); }

  static void run(ZerosOp op, Frame &f) {
    auto type = cast<RankedTensorType>(op.getResult().getType());
    std::vector<int64_t> shape;
    for (int64_t d = 0; d < type.getRank(); ++d)
      shape.push_back(type.isDynamicDim(d) ? f.rows : type.getDimSize(d));
    f.bind(op.getResult(), Tensor(f.getKind(type.getElementType()), shape));
  }
};

} // namespace

void addProductEvaluators(EvaluatorTable &table) {
  table.add<Products, LinearOp, LinearGradInputOp, LinearGradWeightOp, AddBiasOp, SubBiasOp, SumRowsOp,
            SplitColumnsOp, InterleaveColumnsOp, ConcatColumnsOp, ZerosOp>();
}

} // namespace kowari::interpreter
