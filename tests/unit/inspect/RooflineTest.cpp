//===- RooflineTest.cpp - predicted times -----------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "InspectTesting.h"

#include "frontend/inspect/Roofline.h"

#include <set>

using namespace kowari;
using namespace kowari::inspect;
using namespace kowari::inspect::test;
using testing::HasSubstr;

namespace {

// Round rates, so that expected times are sums that can be read.
constexpr Device simple = {"simple", "a test", 1e9, 5e8, 2e9, 1e9, 1e8, 1e-6};

const GroupTime &group(const EntryTime &entry, const std::string &name) {
  for (const GroupTime &time : entry.groups)
    if (time.group == name)
      return time;
  static const GroupTime none;
  ADD_FAILURE() << "no group " << name;
  return none;
}

TEST(RooflineTest, SmallPlan) {
  const auto bytes = smallManifest();
  const RooflineReport report = predict(*fb::GetManifest(bytes.data()), simple, 8);
  ASSERT_EQ(report.entries.size(), 1u);
  const EntryTime &entry = report.entries[0];
  ASSERT_EQ(entry.groups.size(), 4u);

  // 2 m n k = 512 both times; a, b, bias, c once each, then a, b, and c twice. Memory bounds both.
  const GroupTime &gemm = group(entry, "gemm");
  EXPECT_EQ(gemm.steps, 2);
  EXPECT_DOUBLE_EQ(gemm.flops, 512 + 512);
  EXPECT_DOUBLE_EQ(gemm.bytes, (128 + 128 + 32 + 256) + (256 + 128 + 2 * 128));
  EXPECT_DOUBLE_EQ(gemm.seconds, 2e-6 + (544 + 640) / 1e8);
  EXPECT_DOUBLE_EQ(gemm.computeSeconds, 0);

  const GroupTime &elementwise = group(entry, "elementwise");
  EXPECT_DOUBLE_EQ(elementwise.flops, 8 * 8 * 4);
  EXPECT_DOUBLE_EQ(elementwise.seconds, 1e-6 + 512 / 1e8);

  // 64 points of 4e5 operations at 2 Gflop/s: arithmetic bounds.
  const GroupTime &norm = group(entry, "norm");
  EXPECT_DOUBLE_EQ(norm.bytes, 256 + 256 + 32);
  EXPECT_DOUBLE_EQ(norm.computeSeconds, 0.0128);
  EXPECT_DOUBLE_EQ(norm.seconds, 0.0128 + 1e-6);

  const GroupTime &copy = group(entry, "copy");
  EXPECT_EQ(copy.steps, 3);
  EXPECT_DOUBLE_EQ(copy.flops, 0);
  EXPECT_DOUBLE_EQ(copy.seconds, 3e-6 + (128 + 256 + 256) / 1e8);

  EXPECT_EQ(entry.groups[0].group, "norm") << "slowest first";
  EXPECT_EQ(entry.total.steps, 7);
  EXPECT_DOUBLE_EQ(entry.total.launchSeconds, 7e-6);
  EXPECT_NEAR(entry.total.seconds, 0.0128 + 7e-6 + (544 + 640 + 512 + 640) / 1e8, 1e-15);
}

TEST(RooflineTest, RowsOfTheCallCount) {
  const auto bytes = smallManifest();
  const RooflineReport report = predict(*fb::GetManifest(bytes.data()), simple, 2, "step");
  EXPECT_DOUBLE_EQ(group(report.entries[0], "gemm").flops, (512 + 512) / 4);
  EXPECT_DOUBLE_EQ(group(report.entries[0], "gemm").bytes, (32 + 128 + 32 + 64) + (64 + 128 + 2 * 32));
  EXPECT_TRUE(predict(*fb::GetManifest(bytes.data()), simple, 2, "absent").entries.empty());
}

TEST(RooflineTest, Float64HasItsOwnPeak) {
  PlanBuilder plan;
  const fb::View a(0, 64, 64, 64, 1, fb::DType::F64);
  plan.gemm(a, a, fb::View(32768, 64, 64, 64, 1, fb::DType::F64));
  plan.entry("step");
  const auto bytes = plan.finish(1, 65536, 0);
  const Device slow = {"slow", "", 1e6, 5e5, 1e6, 1e6, 1e12, 0};
  EXPECT_DOUBLE_EQ(predict(*fb::GetManifest(bytes.data()), slow, 1).entries[0].total.seconds,
                   2.0 * 64 * 64 * 64 / 5e5);
}

TEST(RooflineTest, MarksAreFree) {
  PlanBuilder plan;
  plan.step(fb::StepKind::RecordStep, fb::CreateRecordStep(plan.builder, 0, 1), "record");
  plan.step(fb::StepKind::WaitStep, fb::CreateWaitStep(plan.builder, 0, 0), "wait");
  plan.entry("step");
  const auto bytes = plan.finish(1, 0, 0);
  const EntryTime entry = predict(*fb::GetManifest(bytes.data()), simple, 1).entries[0];
  EXPECT_EQ(entry.total.steps, 2);
  EXPECT_EQ(entry.total.seconds, 0);
}

TEST(RooflineTest, TextSaysThatItIsAPrediction) {
  const auto bytes = smallManifest();
  const RooflineReport report = predict(*fb::GetManifest(bytes.data()), simple, 8);
  EXPECT_THAT(rooflineText(report), HasSubstr("roofline on simple (a test): a prediction for 8 rows, not a "
                                              "measurement\n"));
  EXPECT_THAT(rooflineText(report), HasSubstr("entry step: predicted 12.830 ms\n"));
  EXPECT_EQ(rooflineValue(report).find("kind")->asString(), "prediction");
}

TEST(DevicesTest, RatesArePlausible) {
  std::set<std::string> names;
  for (const Device &device : devices()) {
    EXPECT_TRUE(names.insert(device.name).second) << device.name;
    EXPECT_EQ(findDevice(device.name), &device);
    EXPECT_GE(device.productF32, device.productF64);
    EXPECT_GE(device.vectorF32, device.vectorF64);
    // Between one operation and a few hundred a byte of memory traffic; launches take microseconds.
    EXPECT_GT(device.productF64 / device.bandwidth, 1) << device.name;
    EXPECT_LT(device.productF32 / device.bandwidth, 300) << device.name;
    EXPECT_GT(device.launchSeconds, 1e-7);
    EXPECT_LT(device.launchSeconds, 1e-5);
  }
  EXPECT_EQ(findDevice("h300"), nullptr);
  EXPECT_EQ(deviceNames(), "generic, avx2-2c, zen4-16c, a100, h100, h200");
}

} // namespace
