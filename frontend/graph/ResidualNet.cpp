//===- ResidualNet.cpp - the residual networks of Dingo -------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/graph/ResidualNet.h"

using namespace mlir;

namespace kowari::graph {

static constexpr double batchNormEpsilon = 1e-3, batchNormMomentum = 0.1, layerNormEpsilon = 1e-5;
static constexpr double lastLinearBound = 1e-3; // of each block's second linear layer

static std::string blockPrefix(const std::string &prefix, size_t block) {
  return prefix + "blocks." + std::to_string(block) + ".";
}
static std::string resizePrefix(const std::string &prefix, size_t block) {
  return prefix + "resize_layers." + std::to_string(block) + ".";
}

static void declareNorm(FunctionBuilder &f, const std::string &block, Norm norm, int64_t width) {
  for (const char *index : {"0.", "1."}) {
    if (norm == Norm::None)
      return;
    std::string prefix =
        block + (norm == Norm::BatchNorm ? "batch_norm_layers." : "layer_norm_layers.") + index;
    f.declareFill(prefix + "weight", {width}, 1.0);
    f.declareFill(prefix + "bias", {width}, 0.0);
    if (norm == Norm::BatchNorm) {
      f.declareState(prefix + "running_mean", width, 0.0);
      f.declareState(prefix + "running_var", width, 1.0);
    }
  }
}

void declareResidualNet(FunctionBuilder &f, const std::string &prefix, const ResidualNetSpec &net) {
  f.declareLinear(prefix + "initial_layer.", net.widths.front(), net.inputs);
  for (auto [i, width] : llvm::enumerate(net.widths)) {
    std::string block = blockPrefix(prefix, i);
    declareNorm(f, block, net.norm, width);
    if (net.context)
      f.declareLinear(block + "context_layer.", width, net.context);
    f.declareLinear(block + "linear_layers.0.", width, width);
    f.declareLinear(block + "linear_layers.1.", width, width, lastLinearBound);
  }
  if (!net.dense) {
    f.declareLinear(prefix + "final_layer.", net.outputs, net.widths.back());
    return;
  }
  for (size_t i = 0; i + 1 < net.widths.size(); ++i)
    if (net.widths[i] != net.widths[i + 1])
      f.declareLinear(resizePrefix(prefix, i), net.widths[i + 1], net.widths[i]);
  f.declareLinear(resizePrefix(prefix, net.widths.size() - 1), net.outputs, net.widths.back());
}

static Value buildNorm(FunctionBuilder &f, const std::string &block, const char *index, Norm norm, Value x,
                       const Mode &mode) {
  if (norm == Norm::None)
    return x;
  if (norm == Norm::LayerNorm) {
    std::string prefix = block + "layer_norm_layers." + index;
    auto op =
        flow::LayerNormOp::create(f.b, x.getType(), f.rowVector(), f.rowVector(), x, f.get(prefix + "weight"),
                                  f.get(prefix + "bias"), f.b.getF64FloatAttr(layerNormEpsilon));
    return op.getResult();
  }
  std::string prefix = block + "batch_norm_layers." + index;
  Value mean = f.get(prefix + "running_mean"), variance = f.get(prefix + "running_var");
  if (mode.training) {
    Type column = mean.getType();
    auto statistics = flow::BatchNormStatisticsOp::create(f.b, column, column, x);
    auto running =
        flow::BatchNormRunningOp::create(f.b, column, column, mean, variance, statistics.getMean(),
                                         statistics.getVariance(), f.b.getF64FloatAttr(batchNormMomentum));
    f.addResult("flow.state", prefix + "running_mean", running.getNewMean());
    f.addResult("flow.state", prefix + "running_var", running.getNewVariance());
    mean = statistics.getMean();
    variance = statistics.getVariance();
  }
  return flow::BatchNormOp::create(f.b, x.getType(), x, mean, variance, f.get(prefix + "weight"),
                                   f.get(prefix + "bias"), f.b.getF64FloatAttr(batchNormEpsilon),
                                   mode.training ? f.b.getUnitAttr() : UnitAttr());
}

static Value buildActivation(FunctionBuilder &f, Activation activation, Value x) {
  flow::ActivationKind kind = flow::ActivationKind::Elu;
  switch (activation) {
  case Activation::Elu:
    kind = flow::ActivationKind::Elu;
    break;
  case Activation::Relu:
    kind = flow::ActivationKind::Relu;
    break;
  case Activation::LeakyRelu:
    kind = flow::ActivationKind::LeakyRelu;
    break;
  case Activation::Gelu:
    kind = flow::ActivationKind::Gelu;
    break;
  }
  return flow::ActivationOp::create(f.b, x.getType(), x, kind);
}

static Value buildBlock(FunctionBuilder &f, const std::string &block, const ResidualNetSpec &net, Value x,
                        ValueRange context, const Mode &mode, int64_t &nextSite) {
  Value t = buildActivation(f, net.activation, buildNorm(f, block, "0.", net.norm, x, mode));
  t = f.linear(block + "linear_layers.0.", t);
  t = buildActivation(f, net.activation, buildNorm(f, block, "1.", net.norm, t, mode));
  int64_t site = nextSite++;
  if (mode.training && net.dropout > 0.0)
    t = flow::DropoutOp::create(f.b, t.getType(), t, mode.sample, mode.seed, mode.epoch,
                                f.b.getF64FloatAttr(net.dropout), f.b.getI64IntegerAttr(site));
  t = f.linear(block + "linear_layers.1.", t);
  if (net.context)
    t = flow::GluOp::create(f.b, t.getType(), t, f.linear(block + "context_layer.", context));
  return flow::AddOp::create(f.b, x.getType(), x, t);
}

Value buildResidualNet(FunctionBuilder &f, const std::string &prefix, const ResidualNetSpec &net,
                       ValueRange inputs, ValueRange context, const Mode &mode, int64_t &nextSite) {
  Value x = f.linear(prefix + "initial_layer.", inputs);
  for (size_t i = 0; i < net.widths.size(); ++i) {
    x = buildBlock(f, blockPrefix(prefix, i), net, x, context, mode, nextSite);
    if (net.dense && f.has(resizePrefix(prefix, i) + "weight"))
      x = f.linear(resizePrefix(prefix, i), x);
  }
  return net.dense ? x : f.linear(prefix + "final_layer.", x);
}

} // namespace kowari::graph
