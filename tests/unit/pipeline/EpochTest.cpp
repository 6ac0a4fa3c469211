//===- EpochTest.cpp - epochs of batches, however they are cut ------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "PipelineTesting.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

namespace kowari::pipeline {
namespace {

constexpr int64_t maxRows = 48;

/// What the network sees of every sample, by its row of the data set.
using Seen = std::map<int64_t, std::vector<double>>;

struct Cut {
  int64_t batchSize;
  int threads;
  bool onDisk;
  bool reversed;
};

Seen runEpoch(const std::string &name, const Cut &cut, int64_t epochNumber, int64_t samples = 100) {
  RecordedBatch recorded(name, cut.onDisk);
  const auto parameters = static_cast<int64_t>(recorded.parameters.size());
  auto program =
      loadProgram(smallSpec(recorded.dataSpec(false), parameters, maxRows, ElementType::F32), cut.threads);
  auto pipeline = expectValue(InputPipeline::create(*program, *recorded.dataset, recorded.options()));
  expectOk(pipeline->startStage(*recorded.asds, cut.batchSize));
  std::vector<int64_t> order(static_cast<size_t>(samples));
  std::iota(order.begin(), order.end(), 0);
  if (cut.reversed)
    std::reverse(order.begin(), order.end());
  expectOk(pipeline->startEpoch(order, epochNumber));
  Seen seen;
  size_t taken = 0;
  const int entry = program->findEntry("prepare");
  const int64_t columns = 3 * recorded.dataset->domain().networkBins();
  while (const int64_t rows = expectValue(pipeline->next())) {
    EXPECT_EQ(rows, std::min<int64_t>(cut.batchSize, samples - static_cast<int64_t>(taken)));
    std::vector<double> table(static_cast<size_t>(rows * parameters));
    expectOk(program->readOutput(entry, theta, std::span<double>(table), rows));
    for (int64_t d = 0; d < recorded.detectors(); ++d) {
      std::vector<double> values(static_cast<size_t>(rows * columns));
      expectOk(program->readOutput(entry, strain(d), std::span<double>(values), rows));
      for (int64_t r = 0; r < rows; ++r) {
        std::vector<double> &of = seen[order[taken + r]];
        if (d == 0)
          of.assign(table.begin() + r * parameters, table.begin() + (r + 1) * parameters);
        of.insert(of.end(), values.begin() + r * columns, values.begin() + (r + 1) * columns);
      }
    }
    taken += static_cast<size_t>(rows);
  }
  EXPECT_EQ(taken, order.size());
  return seen;
}

TEST(Epoch, IsTheSameHoweverItIsCut) {
  const Seen whole = runEpoch("fd", {48, 1, true, false}, 1);
  EXPECT_EQ(whole, runEpoch("fd", {48, 2, true, false}, 1)) << "two threads";
  EXPECT_EQ(whole, runEpoch("fd", {7, 2, true, false}, 1)) << "batches of seven";
  EXPECT_EQ(whole, runEpoch("fd", {33, 2, true, true}, 1)) << "another order";
  EXPECT_EQ(whole, runEpoch("fd", {48, 1, false, false}, 1)) << "waveforms in memory";
  EXPECT_NE(whole, runEpoch("fd", {48, 1, false, false}, 2)) << "another epoch";
}

TEST(Epoch, CompressedWaveformsDifferByRoundingAlone) {
  // The product with the basis may add up in another order for another number of rows.
  const Seen whole = runEpoch("svd_domain_update_size_update", {48, 1, true, false}, 1);
  const Seen parts = runEpoch("svd_domain_update_size_update", {7, 2, false, true}, 1);
  ASSERT_EQ(whole.size(), parts.size());
  for (const auto &[sample, values] : whole)
    EXPECT_LT(data::relativeDifference(parts.at(sample), values), 1e-6) << "sample " << sample;
}

TEST(Epoch, StopsAndStartsAgain) {
  RecordedBatch recorded("fd");
  auto program = loadProgram(smallSpec(
      recorded.dataSpec(false), static_cast<int64_t>(recorded.parameters.size()), maxRows, ElementType::F32));
  auto pipeline = expectValue(InputPipeline::create(*program, *recorded.dataset, recorded.options()));
  expectOk(pipeline->startStage(*recorded.asds, 10));
  expectOk(pipeline->startEpoch({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 1));
  EXPECT_EQ(expectValue(pipeline->next()), 10);
  expectOk(pipeline->startEpoch({3, 2, 3}, 2)); // in the middle of the first
  EXPECT_EQ(expectValue(pipeline->next()), 3);
  EXPECT_EQ(expectValue(pipeline->next()), 0);
  EXPECT_EQ(expectValue(pipeline->next()), 0);
  expectOk(pipeline->startStage(*recorded.asds, 2)); // a second stage
  expectOk(pipeline->startEpoch({0, 1, 2}, 3));
  EXPECT_EQ(expectValue(pipeline->next()), 2);
  EXPECT_EQ(expectValue(pipeline->next()), 1);
  EXPECT_EQ(expectValue(pipeline->next()), 0);
  EXPECT_GE(pipeline->waitedSeconds(), 0.0);
}

} // namespace
} // namespace kowari::pipeline
