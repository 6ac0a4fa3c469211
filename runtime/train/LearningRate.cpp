//===- LearningRate.cpp - learning rate schedules -------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/LearningRate.h"

#include "runtime/train/Kwargs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace kowari::train {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void takeStep(Kwargs &kwargs, SchedulerOptions &options) {
  kwargs.require(kwargs.has("step_size"), "step_size", "is needed: epochs between two drops");
  kwargs.take("step_size", options.stepSize);
  kwargs.take("gamma", options.gamma);
  kwargs.require(options.stepSize >= 1, "step_size", "must be at least 1");
  kwargs.require(std::isfinite(options.gamma) && options.gamma >= 0, "gamma", "must not be negative");
}

void takeCosine(Kwargs &kwargs, SchedulerOptions &options) {
  kwargs.require(kwargs.has("T_max"), "T_max", "is needed: epochs from the largest to the smallest rate");
  kwargs.take("T_max", options.tMax);
  kwargs.take("eta_min", options.etaMin);
  kwargs.require(std::isfinite(options.tMax) && options.tMax > 0, "T_max", "must be above 0");
  kwargs.require(std::isfinite(options.etaMin) && options.etaMin >= 0, "eta_min", "must not be negative");
}

void takePlateau(Kwargs &kwargs, SchedulerOptions &options) {
  std::string mode = "min", thresholdMode = "rel";
  kwargs.take("mode", mode);
  kwargs.take("factor", options.factor);
  kwargs.take("patience", options.patience);
  kwargs.take("threshold", options.threshold);
  kwargs.take("threshold_mode", thresholdMode);
  kwargs.take("cooldown", options.cooldown);
  kwargs.take("min_lr", options.minLr);
  kwargs.take("eps", options.epsilon);
  kwargs.require(mode == "min" || mode == "max", "mode", "must be min or max");
  kwargs.require(thresholdMode == "rel" || thresholdMode == "abs", "threshold_mode", "must be rel or abs");
  kwargs.require(options.factor >= 0 && options.factor < 1, "factor", "must lie in [0, 1)");
  kwargs.require(options.patience >= 0, "patience", "must not be negative");
  kwargs.require(options.cooldown >= 0, "cooldown", "must not be negative");
  kwargs.require(options.minLr >= 0, "min_lr", "must not be negative");
  options.modeMax = mode == "max";
  options.thresholdAbsolute = thresholdMode == "abs";
}

/// T_max is a whole number for torch whenever the settings say one.
Value numberAsWritten(double value) {
  bool isWhole = value == std::floor(value) && std::abs(value) < 1e15;
  return isWhole ? Value(static_cast<int64_t>(value)) : Value(value);
}

/// The only rate of a list as torch keeps it, one a parameter group.
void takeOnlyRate(const Value &state, const char *key, double &rate) {
  const Value *rates = state.find(key);
  if (rates && rates->isList() && rates->asList().size() == 1 && rates->asList()[0].isNumber())
    rate = rates->asList()[0].asDouble();
}

} // namespace

Result<SchedulerOptions> SchedulerOptions::fromKwargs(const Value &dict) {
  SchedulerOptions options;
  if (dict.isNull() || (dict.isDict() && dict.asDict().empty()))
    return options;
  Kwargs kwargs(dict, "scheduler");
  std::string type;
  kwargs.take("type", type);
  type = lowerCase(type);
  if (type == "step") {
    options.type = SchedulerType::Step;
    takeStep(kwargs, options);
  } else if (type == "cosine") {
    options.type = SchedulerType::Cosine;
    takeCosine(kwargs, options);
  } else if (type == "reduce_on_plateau") {
    options.type = SchedulerType::ReduceOnPlateau;
    takePlateau(kwargs, options);
  } else {
    kwargs.require(false, "type", "must be step, cosine or reduce_on_plateau");
    return kwargs.finish();
  }
  KOWARI_TRY(kwargs.finish());
  return options;
}

LearningRate::LearningRate(const SchedulerOptions &options, double baseRate)
    : options(options), baseRate(baseRate), rate(baseRate), best(options.modeMax ? -infinity : infinity) {}

void LearningRate::step(double testLoss) {
  ++epochs;
  switch (options.type) {
  case SchedulerType::Constant:
    return;
  case SchedulerType::Step:
    if (epochs % options.stepSize == 0)
      rate *= options.gamma;
    return;
  case SchedulerType::Cosine:
    return stepCosine();
  case SchedulerType::ReduceOnPlateau:
    return stepPlateau(testLoss);
  }
}

void LearningRate::stepCosine() {
  constexpr double pi = std::numbers::pi;
  double epoch = static_cast<double>(epochs), period = options.tMax;
  if (std::fmod(epoch - 1 - period, 2 * period) == 0) {
    rate = rate + (baseRate - options.etaMin) * (1 - std::cos(pi / period)) / 2;
    return;
  }
  rate = (1 + std::cos(pi * epoch / period)) / (1 + std::cos(pi * (epoch - 1) / period)) *
             (rate - options.etaMin) +
         options.etaMin;
}

void LearningRate::stepPlateau(double metric) {
  double limit = 0.0;
  if (options.modeMax)
    limit = options.thresholdAbsolute ? best + options.threshold : best * (options.threshold + 1.0);
  else
    limit = options.thresholdAbsolute ? best - options.threshold : best * (1.0 - options.threshold);
  if (options.modeMax ? metric > limit : metric < limit) {
    best = metric;
    badEpochs = 0;
  } else {
    ++badEpochs;
  }
  if (cooldownLeft > 0) {
    --cooldownLeft;
    badEpochs = 0;
  }
  if (badEpochs > options.patience) {
    double lowered = std::max(rate * options.factor, options.minLr);
    if (rate - lowered > options.epsilon)
      rate = lowered;
    cooldownLeft = options.cooldown;
    badEpochs = 0;
  }
}

Value LearningRate::plateauState() const {
  ValueDict state;
  state["factor"] = options.factor;
  state["default_min_lr"] = options.minLr;
  state["min_lrs"] = ValueList{options.minLr};
  state["patience"] = options.patience;
  state["cooldown"] = options.cooldown;
  state["eps"] = options.epsilon;
  state["last_epoch"] = epochs;
  state["_last_lr"] = ValueList{rate};
  state["mode_worse"] = options.modeMax ? -infinity : infinity;
  state["mode"] = options.modeMax ? "max" : "min";
  state["threshold"] = options.threshold;
  state["threshold_mode"] = options.thresholdAbsolute ? "abs" : "rel";
  state["best"] = best;
  state["cooldown_counter"] = cooldownLeft;
  state["num_bad_epochs"] = badEpochs;
  return state;
}

Value LearningRate::stateDict() const {
  if (options.type == SchedulerType::Constant)
    return Value();
  if (options.type == SchedulerType::ReduceOnPlateau)
    return plateauState();
  ValueDict state;
  if (options.type == SchedulerType::Step) {
    state["step_size"] = options.stepSize;
    state["gamma"] = options.gamma;
  } else {
    state["T_max"] = numberAsWritten(options.tMax);
    state["eta_min"] = options.etaMin;
  }
  state["base_lrs"] = ValueList{baseRate};
  state["last_epoch"] = epochs;
  state["_step_count"] = epochs + 1;
  state["_is_initial"] = false;
  state["_get_lr_called_within_step"] = false;
  state["_last_lr"] = ValueList{rate};
  return state;
}

Status LearningRate::loadPlateau(const Value &state) {
  std::string mode = options.modeMax ? "max" : "min",
              thresholdMode = options.thresholdAbsolute ? "abs" : "rel";
  Kwargs kwargs(state, "scheduler_state_dict");
  kwargs.take("factor", options.factor);
  kwargs.take("patience", options.patience);
  kwargs.take("cooldown", options.cooldown);
  kwargs.take("eps", options.epsilon);
  kwargs.take("last_epoch", epochs);
  kwargs.take("mode", mode);
  kwargs.take("threshold", options.threshold);
  kwargs.take("threshold_mode", thresholdMode);
  kwargs.take("best", best);
  kwargs.take("cooldown_counter", cooldownLeft);
  kwargs.take("num_bad_epochs", badEpochs);
  for (const char *key : {"default_min_lr", "min_lrs", "_last_lr", "mode_worse", "verbose"})
    kwargs.accept(key);
  kwargs.require(epochs >= 0, "last_epoch", "must not be negative");
  options.modeMax = mode == "max";
  options.thresholdAbsolute = thresholdMode == "abs";
  takeOnlyRate(state, "min_lrs", options.minLr);
  takeOnlyRate(state, "_last_lr", rate);
  return kwargs.finish();
}

Status LearningRate::loadStateDict(const Value &state, std::optional<double> currentRate) {
  KOWARI_TRY(loadState(state));
  rate = currentRate.value_or(rate);
  return Status::ok();
}

Status LearningRate::loadState(const Value &state) {
  if (options.type == SchedulerType::Constant)
    return state.isNull()
               ? Status::ok()
               : Status::error("scheduler_state_dict: the checkpoint has a scheduler, this stage has none");
  if (options.type == SchedulerType::ReduceOnPlateau)
    return loadPlateau(state);
  Kwargs kwargs(state, "scheduler_state_dict");
  int64_t stepCount = 0;
  if (options.type == SchedulerType::Step) {
    kwargs.take("step_size", options.stepSize);
    kwargs.take("gamma", options.gamma);
    kwargs.require(options.stepSize >= 1, "step_size", "must be at least 1");
  } else {
    kwargs.take("T_max", options.tMax);
    kwargs.take("eta_min", options.etaMin);
    kwargs.require(options.tMax > 0, "T_max", "must be above 0");
  }
  kwargs.take("last_epoch", epochs);
  kwargs.take("_step_count", stepCount);
  for (const char *key : {"base_lrs", "_last_lr", "_is_initial", "_get_lr_called_within_step", "verbose"})
    kwargs.accept(key);
  kwargs.require(epochs >= 0, "last_epoch", "must not be negative");
  takeOnlyRate(state, "base_lrs", baseRate);
  takeOnlyRate(state, "_last_lr", rate);
  return kwargs.finish();
}

} // namespace kowari::train
