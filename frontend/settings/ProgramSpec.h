//===- ProgramSpec.h - what decides a compiled program ----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The canonical subset of the settings and of the data's shapes that shapes a program, and nothing else:
// learning rates, seeds, epochs, paths, noise curves, SVD bases, ASDs, standardization and permutations are
// run-time arguments and not here. `kowari` makes it from settings and file schemas, hands it to
// `kowari-compile` as JSON, and hashes its canonical JSON into the cache key. Equal specs give byte-equal
// artifacts.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kowari {

/// Values are spelled in JSON as in train_settings.yaml: "elu", "BatchNorm", ...
enum class Activation { Elu, Relu, LeakyRelu, Gelu };
enum class Norm { None, BatchNorm, LayerNorm };
enum class OptimizerKind { Adam, AdamW, Sgd };
enum class ElementType { F32, F64 };

struct FlowSpec {
  int64_t inputDim = 0; // D, number of inference parameters
  int64_t numFlowSteps = 0;
  int64_t hiddenDim = 512;
  int64_t numTransformBlocks = 2;
  Activation activation = Activation::Relu;
  double dropout = 0.0;
  Norm norm = Norm::None;
  int64_t numBins = 8;
  double tailBound = 1.0;
};

struct EmbeddingSpec {
  int64_t detectors = 0;
  int64_t bins = 0;    // frequency bins a channel; the strain has detectors * 3 * bins columns
  int64_t svdSize = 0; // n_rb; each layers_rb projects onto 2 n_rb
  int64_t outputDim = 0;
  std::vector<int64_t> hiddenDims;
  Activation activation = Activation::Elu;
  double dropout = 0.0;
  Norm norm = Norm::BatchNorm;
};

/// Options that change the update's formula; learning rates are run-time scalars.
struct OptimizerSpec {
  OptimizerKind kind = OptimizerKind::Adam;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8,
         weightDecay = 0.0; // adam, adamw (default 0.01 there), sgd: weightDecay
  bool amsgrad = false, maximize = false, nesterov = false;
  double momentum = 0.0, dampening = 0.0; // sgd
};

struct StageSpec {
  OptimizerSpec optimizer;
  bool freezeRbLayer = false;
};

/// How a sample is prepared; absent (detectors empty) for programs without an input pipeline.
struct DataSpec {
  int64_t bins = 0;     // bins of the domain from f = 0 on (after domain_update)
  int64_t minIndex = 0; // first bin handed to the network
  int64_t svdSize = 0;  // coefficients a polarization; 0: waveforms are stored uncompressed
  int64_t detectors = 0;
  /// Curves that each detector's table of inverse ASDs has room for: a power of two, at least as many as any
  /// stage has.
  int64_t asdRows = 1;
  bool zeroNoise = false;
  /// Family of each extrinsic prior that is drawn, in order dec, ra, geocent_time, psi, luminosity_distance:
  /// its bilby class name; parameters of the prior are run-time arguments.
  std::vector<std::string> extrinsicPriors;
  /// For each inference parameter, then each context parameter, in order: "dec", "ra", ... for an extrinsic
  /// draw, "H1_time" for a detector time, or "" for a column of the waveform data set.
  std::vector<std::string> parameterSources;
};

struct ProgramSpec {
  ElementType elementType = ElementType::F32;
  int64_t maxRows = 0; // the compiled batch
  FlowSpec flow;
  bool hasEmbedding = true;
  EmbeddingSpec embedding;
  int64_t contextParameters = 0; // columns of z appended to the embedding (added_context)
  std::vector<StageSpec> stages;
  bool gradientEntry =
      false; // also an entry "gradient" that leaves all gradients, for checks against references
  DataSpec data;
  std::string target = "native"; // native, x86-64-v3, x86-64-v4, znver4, ...

  int64_t contextDim() const { return (hasEmbedding ? embedding.outputDim : 0) + contextParameters; }

  /// Keys sorted, no insignificant whitespace, doubles in shortest round-trip form.
  std::string toCanonicalJson() const;
  /// Every key of toCanonicalJson is needed; unknown keys, wrong types and values out of range are errors
  /// that name the key.
  static Result<ProgramSpec> fromJson(const std::string &text);
};

} // namespace kowari
