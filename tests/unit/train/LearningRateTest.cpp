//===- LearningRateTest.cpp -------------------------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/LearningRate.h"

#include "runtime/support/PythonLiteral.h"
#include "runtime/train/History.h"
#include "runtime/train/ModelFile.h"
#include "tests/unit/train/TestFolder.h"

#include <gmock/gmock.h>
#include <hdf5.h>

using namespace kowari;
using namespace kowari::train;
using testing::HasSubstr;

namespace {

class ReferenceFile {
public:
  explicit ReferenceFile(const std::string &path)
      : file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {}
  ~ReferenceFile() { H5Fclose(file); }

  std::vector<double> numbers(const std::string &name) const {
    hid_t set = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
    hid_t space = H5Dget_space(set);
    std::vector<double> values(static_cast<size_t>(H5Sget_simple_extent_npoints(space)));
    H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Sclose(space);
    H5Dclose(set);
    return values;
  }

  std::string text(const std::string &group, const char *attribute) const {
    hid_t attr = H5Aopen_by_name(file, group.c_str(), attribute, H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = H5Aget_type(attr);
    char *value = nullptr;
    H5Aread(attr, type, &value);
    std::string copy = value;
    H5free_memory(value);
    H5Tclose(type);
    H5Aclose(attr);
    return copy;
  }

  std::vector<std::string> groups(const std::string &path) const {
    std::vector<std::string> names;
    hid_t group = H5Gopen2(file, path.c_str(), H5P_DEFAULT);
    H5Literate(
        group, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr,
        [](hid_t, const char *name, const H5L_info_t *, void *to) -> herr_t {
          static_cast<std::vector<std::string> *>(to)->push_back(name);
          return 0;
        },
        &names);
    H5Gclose(group);
    return names;
  }

private:
  hid_t file;
};

SchedulerOptions optionsOf(const std::string &literal) {
  Result<Value> kwargs = parsePythonLiteral(literal);
  EXPECT_TRUE(kwargs.isOk());
  Result<SchedulerOptions> options = SchedulerOptions::fromKwargs(*kwargs);
  EXPECT_TRUE(options.isOk()) << options.status().message();
  return *options;
}

std::string errorOf(const std::string &literal) {
  return SchedulerOptions::fromKwargs(parsePythonLiteral(literal).take()).status().message();
}

TEST(LearningRate, EqualsTorchDigitForDigit) {
  ReferenceFile file(dataFile("reference/optimizers_schedulers.hdf5"));
  int curves = 0;
  for (const std::string &scheduler : file.groups("/")) {
    if (scheduler == "losses")
      continue;
    for (const std::string &curve : file.groups(scheduler)) {
      std::string group = scheduler + "/" + curve;
      SCOPED_TRACE(group);
      std::vector<double> expected = file.numbers(group + "/lr"), losses = file.numbers("losses/" + curve);
      LearningRate rate(optionsOf(file.text(group, "scheduler")), 1e-3);
      ASSERT_EQ(expected.size(), 31u);
      EXPECT_EQ(rate.current(), expected[0]);
      for (size_t epoch = 0; epoch < 30; ++epoch) {
        rate.step(losses[epoch]);
        EXPECT_EQ(rate.current(), expected[epoch + 1]) << "epoch " << epoch + 1;
      }
      ++curves;
    }
  }
  EXPECT_EQ(curves, 36);
}

TEST(LearningRate, ResumesWhereItStopped) {
  ReferenceFile file(dataFile("reference/optimizers_schedulers.hdf5"));
  for (const std::string scheduler :
       {"cosine_eta_min", "step", "plateau_cooldown", "plateau_threshold_abs", "plateau_max"}) {
    std::string group = scheduler + "/flat";
    SCOPED_TRACE(group);
    std::vector<double> expected = file.numbers(group + "/lr"), losses = file.numbers("losses/flat");
    SchedulerOptions options = optionsOf(file.text(group, "scheduler"));
    LearningRate rate(options, 1e-3);
    for (size_t epoch = 0; epoch < 30; ++epoch) {
      LearningRate resumed(options, 1e-3);
      Status loaded = resumed.loadStateDict(rate.stateDict());
      ASSERT_TRUE(loaded.isOk()) << loaded.message();
      rate = resumed;
      rate.step(losses[epoch]);
      EXPECT_EQ(rate.current(), expected[epoch + 1]) << "epoch " << epoch + 1;
    }
  }
}

TEST(LearningRate, EqualsARunOfDingo) {
  Result<std::vector<HistoryEntry>> history = readHistory(dataFile("reference/toy_run_history.txt"));
  ASSERT_TRUE(history.isOk()) << history.status().message();
  ASSERT_EQ(history->size(), 9u);
  LearningRate first(optionsOf("{'type': 'cosine', 'T_max': 5}"), 0.001);
  LearningRate second(optionsOf("{'type': 'Cosine', 'T_max': 4}"), 0.0003);
  for (const HistoryEntry &entry : *history) {
    LearningRate &rate = entry.epoch <= 5 ? first : second;
    EXPECT_EQ(rate.current(), entry.learningRates.at(0)) << "epoch " << entry.epoch;
    rate.step(entry.testLoss);
  }
}

/// The state that torch saved, read, continued and written, has torch's own keys and values.
TEST(LearningRate, StateHasTorchsForm) {
  for (const char *name :
       {"coupling_batchnorm_elu.stepped", "torch_sgd", "torch_sgd_plain", "torch_adamw_amsgrad"}) {
    SCOPED_TRACE(name);
    Result<ModelFile> model = ModelFile::read(dataFile(std::string("models/") + name + ".pt"));
    ASSERT_TRUE(model.isOk()) << model.status().message();
    Result<SchedulerOptions> options = SchedulerOptions::fromKwargs(model->training->schedulerKwargs);
    ASSERT_TRUE(options.isOk()) << options.status().message();
    const OptimizerOptions &optimizer = model->training->optimizer->options;
    LearningRate rate(*options, model->training->optimizerKwargs.find("lr")->asDouble());
    // Three epochs stepped here give the state torch has after its three.
    for (int epoch = 0; epoch < 3; ++epoch)
      rate.step(1.0);
    EXPECT_EQ(rate.current(), optimizer.lr);
    Value ours = rate.stateDict();
    ASSERT_EQ(ours.asDict().size(), model->training->scheduler->asDict().size());
    for (const auto &[key, value] : model->training->scheduler->asDict().items()) {
      const Value *mine = ours.find(key);
      ASSERT_NE(mine, nullptr) << key;
      if (value.isNumber()) {
        EXPECT_EQ(mine->asDouble(), value.asDouble()) << key;
      } else if (key != "min_lrs") { // whole numbers there, when the settings say nothing
        EXPECT_EQ(*mine, value) << key;
      }
    }
    LearningRate loaded(*options, 1.0);
    ASSERT_TRUE(loaded.loadStateDict(*model->training->scheduler).isOk());
    EXPECT_EQ(loaded.stateDict(), ours);
    ASSERT_TRUE(loaded.loadStateDict(*model->training->scheduler, 0.25).isOk());
    EXPECT_EQ(loaded.current(), 0.25);
  }
}

TEST(LearningRate, ConstantWithoutScheduler) {
  LearningRate rate(SchedulerOptions::fromKwargs(Value()).take(), 0.01);
  rate.step(1.0);
  EXPECT_EQ(rate.current(), 0.01);
  EXPECT_TRUE(rate.stateDict().isNull());
}

TEST(LearningRate, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(errorOf("{'type': 'exponential', 'gamma': 0.9}"), HasSubstr("scheduler.type: 'exponential'"));
  EXPECT_THAT(errorOf("{'type': 'cosine', 'T_maxx': 3}"), HasSubstr("T_max: missing"));
  EXPECT_THAT(errorOf("{'type': 'cosine', 'T_max': 3, 'last_epoch': 2}"),
              HasSubstr("scheduler.last_epoch: unknown"));
  EXPECT_THAT(errorOf("{'type': 'step', 'step_size': 0}"),
              HasSubstr("scheduler.step_size: 0, but it must be at least 1"));
  EXPECT_THAT(errorOf("{'type': 'step', 'step_size': 2.5}"), HasSubstr("2.5 is no whole number"));
  EXPECT_THAT(errorOf("{'type': 'reduce_on_plateau', 'factor': 1.5}"), HasSubstr("scheduler.factor: 1.5"));
  EXPECT_THAT(errorOf("{'type': 'reduce_on_plateau', 'mode': 'median'}"), HasSubstr("must be min or max"));
  LearningRate cosine(optionsOf("{'type': 'cosine', 'T_max': 5}"), 1e-3);
  LearningRate plateau(optionsOf("{'type': 'reduce_on_plateau'}"), 1e-3);
  EXPECT_THAT(cosine.loadStateDict(plateau.stateDict()).message(), HasSubstr("scheduler_state_dict"));
}

TEST(OptimizerOptions, TakesTorchsArguments) {
  auto parse = [](const char *literal) {
    return OptimizerOptions::fromKwargs(parsePythonLiteral(literal).take());
  };
  Result<OptimizerOptions> adam = parse("{'type': 'Adam', 'lr': 5e-5, 'betas': [0.5, 0.9], 'foreach': True}");
  ASSERT_TRUE(adam.isOk()) << adam.status().message();
  EXPECT_EQ(adam->lr, 5e-5);
  EXPECT_EQ(adam->initialLr, 5e-5);
  EXPECT_EQ(adam->beta1, 0.5);
  EXPECT_EQ(adam->bufferNames(), (std::vector<std::string>{"exp_avg", "exp_avg_sq"}));
  EXPECT_EQ(parse("{'type': 'adamw'}")->weightDecay, 0.01);
  EXPECT_EQ(parse("{'type': 'adam', 'decoupled_weight_decay': True}")->type, OptimizerType::AdamW);
  EXPECT_EQ(parse("{'type': 'sgd', 'momentum': 0.9}")->bufferNames(),
            std::vector<std::string>{"momentum_buffer"});
  auto error = [&](const char *literal) { return parse(literal).status().message(); };
  EXPECT_THAT(error("{'lr': 0.1}"), HasSubstr("optimizer.type: missing"));
  EXPECT_THAT(error("{'type': 'adam', 'lr': -0.1}"),
              HasSubstr("optimizer.lr: -0.1, but it must not be negative"));
  EXPECT_THAT(error("{'type': 'adam', 'lr': '5e-5'}"), HasSubstr("'5e-5' is no number"));
  EXPECT_THAT(error("{'type': 'adam', 'momentum': 0.9}"), HasSubstr("optimizer.momentum: unknown"));
  EXPECT_THAT(error("{'type': 'adam', 'betas': [0.9, 1.0]}"), HasSubstr("optimizer.betas"));
  EXPECT_THAT(error("{'type': 'sgd', 'nesterov': True}"), HasSubstr("needs a momentum"));
}

} // namespace
