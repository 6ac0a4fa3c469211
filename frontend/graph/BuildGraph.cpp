//===- BuildGraph.cpp - a network as a flow module ------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/graph/BuildGraph.h"
#include "frontend/graph/DataGraph.h"
#include "frontend/graph/FunctionBuilder.h"
#include "frontend/graph/ResidualNet.h"

#include <cmath>

using namespace mlir;

namespace kowari::graph {

namespace {

/// The parts of the network that the entry points are put together from.
class NetworkBuilder {
public:
  /// Declares the strain and all parameters, in the order of the state dict, and builds the context.
  NetworkBuilder(FunctionBuilder &functionBuilder, Mode networkMode)
      : f(functionBuilder), spec(f.spec), mode(networkMode) {
    addStrainArguments();
    declareParameters();
    buildContext();
  }

  /// log q(theta | context), one number a row.
  Value buildLogProb(Value theta);
  /// theta and log q(theta | context) from base noise.
  std::pair<Value, Value> buildSample(Value noise);
  void addEmbeddingResult();

private:
  void addStrainArguments();
  void declareParameters();
  /// The context: the embedding of the strain, then z.
  void buildContext();
  std::string embeddingPrefix() const {
    return spec.contextParameters > 0 ? "embedding_net.enets.0." : "embedding_net.";
  }
  ResidualNetSpec embeddingSpec() const;
  ResidualNetSpec conditionerSpec(int64_t step) const;
  std::string stepPrefix(int64_t step) const {
    return "flow._transform._transforms." + std::to_string(step) + "._transforms.";
  }
  /// The first transformed feature: steps alternate, except that a single feature is transformed by all.
  int64_t maskStart(int64_t step) const { return spec.flow.inputDim == 1 ? 0 : step % 2; }
  int64_t transformed(int64_t step) const { return (spec.flow.inputDim - maskStart(step) + 1) / 2; }
  std::string conditionerPrefix(int64_t step) const { return stepPrefix(step) + "1.transform_net."; }
  void declareLu(int64_t step);
  std::pair<Value, Value> buildLuWeight(int64_t step, bool inverse);
  Value buildConditioner(int64_t step, Value identity);
  FloatAttr splineDivisor() const;

  FunctionBuilder &f;
  const ProgramSpec &spec;
  Mode mode;
  SmallVector<Value> strain, context;
  Value embedding;
  int64_t nextSite = 0;
};

ResidualNetSpec NetworkBuilder::embeddingSpec() const {
  const EmbeddingSpec &e = spec.embedding;
  ResidualNetSpec net;
  net.inputs = 2 * e.svdSize * e.detectors;
  net.outputs = e.outputDim;
  net.widths = e.hiddenDims;
  net.activation = e.activation;
  net.norm = e.norm;
  net.dropout = e.dropout;
  return net;
}

ResidualNetSpec NetworkBuilder::conditionerSpec(int64_t step) const {
  const FlowSpec &flow = spec.flow;
  ResidualNetSpec net;
  net.dense = flow.norm == Norm::LayerNorm;
  int64_t identity = flow.inputDim - transformed(step);
  net.inputs = identity + (net.dense ? 0 : spec.contextDim());
  net.outputs = transformed(step) * (3 * flow.numBins - 1);
  net.widths.assign(flow.numTransformBlocks, flow.hiddenDim);
  net.context = spec.contextDim();
  net.activation = flow.activation;
  net.norm = flow.norm;
  net.dropout = flow.dropout;
  return net;
}

void NetworkBuilder::declareLu(int64_t step) {
  int64_t d = spec.flow.inputDim;
  std::string prefix = stepPrefix(step) + (step < spec.flow.numFlowSteps ? "0._transforms." : "");
  f.declarePermutation(prefix + "0._permutation", d);
  f.declareFill(prefix + "1.bias", {d}, 0.0);
  f.declareFill(prefix + "1.lower_entries", {d * (d - 1) / 2}, 0.0);
  f.declareFill(prefix + "1.upper_entries", {d * (d - 1) / 2}, 0.0);
  f.declareFill(prefix + "1.unconstrained_upper_diag", {d}, std::log(std::exp(1.0 - 1e-3) - 1.0));
}

void NetworkBuilder::declareParameters() {
  if (spec.hasEmbedding) {
    std::string prefix = embeddingPrefix();
    for (int64_t i = 0; i < spec.embedding.detectors; ++i)
      f.declareLinear(prefix + "0.layers_rb." + std::to_string(i) + ".", 2 * spec.embedding.svdSize,
                      3 * spec.embedding.bins);
    declareResidualNet(f, prefix + "1.", embeddingSpec());
  }
  for (int64_t step = 0; step < spec.flow.numFlowSteps; ++step) {
    declareLu(step);
    declareResidualNet(f, conditionerPrefix(step), conditionerSpec(step));
  }
  declareLu(spec.flow.numFlowSteps);
}

void NetworkBuilder::addStrainArguments() {
  if (spec.hasEmbedding)
    for (int64_t i = 0; i < spec.embedding.detectors; ++i)
      strain.push_back(
          f.addArgument("flow.batch", "strain/" + std::to_string(i), f.matrix(3 * spec.embedding.bins)));
  if (spec.contextParameters > 0)
    context.push_back(f.addArgument("flow.batch", "context", f.matrix(spec.contextParameters)));
}

void NetworkBuilder::buildContext() {
  if (!spec.hasEmbedding)
    return;
  std::string prefix = embeddingPrefix();
  SmallVector<Value> projections;
  for (auto [i, x] : llvm::enumerate(strain))
    projections.push_back(f.linear(prefix + "0.layers_rb." + std::to_string(i) + ".", x));
  embedding = buildResidualNet(f, prefix + "1.", embeddingSpec(), projections, {}, mode, nextSite);
  context.insert(context.begin(), embedding);
}

void NetworkBuilder::addEmbeddingResult() {
  if (context.empty())
    return;
  Value all = context.size() == 1
                  ? context[0]
                  : flow::ConcatColumnsOp::create(f.b, f.matrix(spec.contextDim()), context).getResult();
  f.addResult("flow.output", "embedding", all);
}

std::pair<Value, Value> NetworkBuilder::buildLuWeight(int64_t step, bool inverse) {
  int64_t d = spec.flow.inputDim;
  std::string prefix = stepPrefix(step) + (step < spec.flow.numFlowSteps ? "0._transforms." : "");
  Type weight = RankedTensorType::get({d, d}, f.element), scalar = f.scalar();
  Value lower = f.get(prefix + "1.lower_entries"), upper = f.get(prefix + "1.upper_entries");
  Value diagonal = f.get(prefix + "1.unconstrained_upper_diag"),
        permutation = f.get(prefix + "0._permutation");
  if (inverse) {
    auto op = flow::LuWeightInverseOp::create(f.b, weight, scalar, lower, upper, diagonal, permutation);
    return {op.getWeight(), op.getLogabsdet()};
  }
  auto op = flow::LuWeightOp::create(f.b, weight, scalar, lower, upper, diagonal, permutation);
  return {op.getWeight(), op.getLogabsdet()};
}

Value NetworkBuilder::buildConditioner(int64_t step, Value identity) {
  ResidualNetSpec net = conditionerSpec(step);
  SmallVector<Value> inputs{identity};
  if (!net.dense)
    llvm::append_range(inputs, context);
  return buildResidualNet(f, conditionerPrefix(step), net, inputs, context, mode, nextSite);
}

FloatAttr NetworkBuilder::splineDivisor() const {
  return f.b.getF64FloatAttr(std::sqrt(static_cast<double>(spec.flow.hiddenDim)));
}

Value NetworkBuilder::buildLogProb(Value theta) {
  Value x = theta, logabsdet, constant;
  auto addTo = [&](Value &sum, Value term) {
    sum = sum ? flow::AddOp::create(f.b, sum.getType(), sum, term).getResult() : term;
  };
  auto applyLu = [&](int64_t step) {
    auto [weight, logabs] = buildLuWeight(step, false);
    std::string prefix = stepPrefix(step) + (step < spec.flow.numFlowSteps ? "0._transforms." : "");
    x = flow::LinearOp::create(f.b, x.getType(), x, weight, f.get(prefix + "1.bias"));
    addTo(constant, logabs);
  };
  for (int64_t step = 0; step < spec.flow.numFlowSteps; ++step) {
    applyLu(step);
    int64_t count = transformed(step);
    auto split = flow::SplitColumnsOp::create(f.b, f.matrix(count), f.matrix(spec.flow.inputDim - count), x,
                                              maskStart(step));
    Value u = buildConditioner(step, split.getOthers());
    auto spline = flow::RqSplineOp::create(f.b, f.matrix(count), f.rowVector(), split.getSelected(), u,
                                           f.b.getI64IntegerAttr(spec.flow.numBins),
                                           f.b.getF64FloatAttr(spec.flow.tailBound), splineDivisor());
    addTo(logabsdet, spline.getLogabsdet());
    x = flow::InterleaveColumnsOp::create(f.b, x.getType(), spline.getY(), split.getOthers(),
                                          maskStart(step));
  }
  applyLu(spec.flow.numFlowSteps);
  Value logProb = flow::BaseLogProbOp::create(f.b, f.rowVector(), x);
  addTo(logProb, logabsdet);
  return flow::AddScalarOp::create(f.b, f.rowVector(), logProb, constant);
}

std::pair<Value, Value> NetworkBuilder::buildSample(Value noise) {
  Value x = noise, logProb = flow::BaseLogProbOp::create(f.b, f.rowVector(), noise), constant;
  auto invertLu = [&](int64_t step) {
    auto [weight, logabs] = buildLuWeight(step, true);
    std::string prefix = stepPrefix(step) + (step < spec.flow.numFlowSteps ? "0._transforms." : "");
    x = flow::SubBiasOp::create(f.b, x.getType(), x, f.get(prefix + "1.bias"));
    x = flow::LinearOp::create(f.b, x.getType(), x, weight, Value());
    constant = constant ? flow::AddOp::create(f.b, constant.getType(), constant, logabs).getResult() : logabs;
  };
  invertLu(spec.flow.numFlowSteps);
  for (int64_t step = spec.flow.numFlowSteps - 1; step >= 0; --step) {
    int64_t count = transformed(step);
    auto split = flow::SplitColumnsOp::create(f.b, f.matrix(count), f.matrix(spec.flow.inputDim - count), x,
                                              maskStart(step));
    Value u = buildConditioner(step, split.getOthers());
    auto spline = flow::RqSplineInverseOp::create(f.b, f.matrix(count), f.rowVector(), split.getSelected(), u,
                                                  f.b.getI64IntegerAttr(spec.flow.numBins),
                                                  f.b.getF64FloatAttr(spec.flow.tailBound), splineDivisor());
    logProb = flow::SubOp::create(f.b, f.rowVector(), logProb, spline.getLogabsdet());
    x = flow::InterleaveColumnsOp::create(f.b, x.getType(), spline.getX(), split.getOthers(),
                                          maskStart(step));
    invertLu(step);
  }
  // log q(theta) = log p(z) - log |d theta / d z|; the inverse's log determinants are those of d theta / d z.
  Value minus = flow::NegateOp::create(f.b, constant.getType(), constant);
  return {x, flow::AddScalarOp::create(f.b, f.rowVector(), logProb, minus)};
}

bool dropsOut(const ProgramSpec &spec) {
  return spec.flow.dropout > 0.0 || (spec.hasEmbedding && spec.embedding.dropout > 0.0);
}

} // namespace

static void buildLoss(ModuleOp module, const ProgramSpec &spec) {
  FunctionBuilder f(module, "loss", spec);
  Value theta = f.addArgument("flow.batch", "theta", f.matrix(spec.flow.inputDim));
  Mode mode;
  mode.training = true;
  if (dropsOut(spec)) {
    mode.sample = f.addArgument("flow.batch", "sample_index",
                                RankedTensorType::get({ShapedType::kDynamic}, f.b.getI64Type()));
    Type integer = RankedTensorType::get({}, f.b.getI64Type());
    mode.seed = f.addArgument("flow.scalar", "seed", integer);
    mode.epoch = f.addArgument("flow.scalar", "epoch", integer);
  }
  NetworkBuilder network(f, mode);
  Value logProb = network.buildLogProb(theta);
  f.addResult("flow.output", "loss", flow::NegativeMeanOp::create(f.b, f.scalar(), logProb));
  f.finish();
}

static void buildLogProbEntry(ModuleOp module, const ProgramSpec &spec) {
  FunctionBuilder f(module, "log_prob", spec);
  Value theta = f.addArgument("flow.batch", "theta", f.matrix(spec.flow.inputDim));
  NetworkBuilder network(f, Mode());
  Value logProb = network.buildLogProb(theta);
  f.addResult("flow.output", "log_prob", logProb);
  f.addResult("flow.output", "loss", flow::NegativeMeanOp::create(f.b, f.scalar(), logProb));
  network.addEmbeddingResult();
  f.finish();
}

static void buildSampleEntry(ModuleOp module, const ProgramSpec &spec) {
  FunctionBuilder f(module, "sample", spec);
  Value noise = f.addArgument("flow.batch", "noise", f.matrix(spec.flow.inputDim));
  NetworkBuilder network(f, Mode());
  auto [theta, logProb] = network.buildSample(noise);
  f.addResult("flow.output", "theta", theta);
  f.addResult("flow.output", "log_prob", logProb);
  f.finish();
}

static DictionaryAttr describeStage(Builder &b, const StageSpec &stage) {
  const OptimizerSpec &o = stage.optimizer;
  static const char *kinds[] = {"adam", "adamw", "sgd"};
  SmallVector<NamedAttribute> attributes;
  auto add = [&](StringRef name, Attribute value) { attributes.push_back(b.getNamedAttr(name, value)); };
  add("optimizer", b.getStringAttr(kinds[static_cast<int>(o.kind)]));
  for (auto [name, value] : {std::pair<const char *, double>{"beta1", o.beta1},
                             {"beta2", o.beta2},
                             {"epsilon", o.epsilon},
                             {"weight_decay", o.weightDecay},
                             {"momentum", o.momentum},
                             {"dampening", o.dampening}})
    add(name, b.getF64FloatAttr(value));
  for (auto [name, value] : {std::pair<const char *, bool>{"amsgrad", o.amsgrad},
                             {"maximize", o.maximize},
                             {"nesterov", o.nesterov},
                             {"freeze_rb_layer", stage.freezeRbLayer}})
    add(name, b.getBoolAttr(value));
  return b.getDictionaryAttr(attributes);
}

OwningOpRef<ModuleOp> buildGraph(MLIRContext &context, const ProgramSpec &spec) {
  context.loadDialect<flow::FlowDialect, func::FuncDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  Builder b(&context);
  SmallVector<Attribute> stages;
  for (const StageSpec &stage : spec.stages)
    stages.push_back(describeStage(b, stage));
  (*module)->setAttr(specAttribute, b.getStringAttr(spec.toCanonicalJson()));
  (*module)->setAttr(reachedAttribute, b.getStringAttr("graph"));
  (*module)->setAttr("flow.stages", b.getArrayAttr(stages));
  if (spec.gradientEntry)
    (*module)->setAttr("flow.gradient_entry", b.getUnitAttr());
  buildLoss(*module, spec);
  buildLogProbEntry(*module, spec);
  buildSampleEntry(*module, spec);
  buildDataEntries(*module, spec);
  return module;
}

} // namespace kowari::graph
