//===- BatchReader.cpp - reading batches ahead ----------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/BatchReader.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

namespace kowari::data {

struct BatchReader::State {
  const WaveformDataset &dataset;
  BatchReaderOptions options;
  std::vector<Batch> buffers;

  std::mutex mutex; // guards everything below
  std::condition_variable changed;
  std::deque<Batch *> free, ready;
  std::vector<int64_t> order;
  int64_t epoch = 0;     // counts start(); a batch read for an abandoned one is dropped
  int64_t planned = 0;   // batches handed to the thread, in this epoch
  int64_t delivered = 0; // batches given out by next()
  Status failure = Status::ok();
  bool stop = false;
  double waited = 0.0;

  std::thread thread;

  State(const WaveformDataset &source, const BatchReaderOptions &chosen) : dataset(source), options(chosen) {}
  int64_t batches() const {
    return (static_cast<int64_t>(order.size()) + options.batchSize - 1) / options.batchSize;
  }
  void takeIndices(Batch &batch);
  Status fill(Batch &batch) const;
  void run();
};

void BatchReader::State::takeIndices(Batch &batch) {
  int64_t first = planned * options.batchSize;
  batch.number = planned++;
  batch.rows = std::min(options.batchSize, static_cast<int64_t>(order.size()) - first);
  batch.indices.assign(order.begin() + first, order.begin() + first + batch.rows);
}

Status BatchReader::State::fill(Batch &batch) const {
  KOWARI_TRY(dataset.readRows(batch.indices, batch.plus.data(), batch.cross.data(), options.rowStride));
  std::span<const float> table = dataset.parameters();
  size_t width = dataset.schema().parameterNames.size();
  for (int64_t k = 0; k < batch.rows; ++k)
    std::memcpy(batch.parameters.data() + k * options.parameterStride,
                table.data() + batch.indices[k] * width, width * sizeof(float));
  return Status::ok();
}

void BatchReader::State::run() {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [&] { return stop || (failure.isOk() && planned < batches() && !free.empty()); });
    if (stop)
      return;
    Batch *batch = free.front();
    free.pop_front();
    takeIndices(*batch);
    int64_t startedIn = epoch;
    lock.unlock();
    Status filled = fill(*batch);
    lock.lock();
    bool current = startedIn == epoch;
    (filled.isOk() && current ? ready : free).push_back(batch);
    if (!filled.isOk() && current)
      failure = std::move(filled);
    changed.notify_all();
  }
}

BatchReader::BatchReader(const WaveformDataset &dataset, BatchReaderOptions options) {
  int64_t width = dataset.rowWidth(), columns = static_cast<int64_t>(dataset.schema().parameterNames.size());
  options.rowStride = options.rowStride == 0 ? width : options.rowStride;
  options.parameterStride = options.parameterStride == 0 ? columns : options.parameterStride;
  assert(options.batchSize > 0 && options.depth >= 2);
  assert(options.rowStride >= width && options.parameterStride >= columns);
  state = std::make_unique<State>(dataset, options);
  state->buffers.resize(static_cast<size_t>(options.depth));
  for (Batch &batch : state->buffers) {
    batch.plus.resize(static_cast<size_t>(options.batchSize * options.rowStride));
    batch.cross.resize(batch.plus.size());
    batch.parameters.resize(static_cast<size_t>(options.batchSize * options.parameterStride));
    batch.indices.reserve(static_cast<size_t>(options.batchSize));
    state->free.push_back(&batch);
  }
  state->thread = std::thread([raw = state.get()] { raw->run(); });
}

BatchReader::~BatchReader() {
  {
    std::lock_guard lock(state->mutex);
    state->stop = true;
  }
  state->changed.notify_all();
  state->thread.join();
}

void BatchReader::start(std::vector<int64_t> order) {
  {
    std::lock_guard lock(state->mutex);
    ++state->epoch;
    state->free.insert(state->free.end(), state->ready.begin(), state->ready.end());
    state->ready.clear();
    state->order = std::move(order);
    state->planned = state->delivered = 0;
    state->failure = Status::ok();
    state->waited = 0.0;
  }
  state->changed.notify_all();
}

Result<Batch *> BatchReader::next() {
  std::unique_lock lock(state->mutex);
  auto begin = std::chrono::steady_clock::now();
  state->changed.wait(lock, [&] {
    return !state->ready.empty() || !state->failure.isOk() || state->delivered == state->batches();
  });
  state->waited += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!state->ready.empty()) {
    Batch *batch = state->ready.front();
    state->ready.pop_front();
    ++state->delivered;
    return batch;
  }
  if (!state->failure.isOk())
    return state->failure;
  return static_cast<Batch *>(nullptr);
}

void BatchReader::release(Batch *batch) {
  {
    std::lock_guard lock(state->mutex);
    state->free.push_back(batch);
  }
  state->changed.notify_all();
}

double BatchReader::waitedSeconds() const {
  std::lock_guard lock(state->mutex);
  return state->waited;
}

} // namespace kowari::data
