//===- TrainCommand.cpp - kowari train ------------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/BatchSources.h"
#include "frontend/cli/Command.h"
#include "frontend/cli/CompiledProgram.h"
#include "frontend/cli/EmbeddingSvd.h"
#include "frontend/cli/TrainingData.h"
#include "frontend/settings/Settings.h"
#include "runtime/cpu/CpuFeatures.h"
#include "runtime/cpu/Machine.h"
#include "runtime/cpu/Threads.h"
#include "runtime/train/History.h"
#include "runtime/train/Trainer.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <unistd.h>

namespace kowari::cli {

namespace {

struct TrainOptions {
  std::string settingsFile, trainDir, checkpoint, exitCommand, artifact, cacheDir;
};

/// One training, from the command line to its last file. Members are set in the order of run().
class TrainRun {
public:
  explicit TrainRun(const TrainOptions &options)
      : options(options), log(stdout, train::ProgressLog::modeFor(stdout)) {}
  Result<int> run();

private:
  Status readSettings();
  Status chooseSeed();
  Status checkDevice() const;
  Status compile();
  Status checkStages();
  Status initializeWeights();
  Status reportMemory() const;
  Result<train::TrainerSetup> trainerSetup() const;
  train::RunRecord runRecord() const;
  int finish(train::Trainer::Outcome outcome, int nextStage) const;
  bool resuming() const { return checkpoint.has_value(); }
  std::string compileStageCommand(int stage) const;
  std::function<void(const std::string &)> reporter() {
    return [this](const std::string &text) { log.line(text); };
  }

  TrainOptions options;
  train::ProgressLog log;
  std::optional<train::ModelFile> checkpoint;
  Settings settings;
  uint64_t seed = 0;
  std::optional<train::CheckpointFolder> folder;
  TrainingData data;
  CompiledProgram compiled;
  Standardization standardization;
  std::unique_ptr<train::TrainState> state;
};

Status TrainRun::readSettings() {
  const bool both = !options.checkpoint.empty() && !options.settingsFile.empty();
  const bool fresh = options.checkpoint.empty() || (both && !std::filesystem::exists(options.checkpoint));
  if (both) // a job script can say both from its first start on
    log.line(fresh ? "Note: " + options.checkpoint + " is not there yet: this is a new training"
                   : "Note: " + options.checkpoint + " carries its settings: " + options.settingsFile +
                         " is not read");
  if (fresh) {
    KOWARI_ASSIGN(settings, loadSettings(options.settingsFile));
    log.line("Beginning new training run.");
  } else {
    KOWARI_ASSIGN(checkpoint, train::ModelFile::read(options.checkpoint));
    const Value *trainSettings = checkpoint->metadata.find("train_settings");
    if (!trainSettings)
      return Status::error(options.checkpoint + ": holds no train_settings, so it is no training to resume");
    KOWARI_ASSIGN(folder, train::CheckpointFolder::openResumed(options.trainDir));
    KOWARI_ASSIGN(settings, resumeSettings(*trainSettings, options.checkpoint, folder->localSettingsPath()));
    log.line("Resuming training run.");
  }
  for (const std::string &notice : settings.notices)
    log.line("Note: " + notice);
  return checkDevice();
}

Status TrainRun::checkDevice() const {
  if (settings.local.device == "cpu")
    return Status::ok();
  return Status::error(settings.where("local.device") + ": local.device: " + settings.local.device +
                       " is not served yet, this version trains on the CPU; write device: cpu");
}

/// The settings' seed; for a resumed run the checkpoint's; else drawn. Always printed.
Status TrainRun::chooseSeed() {
  const Value *record = resuming() ? checkpoint->metadata.find("kowari") : nullptr;
  if (settings.local.seed) {
    seed = *settings.local.seed;
  } else if (record) {
    KOWARI_ASSIGN(const train::RunRecord saved, train::RunRecord::fromValue(*record));
    seed = saved.seed;
  } else {
    std::random_device random;
    seed = (static_cast<uint64_t>(random()) << 16 ^ random()) & 0xffffffffffffULL;
  }
  log.line("Seed of all random numbers: " + std::to_string(seed) +
           (settings.local.seed ? ""
            : record            ? " (of the checkpoint)"
                                : " (drawn; local: seed sets it)"));
  return Status::ok();
}

Status TrainRun::compile() {
  KOWARI_ASSIGN(const ProgramSpec spec, makeProgramSpec(settings, data.shape()));
  CompileOptions compileOptions;
  compileOptions.artifact = options.artifact;
  compileOptions.cache = {options.cacheDir, settings.local.compileCacheDir,
                          settings.local.torchCompileCacheDir};
  compileOptions.threads = static_cast<int>(settings.local.numThreads);
  compileOptions.report = reporter();
  KOWARI_ASSIGN(compiled, obtainProgram(spec, compileOptions));
  char text[64];
  std::snprintf(text, sizeof text, "%.2f s", compiled.readySeconds);
  log.line("Program ready after " + std::string(text) + ": " + compiled.path);
  KOWARI_TRY(checkStages());
  return reportMemory();
}

std::string TrainRun::compileStageCommand(int stage) const {
  return "kowari compile --settings_file " +
         (options.settingsFile.empty() ? "SETTINGS.yaml" : options.settingsFile) + " --stage " +
         std::to_string(stage) + " -o FILE.kwa";
}

/// An artifact of `kowari compile --stage N` trains that stage alone: it must be the next one.
Status TrainRun::checkStages() {
  int64_t end = 0;
  bool isFirst = true;
  const int stages = static_cast<int>(settings.stages.size());
  for (int stage = 0; stage < stages; ++stage) {
    end += settings.stages[stage].epochs;
    if (end <= (resuming() ? checkpoint->epoch : 0))
      continue; // done
    if (compiled.stages[stage] < 0 && isFirst)
      return Status::error(compiled.path + ": has no train step of stage " + std::to_string(stage) +
                           ", with which this training goes on; make one that has it: " +
                           compileStageCommand(stage) + " (or --stage all)");
    if (compiled.stages[stage] < 0) {
      log.line("Note: " + compiled.path + " has no train step of stage " + std::to_string(stage) +
               ": this run ends before it");
      break;
    }
    isFirst = false;
  }
  return Status::ok();
}

Status TrainRun::reportMemory() const {
  const plan::Program &program = *compiled.program;
  const auto mebibytes = [](int64_t bytes) { return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB"; };
  const int64_t arena = program.arenaBytes(), persistent = program.persistentBytes();
  std::printf(
      "Memory plan: %s in all: %s parameters, optimizer state and constants, %s for a step of %lld rows.\n",
      mebibytes(arena).c_str(), mebibytes(persistent).c_str(), mebibytes(arena - persistent).c_str(),
      static_cast<long long>(program.maxRows()));
  const int64_t available = cpu::describeMachine().availableBytes;
  if (arena > available)
    return Status::error("the program needs " + mebibytes(arena) + ", this machine has " +
                         mebibytes(available) + " free; lower batch_size or close other programs");
  return Status::ok();
}

Status TrainRun::initializeWeights() {
  KOWARI_TRY(state->initialize(seed));
  if (settings.model.embedding.svd.noInit)
    return Status::ok();
  using Bases = std::vector<data::SvdBasis>;
  KOWARI_ASSIGN(const Bases bases, makeEmbeddingSvd(settings, data, seed, folder->path(), reporter()));
  return writeSvdWeights(*compiled.program, bases, data.shape().minIndex);
}

train::RunRecord TrainRun::runRecord() const {
  train::RunRecord record;
  record.version = version();
  record.seed = seed;
  record.precision = settings.local.precision == ElementType::F64 ? "64-true" : "32-true";
  record.cpuLevel = cpu::cpuLevel();
  record.threads = settings.local.numThreads > 0 ? settings.local.numThreads : cpu::availableCores();
  if (Result<std::vector<std::string>> libraries = cpu::productLibraries())
    for (const std::string &library : *libraries) {
      const size_t space = library.find(' ');
      record.libraries.emplace_back(library.substr(0, space),
                                    space == std::string::npos ? "" : library.substr(space + 1));
    }
  return record;
}

Result<train::TrainerSetup> TrainRun::trainerSetup() const {
  train::TrainerSetup setup;
  Value trainSettings = settings.trainSettings;
  const DataShape shape = data.shape();
  completeTrainSettings(trainSettings, shape.detectors, shape.bins - shape.minIndex, standardization);
  for (size_t i = 0; i < settings.stages.size(); ++i) {
    const StageSettings &from = settings.stages[i];
    train::TrainStage stage;
    stage.epochs = from.epochs;
    stage.programStage = compiled.stages[i];
    stage.batchSize = from.batchSize;
    KOWARI_ASSIGN(stage.optimizer, train::OptimizerOptions::fromKwargs(from.optimizer.kwargs));
    KOWARI_ASSIGN(stage.scheduler, train::SchedulerOptions::fromKwargs(from.scheduler.kwargs));
    stage.optimizerKwargs = from.optimizer.kwargs;
    stage.schedulerKwargs = from.scheduler.kwargs;
    if (const Value *text = trainSettings.findPath("training.stage_" + std::to_string(i)))
      stage.description = text->toYaml();
    setup.stages.push_back(std::move(stage));
  }
  setup.split = data::splitTrainTest(shape.numSamples, settings.data.trainFraction);
  setup.seed = seed;
  setup.maxTimePerRun = settings.local.maxTimePerRun;
  setup.maxEpochsPerRun = settings.local.maxEpochsPerRun;
  setup.checkpointEpochs = settings.local.checkpointEpochs;
  setup.record = runRecord();
  if (resuming()) {
    setup.model.context = checkpoint->context;
    setup.model.eventMetadata = checkpoint->eventMetadata;
    setup.model.metadata = checkpoint->metadata;
  }
  setup.model.version = "dingo=0.10.3";
  setup.model.modelKwargs = *trainSettings.find("model");
  ValueDict &metadata = setup.model.metadata.asDict();
  metadata["dataset_settings"] = data.waveforms->settings();
  metadata["train_settings"] = std::move(trainSettings);
  metadata["float32_matmul_precision"] = "highest";
  return setup;
}

int TrainRun::finish(train::Trainer::Outcome outcome, int nextStage) const {
  if (outcome == train::Trainer::Outcome::StageMissing) {
    std::printf("%s has no train step of stage %d. Make one that has it: %s\n"
                "Go on with: kowari train --checkpoint %s --train_dir %s --artifact FILE.kwa\n",
                compiled.path.c_str(), nextStage, compileStageCommand(nextStage).c_str(),
                folder->latestPath().c_str(), folder->path().c_str());
    return 0;
  }
  if (outcome == train::Trainer::Outcome::LimitReached) {
    std::printf("Program terminated due to runtime limit.\n");
    return 0;
  }
  if (outcome == train::Trainer::Outcome::Interrupted) {
    std::printf("Go on with: kowari train --checkpoint %s --train_dir %s\n", folder->latestPath().c_str(),
                folder->path().c_str());
    return 128 + train::StopSignal::signalNumber();
  }
  if (options.exitCommand.empty()) {
    std::printf("All training stages complete.\n");
    return 0;
  }
  std::printf("All training stages complete. Executing exit command: %s.\n", options.exitCommand.c_str());
  std::fflush(stdout);
  if (const int code = std::system(options.exitCommand.c_str()); code != 0)
    std::fprintf(stderr, "Warning: the exit command ended with code %d.\n", code);
  return 0;
}

Result<int> TrainRun::run() {
  KOWARI_TRY(readSettings());
  KOWARI_TRY(chooseSeed());
  cpu::useThreads(settings.local.numThreads > 0 ? static_cast<int>(settings.local.numThreads)
                                                : cpu::availableCores());
  KOWARI_ASSIGN(data, openTrainingData(settings, reporter()));
  KOWARI_TRY(makeProgramSpec(settings, data.shape()).status());
  if (!resuming()) {
    KOWARI_ASSIGN(folder, train::CheckpointFolder::openNew(options.trainDir));
  }
  KOWARI_TRY(compile());
  if (!settings.data.standardization)
    log.line("Calculating new parameter standardizations.");
  KOWARI_ASSIGN(standardization, standardizationOf(settings, data, seed));
  state = std::make_unique<train::TrainState>(*compiled.program);
  KOWARI_ASSIGN(train::TrainerSetup setup, trainerSetup());
  BatchSources sources(*compiled.program, settings, data, standardization, seed);
  const auto openSource = [&sources](int stage) { return sources.open(stage); };
  log = train::ProgressLog(stdout, train::ProgressLog::modeFor(stdout), [&] {
    int64_t epochs = 0;
    for (const train::TrainStage &stage : setup.stages)
      epochs += stage.epochs;
    return epochs;
  }());
  train::Trainer trainer(std::move(setup), *compiled.program, *state, *folder, log, openSource);
  if (resuming()) {
    KOWARI_TRY(trainer.resume(*checkpoint, options.checkpoint));
    if (!settings.local.testOnly) // lines behind an older checkpoint belong to a run that is not gone on with
      KOWARI_TRY(train::truncateHistory(folder->historyPath(), trainer.epochsDone()));
  } else {
    KOWARI_TRY(folder->writeLocalSettings(settings.localSettings.toYaml()));
    KOWARI_TRY(initializeWeights());
  }
  const train::StopSignal signals;
  if (settings.local.testOnly) {
    KOWARI_ASSIGN(const double loss, trainer.testOnly());
    std::printf("test loss: %.3f\n", loss);
    return 0;
  }
  KOWARI_ASSIGN(const train::Trainer::Outcome outcome, trainer.run());
  return finish(outcome, trainer.stageOf(trainer.epochsDone()));
}

} // namespace

void addTrainCommand(CLI::App &app, Action &action) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App *command =
      app.add_subcommand("train", "Train a network from a train_settings.yaml, or go on from a checkpoint");
  command->add_option("--settings_file", options->settingsFile, "train_settings.yaml of a new training");
  command->add_option(
      "--checkpoint", options->checkpoint,
      "model_latest.pt of a training to go on with; beside --settings_file it need not exist yet");
  command->add_option("--train_dir", options->trainDir, "folder for models, history and local settings")
      ->required();
  command->add_option("--exit_command", options->exitCommand, "command to run when all stages are complete");
  command->add_option("--artifact", options->artifact, "compiled program (.kwa) to use; nothing is compiled");
  command->add_option("--cache_dir", options->cacheDir, "folder of the cache of compiled programs");
  command->callback([options, &action] {
    if (options->settingsFile.empty() && options->checkpoint.empty())
      throw CLI::RequiredError("train: one of --settings_file and --checkpoint");
    action = [options]() -> Result<int> { return TrainRun(*options).run(); };
  });
}

} // namespace kowari::cli
