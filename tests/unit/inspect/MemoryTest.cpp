//===- MemoryTest.cpp - buffers, peaks, pictures ----------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "InspectTesting.h"

#include "frontend/inspect/MemoryReport.h"

using namespace kowari;
using namespace kowari::inspect;
using namespace kowari::inspect::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

struct Expected {
  int64_t begin, end, first, last;
  const char *label;
};

void expectBuffers(const BufferLives &lives, const std::vector<Expected> &expected) {
  ASSERT_EQ(lives.buffers.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const BufferLife &buffer = lives.buffers[i];
    EXPECT_EQ(buffer.begin, expected[i].begin) << i;
    EXPECT_EQ(buffer.end, expected[i].end) << i;
    EXPECT_EQ(buffer.first, expected[i].first) << i;
    EXPECT_EQ(buffer.last, expected[i].last) << i;
    EXPECT_EQ(buffer.label, expected[i].label) << i;
  }
}

BufferLives livesOf(PlanBuilder &plan, int64_t arenaBytes, int64_t persistentBytes) {
  plan.entry("step");
  const auto bytes = plan.finish(8, arenaBytes, persistentBytes);
  const fb::Manifest &manifest = *fb::GetManifest(bytes.data());
  return findBufferLives(manifest, *manifest.entries()->Get(0));
}

TEST(BufferLivesTest, SmallPlan) {
  const auto bytes = smallManifest();
  const fb::Manifest &manifest = *fb::GetManifest(bytes.data());
  const BufferLives lives = findBufferLives(manifest, *manifest.entries()->Get(0));
  expectBuffers(lives, {{1024, 1536, 0, 1, "gemm"},
                        {1536, 2048, 1, 2, "k0_elu"},
                        {1024, 1536, 2, 4, "k1_sums"},
                        {2048, 2112, 2, 2, "k1_sums"},
                        {2112, 2624, 3, 6, "fill"},
                        {2688, 3200, 5, 6, "copy"}});
  constexpr int none = BufferLives::persistent;
  EXPECT_THAT(lives.operands,
              ElementsAre(ElementsAre(none, none, none, 0), ElementsAre(0, 1), ElementsAre(1, 2, 3),
                          ElementsAre(4), ElementsAre(2, none, 4), ElementsAre(none, 5), ElementsAre(4, 5)));
  EXPECT_THAT(lives.outputs, ElementsAre(5));
  EXPECT_EQ(lives.buffers[5].output, "o");
  EXPECT_THAT(lives.liveBytes(), ElementsAre(512, 1024, 1088, 1024, 1024, 1024, 1024));
}

TEST(BufferLivesTest, AWideReadJoinsWhatWasWrittenInParts) {
  PlanBuilder plan;
  const uint32_t use = plan.kernel("use", fb::Lanes::Columns, fb::Chunks::None, 1);
  plan.fill(vector(64, 16), 0);
  plan.fill(vector(128, 16), 0);
  plan.fill(vector(256, 16), 0);
  plan.run(use, 1, 32, {vector(64, 32), vector(0, 1)});
  expectBuffers(livesOf(plan, 512, 64), {{64, 192, 0, 3, "fill"}, {256, 320, 2, 2, "fill"}});
}

TEST(BufferLivesTest, WorkInPlaceGoesOnInTheSameBuffer) {
  PlanBuilder plan;
  const uint32_t scale = plan.kernel("scale", fb::Lanes::Columns, fb::Chunks::None, 1);
  plan.fill(vector(0, 16), 0);
  plan.run(scale, 1, 16, {vector(0, 16), vector(0, 16)});
  plan.fill(vector(0, 16), 1); // nothing of what was there is read: another buffer
  expectBuffers(livesOf(plan, 64, 0), {{0, 64, 0, 1, "fill"}, {0, 64, 2, 2, "fill"}});
}

TEST(BufferLivesTest, BytesFromOutsideLiveFromTheStart) {
  PlanBuilder plan;
  plan.tensor("x", fb::TensorKind::Input, {-1, 4}, rowMajor(0, -1, 4, 4));
  plan.fill(vector(256, 4), 0);
  plan.copy(vector(128, 4), vector(192, 4));
  plan.copy(rowMajor(0, -1, 4, 4), rowMajor(320, -1, 4, 4));
  expectBuffers(livesOf(plan, 512, 0), {{0, 128, 0, 2, "input x"},
                                        {256, 320, 0, 0, "fill"},
                                        {128, 192, 0, 1, "(written by no step)"},
                                        {192, 256, 1, 1, "copy"},
                                        {320, 448, 2, 2, "copy"}});
}

TEST(MemoryReportTest, Peak) {
  const auto bytes = smallManifest();
  const MemoryReport report = reportMemory(*fb::GetManifest(bytes.data()));
  EXPECT_EQ(report.scratchBytes(), 2176);
  using Kind = std::pair<std::string, int64_t>;
  EXPECT_THAT(report.persistentByKind, ElementsAre(Kind("Parameter", 160), Kind("Input", 128)));
  ASSERT_EQ(report.entries.size(), 1u);
  const EntryMemory &entry = report.entries[0];
  EXPECT_EQ(report.highest(), &entry);
  EXPECT_EQ(entry.peakStep, 2);
  EXPECT_EQ(entry.peakBytes, 1024 + 1088);
  EXPECT_THAT(entry.aliveAtPeak, ElementsAre(1, 2, 3));
}

TEST(MemoryReportTest, Text) {
  const auto bytes = smallManifest();
  const std::string text = memoryText(reportMemory(*fb::GetManifest(bytes.data())), 4);
  EXPECT_THAT(text, HasSubstr("  entry step: peak 2.1 kB, of it scratch 1.1 kB in 3 buffers, at step 2 "
                              "(kernel k1_sums rows x 8)\n"
                              "     512 bytes  k0_elu, steps 1-2\n"));
  // Seven steps on at most four lines; 50 columns for the peak of 1088, 47 for 1024.
  EXPECT_THAT(text, HasSubstr("    0-1     1.0 kB " + std::string(47, '#') + "\n    2-3     1.1 kB " +
                              std::string(50, '#') + " <- peak\n"));
  EXPECT_THAT(text, HasSubstr("      6     1.0 kB " + std::string(47, '#') + "\n"));
}

TEST(MemoryReportTest, EmptyPlan) {
  PlanBuilder plan;
  plan.entry("nothing");
  const auto bytes = plan.finish(1, 64, 64);
  const MemoryReport report = reportMemory(*fb::GetManifest(bytes.data()));
  EXPECT_EQ(report.entries[0].peakStep, -1);
  EXPECT_EQ(report.entries[0].peakBytes, 64);
  EXPECT_THAT(memoryText(report), HasSubstr("entry nothing: peak 64 bytes, no steps"));
  EXPECT_THAT(memorySvg(report), HasSubstr("nothing: peak 64 bytes"));
}

size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
    ++found;
  return found;
}

TEST(MemorySvgTest, OneRectangleABuffer) {
  PlanBuilder plan;
  addSmallEntry(plan);
  plan.kernel("a<b>&\"c\"", fb::Lanes::Columns, fb::Chunks::Rows, 1);
  plan.run(2, 1, 4, {vector(1024, 4)});
  plan.entry("other");
  const auto bytes = plan.finish(8, 3200, 1024);
  const std::string svg = memorySvg(reportMemory(*fb::GetManifest(bytes.data())));
  // 6 + 1 buffers, two panels, two marks.
  EXPECT_EQ(count(svg, "<rect "), 11u);
  EXPECT_EQ(count(svg, "</rect>"), 9u);
  EXPECT_THAT(svg, HasSubstr("<title>k0_elu, 512 bytes, steps 1-2</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>a&lt;b&gt;&amp;&quot;c&quot;, 64 bytes, steps 0-0</title>"));
  // y: from step 1 of 7 on, two steps long, in bytes 512 to 1024 of 2176 from the bottom.
  EXPECT_THAT(svg, HasSubstr("<rect x=\"162.86\" y=\"171.65\" width=\"285.71\" height=\"61.18\""));
  EXPECT_EQ(svg.rfind("</svg>\n"), svg.size() - 7);
}

} // namespace
