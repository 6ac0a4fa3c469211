//===- RandomSpec.cpp - small networks at random --------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/fuzz/RandomSpec.h"
#include "compiler/fuzz/Pick.h"

#include <functional>

namespace kowari::fuzz {

namespace {

OptimizerSpec makeOptimizer(std::mt19937_64 &g) {
  OptimizerSpec o;
  o.kind = pick(g, {OptimizerKind::Adam, OptimizerKind::AdamW, OptimizerKind::Sgd});
  o.weightDecay = pick(g, {0.0, 0.01});
  o.maximize = happens(g, 0.1);
  if (o.kind == OptimizerKind::Sgd) {
    o.momentum = pick(g, {0.0, 0.9});
    o.nesterov = o.momentum > 0 && happens(g, 0.3);
    o.dampening = o.momentum > 0 && !o.nesterov && happens(g, 0.3) ? 0.1 : 0.0;
  } else {
    o.amsgrad = happens(g, 0.3);
    o.beta1 = pick(g, {0.9, 0.5});
  }
  return o;
}

FlowSpec makeFlow(std::mt19937_64 &g) {
  FlowSpec flow;
  flow.inputDim = pick<int64_t>(g, {1, 2, 2, 3, 4, 5, 7});
  flow.numFlowSteps = pick<int64_t>(g, {1, 1, 2, 3});
  flow.hiddenDim = pick<int64_t>(g, {1, 2, 3, 5, 8, 16, 17, 24});
  flow.numTransformBlocks = pick<int64_t>(g, {1, 1, 2});
  flow.activation = pick(g, {Activation::Elu, Activation::Relu, Activation::LeakyRelu, Activation::Gelu});
  flow.dropout = pick(g, {0.0, 0.0, 0.0, 0.1, 0.5});
  flow.norm = pick(g, {Norm::None, Norm::BatchNorm, Norm::LayerNorm});
  flow.numBins = pick<int64_t>(g, {1, 2, 3, 5, 8, 10});
  flow.tailBound = pick(g, {0.5, 1.0, 3.0, 10.0});
  return flow;
}

EmbeddingSpec makeEmbedding(std::mt19937_64 &g) {
  EmbeddingSpec e;
  e.detectors = pick<int64_t>(g, {1, 2, 3});
  e.bins = pick<int64_t>(g, {1, 2, 5, 7});
  e.svdSize = pick<int64_t>(g, {1, 2, 3});
  e.outputDim = pick<int64_t>(g, {1, 2, 5, 8, 17});
  for (int64_t blocks = pick<int64_t>(g, {1, 1, 2, 3}); blocks > 0; --blocks)
    e.hiddenDims.push_back(pick<int64_t>(g, {1, 3, 8, 16, 17, 20}));
  e.activation = pick(g, {Activation::Elu, Activation::Relu, Activation::LeakyRelu, Activation::Gelu});
  e.dropout = pick(g, {0.0, 0.0, 0.0, 0.2});
  e.norm = pick(g, {Norm::None, Norm::BatchNorm, Norm::LayerNorm});
  return e;
}

/// The input pipeline in front of a network with an embedding.
DataSpec makeData(std::mt19937_64 &g, const ProgramSpec &spec) {
  static const char *const extrinsic[] = {"dec", "ra", "geocent_time", "psi", "luminosity_distance"};
  DataSpec data;
  data.detectors = spec.embedding.detectors;
  data.minIndex = pick<int64_t>(g, {0, 0, 1, 3});
  data.bins = spec.embedding.bins + data.minIndex;
  data.svdSize = pick<int64_t>(g, {0, 1, 3});
  data.asdRows = pick<int64_t>(g, {1, 2, 4, 8});
  data.zeroNoise = happens(g, 0.3);
  // One whose quantiles are in a table is enough: its 16384 cells slow the interpreter down.
  bool hasTable = happens(g, 0.3);
  for (size_t i = 0; i < std::size(extrinsic); ++i) {
    const char *family =
        pick(g, {"DeltaFunction", "Uniform", "Sine", "Cosine", "LogUniform", "PowerLaw", "Gaussian"});
    data.extrinsicPriors.emplace_back(hasTable && i == 1 ? "TruncatedGaussian" : family);
  }
  for (int64_t p = 0; p < spec.flow.inputDim + spec.contextParameters; ++p)
    data.parameterSources.emplace_back(pick(g, {"", "", extrinsic[g() % std::size(extrinsic)], "H1_time"}));
  return data;
}

bool isValid(const ProgramSpec &spec) {
  // A flow of one feature that depends on nothing has a conditioner without inputs.
  return spec.flow.inputDim > 1 || spec.contextDim() > 0;
}

/// Makes the input pipeline one of this network again.
void fitData(ProgramSpec &spec) {
  if (spec.data.detectors == 0)
    return;
  if (!spec.hasEmbedding) {
    spec.data = DataSpec();
    return;
  }
  spec.data.detectors = spec.embedding.detectors;
  spec.data.bins = spec.embedding.bins + spec.data.minIndex;
  spec.data.parameterSources.resize(spec.flow.inputDim + spec.contextParameters);
}

/// Collects changed copies.
class Simplifier {
public:
  explicit Simplifier(const ProgramSpec &from) : spec(from) {}
  std::vector<ProgramSpec> results;

  void change(const std::function<void(ProgramSpec &)> &apply) {
    ProgramSpec changed = spec;
    apply(changed);
    fitData(changed);
    if (isValid(changed) && changed.toCanonicalJson() != spec.toCanonicalJson())
      results.push_back(std::move(changed));
  }
  /// To the least value, to half, to one less.
  void lower(const std::function<int64_t &(ProgramSpec &)> &field, int64_t least) {
    ProgramSpec copy = spec;
    int64_t value = field(copy);
    for (int64_t lower : {least, value / 2, value - 1})
      if (lower >= least && lower < value)
        change([&](ProgramSpec &s) { field(s) = lower; });
  }

private:
  const ProgramSpec &spec;
};

void simplifyEmbedding(Simplifier &s, const EmbeddingSpec &embedding) {
  for (size_t i = 0; i < embedding.hiddenDims.size(); ++i) {
    if (embedding.hiddenDims.size() > 1)
      s.change([&](ProgramSpec &p) { p.embedding.hiddenDims.erase(p.embedding.hiddenDims.begin() + i); });
    s.lower([i](ProgramSpec &p) -> int64_t & { return p.embedding.hiddenDims[i]; }, 1);
  }
  s.change([](ProgramSpec &p) { p.embedding.norm = Norm::None; });
  s.change([](ProgramSpec &p) { p.embedding.dropout = 0; });
  s.change([](ProgramSpec &p) { p.embedding.activation = Activation::Relu; });
  s.lower([](ProgramSpec &p) -> int64_t & { return p.embedding.detectors; }, 1);
  s.lower([](ProgramSpec &p) -> int64_t & { return p.embedding.bins; }, 1);
  s.lower([](ProgramSpec &p) -> int64_t & { return p.embedding.svdSize; }, 1);
  s.lower([](ProgramSpec &p) -> int64_t & { return p.embedding.outputDim; }, 1);
}

void simplifyData(Simplifier &s, const DataSpec &data) {
  s.change([](ProgramSpec &p) { p.data = DataSpec(); });
  s.lower([](ProgramSpec &p) -> int64_t & { return p.data.minIndex; }, 0);
  s.lower([](ProgramSpec &p) -> int64_t & { return p.data.svdSize; }, 0);
  s.lower([](ProgramSpec &p) -> int64_t & { return p.data.asdRows; }, 1);
  s.change([](ProgramSpec &p) { p.data.zeroNoise = true; });
  for (size_t i = 0; i < data.extrinsicPriors.size(); ++i)
    s.change([i](ProgramSpec &p) { p.data.extrinsicPriors[i] = "Uniform"; });
  for (size_t i = 0; i < data.parameterSources.size(); ++i)
    s.change([i](ProgramSpec &p) { p.data.parameterSources[i] = ""; });
}

} // namespace

ProgramSpec makeRandomSpec(std::mt19937_64 &g) {
  ProgramSpec spec;
  do {
    spec = ProgramSpec();
    spec.elementType = pick(g, {ElementType::F32, ElementType::F64});
    spec.maxRows = spec.elementType == ElementType::F64 ? pick<int64_t>(g, {2, 3, 7, 16, 17, 33})
                                                        : pick<int64_t>(g, {7, 8, 16, 17, 33});
    spec.flow = makeFlow(g);
    spec.hasEmbedding = happens(g, 0.7);
    if (spec.hasEmbedding)
      spec.embedding = makeEmbedding(g);
    spec.contextParameters = pick<int64_t>(g, {0, 0, 1, 2, 3});
    for (int64_t stages = pick<int64_t>(g, {1, 1, 2}); stages > 0; --stages)
      spec.stages.push_back({makeOptimizer(g), happens(g, 0.4)});
    spec.gradientEntry = true;
    if (spec.hasEmbedding && happens(g, 0.3))
      spec.data = makeData(g, spec);
  } while (!isValid(spec));
  return spec;
}

std::vector<ProgramSpec> simplify(const ProgramSpec &spec) {
  Simplifier s(spec);
  s.change([](ProgramSpec &p) {
    p.hasEmbedding = false;
    p.embedding = EmbeddingSpec();
  });
  if (spec.data.detectors > 0)
    simplifyData(s, spec.data);
  s.lower([](ProgramSpec &p) -> int64_t & { return p.flow.numFlowSteps; }, 1);
  s.change([](ProgramSpec &p) { p.stages.clear(); });
  if (spec.stages.size() > 1)
    s.change([](ProgramSpec &p) { p.stages.pop_back(); });
  s.lower([](ProgramSpec &p) -> int64_t & { return p.flow.numTransformBlocks; }, 1);
  s.change([](ProgramSpec &p) { p.flow.norm = Norm::None; });
  s.change([](ProgramSpec &p) { p.flow.dropout = 0; });
  s.lower([](ProgramSpec &p) -> int64_t & { return p.contextParameters; }, 0);
  if (spec.hasEmbedding)
    simplifyEmbedding(s, spec.embedding);
  s.change([](ProgramSpec &p) { p.flow.activation = Activation::Relu; });
  s.lower([](ProgramSpec &p) -> int64_t & { return p.flow.hiddenDim; }, 1);
  s.lower([](ProgramSpec &p) -> int64_t & { return p.flow.inputDim; }, 1);
  s.lower([](ProgramSpec &p) -> int64_t & { return p.flow.numBins; }, 1);
  s.change([](ProgramSpec &p) { p.flow.tailBound = 1; });
  for (size_t i = 0; i < spec.stages.size(); ++i) {
    s.change([i](ProgramSpec &p) { p.stages[i].optimizer = {.kind = OptimizerKind::Sgd}; });
    s.change([i](ProgramSpec &p) { p.stages[i].freezeRbLayer = false; });
  }
  s.change([](ProgramSpec &p) { p.gradientEntry = false; });
  s.lower([](ProgramSpec &p) -> int64_t & { return p.maxRows; },
          spec.elementType == ElementType::F64 ? 2 : 5);
  return s.results;
}

} // namespace kowari::fuzz
