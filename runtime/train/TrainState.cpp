//===- TrainState.cpp - a program's weights as a model file's -------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/TrainState.h"

#include "runtime/train/Initializers.h"

#include <algorithm>
#include <cstring>

namespace kowari::train {

using plan::TensorInfo;
using plan::TensorKind;

namespace {

const std::string transformsPrefix = "flow._transform._transforms.";
/// What follows the step's number in the first tensor of its conditioner.
const std::string conditionerStart = "._transforms.1.transform_net.initial_layer.";

ScalarType scalarType(plan::DType dtype) {
  switch (dtype) {
  case plan::DType::F32:
    return ScalarType::Float32;
  case plan::DType::F64:
    return ScalarType::Float64;
  case plan::DType::I32:
    return ScalarType::Int32;
  case plan::DType::I64:
    break;
  }
  return ScalarType::Int64;
}

/// Strides of the tensor's own dimensions within its two-dimensional view.
std::vector<int64_t> stridesOf(const TensorInfo &tensor) {
  switch (tensor.shape.size()) {
  case 0:
    return {};
  case 1:
    return {tensor.view.stride0};
  default:
    return {tensor.view.stride0, tensor.view.stride1};
  }
}

bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// The number of the flow step whose conditioner `name` belongs to, -1 for any other tensor.
int64_t couplingStep(const std::string &name) {
  if (name.rfind(transformsPrefix, 0) != 0)
    return -1;
  const size_t digits = name.find_first_not_of("0123456789", transformsPrefix.size());
  if (digits == std::string::npos || name.compare(digits, conditionerStart.size(), conditionerStart) != 0)
    return -1;
  return std::stoll(name.substr(transformsPrefix.size(), digits - transformsPrefix.size()));
}

Initializer initializerOf(const TensorInfo &tensor) {
  switch (tensor.init) {
  case plan::InitKind::Uniform:
    return Initializer::uniform(-tensor.initValue, tensor.initValue);
  case plan::InitKind::Permutation:
    return Initializer::permutation();
  case plan::InitKind::Fill:
  case plan::InitKind::None:
    break;
  }
  return Initializer::constant(tensor.init == plan::InitKind::Fill ? tensor.initValue : 0.0);
}

/// Constants of the input pipeline are the program's, but not the network's.
bool isInStateDict(const TensorInfo &tensor) {
  return tensor.kind == TensorKind::Parameter || endsWith(tensor.name, ".running_mean") ||
         endsWith(tensor.name, ".running_var") || endsWith(tensor.name, "._permutation");
}

} // namespace

TrainState::TrainState(plan::Program &owner) : program(owner) {
  int64_t inputDim = 0;
  for (const TensorInfo &tensor : program.tensors())
    if (endsWith(tensor.name, "._permutation"))
      inputDim = tensor.shape.at(0);
  int64_t lastStep = -1;
  for (const TensorInfo &tensor : program.tensors()) {
    if (!isInStateDict(tensor))
      continue;
    if (int64_t step = couplingStep(tensor.name); step > lastStep) {
      addIndexBuffers(transformsPrefix + std::to_string(step) + "._transforms.1.", step, inputDim);
      lastStep = step;
    }
    entries.push_back({tensor.name, &tensor, {}, nullptr, false});
    if (tensor.kind == TensorKind::Parameter)
      parameters.push_back(&tensor);
    const std::string variance = "running_var";
    if (endsWith(tensor.name, variance)) {
      std::string name = tensor.name.substr(0, tensor.name.size() - variance.size()) + "num_batches_tracked";
      entries.push_back({name, nullptr, {}, std::make_shared<std::vector<int64_t>>(1, 0), true});
    }
  }
}

void TrainState::addIndexBuffers(const std::string &prefix, int64_t step, int64_t inputDim) {
  auto identity = std::make_shared<std::vector<int64_t>>();
  auto transformed = std::make_shared<std::vector<int64_t>>();
  for (int64_t feature = 0; feature < inputDim; ++feature)
    (feature % 2 == step % 2 || inputDim == 1 ? transformed : identity)->push_back(feature);
  for (const auto &[name, buffer] :
       {std::pair("identity_features", identity), {"transform_features", transformed}})
    entries.push_back({prefix + name, nullptr, {static_cast<int64_t>(buffer->size())}, buffer, false});
}

HostTensor TrainState::view(const TensorInfo &tensor) const {
  return HostTensor::view(scalarType(tensor.view.dtype), tensor.shape, program.data(tensor.view),
                          stridesOf(tensor));
}

Status TrainState::initialize(uint64_t seed) {
  for (const Entry &entry : entries) {
    if (!entry.tensor) {
      if (entry.counter)
        entry.buffer->front() = 0;
      continue;
    }
    HostTensor values = HostTensor::zeros(scalarType(entry.tensor->view.dtype), entry.tensor->shape);
    KOWARI_TRY(train::initialize(initializerOf(*entry.tensor), seed, entry.name, values.type(),
                                 values.count(), values.mutableData()));
    KOWARI_TRY(values.copyTo(program.data(entry.tensor->view), values.type(), stridesOf(*entry.tensor)));
  }
  return Status::ok();
}

std::vector<ExpectedTensor> TrainState::expected() const {
  std::vector<ExpectedTensor> list;
  for (const Entry &entry : entries) {
    const bool isInteger = !entry.tensor || entry.tensor->view.dtype == plan::DType::I64;
    list.push_back({entry.name, entry.tensor ? entry.tensor->shape : entry.shape, isInteger});
  }
  return list;
}

std::vector<NamedTensor> TrainState::stateDict() const {
  std::vector<NamedTensor> dict;
  for (const Entry &entry : entries)
    dict.push_back(
        {entry.name, entry.tensor ? view(*entry.tensor)
                                  : HostTensor::view(ScalarType::Int64, entry.shape, entry.buffer->data())});
  return dict;
}

Status TrainState::loadWeights(const ModelFile &file, const std::string &path) {
  KOWARI_TRY(file.checkNetwork(expected(), path));
  for (const Entry &entry : entries) {
    if (entry.tensor || entry.counter)
      continue;
    std::vector<int64_t> stored(entry.buffer->size());
    KOWARI_TRY(file.find(entry.name)->copyTo(stored.data(), ScalarType::Int64));
    if (stored != *entry.buffer)
      return Status::error(path + ": " + entry.name +
                           " holds another choice of features than a coupling flow of Dingo has");
  }
  for (const Entry &entry : entries) {
    const HostTensor &stored = *file.find(entry.name);
    Status copied = Status::ok();
    if (entry.tensor)
      copied = stored.copyTo(program.data(entry.tensor->view), scalarType(entry.tensor->view.dtype),
                             stridesOf(*entry.tensor));
    else if (entry.counter)
      copied = stored.copyTo(entry.buffer->data(), ScalarType::Int64);
    KOWARI_TRY(std::move(copied).withContext(path + ": " + entry.name));
  }
  return Status::ok();
}

void TrainState::countBatch() {
  for (Entry &entry : entries)
    if (entry.counter)
      ++entry.buffer->front();
}

Status TrainState::clearOptimizer() {
  for (const TensorInfo &tensor : program.tensors())
    if (tensor.kind == TensorKind::OptimizerState) {
      HostTensor zeros = HostTensor::zeros(scalarType(tensor.view.dtype), tensor.shape);
      KOWARI_TRY(zeros.copyTo(program.data(tensor.view), zeros.type(), stridesOf(tensor)));
    }
  return Status::ok();
}

static bool trains(const TensorInfo &parameter, int stage) {
  return static_cast<size_t>(stage) < parameter.trainable.size() && parameter.trainable[stage];
}

OptimizerState TrainState::optimizerState(const OptimizerOptions &options, int stage, int64_t steps) const {
  OptimizerState result;
  result.options = options;
  result.parameterCount = static_cast<int64_t>(parameters.size());
  const std::vector<std::string> buffers = options.bufferNames();
  const bool hasState = options.type != OptimizerType::Sgd || !buffers.empty();
  for (size_t i = 0; i < parameters.size() && steps > 0 && hasState; ++i) {
    if (!trains(*parameters[i], stage))
      continue;
    ParameterState &state = result.state[static_cast<int64_t>(i)];
    state.step = static_cast<double>(steps);
    for (const std::string &buffer : buffers)
      if (const TensorInfo *tensor = program.findTensor(buffer + "/" + parameters[i]->name))
        state.buffers[buffer] = view(*tensor);
  }
  return result;
}

Result<int64_t> TrainState::loadOptimizer(const OptimizerState &saved, const OptimizerOptions &options,
                                          int stage, const std::string &path) {
  if (saved.parameterCount != static_cast<int64_t>(parameters.size()))
    return Status::error(path + ": the optimizer's state is of " + std::to_string(saved.parameterCount) +
                         " parameters, the network has " + std::to_string(parameters.size()));
  KOWARI_TRY(clearOptimizer());
  std::optional<int64_t> steps;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const auto found = saved.state.find(static_cast<int64_t>(i));
    if (found == saved.state.end() || !trains(*parameters[i], stage))
      continue;
    const int64_t seen = static_cast<int64_t>(found->second.step);
    if (steps && *steps != seen)
      return Status::error(path + ": parameters were updated different numbers of times (" +
                           std::to_string(*steps) + " and " + std::to_string(seen) +
                           "), which a stage of Dingo never does");
    steps = seen;
    for (const std::string &buffer : options.bufferNames()) {
      const std::string name = buffer + "/" + parameters[i]->name;
      const TensorInfo *tensor = program.findTensor(name);
      const auto stored = found->second.buffers.find(buffer);
      if (!tensor || stored == found->second.buffers.end())
        return Status::error(path + ": the optimizer's state lacks " + name +
                             "; the checkpoint is of another optimizer");
      if (stored->second.shape() != tensor->shape)
        return Status::error(path + ": " + name + " has shape " + shapeToString(stored->second.shape()) +
                             ", the network needs " + shapeToString(tensor->shape));
      KOWARI_TRY(stored->second
                     .copyTo(program.data(tensor->view), scalarType(tensor->view.dtype), stridesOf(*tensor))
                     .withContext(path + ": " + name));
    }
  }
  return steps.value_or(0);
}

int64_t TrainState::parameterCount() const {
  int64_t count = 0;
  for (const TensorInfo *parameter : parameters)
    count += elementCount(parameter->shape);
  return count;
}

int64_t TrainState::trainableCount(int stage) const {
  int64_t count = 0;
  for (const TensorInfo *parameter : parameters)
    if (trains(*parameter, stage))
      count += elementCount(parameter->shape);
  return count;
}

} // namespace kowari::train
