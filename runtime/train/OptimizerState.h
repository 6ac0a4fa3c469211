//===- OptimizerState.h - an optimizer's options and state, torch's form ---*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// torch keeps the state of an optimizer by the position of a parameter among all parameters of the network
// (frozen ones included, buffers not), and its options in `param_groups`; Dingo has one group. The names of
// the buffers are torch's: exp_avg, exp_avg_sq, max_exp_avg_sq (amsgrad) for adam and adamw, momentum_buffer
// for sgd.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Value.h"
#include "runtime/train/Tensor.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kowari::train {

enum class OptimizerType { Adam, AdamW, Sgd };

/// torch's options with torch's defaults.
struct OptimizerOptions {
  OptimizerType type = OptimizerType::Adam;
  double lr = 1e-3; // the learning rate now; changes as the scheduler steps
  double initialLr = 1e-3;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8; // adam, adamw
  double weightDecay = 0.0;                          // 1e-2 for adamw
  bool amsgrad = false;                              // adam, adamw
  bool maximize = false;
  double momentum = 0.0, dampening = 0.0; // sgd
  bool nesterov = false;                  // sgd

  /// From an `optimizer:` dict of the settings: `type` in any case and torch's keyword arguments. Arguments
  /// that change no number (foreach, fused, capturable, differentiable) are accepted; unknown ones and values
  /// torch would refuse are errors that name them.
  static Result<OptimizerOptions> fromKwargs(const Value &kwargs);
  /// Names of the buffers a trained parameter has.
  std::vector<std::string> bufferNames() const;
};

/// State of one parameter. Buffers have the parameter's shape.
struct ParameterState {
  double step = 0.0; // updates done; adam and adamw only
  std::map<std::string, HostTensor> buffers;
};

struct OptimizerState {
  OptimizerOptions options;
  int64_t parameterCount = 0;              // positions 0 .. parameterCount - 1
  std::map<int64_t, ParameterState> state; // parameters never updated (frozen, or before step 1) are absent
};

} // namespace kowari::train
