//===- LogProbCommand.cpp - kowari log_prob -------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/Command.h"
#include "frontend/cli/ModelOptions.h"
#include "frontend/cli/ModelProgram.h"
#include "frontend/cli/Progress.h"
#include "runtime/data/Hdf5File.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>

namespace kowari::cli {

namespace {

struct Evaluation {
  std::vector<double> logProb;   // (rows)
  std::vector<double> embedding; // (rows x contextDim); empty without context
};

Result<Evaluation> evaluate(ModelProgram &model, const ModelInputs &inputs) {
  plan::Program &program = model.program();
  const int entry = program.findEntry("log_prob");
  if (entry < 0)
    return Status::error("the artifact has no entry log_prob");
  const int64_t dim = model.spec.flow.inputDim, contextDim = model.spec.contextDim();
  Evaluation result;
  Progress progress("row", inputs.rows, printToUser);
  for (int64_t first = 0, count = 0; first < inputs.rows; first += count) {
    count = std::min(model.rowsAtOnce(), inputs.rows - first);
    progress.reached(first);
    std::vector<int64_t> rows(static_cast<size_t>(count));
    std::iota(rows.begin(), rows.end(), first);
    KOWARI_TRY(writeContext(program, entry, inputs, rows));
    KOWARI_TRY(
        program.writeInput(entry, "theta",
                           std::span<const double>(inputs.theta)
                               .subspan(static_cast<size_t>(first * dim), static_cast<size_t>(count * dim)),
                           count));
    KOWARI_TRY(program.run(entry, count));
    std::vector<double> logProb(static_cast<size_t>(count)),
        embedding(static_cast<size_t>(count * contextDim));
    KOWARI_TRY(program.readOutput(entry, "log_prob", std::span<double>(logProb), count));
    if (contextDim > 0)
      KOWARI_TRY(program.readOutput(entry, "embedding", std::span<double>(embedding), count));
    result.logProb.insert(result.logProb.end(), logProb.begin(), logProb.end());
    result.embedding.insert(result.embedding.end(), embedding.begin(), embedding.end());
  }
  return result;
}

Result<int> run(const ModelOptions &options) {
  KOWARI_ASSIGN(ModelProgram model,
                loadModel(options.model, options.elementType(), options.compileOptions()));
  KOWARI_ASSIGN(const ModelInputs inputs, readModelInputs(options.inputs, model.spec, true));
  KOWARI_ASSIGN(const Evaluation result, evaluate(model, inputs));
  KOWARI_ASSIGN(data::Hdf5File out, data::Hdf5File::create(options.output));
  KOWARI_TRY(out.writeDoubles("log_prob", result.logProb, {inputs.rows}));
  if (!result.embedding.empty())
    KOWARI_TRY(out.writeDoubles("embedding", result.embedding, {inputs.rows, model.spec.contextDim()}));
  KOWARI_TRY(out.close());
  std::printf("%lld rows written to %s.\n", static_cast<long long>(inputs.rows), options.output.c_str());
  return 0;
}

} // namespace

void addLogProbCommand(CLI::App &app, Action &action) {
  auto options = std::make_shared<ModelOptions>();
  CLI::App *command = app.add_subcommand("log_prob", "Evaluate log q(theta | strain) of a saved model");
  options->addTo(*command, "HDF5 file with theta, strain and, for models with context parameters, z");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

} // namespace kowari::cli
