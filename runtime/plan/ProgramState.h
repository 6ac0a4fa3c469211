//===- ProgramState.h - what a Program holds --------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Private to the Program*.cpp files. An entry's steps are bound once for each row count: every address,
// stride, product and decision about threads is resolved then, so that a run is a walk over flat arrays.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cpu/MatrixProduct.h"
#include "runtime/plan/Arena.h"
#include "runtime/plan/ArtifactFile.h"
#include "runtime/plan/CodeObject.h"
#include "runtime/plan/KernelAbi.h"
#include "runtime/plan/Program.h"
#include "runtime/plan/RowGather.h"
#include "runtime/plan/StridedCopy.h"
#include "runtime/plan/plan_generated.h"

#include <functional>
#include <map>

namespace kowari::plan {

struct BoundKernel {
  KowariKernel function;
  int64_t rows, columns;
  uint32_t firstOperand; // into BoundEntry::pointers and strides
  int threads;
  bool byColumns; // what the threads divide
  int64_t grain;  // chunk bounds are multiples of this
};

struct BoundProduct {
  cpu::MatrixProduct *product;
  const void *a, *b;
  void *c;
  const void *bias;
};

enum class BoundKind : uint8_t { Kernel, Product, Copy, Fill, Gather, Nothing };

/// One step: its kind and its place in that kind's array.
struct BoundStep {
  BoundKind kind;
  uint32_t index;
};

/// The steps of an entry for one row count.
struct BoundEntry {
  int64_t rows = 0;
  uint64_t lastUse = 0;
  std::vector<BoundStep> steps;
  std::vector<BoundKernel> kernels;
  std::vector<BoundProduct> products;
  std::vector<StridedCopy> copies;
  std::vector<StridedFill> fills;
  std::vector<RowGather> gathers;
  std::vector<void *> pointers;
  std::vector<int64_t> strides;
};

struct LoadedEntry {
  const fb::Entry *plan;
  std::string name;
  std::vector<TensorInfo> tensors;
  std::map<std::string, size_t, std::less<>> tensorIndex;
  std::vector<std::unique_ptr<BoundEntry>> bound; // by row count, most of the time two or three
};

struct LoadedKernel {
  KowariKernel function;
  fb::Lanes lanes;
  fb::Chunks chunks;
  double costPerPoint;
};

struct ProgramState {
  explicit ProgramState(ArtifactFile file) : file(std::move(file)) {}

  ArtifactFile file;
  Arena arena;
  CodeObject code;
  std::string spec;
  int threads = 1;
  std::vector<TensorInfo> tensors;
  std::map<std::string, size_t, std::less<>> tensorIndex;
  std::vector<LoadedKernel> kernels;
  std::vector<LoadedEntry> entries;
  std::unique_ptr<cpu::ProductCache> products;
  uint64_t uses = 0;

  /// The entry's steps for `rows`, bound on first use; the least recently used row count goes when there are
  /// many.
  Result<BoundEntry *> bind(LoadedEntry &entry, int64_t rows);
  Status checkCall(int entry, int64_t rows) const;
  /// "entry 'prepare', step 3 (gather)": for errors.
  std::string describeStep(int entry, size_t step) const;
};

struct Program::State : ProgramState {
  using ProgramState::ProgramState;
};

/// Copies a FlatBuffers tensor.
TensorInfo tensorInfo(const fb::Tensor &tensor);

} // namespace kowari::plan
