//===- TrainState.h - a program's weights as a model file's -----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The arena of a program holds parameters, batch-norm statistics, permutations and optimizer state.
// TrainState shows them under the names, in the order and with the buffers of Dingo's state dict, and as the
// state of a torch optimizer; and it fills them, from initial values or from a file. What Dingo saves and no
// program needs lives here: num_batches_tracked of each BatchNorm, and the index buffers of the coupling
// steps.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Program.h"
#include "runtime/train/ModelFile.h"

#include <memory>
#include <string>
#include <vector>

namespace kowari::train {

class TrainState {
public:
  /// `program` must outlive the state.
  explicit TrainState(plan::Program &program);

  /// Values as Dingo draws them, by (seed, tensor name); running statistics 0 and 1, counters 0.
  Status initialize(uint64_t seed);
  /// Names, shapes and kinds of the whole state dict, in its order.
  std::vector<ExpectedTensor> expected() const;
  /// The state dict. Tensors are views of the program's memory and of this object's buffers.
  std::vector<NamedTensor> stateDict() const;
  /// Takes all weights and buffers of a file. Errors name the first tensor that differs; nothing is changed
  /// then.
  Status loadWeights(const ModelFile &file, const std::string &path);

  /// One more training step for every BatchNorm.
  void countBatch();

  /// All optimizer state to zero: what a stage starts with.
  Status clearOptimizer();
  /// State of a torch optimizer after `steps` steps of stage `stage`; views of the program's memory. Frozen
  /// parameters and, with steps = 0, all parameters have none.
  OptimizerState optimizerState(const OptimizerOptions &options, int stage, int64_t steps) const;
  /// Takes the state of a file; returns the steps it has seen. Errors: state of an other number of
  /// parameters, of an other shape, missing for a parameter that has been trained, or unequal step counts.
  Result<int64_t> loadOptimizer(const OptimizerState &state, const OptimizerOptions &options, int stage,
                                const std::string &path);

  /// Elements of all parameters, and of those that `stage` trains.
  int64_t parameterCount() const;
  int64_t trainableCount(int stage) const;

private:
  /// A tensor of the state dict: one of the program's, or a buffer of ours.
  struct Entry {
    std::string name;
    const plan::TensorInfo *tensor = nullptr;
    std::vector<int64_t> shape;                   // of a buffer
    std::shared_ptr<std::vector<int64_t>> buffer; // int64
    bool counter = false;
  };
  void addIndexBuffers(const std::string &prefix, int64_t step, int64_t inputDim);
  HostTensor view(const plan::TensorInfo &tensor) const;

  plan::Program &program;
  std::vector<Entry> entries;
  std::vector<const plan::TensorInfo *> parameters; // in the order of the state dict
};

} // namespace kowari::train
