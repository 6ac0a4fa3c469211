//===- InputPipeline.cpp - batches for a compiled program -----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/pipeline/InputPipeline.h"

#include "runtime/pipeline/TensorNames.h"

#include <algorithm>

namespace kowari::pipeline {

namespace {

/// A column of the file's table that is a parameter of the network.
struct StoredColumn {
  plan::View target; ///< rows x 1
  int64_t column;
};

} // namespace

struct InputPipeline::State {
  plan::Program &program;
  const data::WaveformDataset &dataset;
  int drawEntry = -1, prepareEntry = -1;
  int64_t batchSize = 0;
  plan::View plus{}, cross{};
  std::optional<plan::View> samples; ///< absent if nothing is drawn from it
  std::vector<StoredColumn> columns;
  std::unique_ptr<data::BatchReader> reader;

  State(plan::Program &target, const data::WaveformDataset &source) : program(target), dataset(source) {}
  Status findTensors(const InputPipelineOptions &options);
  Status findColumns(const InputPipelineOptions &options);
  Status prepareEntries(int64_t samples);
  void writePolarization(const plan::View &target, const float *rows, int64_t count, int64_t stride);
  template <class T>
  void copyPolarization(T *target, const plan::View &view, const float *rows, int64_t count,
                        int64_t stride) const;
  void writeParameters(const float *table, int64_t count, int64_t stride);
  void writeSamples(std::span<const int64_t> indices);
};

Status InputPipeline::State::findColumns(const InputPipelineOptions &options) {
  const std::vector<std::string> &names = dataset.schema().parameterNames;
  for (size_t p = 0; p < options.parameters.size(); ++p) {
    const plan::TensorInfo *input =
        program.findEntryTensor(prepareEntry, storedParameter(static_cast<int64_t>(p)));
    if (!input)
      continue;
    const auto found = std::find(names.begin(), names.end(), options.parameters[p]);
    if (found == names.end())
      return Status::error("parameter " + options.parameters[p] + " is no column of " + dataset.path());
    columns.push_back({input->view, found - names.begin()});
  }
  return Status::ok();
}

Status InputPipeline::State::findTensors(const InputPipelineOptions &options) {
  drawEntry = program.findEntry("draw");
  prepareEntry = program.findEntry("prepare");
  if (drawEntry < 0 || prepareEntry < 0)
    return Status::error("the program has no entries draw and prepare; compile it from training settings");
  for (const auto &[name, view] : {std::pair{plusRows, &plus}, {crossRows, &cross}}) {
    const plan::TensorInfo *input = program.findEntryTensor(prepareEntry, name);
    const int64_t bins =
        dataset.schema().compressed() ? dataset.schema().svdSize : dataset.domain().networkBins();
    if (!input || input->view.dim1 != 2 * bins)
      return Status::error(std::string("the program's input ") + name + " does not hold the " +
                           std::to_string(bins) +
                           " complex numbers of a sample; compile it again for these settings");
    *view = input->view;
  }
  if (const plan::TensorInfo *input = program.findEntryTensor(drawEntry, sampleIndex))
    samples = input->view;
  return findColumns(options);
}

/// Stored rows are [re | im]; uncompressed ones start below the bins that the network sees.
template <class T>
void InputPipeline::State::copyPolarization(T *target, const plan::View &view, const float *rows,
                                            int64_t count, int64_t stride) const {
  const int64_t width = view.dim1 / 2, stored = dataset.rowWidth() / 2, first = stored - width;
  for (int64_t r = 0; r < count; ++r)
    for (int64_t part = 0; part < 2; ++part)
      std::copy_n(rows + r * stride + part * stored + first, width, target + r * view.stride0 + part * width);
}

void InputPipeline::State::writePolarization(const plan::View &target, const float *rows, int64_t count,
                                             int64_t stride) {
  if (target.dtype == plan::DType::F32)
    copyPolarization(static_cast<float *>(program.data(target)), target, rows, count, stride);
  else
    copyPolarization(static_cast<double *>(program.data(target)), target, rows, count, stride);
}

void InputPipeline::State::writeParameters(const float *table, int64_t count, int64_t stride) {
  for (const StoredColumn &stored : columns) {
    float *target = static_cast<float *>(program.data(stored.target));
    for (int64_t r = 0; r < count; ++r)
      target[r * stored.target.stride0] = table[r * stride + stored.column];
  }
}

void InputPipeline::State::writeSamples(std::span<const int64_t> indices) {
  if (samples)
    std::copy(indices.begin(), indices.end(), static_cast<int64_t *>(program.data(*samples)));
}

InputPipeline::InputPipeline(std::unique_ptr<State> content) : state(std::move(content)) {}
InputPipeline::~InputPipeline() = default;

Result<std::unique_ptr<InputPipeline>> InputPipeline::create(plan::Program &program,
                                                             const data::WaveformDataset &dataset,
                                                             const InputPipelineOptions &options) {
  KOWARI_TRY(writeDataConstants(program, dataset, options));
  auto state = std::make_unique<State>(program, dataset);
  KOWARI_TRY(state->findTensors(options));
  return std::unique_ptr<InputPipeline>(new InputPipeline(std::move(state)));
}

Status InputPipeline::startStage(const data::AsdDataset &asds, int64_t batchSize) {
  if (batchSize < 1 || batchSize > state->program.maxRows())
    return Status::error("a batch of " + std::to_string(batchSize) +
                         " samples; the program was compiled for 1 to " +
                         std::to_string(state->program.maxRows()));
  KOWARI_TRY(writeNoiseConstants(state->program, state->dataset.domain(), asds));
  state->reader.reset();
  state->reader =
      std::make_unique<data::BatchReader>(state->dataset, data::BatchReaderOptions{.batchSize = batchSize});
  state->batchSize = batchSize;
  return Status::ok();
}

/// Makes what the entries need for these row counts, so that the first batch is as fast as the others.
Status InputPipeline::State::prepareEntries(int64_t samples) {
  const int64_t last = samples % batchSize;
  std::vector<int64_t> counts;
  if (samples >= batchSize)
    counts.push_back(batchSize);
  if (last > 0)
    counts.push_back(last);
  KOWARI_TRY(program.prepare(drawEntry, counts));
  return program.prepare(prepareEntry, counts);
}

Status InputPipeline::startEpoch(std::vector<int64_t> order, int64_t epochNumber) {
  if (!state->reader)
    return Status::error("an epoch was started before its stage: the input pipeline has no noise curves");
  KOWARI_TRY(state->prepareEntries(static_cast<int64_t>(order.size())));
  KOWARI_TRY(state->program.write(epoch, std::span<const int64_t>(&epochNumber, 1)));
  state->reader->start(std::move(order));
  return Status::ok();
}

Result<int64_t> InputPipeline::next() {
  if (!state->reader)
    return Status::error("a batch was asked for before its stage was started");
  KOWARI_ASSIGN(data::Batch * batch, state->reader->next());
  if (!batch)
    return int64_t{0};
  const int64_t rows = batch->rows, width = state->dataset.rowWidth();
  state->writePolarization(state->plus, batch->plus.data(), rows, width);
  state->writePolarization(state->cross, batch->cross.data(), rows, width);
  state->writeParameters(batch->parameters.data(), rows,
                         static_cast<int64_t>(state->dataset.schema().parameterNames.size()));
  state->writeSamples(batch->indices);
  state->reader->release(batch);
  KOWARI_TRY(draw(rows));
  KOWARI_TRY(prepare(rows));
  return rows;
}

double InputPipeline::waitedSeconds() const { return state->reader ? state->reader->waitedSeconds() : 0.0; }

Status InputPipeline::load(std::span<const int64_t> samples) {
  const auto rows = static_cast<int64_t>(samples.size());
  if (rows < 1 || rows > state->program.maxRows())
    return Status::error("cannot load " + std::to_string(rows) +
                         " samples; the program was compiled for 1 to " +
                         std::to_string(state->program.maxRows()));
  const int64_t width = state->dataset.rowWidth();
  std::vector<float> plus(static_cast<size_t>(rows * width)), cross(plus.size());
  KOWARI_TRY(state->dataset.readRows(samples, plus.data(), cross.data(), width));
  state->writePolarization(state->plus, plus.data(), rows, width);
  state->writePolarization(state->cross, cross.data(), rows, width);
  const auto stride = static_cast<int64_t>(state->dataset.schema().parameterNames.size());
  std::vector<float> table;
  for (const int64_t sample : samples) {
    const std::span<const float> row = state->dataset.parameters().subspan(sample * stride, stride);
    table.insert(table.end(), row.begin(), row.end());
  }
  state->writeParameters(table.data(), rows, stride);
  state->writeSamples(samples);
  return Status::ok();
}

Status InputPipeline::draw(int64_t rows) {
  return state->program.run(state->drawEntry, rows).withContext("draw");
}

Status InputPipeline::prepare(int64_t rows) {
  return state->program.run(state->prepareEntry, rows).withContext("prepare");
}

} // namespace kowari::pipeline
