//===- OptimizerState.cpp - an optimizer's options -------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/OptimizerState.h"

#include "runtime/train/Kwargs.h"

#include <cmath>

namespace kowari::train {

namespace {

void takeAdam(Kwargs &kwargs, OptimizerOptions &options) {
  bool decoupled = options.type == OptimizerType::AdamW;
  kwargs.takePair("betas", options.beta1, options.beta2);
  kwargs.take("eps", options.epsilon);
  kwargs.take("amsgrad", options.amsgrad);
  if (options.type == OptimizerType::Adam)
    kwargs.take("decoupled_weight_decay", decoupled);
  kwargs.accept("capturable");
  kwargs.require(options.beta1 >= 0 && options.beta1 < 1 && options.beta2 >= 0 && options.beta2 < 1, "betas",
                 "must lie in [0, 1)");
  kwargs.require(options.epsilon >= 0, "eps", "must not be negative");
  if (decoupled)
    options.type = OptimizerType::AdamW;
}

void takeSgd(Kwargs &kwargs, OptimizerOptions &options) {
  kwargs.take("momentum", options.momentum);
  kwargs.take("dampening", options.dampening);
  kwargs.take("nesterov", options.nesterov);
  kwargs.require(options.momentum >= 0, "momentum", "must not be negative");
  kwargs.require(!options.nesterov || (options.momentum > 0 && options.dampening == 0), "nesterov",
                 "needs a momentum above 0 and no dampening");
}

} // namespace

Result<OptimizerOptions> OptimizerOptions::fromKwargs(const Value &dict) {
  OptimizerOptions options;
  Kwargs kwargs(dict, "optimizer");
  std::string type;
  kwargs.take("type", type);
  type = lowerCase(type);
  if (type == "adam") {
    options.type = OptimizerType::Adam;
  } else if (type == "adamw") {
    options.type = OptimizerType::AdamW;
    options.weightDecay = 1e-2;
  } else if (type == "sgd") {
    options.type = OptimizerType::Sgd;
  } else {
    kwargs.require(false, "type", "must be adam, adamw or sgd");
    return kwargs.finish();
  }
  kwargs.take("lr", options.lr);
  kwargs.take("weight_decay", options.weightDecay);
  kwargs.take("maximize", options.maximize);
  for (const char *key : {"foreach", "fused", "differentiable"})
    kwargs.accept(key);
  kwargs.require(std::isfinite(options.lr) && options.lr >= 0, "lr", "must not be negative");
  kwargs.require(std::isfinite(options.weightDecay) && options.weightDecay >= 0, "weight_decay",
                 "must not be negative");
  if (options.type == OptimizerType::Sgd)
    takeSgd(kwargs, options);
  else
    takeAdam(kwargs, options);
  KOWARI_TRY(kwargs.finish());
  options.initialLr = options.lr;
  return options;
}

std::vector<std::string> OptimizerOptions::bufferNames() const {
  if (type == OptimizerType::Sgd)
    return momentum != 0.0 ? std::vector<std::string>{"momentum_buffer"} : std::vector<std::string>{};
  std::vector<std::string> names = {"exp_avg", "exp_avg_sq"};
  if (amsgrad)
    names.push_back("max_exp_avg_sq");
  return names;
}

} // namespace kowari::train
