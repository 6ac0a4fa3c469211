//===- OpCases.h - kernels and their formulas in plain loops ----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "KernelHarness.h"

#include <ostream>

namespace kowari::test {

/// What a kernel's sums allow its chunks to be.
enum class Cuts { Any, Rows, Columns };

/// Types of operands in `body` are written $M (matrix), $R (row vector), $C (column vector), $S (scalar), $T
/// (element).
struct OpCase {
  std::string name;
  std::string forms;   ///< operands, one letter each: M R C S, I (row index), K (index scalar)
  std::string results; ///< M R C S
  std::string body;    ///< operations; operands are %0 ..., it ends with the return
  std::function<void(const std::vector<Array> &in, std::vector<Array> &out, int64_t rows, int64_t columns)>
      formula;
  Cuts cuts = Cuts::Any;
  double low = -2.0, high = 2.0;
  double tolerance32 = 2e-6, tolerance64 = 1e-13; ///< of max(1, largest result)
  int oneDimension = 0;                           ///< 1: rows alone, 2: columns alone, 3: scalars
  std::vector<int> positive;                      ///< operands drawn from [0.2, 2]
};

inline std::ostream &operator<<(std::ostream &stream, const OpCase &c) { return stream << c.name; }

std::vector<OpCase> getPointwiseCases();
std::vector<OpCase> getNormCases();
std::vector<OpCase> getVectorCases();
std::vector<OpCase> getOptimizerCases();

/// A formula that sets each result at every point from what the operands hold there.
template <class F> auto pointwise(F f) {
  return [f](const std::vector<Array> &in, std::vector<Array> &out, int64_t rows, int64_t columns) {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) {
        std::vector<double> x, y(out.size());
        for (const Array &a : in)
          x.push_back(a.see(r, c));
        f(x, y);
        for (size_t i = 0; i < out.size(); ++i)
          out[i].at(out[i].rows == 1 ? 0 : r, out[i].columns == 1 ? 0 : c) = y[i];
      }
  };
}

/// A formula whose points are added up into each result; `finish` divides or leaves the totals.
template <class F, class G> auto summed(F f, G finish) {
  return [f, finish](const std::vector<Array> &in, std::vector<Array> &out, int64_t rows, int64_t columns) {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) {
        std::vector<double> x, y(out.size());
        for (const Array &a : in)
          x.push_back(a.see(r, c));
        f(x, y);
        for (size_t i = 0; i < out.size(); ++i)
          out[i].at(out[i].rows == 1 ? 0 : r, out[i].columns == 1 ? 0 : c) += y[i];
      }
    for (Array &a : out)
      for (double &v : a.data)
        v = finish(v, (double)rows, (double)columns);
  };
}

} // namespace kowari::test
