//===- ModelFileWriter.cpp - models as Dingo saves them -------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/ModelFile.h"
#include "runtime/train/PickleConversion.h"
#include "runtime/train/TorchArchive.h"

#include <algorithm>
#include <deque>

namespace kowari::train {

namespace {

/// Turns tensors into pickle entries and lists the memory that has to be written for them.
class ArchiveContent {
public:
  PickleValue tensor(const HostTensor &tensor) {
    PickleTensor entry;
    entry.type = tensor.type();
    entry.shape = tensor.shape();
    entry.strides.resize(entry.shape.size());
    int64_t stride = 1;
    for (size_t i = entry.shape.size(); i-- > 0;) {
      entry.strides[i] = stride;
      stride *= std::max<int64_t>(entry.shape[i], 1);
    }
    entry.storageKey = std::to_string(storages.size());
    entry.storageElements = tensor.count();
    storages.push_back({entry.storageKey, tensor});
    return entry;
  }

  PickleValue scalar(double value) {
    scalars.push_back(static_cast<float>(value));
    return tensor(HostTensor::view(ScalarType::Float32, {}, &scalars.back()));
  }

  std::vector<StorageView> storages;

private:
  std::deque<float> scalars; // keeps its elements where they are
};

/// The options under the names and in the order of torch's param_groups.
PickleValue parameterGroup(const OptimizerState &optimizer) {
  const OptimizerOptions &options = optimizer.options;
  PickleValue group = PickleValue::dict();
  auto set = [&](const char *key, PickleValue value) { group.entries().push_back({key, std::move(value)}); };
  set("lr", options.lr);
  if (options.type == OptimizerType::Sgd) {
    set("momentum", options.momentum);
    set("dampening", options.dampening);
    set("weight_decay", options.weightDecay);
    set("nesterov", options.nesterov);
    set("maximize", options.maximize);
    set("foreach", PickleValue());
  } else {
    set("betas", PickleValue::tuple({options.beta1, options.beta2}));
    set("eps", options.epsilon);
    set("weight_decay", options.weightDecay);
    set("amsgrad", options.amsgrad);
    set("maximize", options.maximize);
    set("foreach", PickleValue());
    set("capturable", false);
  }
  set("differentiable", false);
  set("fused", PickleValue());
  if (options.type != OptimizerType::Sgd)
    set("decoupled_weight_decay", options.type == OptimizerType::AdamW);
  set("initial_lr", options.initialLr);
  PickleValue positions = PickleValue::list();
  for (int64_t i = 0; i < optimizer.parameterCount; ++i)
    positions.items().push_back(i);
  set("params", std::move(positions));
  return group;
}

PickleValue optimizerStateDict(const OptimizerState &optimizer, ArchiveContent &content) {
  PickleValue state = PickleValue::dict();
  for (const auto &[position, parameter] : optimizer.state) {
    PickleValue entry = PickleValue::dict();
    if (optimizer.options.type != OptimizerType::Sgd)
      entry.set("step", content.scalar(parameter.step));
    for (const auto &[name, tensor] : parameter.buffers)
      entry.set(name, content.tensor(tensor));
    state.entries().push_back({position, std::move(entry)});
  }
  PickleValue dict = PickleValue::dict();
  dict.set("state", std::move(state));
  dict.set("param_groups", PickleValue::list({parameterGroup(optimizer)}));
  return dict;
}

/// Tensors still in a file could be the file that is about to be replaced; the caller loads them first.
Status checkLoaded(const ModelFile &model) {
  bool loaded = true;
  for (const NamedTensor &entry : model.stateDict)
    loaded = loaded && entry.tensor.isLoaded();
  if (model.training && model.training->optimizer)
    for (const auto &[position, state] : model.training->optimizer->state)
      for (const auto &[name, tensor] : state.buffers)
        loaded = loaded && tensor.isLoaded();
  return loaded ? Status::ok() : Status::error("some tensors of the model are not in memory");
}

} // namespace

Status ModelFile::write(const std::string &path) const {
  if (Status status = checkLoaded(*this); !status)
    return std::move(status).withContext(path);
  ArchiveContent content;
  PickleValue root = PickleValue::dict();
  root.set("model_kwargs", toPickle(modelKwargs));
  PickleValue weights = PickleValue::orderedDict();
  for (const NamedTensor &entry : stateDict)
    weights.entries().push_back({entry.name, content.tensor(entry.tensor)});
  root.set("model_state_dict", std::move(weights));
  root.set("epoch", epoch);
  root.set("iteration", iteration);
  root.set("version", version);
  root.set("metadata", toPickle(metadata));
  if (context)
    root.set("context", toPickle(*context));
  if (eventMetadata)
    root.set("event_metadata", toPickle(*eventMetadata));
  if (training) {
    root.set("optimizer_kwargs", toPickle(training->optimizerKwargs));
    root.set("scheduler_kwargs", toPickle(training->schedulerKwargs));
    if (training->optimizer)
      root.set("optimizer_state_dict", optimizerStateDict(*training->optimizer, content));
    if (training->scheduler)
      root.set("scheduler_state_dict", toPickle(*training->scheduler));
  }
  return writeTorchArchive(path, root, content.storages);
}

} // namespace kowari::train
