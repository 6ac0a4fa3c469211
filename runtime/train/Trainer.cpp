//===- Trainer.cpp - stages, epochs and steps of a training ---------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/Trainer.h"

#include "runtime/data/EpochOrder.h"
#include "runtime/train/History.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <set>

namespace fs = std::filesystem;

namespace kowari::train {

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// "3, 17, 4 and 61 more"
std::string listSamples(const int64_t *samples, int64_t count) {
  constexpr int64_t shown = 8;
  std::string text;
  for (int64_t i = 0; i < std::min(count, shown); ++i)
    text += (i ? ", " : "") + std::to_string(samples[i]);
  return count > shown ? text + " and " + std::to_string(count - shown) + " more" : text;
}

} // namespace

Trainer::Trainer(TrainerSetup newSetup, plan::Program &owner, TrainState &weights,
                 const CheckpointFolder &trainFolder, ProgressLog &progressLog, OpenSource open)
    : setup(std::move(newSetup)), program(owner), state(weights), folder(trainFolder), log(progressLog),
      openSource(std::move(open)) {}

int64_t Trainer::firstEpoch(int index) const {
  int64_t first = 0;
  for (int i = 0; i < index; ++i)
    first += setup.stages[i].epochs;
  return first;
}

int64_t Trainer::totalEpochs() const { return firstEpoch(static_cast<int>(setup.stages.size())); }

int Trainer::stageOf(int64_t epochsDone) const {
  const int count = static_cast<int>(setup.stages.size());
  for (int i = 0; i < count; ++i)
    if (epochsDone < firstEpoch(i + 1))
      return i;
  return count;
}

Status Trainer::resume(const ModelFile &file, const std::string &path) {
  if (file.epoch > totalEpochs() || file.epoch < 0)
    return Status::error(path + ": has " + std::to_string(file.epoch) + " epochs, the settings train for " +
                         std::to_string(totalEpochs()));
  KOWARI_TRY(state.loadWeights(file, path));
  epoch = file.epoch;
  iteration = file.iteration;
  resumedPath = path;
  if (const Value *ours = file.metadata.find("kowari")) {
    KOWARI_ASSIGN(const RunRecord saved, RunRecord::fromValue(*ours));
    if (saved.partialEpoch)
      progress = *saved.partialEpoch;
    for (const std::string &change : setup.record.changesSince(saved))
      log.line("Note: " + change);
  }
  if (const int next = stageOf(epoch); epoch > firstEpoch(next) || progress.batches > 0) {
    resumed = file;
    if (!file.training || !file.training->optimizer)
      return Status::error(path +
                           ": holds no optimizer state, so a stage cannot go on in its middle; resume from "
                           "a model_latest.pt or model_<epoch>.pt");
  }
  return Status::ok();
}

Status Trainer::prepareProducts() {
  const int64_t batch = setup.stages[stage].batchSize;
  auto rowCounts = [&](size_t samples) {
    std::set<int64_t> counts = {std::min<int64_t>(batch, static_cast<int64_t>(samples))};
    if (const int64_t rest = static_cast<int64_t>(samples) % batch; rest > 0)
      counts.insert(rest);
    return std::vector<int64_t>(counts.begin(), counts.end());
  };
  KOWARI_TRY(program.prepare(trainEntry, rowCounts(setup.split.train.size())));
  return program.prepare(testEntry, rowCounts(setup.split.test.size()));
}

Status Trainer::beginStage(int newStage) {
  stage = newStage;
  const TrainStage &settings = setup.stages[stage];
  log.line("\n" + std::string(resumed ? "Resuming training in" : "Beginning training") + " stage " +
           std::to_string(stage) + ". Settings:\n" + settings.description);
  programStage = settings.programStage;
  const std::string entry = "train_step_" + std::to_string(programStage);
  trainEntry = program.findEntry(entry);
  testEntry = program.findEntry("log_prob");
  if (trainEntry < 0 || testEntry < 0)
    return Status::error(
        "the artifact has no " +
        (trainEntry < 0 ? "train step of stage " + std::to_string(stage) : "entry log_prob") +
        "; compile it from these settings");
  rate = LearningRate(settings.scheduler, settings.optimizer.lr);
  stageSteps = 0;
  if (resumed) {
    const TrainingState &saved = *resumed->training;
    KOWARI_ASSIGN(stageSteps,
                  state.loadOptimizer(*saved.optimizer, settings.optimizer, programStage, resumedPath));
    if (settings.optimizer.type == OptimizerType::Sgd) { // torch's state of sgd counts nothing
      const auto train = static_cast<int64_t>(setup.split.train.size());
      const int64_t perEpoch = (train + settings.batchSize - 1) / settings.batchSize;
      stageSteps = (epoch - firstEpoch(stage)) * perEpoch + progress.batches;
    }
    if (saved.scheduler)
      KOWARI_TRY(rate.loadStateDict(*saved.scheduler, saved.optimizer->options.lr).withContext(resumedPath));
    resumed.reset();
  } else {
    log.line("Initializing new optimizer and scheduler.");
    KOWARI_TRY(state.clearOptimizer());
  }
  const int64_t learnable = state.trainableCount(programStage);
  log.line("Fixed parameters: " + std::to_string(state.parameterCount() - learnable) +
           "\nLearnable parameters: " + std::to_string(learnable) + "\n");
  KOWARI_ASSIGN(source, openSource(stage));
  return prepareProducts();
}

Result<Trainer::Outcome> Trainer::run() {
  KOWARI_TRY(saveWhatIsMissing());
  const RuntimeLimits limits(setup.maxTimePerRun, setup.maxEpochsPerRun, epoch);
  const int stages = static_cast<int>(setup.stages.size());
  for (int next = stageOf(epoch); next < stages; ++next) {
    if (setup.stages[next].programStage < 0)
      return Outcome::StageMissing;
    KOWARI_TRY(beginStage(next));
    const int64_t end = firstEpoch(next + 1);
    std::vector<std::string> reasons;
    while ((reasons = limits.reached(epoch, end)).empty()) {
      KOWARI_ASSIGN(const Pass pass, runEpoch());
      if (pass == Pass::Complete)
        continue;
      if (epoch == end)
        KOWARI_TRY(saveStage());
      return epoch == totalEpochs() ? Outcome::Finished : Outcome::Interrupted;
    }
    for (const std::string &reason : reasons)
      log.line(reason);
    if (epoch == end)
      KOWARI_TRY(saveStage());
    if (limits.runEnded(epoch)) {
      log.line("Local runtime limits reached. Ending program.");
      break;
    }
  }
  return epoch == totalEpochs() ? Outcome::Finished : Outcome::LimitReached;
}

Result<double> Trainer::testOnly() {
  const int last = static_cast<int>(setup.stages.size()) - 1;
  KOWARI_TRY(beginStage(std::min(stageOf(epoch), last)));
  KOWARI_TRY(testPass(epoch).status());
  return testLoss;
}

/// One epoch. An interruption leaves a checkpoint and `progress` at the last step done.
Result<Trainer::Pass> Trainer::runEpoch() {
  const int64_t number = epoch + 1;
  KOWARI_ASSIGN(Pass pass, trainPass(number));
  if (pass == Pass::Complete) {
    KOWARI_ASSIGN(pass, testPass(number));
  }
  if (pass == Pass::Interrupted) {
    KOWARI_TRY(savePartial());
    return pass;
  }
  KOWARI_TRY(finishEpoch(number));
  return StopSignal::requested() ? Pass::Interrupted : Pass::Complete;
}

Result<Trainer::Pass> Trainer::trainPass(int64_t number) {
  const int64_t batchSize = setup.stages[stage].batchSize;
  order = data::epochOrder(setup.split.train, setup.seed, static_cast<uint64_t>(number));
  log.startTraining(number, {rate.current()}, static_cast<int64_t>(order.size()), batchSize);
  log.restoreLoss(progress.lossSum, progress.lossWeight);
  const auto done = std::min<int64_t>(progress.batches * batchSize, static_cast<int64_t>(order.size()));
  KOWARI_TRY(source->startEpoch({order.begin() + done, order.end()}, number));
  for (;;) {
    if (StopSignal::requested())
      return Pass::Interrupted;
    const double start = now();
    KOWARI_ASSIGN(const int64_t rows, source->next());
    if (rows == 0)
      break;
    const double ready = now();
    const int64_t batch = progress.batches;
    KOWARI_TRY(writeScalars(number));
    KOWARI_ASSIGN(const double loss, runAndReadLoss(trainEntry, rows));
    if (!std::isfinite(loss))
      return notFinite(loss, number, batch, rows);
    state.countBatch();
    ++stageSteps;
    ++iteration;
    log.addMicroBatch(loss, rows, ready - start, now() - ready);
    log.finishStep(batch);
    progress = {batch + 1, log.lossSum(), log.lossWeight()};
  }
  trainLoss = log.finishPass();
  return Pass::Complete;
}

/// The scalar arguments of a training step of epoch `number`.
Status Trainer::writeScalars(int64_t number) {
  KOWARI_TRY(program.writeScalar("learning_rate", rate.current()));
  KOWARI_TRY(program.writeScalar("step", static_cast<double>(stageSteps + 1)));
  const auto seedBits = static_cast<int64_t>(setup.seed);
  for (const auto &[name, value] : {std::pair("seed", seedBits), {"epoch", number}})
    if (program.findTensor(name))
      KOWARI_TRY(program.write(name, std::span<const int64_t>(&value, 1)));
  return Status::ok();
}

Result<double> Trainer::runAndReadLoss(int entry, int64_t rows) {
  KOWARI_TRY(program.run(entry, rows));
  double loss = 0.0;
  KOWARI_TRY(program.readOutput(entry, "loss", std::span<double>(&loss, 1), rows));
  return loss;
}

Status Trainer::notFinite(double loss, int64_t number, int64_t batch, int64_t rows) const {
  const int64_t first = batch * setup.stages[stage].batchSize;
  return Status::error("the loss is " + std::string(std::isnan(loss) ? "not a number" : "infinite") +
                       " in epoch " + std::to_string(number) + ", step " + std::to_string(batch + 1) +
                       " (samples " + listSamples(order.data() + first, rows) +
                       " of the waveform data set). That step changed nothing; the last checkpoint is " +
                       folder.latestPath() +
                       ". Lower the learning rate, or look at these samples with kowari inspect");
}

Result<Trainer::Pass> Trainer::testPass(int64_t number) {
  const auto samples = static_cast<int64_t>(setup.split.test.size());
  const int64_t batchSize = setup.stages[stage].batchSize;
  log.startTesting(number, samples, batchSize);
  KOWARI_TRY(source->startEpoch(setup.split.test, number));
  for (int64_t batch = 0;; ++batch) {
    if (StopSignal::requested())
      return Pass::Interrupted;
    const double start = now();
    KOWARI_ASSIGN(const int64_t rows, source->next());
    if (rows == 0)
      break;
    const double ready = now();
    KOWARI_ASSIGN(const double loss, runAndReadLoss(testEntry, rows));
    log.addMicroBatch(loss, rows, ready - start, now() - ready);
    log.finishStep(batch);
  }
  testLoss = log.finishPass();
  return Pass::Complete;
}

Status Trainer::finishEpoch(int64_t number) {
  const double usedRate = rate.current();
  rate.step(testLoss);
  epoch = number;
  progress = {};
  KOWARI_TRY(appendHistory(folder.historyPath(), {number, trainLoss, testLoss, {usedRate}}));
  KOWARI_TRY(saveLatest());
  if (number % setup.checkpointEpochs == 0)
    KOWARI_TRY(saveEpoch());
  log.finishEpoch();
  return Status::ok();
}

/// The model as it stands. `progress` says how far the epoch under way has come.
ModelFile Trainer::checkpoint() const {
  const TrainStage &settings = setup.stages[stage];
  ModelFile file = setup.model;
  file.stateDict = state.stateDict();
  file.epoch = epoch;
  file.iteration = iteration;
  RunRecord record = setup.record;
  record.stage = stageOf(epoch);
  if (progress.batches > 0)
    record.partialEpoch = progress;
  file.metadata.asDict()["kowari"] = record.toValue();
  OptimizerOptions options = settings.optimizer;
  options.lr = rate.current();
  options.initialLr = settings.optimizer.lr;
  TrainingState training;
  training.optimizerKwargs = settings.optimizerKwargs;
  training.schedulerKwargs = settings.schedulerKwargs;
  training.optimizer = state.optimizerState(options, programStage, stageSteps);
  training.scheduler = rate.stateDict();
  file.training = std::move(training);
  return file;
}

Status Trainer::saveLatest() {
  log.text("Saving model to " + folder.latestPath() + ".");
  KOWARI_TRY(checkpoint().write(folder.latestPath()));
  log.text(" Done.\n");
  return Status::ok();
}

Status Trainer::saveEpoch() {
  log.text("Copy model to checkpoint " + folder.epochPath(epoch) + ".");
  KOWARI_TRY(folder.copyLatestToEpoch(epoch));
  log.text(" Done.\n");
  return Status::ok();
}

Status Trainer::saveStage() {
  log.line("Training stage complete. Saving to " + folder.stagePath(stage) + ".");
  return checkpoint().write(folder.stagePath(stage));
}

/// A run that was killed after it had saved model_latest.pt may lack the files that follow it. They are the
/// same model.
Status Trainer::saveWhatIsMissing() {
  std::error_code code;
  if (epoch == 0 || progress.batches > 0 || !fs::equivalent(resumedPath, folder.latestPath(), code))
    return Status::ok();
  if (epoch % setup.checkpointEpochs == 0 && !fs::exists(folder.epochPath(epoch), code))
    KOWARI_TRY(saveEpoch());
  const int done = stageOf(epoch) - 1;
  if (done < 0 || epoch != firstEpoch(done + 1) || fs::exists(folder.stagePath(done), code))
    return Status::ok();
  log.line("Training stage " + std::to_string(done) + " was complete. Saving to " + folder.stagePath(done) +
           ".");
  KOWARI_ASSIGN(ModelFile model, ModelFile::read(folder.latestPath()));
  KOWARI_TRY(model.loadAll());
  return model.write(folder.stagePath(done));
}

Status Trainer::savePartial() {
  log.line("Stopped by " + StopSignal::signalName() + " in epoch " + std::to_string(epoch + 1) + " after " +
           std::to_string(progress.batches) + " steps.");
  return saveLatest();
}

} // namespace kowari::train
