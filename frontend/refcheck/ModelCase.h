//===- ModelCase.h - a network recorded in Dingo ----------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// One file of the layout of docs/reference-check.md: settings, parameters, inputs, and the outputs, gradients
// and optimizer steps that Dingo and PyTorch made of them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/settings/ProgramSpec.h"
#include "runtime/data/Hdf5File.h"
#include "runtime/support/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kowari::refcheck {

/// One `<name>_float64` group with steps of an optimizer.
struct OptimizerRun {
  std::string group; // "adam_float64"
  OptimizerSpec spec;
  double learningRate = 0.0;
};

/// PyTorch's own distance between float32 and float64 in this case; 0 where the file has none.
struct Float32Differences {
  double output = 0.0, embedding = 0.0, loss = 0.0, gradientOfAll = 0.0, gradientOfTensor = 0.0,
         optimizerLoss = 0.0;
};

struct ModelCase {
  /// Errors: a file that is not of this layout, with what it lacks.
  static Result<ModelCase> read(const std::string &path);

  data::Hdf5File file;
  ProgramSpec
      spec; // in float64, one stage an optimizer run, with the gradient entry if gradients are recorded
  int64_t rows = 0;
  std::vector<double> theta;               // (rows x input_dim)
  std::vector<std::vector<double>> strain; // a detector: (rows x 3 bins)
  std::vector<double> context;             // (rows x context parameters)
  std::vector<OptimizerRun> optimizers;
  Float32Differences float32;
  /// Parts of the file that are left out, each with the reason.
  std::vector<std::string> leftOut;
  /// Why the whole case cannot be run; the members above but `file` are then unset.
  std::string unsupported;

private:
  explicit ModelCase(data::Hdf5File file) : file(std::move(file)) {}
  Status readSettings();
  Status readInputs();
  Status readOptimizers();
};

} // namespace kowari::refcheck
