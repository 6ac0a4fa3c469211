//===- RuntimeLimitsTest.cpp ------------------------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/RuntimeLimits.h"

#include "runtime/train/EarlyStopping.h"

#include <gmock/gmock.h>

#include <csignal>
#include <limits>

using namespace kowari::train;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

TEST(RuntimeLimits, SpeaksAsDingo) {
  RuntimeLimits::Clock::time_point start{};
  RuntimeLimits limits(3600.0, 5, 4, start);
  EXPECT_THAT(limits.reached(8, 20, start + std::chrono::seconds(3599)), IsEmpty());
  EXPECT_FALSE(limits.runEnded(8, start + std::chrono::seconds(3599)));
  EXPECT_THAT(limits.reached(8, 20, start + std::chrono::seconds(3600)),
              ElementsAre("Stop run: Time limit of 3600 s exceeded."));
  EXPECT_TRUE(limits.runEnded(8, start + std::chrono::seconds(3600)));
  EXPECT_THAT(limits.reached(9, 9, start), ElementsAre("Stop run: Epoch limit of 5 per run reached.",
                                                       "Stop run: Total epoch limit of 9 reached."));
  EXPECT_TRUE(limits.runEnded(9, start));
}

TEST(RuntimeLimits, NoneButTheTotal) {
  RuntimeLimits limits(std::nullopt, std::nullopt, 0);
  EXPECT_THAT(limits.reached(8, 9), IsEmpty());
  EXPECT_THAT(limits.reached(9, 9), ElementsAre("Stop run: Total epoch limit of 9 reached."));
  EXPECT_FALSE(limits.runEnded(1000));
}

TEST(StopSignal, RemembersTheSignal) {
  for (auto [number, name] : {std::pair(SIGTERM, "SIGTERM"), {SIGINT, "SIGINT"}, {SIGUSR1, "SIGUSR1"}}) {
    StopSignal signals;
    EXPECT_FALSE(StopSignal::requested());
    std::raise(number);
    EXPECT_TRUE(StopSignal::requested());
    EXPECT_EQ(StopSignal::signalNumber(), number);
    EXPECT_EQ(StopSignal::signalName(), name);
  }
  EXPECT_FALSE(StopSignal::requested());
}

TEST(StopSignalDeathTest, TheSecondOneEndsTheProcess) {
  EXPECT_EXIT(
      {
        StopSignal signals;
        std::raise(SIGTERM);
        std::raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
}

TEST(StopSignal, GivesBackWhatWasThere) {
  {
    StopSignal signals;
  }
  struct sigaction action = {};
  sigaction(SIGTERM, nullptr, &action);
  EXPECT_EQ(action.sa_handler, SIG_DFL);
}

TEST(EarlyStopping, CountsAsDingo) {
  EarlyStopping stopping(2, 0.1);
  EXPECT_TRUE(stopping.update(1.0));
  EXPECT_TRUE(stopping.update(0.9)); // exactly best - delta is not worse
  EXPECT_FALSE(stopping.update(0.85));
  EXPECT_EQ(stopping.count(), 1);
  EXPECT_TRUE(stopping.update(0.7));
  EXPECT_FALSE(stopping.update(0.7));
  EXPECT_FALSE(stopping.shouldStop());
  EXPECT_FALSE(stopping.update(0.7));
  EXPECT_TRUE(stopping.shouldStop());
  EXPECT_EQ(stopping.bestLoss(), 0.7);
}

TEST(EarlyStopping, AnEqualLossIsBetter) {
  EarlyStopping stopping(1);
  EXPECT_TRUE(stopping.update(1.0));
  EXPECT_TRUE(stopping.update(1.0));
  EXPECT_FALSE(stopping.update(1.0000001));
  EXPECT_TRUE(stopping.shouldStop());
}

TEST(EarlyStopping, NotANumberIsNeverBest) {
  EarlyStopping stopping(2);
  EXPECT_FALSE(stopping.update(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_TRUE(stopping.update(5.0));
  EXPECT_EQ(stopping.count(), 0);
  EXPECT_FALSE(stopping.update(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_EQ(stopping.bestLoss(), 5.0);
}

TEST(EarlyStopping, GoesOnAfterAResume) {
  EarlyStopping stopping(2);
  stopping.update(1.0);
  stopping.update(2.0);
  EarlyStopping resumed(2);
  ASSERT_TRUE(resumed.loadState(stopping.state()).isOk());
  EXPECT_EQ(resumed.count(), 1);
  EXPECT_EQ(resumed.bestLoss(), 1.0);
  resumed.update(2.0);
  EXPECT_TRUE(resumed.shouldStop());
  EarlyStopping fresh(2);
  ASSERT_TRUE(fresh.loadState(EarlyStopping(2).state()).isOk());
  EXPECT_TRUE(fresh.update(100.0));
}

} // namespace
