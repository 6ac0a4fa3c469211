//===- ProgressTest.cpp - lines for those who wait ------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/Progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace kowari::cli {

TEST(Progress, ALineEveryTwoSecondsAndNoneAtTheEnd) {
  std::vector<std::string> lines;
  const Progress::Clock::time_point start;
  Progress progress("step", 9, [&](const std::string &text) { lines.push_back(text); }, start);
  for (int i = 1; i <= 9; ++i)
    progress.reached(i, start + i * std::chrono::milliseconds(900));
  EXPECT_THAT(lines, testing::ElementsAre("  step 3 of 9", "  step 6 of 9"));
}

TEST(Progress, ShortLoopsSayNothing) {
  std::vector<std::string> lines;
  Progress progress("row", 1000, [&](const std::string &text) { lines.push_back(text); });
  for (int i = 1; i <= 1000; ++i)
    progress.reached(i);
  EXPECT_THAT(lines, testing::IsEmpty());
}

} // namespace kowari::cli
