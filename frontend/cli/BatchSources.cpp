//===- BatchSources.cpp - a stage's batches -------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/BatchSources.h"

#include "frontend/cli/HostBatchSource.h"

namespace kowari::cli {

namespace {

/// The compiled pipeline as a source; it also fills `sample`, which dropout draws by.
class PipelineSource : public train::BatchSource {
public:
  PipelineSource(pipeline::InputPipeline &pipeline, plan::Program &program)
      : pipeline(pipeline), program(program) {
    const auto entries = static_cast<int>(program.entryNames().size());
    for (int entry = 0; entry < entries && sampleEntry < 0; ++entry)
      if (program.findEntryTensor(entry, "sample"))
        sampleEntry = entry;
  }

  Status startEpoch(std::vector<int64_t> newOrder, int64_t epoch) override {
    position = 0;
    if (sampleEntry >= 0)
      order = newOrder;
    return pipeline.startEpoch(std::move(newOrder), epoch);
  }

  Result<int64_t> next() override {
    KOWARI_ASSIGN(const int64_t rows, pipeline.next());
    if (sampleEntry >= 0 && rows > 0) {
      const auto samples = std::span<const int64_t>(order).subspan(position, static_cast<size_t>(rows));
      KOWARI_TRY(program.writeInput(sampleEntry, "sample", samples, rows));
      position += static_cast<size_t>(rows);
    }
    return rows;
  }

private:
  pipeline::InputPipeline &pipeline;
  plan::Program &program;
  int sampleEntry = -1;
  std::vector<int64_t> order;
  size_t position = 0;
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
  if (program.findEntry("prepare") < 0)
    return HostBatchSource::create(program, settings, data, stage, standardization, seed);
  if (!pipeline)
    KOWARI_TRY(createPipeline());
  KOWARI_TRY(pipeline->startStage(*data.asds[stage], settings.stages[stage].batchSize));
  return std::unique_ptr<train::BatchSource>(std::make_unique<PipelineSource>(*pipeline, program));
}

} // namespace kowari::cli
