//===- ProgressLogTest.cpp --------------------------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/ProgressLog.h"

#include "runtime/train/PythonFormat.h"
#include "tests/unit/train/TestFolder.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

using namespace kowari::train;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

/// What a log writes to a file.
class LogFile {
public:
  explicit LogFile(ProgressLog::Mode mode, int64_t totalEpochs = 0)
      : stream(std::fopen((folder / "out").c_str(), "w")), log(stream, mode, totalEpochs) {}
  ~LogFile() { std::fclose(stream); }
  std::string text() const {
    std::fflush(stream);
    return readText(folder / "out");
  }

private:
  TestFolder folder;
  FILE *stream;

public:
  ProgressLog log;
};

/// The text up to the time, which differs from run to run.
std::string withoutTimes(std::string text) {
  for (size_t place = 0; (place = text.find("This took ", place)) != std::string::npos; place += 10)
    text.replace(place + 10, text.find(" min.", place) - place - 10, "_");
  return text;
}

TEST(ProgressLog, PrintsDingosLines) {
  LogFile file(ProgressLog::Mode::Lines);
  file.log.startTraining(1, {0.001}, 5700, 64);
  file.log.addMicroBatch(16.332f, 64, 0.026, 0.040);
  file.log.finishStep(0);
  file.log.addMicroBatch(15.0f, 64, 0.0302, 0.050);
  file.log.finishStep(1);
  file.log.addMicroBatch(14.0f, 4, 0.02, 0.03);
  file.log.finishStep(89);
  double train = file.log.finishPass();
  file.log.startTesting(1, 300, 64);
  file.log.addMicroBatch(15.956f, 64, 0.023, 0.010);
  file.log.finishStep(0);
  file.log.finishPass();
  file.log.text("Saving model to dir/model_latest.pt.");
  file.log.line(" Done.");
  file.log.finishEpoch();
  EXPECT_EQ(
      withoutTimes(file.text()),
      "\nStart training epoch 1 with lr [0.001]\n"
      "Train Epoch: 1 [64/5700 (1%)]\t\tLoss: 16.332 (16.332)\t\tTime Dataloader: 0.026 (0.026)\t\tTime "
      "Network: "
      "0.040 (0.040)\n"
      "Train Epoch: 1 [128/5700 (2%)]\t\tLoss: 15.000 (15.666)\t\tTime Dataloader: 0.030 (0.028)\t\tTime "
      "Network: "
      "0.050 (0.045)\n"
      "Train Epoch: 1 [5700/5700 (100%)]\t\tLoss: 14.000 (15.616)\t\tTime Dataloader: 0.020 (0.025)\t\tTime "
      "Network: 0.030 (0.040)\n"
      "Done. This took _ min.\n"
      "Start testing epoch 1\n"
      "Test Epoch: 1 [64/300 (21%)]\t\tLoss: 15.956 (15.956)\t\tTime Dataloader: 0.023 (0.023)\t\tTime "
      "Network: "
      "0.010 (0.010)\n"
      "Done. This took _ min.\n"
      "Saving model to dir/model_latest.pt. Done.\n"
      "Finished training epoch 1.\n\n");
  EXPECT_THAT(file.text(), HasSubstr("This took  0: 0 min."));
  double expected = (64.0 * static_cast<double>(16.332f) + 64.0 * 15.0 + 4.0 * 14.0) / 132.0;
  EXPECT_EQ(train, expected);
}

TEST(ProgressLog, AccumulatedWindowsAreAveragedAsInDingo) {
  LogFile file(ProgressLog::Mode::Lines);
  file.log.startTraining(2, {0.1, 0.01}, 47, 5);
  // Window of three micro-batches; the mean in it is not weighted by rows, its rounding is float32's.
  double losses[] = {1.1, 2.2, 3.4};
  int64_t rows[] = {5, 5, 3};
  for (int i = 0; i < 3; ++i)
    file.log.addMicroBatch(losses[i], rows[i], 0.0, 0.0);
  file.log.finishStep(2);
  double first = static_cast<double>(static_cast<float>((1.1 + 2.2 + 3.4) / 3));
  EXPECT_EQ(file.log.meanLoss(), first);
  file.log.addMicroBatch(100.0, 5, 0.0, 0.0); // left over: no step, not in the loss
  EXPECT_EQ(file.log.finishPass(), first);
  EXPECT_EQ(file.log.steps(), 1);
  EXPECT_THAT(file.text(), HasSubstr("with lr [0.1, 0.01]\nTrain Epoch: 2 [15/47 (32%)]"));
}

TEST(ProgressLog, SmallTestSetsAreWarnedAbout) {
  LogFile file(ProgressLog::Mode::Lines);
  file.log.startTesting(1, 30, 64);
  file.log.addMicroBatch(2.0, 30, 0.0, 0.0);
  file.log.finishStep(0);
  EXPECT_THAT(file.text(),
              HasSubstr("Warning: test dataset (len 30) is smaller than effective_batch_size=64."));
  EXPECT_THAT(file.text(), HasSubstr("Test Epoch: 1 [30/30 (100%)]"));
}

TEST(ProgressLog, SeveralDevicesShowTheirReduction) {
  LogFile file(ProgressLog::Mode::Lines);
  file.log.startTraining(1, {0.1}, 100, 50);
  file.log.addMicroBatch(2.0, 50, 0.0, 0.0);
  file.log.finishStep(0, 0.09);
  EXPECT_THAT(file.text(),
              HasSubstr("Time Network: 0.000 (0.000)\t\tTime Loss Aggregation: 0.090 (0.090)\n"));
}

TEST(ProgressLog, AnEmptyPassHasNoLoss) {
  LogFile file(ProgressLog::Mode::Lines);
  file.log.startTraining(1, {0.1}, 10, 50);
  EXPECT_TRUE(std::isnan(file.log.finishPass()));
}

TEST(ProgressLog, OnATerminalOneLineIsRewritten) {
  LogFile file(ProgressLog::Mode::Live, 3);
  file.log.startTraining(1, {0.1}, 100, 50);
  for (int i = 0; i < 2; ++i) {
    file.log.addMicroBatch(2.0, 50, 0.0, 0.0);
    file.log.finishStep(i);
  }
  file.log.finishPass();
  EXPECT_GT(file.log.samplesPerSecond(), 0.0);
  std::string text = file.text();
  EXPECT_THAT(text, HasSubstr("\rEpoch 1/3 train 50/100  loss 2.000 (2.000)  "));
  EXPECT_THAT(text, HasSubstr("\rEpoch 1/3 train 100/100  loss 2.000 (2.000)  "));
  EXPECT_THAT(text, testing::ContainsRegex("samples/s  ends .*\\(in [0-9]+ s\\)"));
  EXPECT_THAT(text, testing::Not(HasSubstr("Train Epoch")));
  std::FILE *regular = std::fopen("/dev/null", "w");
  EXPECT_EQ(ProgressLog::modeFor(regular), ProgressLog::Mode::Lines);
  std::fclose(regular);
}

TEST(PythonFormat, FixedPoint) {
  EXPECT_EQ(pythonFixed(0.0005, 3), "0.001"); // the double is a little above the tie
  EXPECT_EQ(pythonFixed(2.5, 0), "2");
  EXPECT_EQ(pythonFixed(-0.0, 3), "-0.000");
  EXPECT_EQ(pythonFixed(-std::numeric_limits<double>::quiet_NaN(), 3), "nan");
  EXPECT_EQ(pythonFixed(std::numeric_limits<double>::infinity(), 3), "inf");
  EXPECT_EQ(pythonRepr(std::vector<double>{}), "[]");
  EXPECT_EQ(pythonRepr({9.549150281252633e-05, 0.0003}), "[9.549150281252633e-05, 0.0003]");
  EXPECT_EQ(minutesAndSeconds(7.2), " 0: 7");
  EXPECT_EQ(minutesAndSeconds(725.0), "12: 5");
  EXPECT_EQ(minutesAndSeconds(59.7), " 0:60"); // as Python prints it
  EXPECT_EQ(minutesAndSeconds(6000.0), "100: 0");
}

} // namespace
