//===- PersistentLayout.h - parameters and state in the arena ---*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Everything that lives as long as a program, laid out once for all entries: flat regions of equal shape for
// the parameters and each kind of optimizer state, cut into buckets (a flow step, the embedding, the rb
// layers), then batch-norm statistics, constants, scalars and inputs. A parameter, its gradient and its
// optimizer state have the same strides and the same place in their regions, so an optimizer runs over a
// bucket as one vector.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/flow/FlowOps.h"
#include "dialects/plan/PlanOps.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace kowari {

/// Elements from row to row for rows of `columns` elements: whole vectors, off powers of two, which make sets
/// of a cache collide (docs/cpu-kernels.md).
int64_t getPaddedStride(int64_t columns);

/// The view type of a tensor: matrices row-major or feature-major, weights row-major, vectors contiguous.
plan::ViewType getViewType(mlir::Type tensor, bool featureMajor, int64_t maxRows);

class PersistentLayout {
public:
  struct Place {
    plan::ViewType view;
    int64_t offset = 0;   // bytes
    int bucket = -1;      // of parameters and optimizer state
    int64_t elements = 0; // that a parameter takes up in its bucket, pads included
  };

  /// Reads the arguments of all functions and writes plan.tensor operations at the start of the module.
  PersistentLayout(mlir::ModuleOp module, int64_t maxRows);

  /// The place of a function argument; `role` is the argument's flow.* attribute.
  const Place &getPlace(llvm::StringRef role, llvm::StringRef name) const;

  struct Bucket {
    int64_t offset = 0;    // bytes, of the bucket's parameters
    int64_t elements = 0;  // pads included
    size_t parameters = 0; // with entries
  };
  const Bucket &getBucket(int index) const { return buckets[index]; }
  /// Bytes from a parameter to its state of the given kind (exp_avg, ...).
  int64_t getStateDistance(llvm::StringRef kind) const { return stateRegions.lookup(kind) - parameterRegion; }
  int64_t getBytes() const { return bytes; }

private:
  struct Argument {
    std::string role, name;
    mlir::RankedTensorType type;
    mlir::DictionaryAttr attributes;
  };
  void collect(mlir::ModuleOp module);
  void placeParameters();
  void placeOptimizerState();
  void placeOthers();
  void write(mlir::ModuleOp module);
  int64_t reserve(int64_t size);

  int64_t maxRows, bytes = 0, parameterRegion = 0;
  std::vector<Argument> arguments;
  llvm::StringMap<Place> places; // by role and name
  std::vector<Bucket> buckets;
  llvm::StringMap<int64_t> stateRegions;
};

} // namespace kowari
