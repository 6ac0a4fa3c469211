//===- DataGraph.h - drawing and preparing a batch, as flow -----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/settings/ProgramSpec.h"

#include "mlir/IR/BuiltinOps.h"

namespace kowari::graph {

/// Adds @draw (sample indices to extrinsic draws and ASD rows) and @prepare (draws and stored polarizations
/// to the network's inputs) to the module; nothing for a spec without detectors. Their arguments and results
/// are those of runtime/pipeline/TensorNames.h; results are left in the inputs of the same name.
void buildDataEntries(mlir::ModuleOp module, const ProgramSpec &spec);

} // namespace kowari::graph
