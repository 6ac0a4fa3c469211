//===- KernelHarness.h - compile and run kernels in tests -------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Kernels run on operands laid out as a plan lays them out, with NaN in every pad and a guard behind, so that
// a kernel that lets a pad into a result or writes where it may not is caught.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/KernelAbi.h"

#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace kowari::test {

enum class Form { Matrix, Row, Column, Scalar, RowIndex, ColumnIndex, Index };
enum class Type { F32, F64 };

/// A value of a kernel in double (indices included). `columns` of a matrix count all of a point's.
struct Array {
  Form form = Form::Scalar;
  int64_t rows = 1, columns = 1;
  std::vector<double> data;

  static Array make(Form form, int64_t rows, int64_t columns);
  Array &fill(std::mt19937 &random, double low, double high);
  double &at(int64_t r, int64_t c) { return data[r * columns + c]; }
  double at(int64_t r, int64_t c) const { return data[r * columns + c]; }
  /// The entry a point (r, c) sees: vectors and scalars repeat.
  double see(int64_t r, int64_t c) const { return at(rows == 1 ? 0 : r, columns == 1 ? 0 : c); }
};

/// Compiled code of one module; kernels are valid while it lives.
class CompiledModule {
public:
  /// Compiles for this machine; fails the test and returns null with the diagnostics if that does not work.
  static std::unique_ptr<CompiledModule> compile(const std::string &mlir,
                                                 const std::string &target = "native");
  ~CompiledModule();
  KowariKernel get(const std::string &name) const;
  const std::string &getBytes() const { return bytes; }

private:
  std::string bytes;
  void *handle = nullptr;
};

struct Launch {
  bool lanesRows = false;
  std::string chunks = "rows"; ///< rows, columns or none
  int64_t rows = 1, columns = 1;
  int64_t cut = 0;                       ///< length of a chunk, a multiple of 16; 0: one chunk
  std::vector<std::pair<int, int>> tied; ///< (result, operand) that share memory
};

/// Runs a kernel chunk by chunk and returns its results; checks guards and, for column vectors, pads.
/// `types` says how the operands, then the results, are stored.
std::vector<Array> run(KowariKernel kernel, const Launch &launch, const std::vector<Array> &operands,
                       const std::vector<Array> &results, const std::vector<Type> &types);

/// Replaces every `$name` of the text; values may contain other names.
std::string substitute(std::string text, const std::map<std::string, std::string> &values);

} // namespace kowari::test
