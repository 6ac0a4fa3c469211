//===- BatchSources.cpp - a stage's batches -------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/BatchSources.h"

namespace kowari::cli {

namespace {

/// The pipeline that all stages share, as the source of one of them.
class PipelineSource : public train::BatchSource {
public:
  explicit PipelineSource(pipeline::InputPipeline &pipeline) : pipeline(pipeline) {}

  Status startEpoch(std::vector<int64_t> order, int64_t epoch) override {
    return pipeline.startEpoch(std::move(order), epoch);
  }
  Result<int64_t> next() override { return pipeline.next(); }

private:
  pipeline::InputPipeline &pipeline;
};

} // namespace

Status BatchSources::createPipeline() {
  pipeline::InputPipelineOptions options;
  options.detectors = data.detectors;
  options.refTime = settings.data.refTime;
  options.parameters = standardization.names;
  for (size_t i = 0; i < standardization.names.size(); ++i)
    options.standardization[standardization.names[i]] = {standardization.mean[i], standardization.std[i]};
  options.extrinsicPriors = data.priors;
  options.seed = seed;
  KOWARI_ASSIGN(pipeline, pipeline::InputPipeline::create(program, *data.waveforms, options));
  return Status::ok();
}

Result<std::unique_ptr<train::BatchSource>> BatchSources::open(int stage) {
  if (!pipeline)
    KOWARI_TRY(createPipeline());
  KOWARI_TRY(pipeline->startStage(*data.asds[stage], settings.stages[stage].batchSize));
  return std::unique_ptr<train::BatchSource>(std::make_unique<PipelineSource>(*pipeline));
}

} // namespace kowari::cli
