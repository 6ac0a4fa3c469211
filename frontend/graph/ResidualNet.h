//===- ResidualNet.h - the residual networks of Dingo -----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Blocks with norm, activation, dropout and an optional gate by a context, as used by the embedding and by
// the conditioners of coupling steps. Names and shapes: docs/network.md.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/graph/FunctionBuilder.h"

namespace kowari::graph {

struct ResidualNetSpec {
  int64_t inputs = 0, outputs = 0;
  std::vector<int64_t> widths; // one a block
  int64_t context = 0;         // columns of the gates' context; 0: no gates
  Activation activation = Activation::Elu;
  Norm norm = Norm::None;
  double dropout = 0.0;
  /// Dingo's DenseResidualNet has a resize layer behind every block whose width changes and behind the last
  /// one; the flows' ResidualNet keeps one width and calls its last layer final_layer.
  bool dense = true;
};

/// Whether a network runs on batch statistics and drops out (training), and where random numbers come from.
struct Mode {
  bool training = false;
  mlir::Value sample, seed, epoch; // of flow.dropout; null where nothing drops out
};

void declareResidualNet(FunctionBuilder &f, const std::string &prefix, const ResidualNetSpec &net);

/// `inputs` are concatenated; `context` feeds the gates. `nextSite` numbers the dropouts of the whole
/// network.
mlir::Value buildResidualNet(FunctionBuilder &f, const std::string &prefix, const ResidualNetSpec &net,
                             mlir::ValueRange inputs, mlir::ValueRange context, const Mode &mode,
                             int64_t &nextSite);

} // namespace kowari::graph
