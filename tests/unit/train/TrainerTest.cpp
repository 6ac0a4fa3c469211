//===- TrainerTest.cpp - a small training that is killed ------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The program is written by hand: a step adds learning_rate * step to the weight, and the loss is the step's
// number. Two stages of two epochs each run in a child process, which is killed whenever it says something;
// the run that goes on must leave exactly what an undisturbed one leaves.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/Trainer.h"
#include "runtime/train/RuntimeLimits.h"

#include "runtime/train/History.h"
#include "tests/unit/plan/PlanBuilder.h"
#include "tests/unit/train/TestFolder.h"

#include <csignal>
#include <cstdio>
#include <map>
#include <sys/wait.h>

using namespace kowari;
using namespace kowari::train;
namespace fb = kowari::plan::fb;
namespace fs = std::filesystem;

namespace {

constexpr int stages = 2, epochsOfStage = 2;

/// A program with the train steps of so many stages.
void writeProgram(const std::string &path, int count) {
  using plan::test::vector;
  constexpr int64_t weight = 0, rate = 64, step = 128, persistent = 192, x = 192, loss = 256, arena = 320;
  plan::test::PlanBuilder plan;
  plan.tensor("flow.weight", fb::TensorKind::Parameter, {1}, vector(weight, 1));
  plan.tensor("learning_rate", fb::TensorKind::Scalar, {}, vector(rate, 1));
  plan.tensor("step", fb::TensorKind::Scalar, {}, vector(step, 1));
  for (int entry = 0; entry <= count; ++entry) {
    plan.tensor("x", fb::TensorKind::Input, {-1}, vector(x, -1));
    plan.tensor("loss", fb::TensorKind::Output, {}, vector(loss, 1));
    if (entry < count)
      plan.gemm(vector(rate, 1), vector(step, 1), vector(weight, 1), nullptr, true);
    plan.copy(vector(entry < count ? step : weight, 1), vector(loss, 1));
    plan.entry(entry < count ? "train_step_" + std::to_string(entry) : "log_prob");
  }
  const Status written = plan::writeArtifact(path, plan.finish(2, arena, persistent), {});
  ASSERT_TRUE(written.isOk()) << written.message();
}

/// Batches of the right sizes; the program reads none of them.
class Batches : public BatchSource {
public:
  Status startEpoch(std::vector<int64_t> order, int64_t) override {
    left = static_cast<int64_t>(order.size());
    return Status::ok();
  }
  Result<int64_t> next() override {
    const int64_t rows = std::min<int64_t>(left, 2);
    left -= rows;
    return rows;
  }

private:
  int64_t left = 0;
};

/// What befalls a training, and when.
struct Fate {
  int words = 0; ///< with which message; 0: never
  int signal = SIGKILL;
};

/// A stream whose writer gets the signal when it writes for the `words`-th time.
FILE *fatalStream(Fate &fate) {
  cookie_io_functions_t functions{};
  functions.write = [](void *cookie, const char *, size_t size) {
    auto &fate = *static_cast<Fate *>(cookie);
    if (--fate.words == 0)
      ::raise(fate.signal);
    return static_cast<ssize_t>(size);
  };
  FILE *stream = ::fopencookie(&fate, "w", functions);
  std::setvbuf(stream, nullptr, _IONBF, 0);
  return stream;
}

TrainerSetup makeSetup(const std::vector<int> &programStages) {
  TrainerSetup setup;
  for (const int number : programStages) {
    TrainStage stage;
    stage.epochs = epochsOfStage;
    stage.programStage = number;
    stage.batchSize = 2;
    stage.optimizerKwargs = ValueDict{{"type", "sgd"}, {"lr", 0.5}};
    stage.optimizer = OptimizerOptions::fromKwargs(stage.optimizerKwargs).take();
    setup.stages.push_back(std::move(stage));
  }
  setup.split = {{0, 1, 2}, {3}};
  return setup;
}

/// Begins the training of `folder` or goes on with it. What a process does is its exit code: the Outcome, or
/// 100 for an error, which it prints.
int train(const std::string &program, const std::string &folder, const std::vector<int> &programStages,
          Fate fate) {
  const StopSignal stop;
  const auto attempt = [&]() -> Result<int> {
    KOWARI_ASSIGN(const auto loaded, plan::Program::load(program, {.threads = 1}));
    const bool goesOn = fs::exists(folder + "/model_latest.pt");
    KOWARI_ASSIGN(CheckpointFolder checkpoints,
                  goesOn ? CheckpointFolder::openResumed(folder) : CheckpointFolder::openNew(folder));
    TrainState state(*loaded);
    ProgressLog log(fatalStream(fate), ProgressLog::Mode::Lines);
    Trainer trainer(makeSetup(programStages), *loaded, state, checkpoints, log,
                    [](int) -> Result<std::unique_ptr<BatchSource>> {
                      return std::unique_ptr<BatchSource>(std::make_unique<Batches>());
                    });
    if (goesOn) {
      KOWARI_ASSIGN(const ModelFile latest, ModelFile::read(checkpoints.latestPath()));
      KOWARI_TRY(trainer.resume(latest, checkpoints.latestPath()));
      KOWARI_TRY(truncateHistory(checkpoints.historyPath(), trainer.epochsDone()));
    } else {
      KOWARI_TRY(checkpoints.writeLocalSettings("device: cpu\n"));
      KOWARI_TRY(state.initialize(1));
    }
    KOWARI_ASSIGN(const Trainer::Outcome outcome, trainer.run());
    return static_cast<int>(outcome);
  };
  const Result<int> outcome = attempt();
  if (!outcome)
    std::fprintf(stderr, "%s\n", outcome.status().message().c_str());
  return outcome ? *outcome : 100;
}

/// The same in a child process; -SIGKILL if it was killed.
int trainInChild(const std::string &program, const std::string &folder, const std::vector<int> &programStages,
                 Fate fate = {}) {
  const pid_t child = ::fork();
  if (child == 0)
    ::_exit(train(program, folder, programStages, fate));
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// Every file of a folder with its bytes.
std::map<std::string, std::string> contents(const std::string &folder) {
  std::map<std::string, std::string> files;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder))
    files[entry.path().filename()] = readText(entry.path());
  return files;
}

constexpr int finished = static_cast<int>(Trainer::Outcome::Finished),
              stageMissing = static_cast<int>(Trainer::Outcome::StageMissing);

TEST(Trainer, KilledWheneverItSpeaksItLeavesTheFilesOfAnUndisturbedRun) {
  // Memory where there is some: a hundred trainings sync a thousand files.
  const bool memory = ::access("/dev/shm", W_OK) == 0;
  TestFolder folder(memory ? "/dev/shm" : fs::temp_directory_path());
  const std::string program = folder / "program.kwa";
  writeProgram(program, stages);
  ASSERT_EQ(trainInChild(program, folder / "whole", {0, 1}), finished);
  const auto expected = contents(folder / "whole");
  for (const char *name : {"history.txt", "model_latest.pt", "model_stage_0.pt", "model_stage_1.pt",
                           "model_001.pt", "model_002.pt", "model_003.pt", "model_004.pt"})
    ASSERT_EQ(expected.count(name), 1u) << name;
  int words = 1;
  for (int result = -SIGKILL; result == -SIGKILL; ++words) {
    SCOPED_TRACE("killed at message " + std::to_string(words));
    const std::string parts = folder / ("parts" + std::to_string(words));
    result = trainInChild(program, parts, {0, 1}, {words, SIGKILL});
    ASSERT_TRUE(result == -SIGKILL || result == finished) << result;
    ASSERT_EQ(trainInChild(program, parts, {0, 1}), finished);
    const auto found = contents(parts);
    ASSERT_EQ(found.size(), expected.size());
    for (const auto &[name, bytes] : expected)
      ASSERT_TRUE(found.count(name) && found.at(name) == bytes) << name;
    fs::remove_all(parts);
  }
  EXPECT_GT(words, 40);
}

TEST(Trainer, InterruptedWheneverItSpeaksItGoesOnToTheSameFiles) {
  TestFolder folder;
  const std::string program = folder / "program.kwa";
  writeProgram(program, stages);
  ASSERT_EQ(trainInChild(program, folder / "whole", {0, 1}), finished);
  const auto expected = contents(folder / "whole");
  constexpr int interrupted = static_cast<int>(Trainer::Outcome::Interrupted);
  for (int words = 1, result = interrupted; result == interrupted;
       ++words) { // the first: before the first step
    SCOPED_TRACE("interrupted at message " + std::to_string(words));
    const std::string parts = folder / ("parts" + std::to_string(words));
    result = trainInChild(program, parts, {0, 1}, {words, SIGTERM});
    ASSERT_TRUE(result == interrupted || result == finished) << result;
    ASSERT_EQ(trainInChild(program, parts, {0, 1}), finished);
    const auto found = contents(parts);
    for (const auto &[name, bytes] : found)
      EXPECT_TRUE(expected.count(name)) << name;
    for (const auto &[name, bytes] : expected)
      EXPECT_TRUE(found.count(name) && found.at(name) == bytes) << name;
  }
}

TEST(Trainer, ProgramsOfOneStageTrainOneAfterTheOther) {
  TestFolder folder;
  const std::string both = folder / "both.kwa", one = folder / "one.kwa";
  writeProgram(both, stages);
  writeProgram(one, 1);
  ASSERT_EQ(trainInChild(both, folder / "whole", {0, 1}), finished);
  EXPECT_EQ(trainInChild(one, folder / "parts", {0, -1}), stageMissing);
  EXPECT_TRUE(fs::exists(folder / "parts/model_stage_0.pt"));
  EXPECT_FALSE(fs::exists(folder / "parts/model_003.pt"));
  EXPECT_EQ(trainInChild(one, folder / "parts", {0, -1}), stageMissing); // there is nothing that it could do
  EXPECT_EQ(trainInChild(one, folder / "parts", {-1, 0}), finished);
  EXPECT_EQ(trainInChild(one, folder / "parts", {-1, -1}), finished); // nothing is left to do
  EXPECT_TRUE(contents(folder / "whole") == contents(folder / "parts"));
}

TEST(Trainer, FilesThatAnOlderCheckpointsEpochLeftOutStayOut) {
  TestFolder folder;
  const std::string program = folder / "program.kwa";
  writeProgram(program, stages);
  ASSERT_EQ(trainInChild(program, folder / "run", {0, 1}), finished);
  fs::remove(folder / "run/model_stage_0.pt"); // somebody needed the space
  fs::remove(folder / "run/model_001.pt");
  ASSERT_EQ(trainInChild(program, folder / "run", {0, 1}), finished);
  EXPECT_FALSE(fs::exists(folder / "run/model_stage_0.pt"));
  EXPECT_FALSE(fs::exists(folder / "run/model_001.pt"));
}

} // namespace
