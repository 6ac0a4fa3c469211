//===- Inspect.h - files as values to print ---------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Value.h"

#include <string>

namespace kowari::cli {

/// A train_settings.yaml, checked, with defaults filled in.
Result<Value> inspectSettings(const std::string &path);
/// A waveform or ASD data set or an SVD basis; of any other HDF5 file its data sets.
Result<Value> inspectHdf5(const std::string &path);
/// With `tensors` every one is listed instead of counted. Artifacts: frontend/inspect.
Result<Value> inspectModel(const std::string &path, bool tensors);

} // namespace kowari::cli
