//===- Inspect.h - files as values to print ---------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Value.h"

#include <string>

namespace kowari::cli {

/// What is listed one by one instead of being counted.
struct InspectDetail {
  bool tensors = false, plan = false, kernels = false;
};

/// A train_settings.yaml, checked, with defaults filled in.
Result<Value> inspectSettings(const std::string &path);
/// A waveform or ASD data set or an SVD basis; of any other HDF5 file its data sets.
Result<Value> inspectHdf5(const std::string &path);
Result<Value> inspectModel(const std::string &path, const InspectDetail &detail);
Result<Value> inspectArtifact(const std::string &path, const InspectDetail &detail);

} // namespace kowari::cli
