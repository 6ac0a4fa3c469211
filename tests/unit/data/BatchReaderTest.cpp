//===- BatchReaderTest.cpp - reading ahead --------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/BatchReader.h"

#include "ReferenceFiles.h"

#include <gmock/gmock.h>

#include <numeric>

namespace kowari::data {
namespace {

class BatchReaderTest : public ::testing::TestWithParam<bool> {
protected:
  WaveformDataset dataset = expectValue(
      WaveformDataset::open({.path = referenceFile("datasets/tiny_fd.hdf5"), .leaveOnDisk = GetParam()}));

  /// Checks a batch against rows read directly.
  void expectRows(const Batch &batch, const std::vector<int64_t> &order, const BatchReaderOptions &options) {
    int64_t first = batch.number * options.batchSize, width = dataset.rowWidth();
    ASSERT_EQ(batch.rows, std::min<int64_t>(options.batchSize, order.size() - first));
    std::vector<float> plus(width), cross(width);
    size_t columns = dataset.schema().parameterNames.size();
    for (int64_t k = 0; k < batch.rows; ++k) {
      ASSERT_EQ(batch.indices[k], order[first + k]);
      expectOk(dataset.readRows({&batch.indices[k], 1}, plus.data(), cross.data(), width));
      for (int64_t c = 0; c < options.rowStride; ++c) {
        ASSERT_EQ(batch.plus[k * options.rowStride + c], c < width ? plus[c] : 0.0f);
        ASSERT_EQ(batch.cross[k * options.rowStride + c], c < width ? cross[c] : 0.0f);
      }
      for (int64_t c = 0; c < options.parameterStride; ++c)
        ASSERT_EQ(batch.parameters[k * options.parameterStride + c],
                  c < static_cast<int64_t>(columns) ? dataset.parameters()[batch.indices[k] * columns + c]
                                                    : 0.0f);
    }
  }
};

TEST_P(BatchReaderTest, DeliversEveryEpochInOrder) {
  BatchReaderOptions options{
      .batchSize = 5, .rowStride = dataset.rowWidth() + 6, .parameterStride = 16, .depth = 2};
  BatchReader reader(dataset, options);
  for (int epoch = 0; epoch < 20; ++epoch) {
    std::vector<int64_t> order(12);
    for (size_t k = 0; k < order.size(); ++k)
      order[k] = (k * 7 + epoch) % 12;
    reader.start(order);
    for (int64_t number = 0; number < 3; ++number) {
      Batch *batch = expectValue(reader.next());
      ASSERT_NE(batch, nullptr);
      ASSERT_EQ(batch->number, number);
      expectRows(*batch, order, options);
      reader.release(batch);
    }
    EXPECT_EQ(expectValue(reader.next()), nullptr);
    EXPECT_EQ(expectValue(reader.next()), nullptr);
  }
  EXPECT_GE(reader.waitedSeconds(), 0.0);
}

TEST_P(BatchReaderTest, AnAbandonedEpochLeavesNothingBehind) {
  BatchReaderOptions options{
      .batchSize = 2, .rowStride = dataset.rowWidth(), .parameterStride = 8, .depth = 3};
  BatchReader reader(dataset, options);
  for (int64_t epoch = 0; epoch < 200; ++epoch) {
    std::vector<int64_t> order(12, epoch % 12);
    reader.start(order);
    Batch *batch = expectValue(reader.next());
    expectRows(*batch, order, options);
    ASSERT_EQ(batch->number, 0);
    reader.release(batch);
  } // and the destructor stops in the middle of the last one
}

TEST_P(BatchReaderTest, PassesErrorsOnAndRecovers) {
  BatchReader reader(dataset, {.batchSize = 2});
  reader.start({0, 1, 2, 99});
  Batch *batch = expectValue(reader.next());
  reader.release(batch);
  for (int attempt = 0; attempt < 2; ++attempt)
    EXPECT_THAT(reader.next().status().message(), ::testing::HasSubstr("sample 99 does not exist"));
  reader.start({3});
  batch = expectValue(reader.next());
  ASSERT_NE(batch, nullptr);
  EXPECT_EQ(batch->rows, 1);
  reader.release(batch);
  EXPECT_EQ(expectValue(reader.next()), nullptr);
}

TEST_P(BatchReaderTest, AnEmptyEpochEndsAtOnce) {
  BatchReader reader(dataset, {.batchSize = 4});
  EXPECT_EQ(expectValue(reader.next()), nullptr);
  reader.start({});
  EXPECT_EQ(expectValue(reader.next()), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Places, BatchReaderTest, ::testing::Bool(),
                         [](const auto &info) { return info.param ? "OnDisk" : "InMemory"; });

} // namespace
} // namespace kowari::data
