//===- TrainTest.cpp - trainings from start to end ------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "tests/e2e/Kowari.h"

#include "runtime/data/RandomizedSvd.h"
#include "runtime/train/History.h"

#include <csignal>

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace kowari::e2e {

TEST_F(TrainingTest, LeavesWhatDingoTrainLeaves) {
  writeText(folder / "settings.yaml", settings());
  const Outcome outcome =
      runKowari(folder, {"train", "--settings_file", "settings.yaml", "--train_dir", "train_dir",
                         "--exit_command", "echo finished > exit_command_ran"});
  ASSERT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  for (const char *file :
       {"local_settings.yaml", "history.txt", "model_latest.pt", "model_002.pt", "model_004.pt",
        "model_stage_0.pt", "model_stage_1.pt", "svd_H1.hdf5", "svd_L1.hdf5"})
    EXPECT_TRUE(fs::exists(folder / "train_dir" / file)) << file;
  EXPECT_FALSE(fs::exists(folder / "train_dir/model_001.pt"));
  EXPECT_EQ(readText(folder / "exit_command_ran"), "finished\n");
  EXPECT_EQ(readText(folder / "train_dir/local_settings.yaml"),
            "device: cpu\nnum_workers: 0\nseed: 7\nruntime_limits:\n  max_time_per_run: 3600\n"
            "  max_epochs_per_run: 30\ncheckpoint_epochs: 2\n");

  Result<std::vector<train::HistoryEntry>> history = train::readHistory(folder / "train_dir/history.txt");
  ASSERT_TRUE(history);
  ASSERT_EQ(history->size(), 5u);
  const double rates[] = {0.001, 0.00075, 0.0002500000000000001, 0.0005, 0.00025};
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ((*history)[i].epoch, static_cast<int64_t>(i) + 1);
    EXPECT_EQ((*history)[i].learningRates, std::vector<double>{rates[i]});
    EXPECT_GT((*history)[i].trainLoss, 0.0);
    EXPECT_LT((*history)[i].trainLoss, 20.0);
  }
}

TEST_F(TrainingTest, PrintsDingosLines) {
  const Outcome outcome = train();
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Seed of all random numbers: 7\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\nBeginning training stage 0. Settings:\nepochs: 3\n"));
  EXPECT_THAT(outcome.out, ContainsRegex("Memory plan: [0-9]+ MiB in all"));
  EXPECT_THAT(outcome.out,
              HasSubstr("\nStart training epoch 1 with lr [0.001]\nTrain Epoch: 1 [3/8 (38%)]\t\tLoss: "));
  EXPECT_THAT(outcome.out,
              ContainsRegex("Test Epoch: 4 \\[4/4 \\(100%\\)\\]\t\tLoss: [0-9.]+ \\([0-9.]+\\)\t\tTime "
                            "Dataloader: [0-9.]+ \\([0-9.]+\\)\t\tTime Network: "));
  EXPECT_THAT(outcome.out,
              HasSubstr("Saving model to train_dir/model_latest.pt. Done.\nCopy model to checkpoint "
                        "train_dir/model_002.pt. Done.\nFinished training epoch 2.\n"));
  EXPECT_THAT(outcome.out,
              HasSubstr("Stop run: Total epoch limit of 3 reached.\nTraining stage complete. Saving to "
                        "train_dir/model_stage_0.pt.\n"));
  EXPECT_THAT(outcome.out, HasSubstr("All training stages complete.\n"));
}

TEST_F(TrainingTest, EqualSeedsGiveEqualModels) {
  ASSERT_EQ(train({}, "first").code, 0);
  ASSERT_EQ(train({}, "second").code, 0);
  ASSERT_EQ(train({{"seed: 7", "seed: 8"}}, "third").code, 0);
  EXPECT_THAT(differences(folder / "first/model_latest.pt", folder / "second/model_latest.pt"), IsEmpty());
  EXPECT_THAT(differences(folder / "first/model_latest.pt", folder / "third/model_latest.pt"),
              Not(IsEmpty()));
}

TEST_F(TrainingTest, ResumedRunEqualsUninterruptedOne) {
  ASSERT_EQ(train({}, "whole").code, 0);
  const Outcome first = train({{"max_epochs_per_run: 30", "max_epochs_per_run: 2"}}, "parts");
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out,
              HasSubstr("Stop run: Epoch limit of 2 per run reached.\nLocal runtime limits reached. Ending "
                        "program.\nProgram terminated due to runtime limit.\n"));
  const Outcome second = resume("parts");
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_THAT(second.out, HasSubstr("Resuming training in stage 0."));
  ASSERT_EQ(resume("parts").code, 0);
  EXPECT_EQ(readText(folder / "whole/history.txt"), readText(folder / "parts/history.txt"));
  for (const char *file : {"model_latest.pt", "model_stage_0.pt", "model_stage_1.pt", "model_004.pt"})
    EXPECT_THAT(differences(folder / "whole" / file, folder / "parts" / file), IsEmpty()) << file;
}

TEST_F(TrainingTest, InterruptedRunGoesOnAtItsStep) {
  const std::vector<std::pair<std::string, std::string>> longer = {{"epochs: 3", "epochs: 20"}};
  ASSERT_EQ(train(longer, "whole").code, 0);
  const Outcome first = train(longer, "parts", {{{"Train Epoch: 3 [3/8", SIGINT}}, {}, false});
  EXPECT_EQ(first.code, 128 + SIGINT) << first.err;
  EXPECT_THAT(first.out, HasSubstr("Stopped by SIGINT in epoch "));
  EXPECT_THAT(first.out,
              HasSubstr("Go on with: kowari train --checkpoint parts/model_latest.pt --train_dir parts\n"));
  EXPECT_EQ(resume("parts", {{{"Train Epoch: 9 [6/8", SIGTERM}}, {}, false}).code, 128 + SIGTERM);
  EXPECT_EQ(resume("parts", {{{"Test Epoch: 15 [3/4", SIGUSR1}}, {}, false}).code, 128 + SIGUSR1);
  const Outcome last = resume("parts");
  ASSERT_EQ(last.code, 0) << last.err;
  EXPECT_EQ(readText(folder / "whole/history.txt"), readText(folder / "parts/history.txt"));
  EXPECT_THAT(differences(folder / "whole/model_latest.pt", folder / "parts/model_latest.pt"), IsEmpty());
  EXPECT_THAT(differences(folder / "whole/model_stage_0.pt", folder / "parts/model_stage_0.pt"), IsEmpty());
}

TEST_F(TrainingTest, KilledRunLeavesAWholeCheckpoint) {
  const std::vector<std::pair<std::string, std::string>> longer = {{"epochs: 3", "epochs: 20"}};
  ASSERT_EQ(train(longer, "whole").code, 0);
  EXPECT_EQ(train(longer, "parts", {{{"Train Epoch: 4 [6/8", SIGKILL}}, {}, false}).code, 128 + SIGKILL);
  EXPECT_EQ(resume("parts", {{{"Train Epoch: 12 [8/8", SIGKILL}}, {}, false}).code, 128 + SIGKILL);
  const Outcome last = resume("parts");
  ASSERT_EQ(last.code, 0) << last.err;
  EXPECT_EQ(readText(folder / "whole/history.txt"), readText(folder / "parts/history.txt"));
  EXPECT_THAT(differences(folder / "whole/model_latest.pt", folder / "parts/model_latest.pt"), IsEmpty());
  for (const fs::directory_entry &entry : fs::directory_iterator(folder / "parts"))
    EXPECT_EQ(entry.path().filename().string().find(".partial."), std::string::npos) << entry.path();
}

TEST_F(TrainingTest, UncompressedWaveformsAndLayerNorm) {
  const Outcome outcome = train({{"tiny_svd.hdf5", "tiny_fd.hdf5"},
                                 {"batch_norm: True", "norm: LayerNorm"},
                                 {"batch_norm: True", "norm: LayerNorm"},
                                 {"{type: adam, lr: 0.001}", "{type: adamw, lr: 0.001}"},
                                 {"{type: adam, lr: 0.0005}", "{type: sgd, lr: 0.0005, momentum: 0.9}"}});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(fs::exists(folder / "train_dir/model_stage_1.pt"));
}

TEST_F(TrainingTest, StateDictHasTorchsOrder) {
  // The network of a model that Dingo saved, but for the shapes of its input.
  const Outcome outcome = train({{"num_flow_steps: 2", "num_flow_steps: 3"}, {"[16, 8]", "[32, 32, 16]"}});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto names = [](const fs::path &path) {
    std::vector<std::string> list;
    if (Result<train::ModelFile> file = train::ModelFile::read(path))
      for (const train::NamedTensor &tensor : file->stateDict)
        list.push_back(tensor.name);
    return list;
  };
  const std::vector<std::string> reference =
      names(fs::path(KOWARI_TEST_DATA) / "models/coupling_batchnorm_elu.pt");
  ASSERT_EQ(reference.size(), 186u);
  EXPECT_EQ(names(folder / "train_dir/model_latest.pt"), reference);
}

TEST_F(TrainingTest, FrozenLayerHoldsTheSvd) {
  ASSERT_EQ(train().code, 0);
  Result<train::ModelFile> file = train::ModelFile::read(folder / "train_dir/model_stage_0.pt");
  ASSERT_TRUE(file);
  constexpr int64_t n = 4, bins = 109, minIndex = 20;
  for (const auto &[layer, detector] : {std::pair("0", "H1"), {"1", "L1"}}) {
    Result<data::SvdBasis> basis =
        data::readSvdFile(folder / ("train_dir/svd_" + std::string(detector) + ".hdf5"));
    ASSERT_TRUE(basis);
    std::vector<float> weight(2 * n * 3 * bins);
    const train::HostTensor *tensor =
        file->find("embedding_net.0.layers_rb." + std::string(layer) + ".weight");
    ASSERT_TRUE(tensor && tensor->count() == static_cast<int64_t>(weight.size()));
    ASSERT_TRUE(tensor->copyTo(weight.data(), train::ScalarType::Float32));
    for (int64_t j = 0; j < n; ++j)
      for (int64_t k = 0; k < bins; ++k) {
        const std::complex<float> v(basis->v[(minIndex + k) * basis->size + j]);
        const float *re = &weight[j * 3 * bins], *im = &weight[(n + j) * 3 * bins];
        ASSERT_EQ(re[k], v.real());
        ASSERT_EQ(re[bins + k], -v.imag());
        ASSERT_EQ(im[k], v.imag());
        ASSERT_EQ(im[bins + k], v.real());
        ASSERT_EQ(re[2 * bins + k], 0.0f);
      }
  }
}

TEST_F(TrainingTest, TestOnlySavesNothing) {
  const Outcome outcome = train({{"checkpoint_epochs: 2", "checkpoint_epochs: 2\n  test_only: True"}});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, ContainsRegex("test loss: [0-9.]+\n"));
  EXPECT_FALSE(fs::exists(folder / "train_dir/history.txt"));
  EXPECT_FALSE(fs::exists(folder / "train_dir/model_latest.pt"));
}

TEST_F(TrainingTest, SecondRunFindsItsProgramInTheCache) {
  ASSERT_EQ(train({}, "first").code, 0);
  const Outcome second = train({{"lr: 0.001", "lr: 0.002"}}, "second");
  ASSERT_EQ(second.code, 0);
  EXPECT_THAT(second.out, Not(HasSubstr("Compiling"))); // a learning rate is no part of the program
}

TEST_F(TrainingTest, CheckpointBesideSettingsMayBeMissing) {
  writeText(folder / "settings.yaml", settings());
  const std::vector<std::string> arguments{
      "train",        "--settings_file",          "settings.yaml", "--train_dir", "train_dir",
      "--checkpoint", "train_dir/model_latest.pt"};
  const Outcome first = runKowari(folder, arguments);
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("Beginning new training run."));
  const std::string history = readText(folder / "train_dir/history.txt");
  const Outcome second = runKowari(folder, arguments);
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_THAT(second.out, HasSubstr("Resuming training run."));
  EXPECT_EQ(readText(folder / "train_dir/history.txt"), history);
}

} // namespace kowari::e2e
