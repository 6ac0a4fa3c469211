//===- RunRecordTest.cpp ----------------------------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/RunRecord.h"

#include "runtime/train/EarlyStopping.h"

#include <gmock/gmock.h>

using namespace kowari;
using namespace kowari::train;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

RunRecord example() {
  RunRecord record;
  record.version = "0.1.0";
  record.seed = ~uint64_t(0) - 5; // beyond a signed integer
  record.precision = "32-true";
  record.cpuLevel = "x86-64-v3";
  record.threads = 2;
  record.libraries = {{"oneDNN", "3.8"}, {"OpenBLAS", "0.3.21"}};
  record.stage = 1;
  record.earlyStopping = EarlyStopping(3).state();
  return record;
}

TEST(RunRecord, SurvivesARoundTrip) {
  Result<RunRecord> read = RunRecord::fromValue(example().toValue());
  ASSERT_TRUE(read.isOk()) << read.status().message();
  EXPECT_EQ(read->toValue(), example().toValue());
  EXPECT_EQ(read->seed, example().seed);
  EXPECT_THAT(example().changesSince(*read), IsEmpty());
}

TEST(RunRecord, KeepsThePartialEpochToTheLastDigit) {
  RunRecord record = example();
  EXPECT_FALSE(RunRecord::fromValue(record.toValue())->partialEpoch.has_value());
  record.partialEpoch = PartialEpoch{17, 0.1 + 0.2, 1088.0};
  const Result<RunRecord> read = RunRecord::fromValue(record.toValue());
  ASSERT_TRUE(read.isOk() && read->partialEpoch.has_value());
  EXPECT_EQ(read->partialEpoch->batches, 17);
  EXPECT_EQ(read->partialEpoch->lossSum, 0.1 + 0.2);
  EXPECT_EQ(read->partialEpoch->lossWeight, 1088.0);
  Value value = record.toValue();
  value.asDict()["partial_epoch"].asDict()["batches"] = "many";
  EXPECT_THAT(RunRecord::fromValue(value).status().message(), HasSubstr("metadata.kowari.partial_epoch"));
}

TEST(RunRecord, AnnouncesWhatChangesDigits) {
  RunRecord now = example();
  now.cpuLevel = "x86-64-v4";
  now.libraries[0].second = "3.9";
  now.seed = 7;
  now.stage = 2; // no matter of digits
  EXPECT_THAT(now.changesSince(example()),
              ElementsAre(HasSubstr("CPU level x86-64-v3, this run has x86-64-v4"), HasSubstr("oneDNN 3.8"),
                          HasSubstr("this run has seed 7")));
}

TEST(RunRecord, NewerEntriesPassAndWrongOnesDoNot) {
  Value value = example().toValue();
  value.asDict()["later"] = 1;
  EXPECT_TRUE(RunRecord::fromValue(value).isOk());
  value.asDict()["threads"] = "two";
  EXPECT_THAT(RunRecord::fromValue(value).status().message(), HasSubstr("metadata.kowari.threads"));
  EXPECT_FALSE(RunRecord::fromValue(Value(3)).isOk());
}

} // namespace
