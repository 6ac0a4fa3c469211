//===- BenchData.cpp - timing input preparation ---------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/Bench.h"

#include "frontend/cli/BatchSources.h"
#include "frontend/cli/CompiledProgram.h"
#include "frontend/cli/Progress.h"
#include "runtime/cpu/Threads.h"
#include "runtime/data/Split.h"

#include <chrono>

namespace kowari::cli {

namespace {

/// Batches from `source`, epoch after epoch, until `batches` are done; returns the samples.
Result<int64_t> takeBatches(train::BatchSource &source, const std::vector<int64_t> &order, int64_t batches,
                            int64_t &epoch, Progress progress) {
  int64_t samples = 0;
  for (int64_t done = 0; done < batches;) {
    KOWARI_ASSIGN(const int64_t rows, source.next());
    if (rows == 0) {
      KOWARI_TRY(source.startEpoch(order, ++epoch));
      continue;
    }
    samples += rows;
    progress.reached(++done);
  }
  return samples;
}

} // namespace

Result<Value> benchData(const DataBench &options) {
  KOWARI_ASSIGN(const Settings settings, loadSettings(options.settings));
  if (options.stage >= static_cast<int64_t>(settings.stages.size()))
    return Status::error("--stage " + std::to_string(options.stage) + ": the settings have " +
                         std::to_string(settings.stages.size()) + " stages");
  KOWARI_ASSIGN(const TrainingData data, openTrainingData(settings, printToUser));
  KOWARI_ASSIGN(const ProgramSpec spec, makeProgramSpec(settings, data.shape()));
  CompileOptions compileOptions;
  compileOptions.cache = {options.cacheDir, settings.local.compileCacheDir,
                          settings.local.torchCompileCacheDir};
  compileOptions.threads = options.threads > 0 ? options.threads : cpu::availableCores();
  compileOptions.report = printToUser;
  KOWARI_ASSIGN(CompiledProgram compiled, obtainProgram(spec, compileOptions));
  KOWARI_ASSIGN(const Standardization standardization, standardizationOf(settings, data, 1));
  BatchSources sources(*compiled.program, settings, data, standardization, 1);
  KOWARI_ASSIGN(const std::unique_ptr<train::BatchSource> source,
                sources.open(static_cast<int>(options.stage)));
  const std::vector<int64_t> order =
      data::splitTrainTest(data.waveforms->samples(), settings.data.trainFraction).train;
  int64_t epoch = 1;
  KOWARI_TRY(source->startEpoch(order, epoch));
  KOWARI_TRY(takeBatches(*source, order, 3, epoch, {"warm-up batch", 3, printToUser}).status());
  const auto start = std::chrono::steady_clock::now();
  KOWARI_ASSIGN(const int64_t samples,
                takeBatches(*source, order, options.batches, epoch, {"batch", options.batches, printToUser}));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const DataShape shape = data.shape();
  return Value(ValueDict{{"peer", "kowari data"},
                         {"batch", settings.stages[static_cast<size_t>(options.stage)].batchSize},
                         {"num_workers", 0},
                         {"threads", compileOptions.threads},
                         {"shape", ValueList{shape.detectors, 3, shape.bins - shape.minIndex}},
                         {"samples_per_s", static_cast<double>(samples) / took.count()}});
}

} // namespace kowari::cli
