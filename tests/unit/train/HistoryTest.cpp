//===- HistoryTest.cpp ------------------------------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/History.h"

#include "tests/unit/train/TestFolder.h"

#include <gmock/gmock.h>

using namespace kowari;
using namespace kowari::train;
using testing::HasSubstr;

namespace {

TEST(History, WritesDingosFileByteForByte) {
  TestFolder folder;
  std::string reference = dataFile("reference/toy_run_history.txt");
  Result<std::vector<HistoryEntry>> entries = readHistory(reference);
  ASSERT_TRUE(entries.isOk()) << entries.status().message();
  for (const HistoryEntry &entry : *entries)
    ASSERT_TRUE(appendHistory(folder / "history.txt", entry).isOk());
  EXPECT_EQ(readText(folder / "history.txt"), readText(reference));
}

TEST(History, NumbersArePythons) {
  EXPECT_EQ(historyLine({12, 1e-5, 1e16, {0.1, 3.0}}), "12\t1e-05\t1e+16\t0.1\t3.0\r\n");
  EXPECT_EQ(historyLine({1, std::numeric_limits<double>::quiet_NaN(), 123456789012345.0, {}}),
            "1\tnan\t123456789012345.0\r\n");
}

TEST(History, EpochOneNeverOverwrites) {
  TestFolder folder;
  std::string path = folder / "history.txt";
  ASSERT_TRUE(appendHistory(path, {1, 2.0, 3.0, {0.1}}).isOk());
  EXPECT_THAT(appendHistory(path, {1, 9.0, 9.0, {0.1}}).message(),
              testing::AllOf(HasSubstr(path), HasSubstr("--checkpoint")));
  ASSERT_TRUE(appendHistory(path, {2, 4.0, 5.0, {0.1}}).isOk());
  EXPECT_EQ(readText(path), "1\t2.0\t3.0\t0.1\r\n2\t4.0\t5.0\t0.1\r\n");
  EXPECT_THAT(appendHistory(folder / "no/history.txt", {2, 4.0, 5.0, {}}).message(),
              HasSubstr("No such file"));
}

TEST(History, ReadsUnixLinesAndNamesBadOnes) {
  TestFolder folder;
  std::string path = folder / "history.txt";
  writeText(path, "1\t2.0\t3.0\t0.1\t0.2\n2\tnan\tinf\t0.1\t0.2\n");
  Result<std::vector<HistoryEntry>> entries = readHistory(path);
  ASSERT_TRUE(entries.isOk()) << entries.status().message();
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ((*entries)[0].learningRates, (std::vector<double>{0.1, 0.2}));
  EXPECT_TRUE(std::isnan((*entries)[1].trainLoss));
  writeText(path, "1\t2.0\t3.0\t0.1\n2\tlow\t3.0\t0.1\n");
  EXPECT_THAT(readHistory(path).status().message(), HasSubstr("history.txt, line 2"));
  EXPECT_THAT(readHistory(folder / "none").status().message(), HasSubstr("no such file"));
}

TEST(History, ForgetsEpochsAfterTheCheckpoint) {
  TestFolder folder;
  std::string path = folder / "history.txt";
  EXPECT_TRUE(truncateHistory(path, 3).isOk());
  std::string two = "1\t2.0\t3.0\t0.1\r\n2\t4.0\t5.0\t0.1\r\n";
  writeText(path, two + "3\t4.0\t5.0\t0.1\r\n4\t4.0");
  ASSERT_TRUE(truncateHistory(path, 2).isOk());
  EXPECT_EQ(readText(path), two);
  writeText(path, two + "3\t4.");
  ASSERT_TRUE(truncateHistory(path, 2).isOk());
  EXPECT_EQ(readText(path), two);
  ASSERT_TRUE(truncateHistory(path, 5).isOk());
  EXPECT_EQ(readText(path), two);
}

} // namespace
