//===- Program.h - a loaded artifact, ready to run --------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// A Program owns one arena (parameters, optimizer state, constants, scalars, then the scratch memory that the
// plan laid out) and the code of an artifact. Entries are straight lists of steps; running one allocates
// nothing. Not thread-safe: one call at a time. The host reads and writes tensors by name, unpadded; inputs
// and outputs of an entry are views into the arena that stay valid as long as the Program.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kowari::plan {

enum class DType : int8_t { F32 = 0, F64 = 1, I64 = 2, I32 = 3 };
enum class TensorKind : int8_t { Parameter, State, Constant, OptimizerState, Scalar, Input, Output };
enum class InitKind : int8_t { None, Uniform, Fill, Permutation };

/// A strided window of the arena, as in plan.fbs; -1 in a dimension: the row count of the call.
struct View {
  int64_t offset, dim0, dim1, stride0, stride1;
  DType dtype;
};

struct TensorInfo {
  std::string name;
  TensorKind kind;
  std::vector<int64_t> shape; // -1 for rows
  View view;
  InitKind init;
  double initValue;
  std::vector<bool> trainable; // by stage
};

/// Time of one step of an entry, for traces and `kowari bench step`.
struct StepTime {
  std::string_view label, group;
  double seconds;
};

struct ProgramOptions {
  int threads = 0; // 0: all cores
};

class Program {
public:
  /// Reads the artifact, checks magic, digest, version, every offset and the CPU's instruction sets.
  static Result<std::unique_ptr<Program>> load(const std::string &path, const ProgramOptions &options);
  ~Program();
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  const std::vector<TensorInfo> &tensors() const; // persistent ones, in the artifact's order
  const TensorInfo *findTensor(std::string_view name) const;
  int64_t maxRows() const;
  DType elementType() const;
  int64_t arenaBytes() const;
  int64_t persistentBytes() const;
  const std::string &specJson() const;
  std::vector<std::string> entryNames() const;

  /// Copies a whole persistent tensor out of or into the arena, row-major and unpadded. `values` must have
  /// exactly the tensor's number of elements; float and double convert to the tensor's element type.
  Status read(std::string_view name, std::span<float> values) const;
  Status read(std::string_view name, std::span<double> values) const;
  Status read(std::string_view name, std::span<int64_t> values) const;
  Status write(std::string_view name, std::span<const float> values);
  Status write(std::string_view name, std::span<const double> values);
  Status write(std::string_view name, std::span<const int64_t> values);
  Status writeScalar(std::string_view name, double value);

  int findEntry(std::string_view name) const;                   // -1 if absent
  const std::vector<TensorInfo> &entryTensors(int entry) const; // its inputs and outputs
  const TensorInfo *findEntryTensor(int entry, std::string_view name) const;
  void *data(const View &view) const; // address of element (0, 0)

  /// Copies rows x columns of an entry's input in, or output out (dense row-major host side, columns =
  /// product of the non-row dimensions).
  Status writeInput(int entry, std::string_view name, std::span<const float> values, int64_t rows);
  Status writeInput(int entry, std::string_view name, std::span<const double> values, int64_t rows);
  Status writeInput(int entry, std::string_view name, std::span<const int64_t> values, int64_t rows);
  Status readOutput(int entry, std::string_view name, std::span<float> values, int64_t rows) const;
  Status readOutput(int entry, std::string_view name, std::span<double> values, int64_t rows) const;

  /// Makes library primitives for these row counts ahead, so that the first step is as fast as the others.
  Status prepare(int entry, std::span<const int64_t> rowCounts);
  /// Runs an entry on `rows` rows, 1 <= rows <= maxRows().
  Status run(int entry, int64_t rows);
  /// The same, timing every step; `times` is refilled.
  Status runTimed(int entry, int64_t rows, std::vector<StepTime> &times);

private:
  Program();
  struct State;
  std::unique_ptr<State> state;
};

} // namespace kowari::plan
