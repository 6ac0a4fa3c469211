//===- MakeProgramSpec.cpp - settings and shapes into a spec --------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/settings/MakeProgramSpec.h"
#include "runtime/data/prior/Prior.h"

#include <algorithm>
#include <bit>

namespace kowari {

int64_t trainingRows(double trainFraction, int64_t numSamples) {
  return static_cast<int64_t>(trainFraction * static_cast<double>(numSamples));
}

static Status refuse(const Settings &settings, const std::string &path, const std::string &text) {
  return Status::error(settings.where(path) + ": " + path + ": " + text);
}

static bool usesBatchNorm(const ModelSettings &model) {
  return model.flow.norm == Norm::BatchNorm ||
         (model.hasEmbedding && model.embedding.norm == Norm::BatchNorm);
}

static Status checkBatches(const Settings &settings, int64_t numSamples) {
  const int64_t rows = trainingRows(settings.data.trainFraction, numSamples);
  const std::string counts = std::to_string(rows) + " training samples (train_fraction " +
                             pythonFloatRepr(settings.data.trainFraction) + " of " +
                             std::to_string(numSamples) + ")";
  if (rows < 1 || rows == numSamples)
    return refuse(settings, "data.train_fraction",
                  "leaves " + counts + "; both the training and the test set need at least one");
  for (std::size_t i = 0; i < settings.stages.size(); ++i) {
    const std::string path = "training.stage_" + std::to_string(i) + ".batch_size";
    const int64_t batch = settings.stages[i].batchSize;
    if (batch > rows)
      return refuse(settings, path,
                    std::to_string(batch) + " is more than the " + counts + "; write a smaller batch_size");
    if (usesBatchNorm(settings.model) && (batch == 1 || rows % batch == 1))
      return refuse(settings, path,
                    std::to_string(batch) + " leaves a training batch of one row from " + counts +
                        ", and BatchNorm needs two; change batch_size or train_fraction by a little");
  }
  return Status::ok();
}

static Status checkEmbedding(const Settings &settings, const DataShape &shape) {
  const EmbeddingSettings &e = settings.model.embedding;
  const std::string path = "model.embedding_kwargs.svd.";
  const int64_t bins = shape.bins - shape.minIndex;
  if (!e.svd.noInit && e.svd.size > bins)
    return refuse(settings, path + "size",
                  std::to_string(e.svd.size) + " is more than the " + std::to_string(bins) +
                      " frequency bins a detector; write at most that");
  if (e.svd.noInit)
    return Status::ok();
  if (e.svd.numTrainingSamples < e.svd.size)
    return refuse(settings, path + "num_training_samples",
                  std::to_string(e.svd.numTrainingSamples) + " waveforms give fewer than the " +
                      std::to_string(e.svd.size) + " elements that size asks for");
  const int64_t needed = e.svd.numTrainingSamples + e.svd.numValidationSamples;
  if (shape.numSamples > 0 && needed > shape.numSamples)
    return refuse(settings, path + "num_training_samples",
                  "training and validation samples together are " + std::to_string(needed) +
                      ", the data set has only " + std::to_string(shape.numSamples));
  return Status::ok();
}

static std::vector<std::string> parameterSources(const DataSettings &data) {
  std::vector<std::string> sources;
  std::vector<std::string> names = data.inferenceParameters;
  names.insert(names.end(), data.contextParameters.begin(), data.contextParameters.end());
  for (const std::string &name : names) {
    const auto extrinsic = std::find_if(data.extrinsicPrior.begin(), data.extrinsicPrior.end(),
                                        [&](const auto &entry) { return entry.first == name; });
    bool detectorTime = false;
    for (const std::string &detector : data.detectors) {
      detectorTime |= name == detector + "_time";
      for (const char *part : {"1_time", "2_time", "3_time"})
        detectorTime |= detector == "ET" && name == detector + part;
    }
    sources.push_back(extrinsic != data.extrinsicPrior.end() || detectorTime ? name : "");
  }
  return sources;
}

static EmbeddingSpec embeddingSpec(const EmbeddingSettings &settings, int64_t detectors, int64_t bins) {
  EmbeddingSpec spec;
  spec.detectors = detectors;
  spec.bins = bins;
  spec.svdSize = settings.svd.size;
  spec.outputDim = settings.outputDim;
  spec.hiddenDims = settings.hiddenDims;
  spec.activation = settings.activation;
  spec.dropout = settings.dropout;
  spec.norm = settings.norm;
  return spec;
}

static Result<DataSpec> dataSpec(const Settings &settings, const DataShape &shape) {
  DataSpec spec;
  spec.bins = shape.bins;
  spec.minIndex = shape.minIndex;
  spec.svdSize = shape.svdSize;
  spec.detectors = shape.detectors;
  spec.asdRows =
      static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(shape.asdRows, 1))));
  spec.zeroNoise = settings.data.zeroNoise;
  for (const auto &[name, expression] : settings.data.extrinsicPrior) {
    const Result<data::Prior> prior = data::parsePrior(name, expression);
    if (!prior)
      return prior.status().withContext(settings.where("data.extrinsic_prior." + name));
    spec.extrinsicPriors.push_back(prior->className());
  }
  spec.parameterSources = parameterSources(settings.data);
  return spec;
}

Result<ProgramSpec> makeProgramSpec(const Settings &settings, const DataShape &shape) {
  if (shape.bins < 1 || shape.minIndex < 0 || shape.minIndex >= shape.bins || shape.detectors < 1 ||
      shape.svdSize < 0 || shape.numSamples < 0)
    return Status::error("the data's shape makes no sense: " + std::to_string(shape.bins) +
                         " bins from bin " + std::to_string(shape.minIndex) + " on, " +
                         std::to_string(shape.detectors) + " detectors");
  if (shape.numSamples > 0)
    KOWARI_TRY(checkBatches(settings, shape.numSamples));
  KOWARI_TRY(checkEmbedding(settings, shape));

  ProgramSpec spec;
  spec.elementType = settings.local.precision;
  spec.flow = settings.model.flow;
  spec.flow.inputDim = static_cast<int64_t>(settings.data.inferenceParameters.size());
  spec.hasEmbedding = true;
  spec.embedding = embeddingSpec(settings.model.embedding, shape.detectors, shape.bins - shape.minIndex);
  spec.contextParameters = static_cast<int64_t>(settings.data.contextParameters.size());
  for (const StageSettings &stage : settings.stages) {
    spec.stages.push_back({stage.optimizer.spec, stage.freezeRbLayer});
    spec.maxRows = std::max(spec.maxRows, stage.batchSize);
  }
  KOWARI_ASSIGN(spec.data, dataSpec(settings, shape));
  return spec;
}

Result<ProgramSpec> makeModelSpec(const ModelSettings &model, int64_t maxRows, ElementType elementType,
                                  const std::string &origin) {
  const auto refuseModel = [&](const std::string &what) {
    return Status::error(origin + ": model: " + what);
  };
  ProgramSpec spec;
  spec.elementType = elementType;
  spec.maxRows = maxRows;
  spec.flow = model.flow;
  if (maxRows < 1)
    return Status::error("a program needs at least one row, not " + std::to_string(maxRows));
  if (spec.flow.inputDim < 1)
    return refuseModel(
        "posterior_kwargs.input_dim is missing; these settings are not those of a trained model");
  spec.hasEmbedding = model.hasEmbedding;
  const int64_t contextDim = model.contextDim.value_or(0);
  if (!model.hasEmbedding) {
    spec.contextParameters = contextDim;
    return spec;
  }
  const EmbeddingSettings &e = model.embedding;
  if (e.inputDims.size() != 3 || e.inputDims[1] != 3)
    return refuseModel("embedding_kwargs.input_dims must be [detectors, 3, bins]");
  spec.embedding = embeddingSpec(e, e.inputDims[0], e.inputDims[2]);
  spec.contextParameters = contextDim - e.outputDim;
  if (spec.contextParameters < 0 || (spec.contextParameters > 0) != e.addedContext)
    return refuseModel("posterior_kwargs.context_dim " + std::to_string(contextDim) +
                       " does not fit output_dim " + std::to_string(e.outputDim) + " and added_context");
  return spec;
}

} // namespace kowari
