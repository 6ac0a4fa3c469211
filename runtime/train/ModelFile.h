//===- ModelFile.h - Dingo's .pt files -------------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// A model as Dingo saves it: settings, weights under their PyTorch names and, in a checkpoint, the state of
// the optimizer and of the scheduler. Files written here are opened by Dingo and by
// torch.load(weights_only=True), and dingo_train can resume from them. docs/model-files.md lists every key.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Value.h"
#include "runtime/train/OptimizerState.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kowari::train {

/// What a checkpoint has beyond a model for inference.
struct TrainingState {
  Value optimizerKwargs; // the stage's `optimizer:` dict
  Value schedulerKwargs; // the stage's `scheduler:` dict, or null
  std::optional<OptimizerState> optimizer;
  std::optional<Value> scheduler; // torch's scheduler.state_dict(); see LearningRate
};

/// A tensor the caller's network has.
struct ExpectedTensor {
  std::string name;
  std::vector<int64_t> shape;
  bool isInteger = false; // int64 buffer; otherwise float32 or float64
};

struct ModelFile {
  Value modelKwargs = ValueDict();
  std::vector<NamedTensor> stateDict; // in the network's order
  int64_t epoch = 0;                  // epochs done
  int64_t iteration = 0;              // optimizer steps done; 0 in files that do not say
  std::string version;                // "dingo=0.10.3"; empty in files older than 0.3.3
  /// dataset_settings, train_settings, float32_matmul_precision and, in our files, kowari.
  Value metadata = ValueDict();
  std::optional<Value> context, eventMetadata;
  std::optional<TrainingState> training;

  enum class Content {
    Inference, // leaves the optimizer and the scheduler out, whatever they are
    Training
  };
  /// Reads a .pt file. Tensors stay in the file until they are loaded or copied (HostTensor). Errors name the
  /// file and the entry. Tuples become lists.
  static Result<ModelFile> read(const std::string &path, Content content = Content::Training);
  /// Writes atomically (see writeTorchArchive). Tensors must be in memory.
  Status write(const std::string &path) const;
  /// Loads every tensor that is still in the file.
  Status loadAll();
  /// Null if there is none of that name.
  const HostTensor *find(std::string_view name) const;
  /// Compares names, shapes and kinds with the caller's network; the error names the first differing tensor.
  /// `path` is for the message.
  Status checkNetwork(std::span<const ExpectedTensor> expected, const std::string &path) const;
};

} // namespace kowari::train
