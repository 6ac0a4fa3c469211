//===- ToyHistoryTest.cpp - losses of a real training ---------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The two-stage toy training that Dingo ran with four seeds (tests/data/reference/README.md): our mean loss
// of three seeds has to agree with Dingo's in every epoch.
//
//===----------------------------------------------------------------------===//
#include "tests/e2e/Kowari.h"

#include "runtime/train/History.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>

namespace fs = std::filesystem;

namespace kowari::e2e {

TEST_F(TrainingTest, ToyLossesAgreeWithDingos) {
  const fs::path reference = fs::path(KOWARI_TEST_DATA) / "reference";
  fs::create_directory(folder / "datasets");
  for (const char *file : {"toy_train.hdf5", "asds_single.hdf5", "asds_multi.hdf5"})
    fs::copy_file(reference / "datasets" / file, folder / "datasets" / file);
  std::string text = readText(fs::path(KOWARI_TEST_DATA) / "settings/train_toy_npe.yaml");
  const size_t local = text.find("local:\n");
  ASSERT_NE(local, std::string::npos);
  const nlohmann::json dingo = nlohmann::json::parse(std::ifstream(reference / "toy_run_spread.json"));

  constexpr size_t epochs = 9;
  constexpr int seeds = 3, dingoSeeds = 4;
  std::vector<double> mean(epochs, 0.0);
  for (int seed = 1; seed <= seeds; ++seed) {
    const std::string trainDir = "train_" + std::to_string(seed);
    writeText(folder / "toy.yaml",
              std::string(text).insert(local + 7, "  seed: " + std::to_string(seed) + "\n"));
    const Outcome outcome =
        runKowari(folder, {"train", "--settings_file", "toy.yaml", "--train_dir", trainDir});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    Result<std::vector<train::HistoryEntry>> history = train::readHistory(folder / trainDir / "history.txt");
    ASSERT_TRUE(history) << history.status().message();
    ASSERT_EQ(history->size(), epochs);
    for (size_t i = 0; i < epochs; ++i)
      mean[i] += (*history)[i].trainLoss / seeds;
  }
  for (size_t i = 0; i < epochs; ++i) {
    const double expected = dingo["mean_train_by_epoch"][i], spread = dingo["std_train_by_epoch"][i];
    const double standardError = spread * std::sqrt(1.0 / seeds + 1.0 / dingoSeeds);
    EXPECT_NEAR(mean[i], expected, 3.0 * standardError) << "epoch " << i + 1;
  }
}

} // namespace kowari::e2e
