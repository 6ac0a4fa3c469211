//===- input_pipeline_bench.cpp - samples a second of the input pipeline --===//
//
// Part of Kowari, under the Apache License 2.0.
//
// bench-input-pipeline WAVEFORMS ASDS [BATCH [THREADS]]: H1 and L1, Dingo's default priors.
//
//===----------------------------------------------------------------------===//
#include "compiler/Pipeline.h"
#include "runtime/pipeline/InputPipeline.h"
#include "runtime/pipeline/TensorNames.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <unistd.h>

using namespace kowari;

namespace {

template <class T> T expect(Result<T> result) {
  if (result)
    return result.take();
  std::fprintf(stderr, "%s\n", result.status().message().c_str());
  std::exit(1);
}

void expect(const Status &status) {
  if (status)
    return;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  std::exit(1);
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

ProgramSpec makeSpec(const data::WaveformDataset &dataset, const data::AsdDataset &asds,
                     const pipeline::InputPipelineOptions &options, int64_t batch) {
  ProgramSpec spec;
  spec.maxRows = batch;
  spec.data.bins = dataset.domain().bins();
  spec.data.minIndex = dataset.domain().minIndex();
  spec.data.svdSize = dataset.schema().svdSize;
  spec.data.detectors = asds.detectors();
  for (int64_t d = 0; d < asds.detectors(); ++d)
    spec.data.asdRows = std::max<int64_t>(spec.data.asdRows, std::bit_ceil(uint64_t(asds.count(d))));
  for (const data::Prior &prior : options.extrinsicPriors)
    spec.data.extrinsicPriors.push_back(prior.className());
  for (const std::string &name : options.parameters)
    spec.data.parameterSources.push_back(dataset.column(name) && name != "luminosity_distance" ? "" : name);
  spec.flow = {.inputDim = int64_t(options.parameters.size()),
               .numFlowSteps = 1,
               .hiddenDim = 4,
               .numTransformBlocks = 1,
               .numBins = 4};
  spec.embedding = {.detectors = asds.detectors(),
                    .bins = dataset.domain().networkBins(),
                    .svdSize = 2,
                    .outputDim = 2,
                    .hiddenDims = {4},
                    .norm = Norm::None};
  return spec;
}

pipeline::InputPipelineOptions makeOptions() {
  pipeline::InputPipelineOptions options;
  options.detectors = expect(data::expandDetectors({"H1", "L1"}));
  options.refTime = 1126259462.391;
  for (const char *name : pipeline::extrinsicNames) {
    options.parameters.push_back(name);
    options.extrinsicPriors.push_back(
        expect(data::parsePrior(name, data::expandDefaultPrior(name, "default"))));
  }
  for (const char *name : {"chirp_mass", "mass_ratio", "theta_jn", "phase"})
    options.parameters.push_back(name);
  for (const std::string &name : options.parameters)
    options.standardization[name] = {};
  options.seed = 1;
  return options;
}

void printSteps(plan::Program &program, const char *name, int64_t rows) {
  const int entry = program.findEntry(name);
  std::vector<plan::StepTime> times, best;
  for (int repeat = 0; repeat < 50; ++repeat) {
    expect(program.runTimed(entry, rows, times));
    best = best.empty() ? times : best;
    for (size_t i = 0; i < times.size(); ++i)
      best[i].seconds = std::min(best[i].seconds, times[i].seconds);
  }
  for (const plan::StepTime &step : best)
    if (step.seconds > 5e-6)
      std::printf("  %-8s %-60.*s %8.1f us\n", name, int(step.label.size()), step.label.data(),
                  step.seconds * 1e6);
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench-input-pipeline WAVEFORMS ASDS [BATCH [THREADS]]\n");
    return 2;
  }
  const int64_t batch = argc > 3 ? std::atoll(argv[3]) : 64;
  const data::WaveformDataset dataset =
      expect(data::WaveformDataset::open({.path = argv[1], .leaveOnDisk = false}));
  const data::AsdDataset asds = expect(data::AsdDataset::open(argv[2], {"H1", "L1"}, dataset.domain()));
  const pipeline::InputPipelineOptions options = makeOptions();
  const std::string path = "/tmp/bench-input-pipeline-" + std::to_string(getpid()) + ".kwa";
  expect(compileProgram(makeSpec(dataset, asds, options, batch), CompileOptions(), path));
  auto program = expect(plan::Program::load(path, {.threads = argc > 4 ? std::atoi(argv[4]) : 2}));
  std::remove(path.c_str());
  auto source = expect(pipeline::InputPipeline::create(*program, dataset, options));
  expect(source->startStage(asds, batch));
  std::vector<int64_t> order(dataset.samples() / batch * batch);
  std::iota(order.begin(), order.end(), 0);
  double best = 0;
  for (int64_t epoch = 1; epoch <= 5; ++epoch) {
    expect(source->startEpoch(order, epoch));
    const double begin = now();
    int64_t samples = 0;
    while (const int64_t rows = expect(source->next()))
      samples += rows;
    best = std::max(best, double(samples) / (now() - begin));
  }
  std::printf("%lld bins, batch %lld: %.0f samples/s\n", (long long)dataset.domain().networkBins(),
              (long long)batch, best);
  printSteps(*program, "draw", batch);
  printSteps(*program, "prepare", batch);
}
