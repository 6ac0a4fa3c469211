//===- BenchStep.cpp - timing a compiled step -----------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/Bench.h"

#include "frontend/cli/CompiledProgram.h"
#include "frontend/cli/Progress.h"
#include "frontend/cli/StepBound.h"
#include "frontend/settings/MakeProgramSpec.h"
#include "runtime/cpu/Threads.h"
#include "runtime/data/CounterRandom.h"
#include "runtime/train/AtomicFile.h"
#include "runtime/train/TrainState.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <sys/resource.h>

namespace kowari::cli {

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The network of the settings at the shapes asked for, one stage, no input pipeline.
Result<ProgramSpec> specOf(const StepBench &options, const Settings &settings) {
  DataShape shape;
  shape.bins = options.bins;
  shape.detectors = options.detectors;
  KOWARI_ASSIGN(ProgramSpec spec, makeProgramSpec(settings, shape));
  spec.maxRows = options.rows;
  spec.data = {};
  spec.stages = {{settings.stages.front().optimizer.spec, options.freezeRbLayer}};
  return spec;
}

/// Normal numbers in every floating-point input of the entry.
Status fillInputs(plan::Program &program, int entry, int64_t rows) {
  uint64_t stream = 0;
  for (const plan::TensorInfo &tensor : program.entryTensors(entry)) {
    if (tensor.kind != plan::TensorKind::Input)
      continue;
    int64_t count = rows;
    for (size_t i = 1; i < tensor.shape.size(); ++i)
      count *= tensor.shape[i];
    data::CounterRandom random(1, data::RandomPurpose::BaseNoise, stream++);
    if (tensor.view.dtype == plan::DType::I64) {
      std::vector<int64_t> values(static_cast<size_t>(count));
      for (size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<int64_t>(i);
      KOWARI_TRY(program.writeInput(entry, tensor.name, std::span<const int64_t>(values), rows));
      continue;
    }
    std::vector<float> values(static_cast<size_t>(count));
    for (float &value : values)
      value = static_cast<float>(random.complexNormal().real());
    KOWARI_TRY(program.writeInput(entry, tensor.name, std::span<const float>(values), rows));
  }
  return Status::ok();
}

class StepTimer {
public:
  StepTimer(plan::Program &program, int entry, int64_t rows) : program(program), entry(entry), rows(rows) {}

  /// One step, its loss read back; seconds.
  Result<double> step() {
    const double start = now();
    KOWARI_TRY(program.writeScalar("learning_rate", 1e-4));
    KOWARI_TRY(program.writeScalar("step", static_cast<double>(++steps)));
    KOWARI_TRY(program.run(entry, rows));
    double loss = 0.0;
    KOWARI_TRY(program.readOutput(entry, "loss", std::span<double>(&loss, 1), rows));
    return now() - start;
  }

private:
  plan::Program &program;
  int entry;
  int64_t rows, steps = 0;
};

/// Shares of a step's time by group, from a few timed steps; and one step's timeline.
Result<Value> measureGroups(plan::Program &program, int entry, int64_t rows,
                            std::vector<plan::StepTime> &times) {
  std::map<std::string, double> groups;
  double total = 0.0;
  for (int repetition = 0; repetition < 3; ++repetition) {
    KOWARI_TRY(program.runTimed(entry, rows, times));
    for (const plan::StepTime &time : times) {
      groups[std::string(time.group.empty() ? "other" : time.group)] += time.seconds;
      total += time.seconds;
    }
  }
  ValueDict shares;
  for (const auto &[group, seconds] : groups)
    shares[group] = seconds / total;
  return Value(std::move(shares));
}

/// Events as chrome://tracing and Perfetto read them; times in microseconds.
Status writeTrace(const std::string &path, const std::vector<plan::StepTime> &times) {
  std::string text = "{\"traceEvents\": [";
  double start = 0.0;
  for (size_t i = 0; i < times.size(); ++i) {
    char numbers[96];
    std::snprintf(numbers, sizeof numbers, ", \"ts\": %.3f, \"dur\": %.3f}", start * 1e6,
                  times[i].seconds * 1e6);
    text += (i ? ",\n" : "\n") + std::string("{\"ph\": \"X\", \"pid\": 1, \"tid\": 1, \"name\": ") +
            jsonString(times[i].label) + ", \"cat\": " + jsonString(times[i].group) + numbers;
    start += times[i].seconds;
  }
  return train::writeFileAtomically(path, text + "\n]}\n");
}

int64_t peakMebibytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

Value timesOf(std::vector<double> times, double &median) {
  std::sort(times.begin(), times.end());
  const size_t n = times.size();
  median = n % 2 ? times[n / 2] : 0.5 * (times[n / 2 - 1] + times[n / 2]);
  return ValueDict{{"median", median}, {"min", times.front()}, {"max", times.back()}};
}

} // namespace

Result<Value> benchStep(const StepBench &options) {
  KOWARI_ASSIGN(const Settings settings, loadSettings(options.settings));
  KOWARI_ASSIGN(const ProgramSpec spec, specOf(options, settings));
  CompileOptions compileOptions;
  compileOptions.artifact = options.artifact;
  compileOptions.anyInput = true;
  compileOptions.cache = {options.cacheDir, settings.local.compileCacheDir,
                          settings.local.torchCompileCacheDir};
  compileOptions.threads = options.threads > 0 ? options.threads : cpu::availableCores();
  compileOptions.report = printToUser;
  KOWARI_ASSIGN(CompiledProgram compiled, obtainProgram(spec, compileOptions));
  plan::Program &program = *compiled.program;
  const int stage = compiled.stages.front(); // an artifact of a training may have it as another
  const std::string entryName = "train_step_" + std::to_string(stage);
  const int entry = program.findEntry(entryName);
  if (entry < 0)
    return Status::error(compiled.path + ": has no entry " + entryName);
  train::TrainState state(program);
  KOWARI_TRY(state.initialize(0));
  KOWARI_TRY(fillInputs(program, entry, options.rows));
  StepTimer timer(program, entry, options.rows);
  KOWARI_ASSIGN(const double first, timer.step());
  std::vector<double> times;
  const int all = options.warmup + options.steps;
  Progress progress("step", all, compileOptions.report);
  for (int i = 0; i < all; ++i) {
    KOWARI_ASSIGN(const double seconds, timer.step());
    if (i >= options.warmup)
      times.push_back(seconds);
    progress.reached(i + 1);
  }
  double median = 0.0;
  Value stepTimes = timesOf(std::move(times), median);
  const int64_t peak = peakMebibytes(); // before the probes below allocate
  std::vector<plan::StepTime> timeline;
  KOWARI_ASSIGN(Value groups, measureGroups(program, entry, options.rows, timeline));
  if (!options.trace.empty())
    KOWARI_TRY(writeTrace(options.trace, timeline));
  const std::string artifact = compiled.entry ? compiled.entry->loadPath() : compiled.path;
  KOWARI_ASSIGN(const StepBound bound,
                measureStepBound(artifact, entryName, options.rows, compileOptions.threads,
                                 state.trainableCount(stage), spec.stages[0].optimizer, spec.elementType));
  return Value(ValueDict{
      {"peer", "kowari"},
      {"rows", options.rows},
      {"threads", compileOptions.threads},
      {"step_s", std::move(stepTimes)},
      {"rows_per_s", static_cast<double>(options.rows) / median},
      {"first_step_s", first},
      {"parameters", state.parameterCount()},
      {"peak_rss_mib", peak},
      {"compile_s", compiled.compileSeconds},
      {"ready_s", compiled.readySeconds},
      {"bound_s", bound.total()},
      {"bound_parts_s", ValueDict{{"products", bound.productSeconds}, {"traffic", bound.trafficSeconds}}},
      {"products", bound.products},
      {"groups", std::move(groups)}});
}

} // namespace kowari::cli
