//===- BenchCommand.cpp - kowari bench ------------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/Bench.h"
#include "frontend/cli/Command.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

namespace kowari::cli {

namespace {

/// One JSON line, or the same as YAML for reading.
Result<int> print(Result<Value> result, bool json) {
  if (!result)
    return result.status();
  std::printf("%s", json ? (result->toJson() + "\n").c_str() : result->toYaml().c_str());
  return 0;
}

void addStep(CLI::App &bench, Action &action) {
  auto options = std::make_shared<StepBench>();
  auto json = std::make_shared<bool>(false);
  CLI::App *command = bench.add_subcommand("step", "Time one compiled training step on random data");
  command->add_option("settings", options->settings, "train_settings.yaml")->required();
  command->add_option("--rows", options->rows, "batch")->check(CLI::PositiveNumber)->capture_default_str();
  command->add_option("--bins", options->bins, "frequency bins a channel")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--detectors", options->detectors, "detectors")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--threads", options->threads, "threads; 0: all cores")->check(CLI::NonNegativeNumber);
  command->add_flag("--freeze_rb_layer", options->freezeRbLayer, "do not train layers_rb");
  command->add_option("--warmup", options->warmup, "steps before timing")->check(CLI::NonNegativeNumber);
  command->add_option("--steps", options->steps, "steps to time")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--artifact", options->artifact, "compiled program (.kwa) to time");
  command->add_option("--cache_dir", options->cacheDir, "folder of the cache of compiled programs");
  command->add_option("--trace", options->trace, "write a step's timeline to this file (Chrome's JSON)");
  command->add_flag("--json", *json, "print one JSON line");
  command->callback(
      [options, json, &action] { action = [options, json] { return print(benchStep(*options), *json); }; });
}

void addData(CLI::App &bench, Action &action) {
  auto options = std::make_shared<DataBench>();
  auto json = std::make_shared<bool>(false);
  CLI::App *command = bench.add_subcommand("data", "Time input preparation on a training's own data");
  command
      ->add_option("settings", options->settings,
                   "train_settings.yaml; paths in it are relative to this folder")
      ->required();
  command->add_option("--stage", options->stage, "stage whose batch size and noise curves are used")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--batches", options->batches, "batches to time")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--threads", options->threads, "threads; 0: all cores")->check(CLI::NonNegativeNumber);
  command->add_option("--cache_dir", options->cacheDir, "folder of the cache of compiled programs");
  command->add_flag("--json", *json, "print one JSON line");
  command->callback(
      [options, json, &action] { action = [options, json] { return print(benchData(*options), *json); }; });
}

} // namespace

void addBenchCommand(CLI::App &app, Action &action) {
  CLI::App *command = app.add_subcommand("bench", "Measure a training's step or its input preparation");
  command->require_subcommand(1);
  addStep(*command, action);
  addData(*command, action);
}

} // namespace kowari::cli
