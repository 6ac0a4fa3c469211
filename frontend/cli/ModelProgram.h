//===- ModelProgram.h - a saved model, ready to evaluate --------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/cli/CompiledProgram.h"
#include "runtime/train/ModelFile.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace kowari::cli {

/// Rows a model's program is compiled for; larger inputs go through it in pieces. One number for all, so that
/// a model is compiled once.
inline constexpr int64_t modelRows = 256;

struct ModelProgram {
  train::ModelFile file;
  ProgramSpec spec;
  CompiledProgram compiled;
  plan::Program &program() { return *compiled.program; }
  int64_t rowsAtOnce() const { return std::min(modelRows, compiled.program->maxRows()); }
};

/// Reads a .pt file, compiles its network (evaluation and sampling) and loads the weights. With an artifact
/// in the options nothing is compiled; that of a training does, whatever its rows and input.
Result<ModelProgram> loadModel(const std::string &path, ElementType elementType,
                               const CompileOptions &options);

/// The context of a model's density, row by row.
struct ModelInputs {
  int64_t rows = 0;
  std::vector<double> theta;               // (rows x input_dim); empty if not asked for
  std::vector<std::vector<double>> strain; // a detector: (rows x 3 bins); empty without an embedding
  std::vector<double> z;                   // (rows x context parameters); empty if there are none
};

/// Reads theta, strain (rows, detectors, 3, bins) and z from a file, at its root or in the group `inputs`.
/// Errors name the data set and the shape it should have.
Result<ModelInputs> readModelInputs(const std::string &path, const ProgramSpec &spec, bool needTheta);

/// Writes the context of the given rows (any may repeat), one after the other, into an entry's inputs.
Status writeContext(plan::Program &program, int entry, const ModelInputs &inputs,
                    const std::vector<int64_t> &rows);

} // namespace kowari::cli
