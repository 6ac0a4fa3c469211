//===- ModelFileTest.cpp ----------------------------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/ModelFile.h"

#include "runtime/train/CheckpointFolder.h"
#include "tests/unit/train/TestFolder.h"

#include <gmock/gmock.h>

#include <csignal>
#include <cstring>
#include <set>

#include <sys/wait.h>
#include <unistd.h>

using namespace kowari;
using namespace kowari::train;
using testing::HasSubstr;

namespace {

ModelFile mustRead(const std::string &path) {
  Result<ModelFile> model = ModelFile::read(path);
  EXPECT_TRUE(model.isOk()) << model.status().message();
  return model.isOk() ? model.take() : ModelFile();
}

std::string readError(const std::string &path) {
  Result<ModelFile> model = ModelFile::read(path);
  return model.isOk() ? "" : model.status().message();
}

void expectEqual(const HostTensor &left, const HostTensor &right, const std::string &name) {
  EXPECT_EQ(left.shape(), right.shape()) << name;
  ASSERT_EQ(left.type(), right.type()) << name;
  ASSERT_TRUE(left.isLoaded() && right.isLoaded());
  bool equal = left.bytes() == 0 || std::memcmp(left.data(), right.data(), left.bytes()) == 0;
  EXPECT_TRUE(equal) << name;
}

void expectEqual(const OptimizerState &left, const OptimizerState &right) {
  EXPECT_EQ(left.options.type, right.options.type);
  EXPECT_EQ(left.options.lr, right.options.lr);
  EXPECT_EQ(left.options.initialLr, right.options.initialLr);
  EXPECT_EQ(left.options.beta1, right.options.beta1);
  EXPECT_EQ(left.options.weightDecay, right.options.weightDecay);
  EXPECT_EQ(left.options.amsgrad, right.options.amsgrad);
  EXPECT_EQ(left.options.momentum, right.options.momentum);
  EXPECT_EQ(left.parameterCount, right.parameterCount);
  ASSERT_EQ(left.state.size(), right.state.size());
  for (const auto &[position, state] : left.state) {
    const ParameterState &other = right.state.at(position);
    EXPECT_EQ(state.step, other.step);
    ASSERT_EQ(state.buffers.size(), other.buffers.size());
    for (const auto &[name, tensor] : state.buffers)
      expectEqual(tensor, other.buffers.at(name), name);
  }
}

/// Files saved by Dingo and by torch, and whatever folder KOWARI_MODEL_INPUT names.
std::vector<std::string> modelFiles() {
  std::vector<std::string> files;
  const std::set<std::string> others = {"forbidden.pt", "no_model.pt", "pre_1_6.pt"};
  std::vector<std::string> folders = {dataFile("models")};
  if (const char *more = std::getenv("KOWARI_MODEL_INPUT"))
    folders.push_back(more);
  for (const std::string &folder : folders)
    for (const auto &entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".pt" && !others.count(entry.path().filename()))
        files.push_back(entry.path());
  return files;
}

TEST(ModelFile, EveryModelSurvivesARoundTrip) {
  TestFolder folder;
  std::vector<std::string> files = modelFiles();
  EXPECT_GE(files.size(), 12u);
  for (const std::string &path : files) {
    SCOPED_TRACE(path);
    ModelFile model = mustRead(path);
    ASSERT_TRUE(model.loadAll().isOk());
    std::string copy = folder / std::filesystem::path(path).filename();
    Status written = model.write(copy);
    ASSERT_TRUE(written.isOk()) << written.message();
    ModelFile again = mustRead(copy);
    ASSERT_TRUE(again.loadAll().isOk());
    EXPECT_EQ(again.modelKwargs, model.modelKwargs);
    EXPECT_EQ(again.metadata, model.metadata);
    EXPECT_EQ(again.epoch, model.epoch);
    EXPECT_EQ(again.iteration, model.iteration);
    EXPECT_EQ(again.version, model.version);
    ASSERT_EQ(again.stateDict.size(), model.stateDict.size());
    for (size_t i = 0; i < model.stateDict.size(); ++i) {
      EXPECT_EQ(again.stateDict[i].name, model.stateDict[i].name);
      expectEqual(again.stateDict[i].tensor, model.stateDict[i].tensor, model.stateDict[i].name);
    }
    ASSERT_EQ(again.training.has_value(), model.training.has_value());
    if (!model.training)
      continue;
    EXPECT_EQ(again.training->optimizerKwargs, model.training->optimizerKwargs);
    EXPECT_EQ(again.training->schedulerKwargs, model.training->schedulerKwargs);
    EXPECT_EQ(again.training->scheduler, model.training->scheduler);
    ASSERT_TRUE(model.training->optimizer && again.training->optimizer);
    expectEqual(*again.training->optimizer, *model.training->optimizer);
    if (const char *output = std::getenv("KOWARI_MODEL_OUTPUT")) { // for check_with_dingo.py
      ValueDict ours;
      ours["version"] = "0.1.0";
      ours["seed"] = int64_t(42);
      model.metadata.asDict()["kowari"] = ours;
      ASSERT_TRUE(
          model.write(std::string(output) + "/" + std::filesystem::path(path).filename().string()).isOk());
    }
  }
}

TEST(ModelFile, ReadsWhatDingoSaved) {
  ModelFile model = mustRead(dataFile("models/coupling_batchnorm_elu.stepped.pt"));
  EXPECT_EQ(model.version, "dingo=0.10.3");
  EXPECT_EQ(model.epoch, 3);
  EXPECT_EQ(model.iteration, 6);
  EXPECT_EQ(model.modelKwargs.find("posterior_model_type")->asString(), "normalizing_flow");
  EXPECT_NE(model.metadata.findPath("train_settings.data.standardization.mean.chirp_mass"), nullptr);
  EXPECT_EQ(model.stateDict.front().name, "embedding_net.0.layers_rb.0.weight");
  const HostTensor *permutation =
      model.find("flow._transform._transforms.0._transforms.0._transforms.0._permutation");
  ASSERT_NE(permutation, nullptr);
  EXPECT_EQ(permutation->type(), ScalarType::Int64);
  EXPECT_EQ(model.find("flow._distribution._log_z"), nullptr);
  ASSERT_TRUE(model.training && model.training->optimizer && model.training->scheduler);
  const OptimizerState &optimizer = *model.training->optimizer;
  EXPECT_EQ(optimizer.options.type, OptimizerType::Adam);
  EXPECT_EQ(optimizer.options.initialLr, 1e-3);
  EXPECT_EQ(optimizer.options.lr, 0.0007938926261462366);
  EXPECT_EQ(optimizer.state.at(0).step, 6.0);
  EXPECT_EQ(optimizer.state.at(0).buffers.at("exp_avg").shape(), model.stateDict.front().tensor.shape());
  EXPECT_EQ(model.training->scheduler->find("last_epoch")->asInt(), 3);
}

TEST(ModelFile, OptimizersOfTorch) {
  ModelFile sgd = mustRead(dataFile("models/torch_sgd.pt"));
  EXPECT_EQ(sgd.training->optimizer->options.type, OptimizerType::Sgd);
  EXPECT_EQ(sgd.training->optimizer->options.momentum, 0.9);
  EXPECT_EQ(sgd.training->optimizer->state.size(), 2u); // the third parameter is frozen
  EXPECT_EQ(sgd.training->optimizer->parameterCount, 3);
  EXPECT_TRUE(sgd.training->optimizer->state.at(1).buffers.count("momentum_buffer"));
  ModelFile plain = mustRead(dataFile("models/torch_sgd_plain.pt"));
  EXPECT_TRUE(plain.training->optimizer->state.empty() ||
              plain.training->optimizer->state.begin()->second.buffers.empty());
  ModelFile adamw = mustRead(dataFile("models/torch_adamw_amsgrad.pt"));
  const OptimizerState &state = *adamw.training->optimizer;
  EXPECT_EQ(state.options.type, OptimizerType::AdamW);
  EXPECT_EQ(state.options.beta1, 0.8);
  EXPECT_EQ(state.options.weightDecay, 0.01);
  EXPECT_EQ(state.state.at(0).step, 3.0);
  EXPECT_TRUE(state.state.at(0).buffers.count("max_exp_avg_sq"));
}

TEST(ModelFile, FilesThatAreNoModelsAreErrors) {
  EXPECT_THAT(readError(dataFile("models/no_model.pt")),
              HasSubstr("no_model.pt: is no Dingo model: it holds a list"));
  TestFolder folder;
  std::string good = readText(dataFile("models/optimizers.stepped.pt"));
  writeText(folder / "cut.pt", good.substr(0, good.size() * 6 / 10));
  EXPECT_THAT(readError(folder / "cut.pt"), HasSubstr("cut.pt: is truncated or damaged"));
}

TEST(ModelFile, InferenceDoesNotLookAtTheOptimizer) {
  TestFolder folder;
  ModelFile model = mustRead(dataFile("models/torch_sgd.pt"));
  ASSERT_TRUE(model.loadAll().isOk());
  model.training->optimizerKwargs.asDict()["type"] = "adagrad";
  ASSERT_TRUE(model.write(folder / "model.pt").isOk());
  EXPECT_THAT(readError(folder / "model.pt"), HasSubstr("optimizer.type: 'adagrad'"));
  Result<ModelFile> read = ModelFile::read(folder / "model.pt", ModelFile::Content::Inference);
  ASSERT_TRUE(read.isOk()) << read.status().message();
  EXPECT_FALSE(read->training.has_value());
}

TEST(ModelFile, AnotherNetworkIsNamedByItsFirstDifference) {
  ModelFile model = mustRead(dataFile("models/density_batchnorm.pt"));
  std::vector<ExpectedTensor> expected;
  for (const NamedTensor &entry : model.stateDict)
    expected.push_back({entry.name, entry.tensor.shape(), entry.tensor.type() == ScalarType::Int64});
  EXPECT_TRUE(model.checkNetwork(expected, "m.pt").isOk());
  auto message = [&](const std::vector<ExpectedTensor> &list) {
    return model.checkNetwork(list, "m.pt").message();
  };

  auto changed = expected;
  changed[1].shape.push_back(3);
  EXPECT_THAT(message(changed), testing::AllOf(HasSubstr("m.pt: is a checkpoint of another network"),
                                               HasSubstr(changed[1].name), HasSubstr("this network needs")));
  changed = expected;
  changed[2].isInteger = !changed[2].isInteger;
  EXPECT_THAT(message(changed), HasSubstr(changed[2].name + " has type"));
  changed = expected;
  changed[3].name = "flow.unknown";
  EXPECT_THAT(message(changed), HasSubstr("tensor flow.unknown"));
  changed = expected;
  changed.pop_back();
  EXPECT_THAT(message(changed), HasSubstr("it has a tensor " + expected.back().name));
}

TEST(ModelFile, TensorsStillInAFileAreNotWritten) {
  TestFolder folder;
  ModelFile model = mustRead(dataFile("models/density_batchnorm.pt"));
  EXPECT_THAT(model.write(folder / "copy.pt").message(), HasSubstr("not in memory"));
  EXPECT_EQ(folder.files(), 0);
}

TEST(ModelFile, AModelCanReplaceTheFileItCameFrom) {
  TestFolder folder;
  std::filesystem::copy_file(dataFile("models/torch_sgd.pt"), folder / "model_latest.pt");
  ModelFile model = mustRead(folder / "model_latest.pt");
  ModelFile lazy = mustRead(folder / "model_latest.pt");
  ASSERT_TRUE(model.loadAll().isOk());
  model.epoch = 99;
  ASSERT_TRUE(model.write(folder / "model_latest.pt").isOk());
  EXPECT_EQ(mustRead(folder / "model_latest.pt").epoch, 99);
  EXPECT_TRUE(lazy.loadAll().isOk()); // reads the replaced file, which lives as long as it is open
  expectEqual(lazy.stateDict[0].tensor, model.stateDict[0].tensor, "a");
}

TEST(ModelFile, KilledSavesLeaveWholeFiles) {
  TestFolder folder;
  std::string path = folder / "model_latest.pt";
  ModelFile model = mustRead(dataFile("models/coupling_batchnorm_elu.stepped.pt"));
  ASSERT_TRUE(model.loadAll().isOk());
  model.epoch = 1;
  ASSERT_TRUE(model.write(path).isOk());
  int64_t newest = 1;
  // Longer and longer waits, so that some saves are finished on a slow machine too.
  double wait = 2000; // microseconds
  for (int round = 0; round < 8 || (newest == 1 && round < 22); ++round, wait *= 1.5) {
    pid_t child = ::fork();
    ASSERT_GE(child, 0);
    for (model.epoch = newest + 1; child == 0; ++model.epoch) // until it is killed
      if (!model.write(path).isOk())
        ::_exit(1);
    ::usleep(static_cast<useconds_t>(wait));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    ModelFile found = mustRead(path);
    Status loaded = found.loadAll(); // compares every checksum
    EXPECT_TRUE(loaded.isOk()) << loaded.message();
    EXPECT_GE(found.epoch, newest);
    newest = found.epoch;
  }
  EXPECT_GT(newest, 1); // some saves were finished, so the others were killed on the way
  writeText(folder / "local_settings.yaml", "device: cpu\n");
  ASSERT_TRUE(CheckpointFolder::openResumed(folder.path).isOk());
  EXPECT_EQ(folder.files(), 2);
}

TEST(HostTensor, ConvertsBetweenFloatsAndBetweenIntegers) {
  float values[] = {1.5f, -2.25f};
  HostTensor tensor = HostTensor::view(ScalarType::Float32, {2}, values);
  double wide[2];
  ASSERT_TRUE(tensor.copyTo(wide, ScalarType::Float64).isOk());
  EXPECT_EQ(wide[1], -2.25);
  int64_t integers[2];
  EXPECT_THAT(tensor.copyTo(integers, ScalarType::Int64).message(), HasSubstr("is float32, expected int64"));
  EXPECT_THAT(tensor.item().status().message(), HasSubstr("(2,)"));
  EXPECT_EQ(shapeToString({}), "()");
  EXPECT_EQ(shapeToString({2, 3}), "(2, 3)");
}

} // namespace
