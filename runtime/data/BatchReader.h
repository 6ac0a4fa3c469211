//===- BatchReader.h - reading batches ahead -----------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// A thread reads the batches of an epoch ahead of the training that consumes them. Memory is bounded: `depth`
// buffers are allocated once and reused.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/data/WaveformDataset.h"
#include "runtime/support/Status.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace kowari::data {

/// The stored part of a batch. Valid until it is given back or the reader is destroyed.
struct Batch {
  int64_t number = 0;           ///< 0, 1, ... within the epoch
  int64_t rows = 0;             ///< samples in it; the last batch may be smaller
  std::vector<int64_t> indices; ///< (rows) rows of the data set
  std::vector<float> plus,
      cross; ///< (batch size x rowStride), [re | im] in the first rowWidth() columns, pads zero
  std::vector<float>
      parameters; ///< (batch size x parameterStride): columns of the file's table, in its order
};

struct BatchReaderOptions {
  int64_t batchSize = 0;
  int64_t rowStride = 0;       ///< floats between rows of plus and cross; 0: rowWidth()
  int64_t parameterStride = 0; ///< floats between rows of parameters; 0: number of columns
  int depth = 3;               ///< buffers: how many batches may be read ahead, at least 2
};

class BatchReader {
public:
  /// `dataset` must outlive the reader.
  BatchReader(const WaveformDataset &dataset, BatchReaderOptions options);
  /// Stops reading and joins the thread.
  ~BatchReader();
  BatchReader(const BatchReader &) = delete;
  BatchReader &operator=(const BatchReader &) = delete;

  /// Starts an epoch over `order` (indices of the data set; any may repeat). An epoch under way is abandoned.
  /// All batches handed out before must have been given back.
  void start(std::vector<int64_t> order);
  /// The next batch, waiting for it if necessary; null at the end of the epoch. After an error every further
  /// call gives it again until start().
  Result<Batch *> next();
  /// Gives a batch's buffers back for reading ahead.
  void release(Batch *batch);
  /// Seconds that next() waited in this epoch.
  double waitedSeconds() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace kowari::data
