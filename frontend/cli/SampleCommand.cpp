//===- SampleCommand.cpp - kowari sample ----------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/Command.h"
#include "frontend/cli/ModelOptions.h"
#include "frontend/cli/ModelProgram.h"
#include "frontend/cli/Progress.h"
#include "runtime/data/CounterRandom.h"
#include "runtime/data/Hdf5File.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <random>

namespace kowari::cli {

namespace {

struct SampleOptions : ModelOptions {
  int64_t count = 0;
  std::optional<uint64_t> seed;
};

struct Samples {
  std::vector<double> theta, logProb; // (rows x count x dim), (rows x count)
};

/// (rows x count x dim) normal numbers; each row of the inputs has a stream of its own.
std::vector<double> baseNoise(int64_t rows, int64_t perRow, uint64_t seed) {
  std::vector<double> noise;
  for (int64_t row = 0; row < rows; ++row) {
    data::CounterRandom random(seed, data::RandomPurpose::BaseNoise, static_cast<uint64_t>(row));
    for (int64_t i = 0; i < perRow; i += 2) {
      const std::complex<double> pair = random.complexNormal();
      noise.push_back(pair.real());
      if (i + 1 < perRow)
        noise.push_back(pair.imag());
    }
  }
  return noise;
}

Result<Samples> drawSamples(ModelProgram &model, const ModelInputs &inputs, const std::vector<double> &noise,
                            int64_t count) {
  plan::Program &program = model.program();
  const int entry = program.findEntry("sample");
  if (entry < 0)
    return Status::error("the artifact has no entry sample");
  const int64_t dim = model.spec.flow.inputDim, total = inputs.rows * count;
  Samples samples;
  samples.theta.resize(static_cast<size_t>(total * dim));
  samples.logProb.resize(static_cast<size_t>(total));
  Progress progress("sample", total, printToUser);
  for (int64_t first = 0, rows = 0; first < total; first += rows) {
    rows = std::min(model.rowsAtOnce(), total - first);
    progress.reached(first);
    std::vector<int64_t> contextRows;
    for (int64_t i = first; i < first + rows; ++i)
      contextRows.push_back(i / count);
    const auto begin = static_cast<size_t>(first * dim), size = static_cast<size_t>(rows * dim);
    KOWARI_TRY(writeContext(program, entry, inputs, contextRows));
    KOWARI_TRY(program.writeInput(entry, "noise", std::span<const double>(noise).subspan(begin, size), rows));
    KOWARI_TRY(program.run(entry, rows));
    KOWARI_TRY(program.readOutput(entry, "theta", std::span(samples.theta).subspan(begin, size), rows));
    KOWARI_TRY(program.readOutput(
        entry, "log_prob",
        std::span(samples.logProb).subspan(static_cast<size_t>(first), static_cast<size_t>(rows)), rows));
  }
  return samples;
}

/// The samples in the parameters' own units; empty if the model does not say how they were standardized.
std::vector<double> physicalUnits(const ModelProgram &model, const std::vector<double> &theta,
                                  std::vector<std::string> &names) {
  const Value *statistics = model.file.metadata.findPath("train_settings.data.standardization");
  const Value *parameters = model.file.metadata.findPath("train_settings.data.inference_parameters");
  if (!statistics || !parameters || !parameters->isList())
    return {};
  std::vector<double> mean, std;
  for (const Value &name : parameters->asList()) {
    const Value *m = name.isString() ? statistics->findPath("mean") : nullptr;
    const Value *s = name.isString() ? statistics->findPath("std") : nullptr;
    m = m ? m->find(name.asString()) : nullptr;
    s = s ? s->find(name.asString()) : nullptr;
    if (!m || !s || !m->isNumber() || !s->isNumber())
      return {};
    names.push_back(name.asString());
    mean.push_back(m->asDouble());
    std.push_back(s->asDouble());
  }
  if (static_cast<int64_t>(names.size()) != model.spec.flow.inputDim)
    return {};
  std::vector<double> values(theta.size());
  for (size_t i = 0; i < theta.size(); ++i)
    values[i] = theta[i] * std[i % names.size()] + mean[i % names.size()];
  return values;
}

Result<int> run(const SampleOptions &options) {
  KOWARI_ASSIGN(ModelProgram model,
                loadModel(options.model, options.elementType(), options.compileOptions()));
  KOWARI_ASSIGN(const ModelInputs inputs, readModelInputs(options.inputs, model.spec, false));
  const int64_t dim = model.spec.flow.inputDim;
  const uint64_t seed = options.seed ? *options.seed : std::random_device()();
  const std::vector<double> noise = baseNoise(inputs.rows, options.count * dim, seed);
  KOWARI_ASSIGN(const Samples samples, drawSamples(model, inputs, noise, options.count));
  KOWARI_ASSIGN(data::Hdf5File out, data::Hdf5File::create(options.output));
  KOWARI_TRY(out.writeDoubles("noise", noise, {inputs.rows, options.count, dim}));
  KOWARI_TRY(out.writeDoubles("theta", samples.theta, {inputs.rows, options.count, dim}));
  KOWARI_TRY(out.writeDoubles("log_prob", samples.logProb, {inputs.rows, options.count}));
  std::vector<std::string> names;
  if (const std::vector<double> values = physicalUnits(model, samples.theta, names); !values.empty()) {
    KOWARI_TRY(out.writeDoubles("samples", values, {inputs.rows, options.count, dim}));
    KOWARI_TRY(out.writeStrings("parameters", names));
  }
  KOWARI_TRY(out.close());
  std::printf("%lld samples for each of %lld rows written to %s (seed %llu).\n",
              static_cast<long long>(options.count), static_cast<long long>(inputs.rows),
              options.output.c_str(), static_cast<unsigned long long>(seed));
  return 0;
}

} // namespace

void addSampleCommand(CLI::App &app, Action &action) {
  auto options = std::make_shared<SampleOptions>();
  CLI::App *command = app.add_subcommand("sample", "Draw samples of q(theta | strain) of a saved model");
  options->addTo(*command, "HDF5 file with strain and, for models with context parameters, z");
  command->add_option("--num_samples", options->count, "samples for each row of the inputs")
      ->required()
      ->check(CLI::PositiveNumber);
  command->add_option("--seed", options->seed, "seed of the base noise; drawn and printed if absent");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

} // namespace kowari::cli
