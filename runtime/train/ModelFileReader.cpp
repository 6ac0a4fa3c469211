//===- ModelFileReader.cpp - reading Dingo's .pt files --------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/Kwargs.h"
#include "runtime/train/ModelFile.h"
#include "runtime/train/PickleConversion.h"
#include "runtime/train/TorchArchive.h"

namespace kowari::train {

namespace {

class Reader {
public:
  explicit Reader(std::shared_ptr<TorchArchiveReader> archive) : archive(std::move(archive)) {}
  Result<ModelFile> read(ModelFile::Content content);

private:
  Status fail(const std::string &what) const { return Status::error(archive->path() + ": " + what); }
  /// An entry of the file as a value; null when it is absent.
  Result<Value> value(const char *key) const;
  Status integer(const char *key, bool needed, int64_t &number) const;
  Status readWeights(ModelFile &model) const;
  Result<TrainingState> readTraining() const;
  Result<OptimizerState> readOptimizer(const PickleValue &dict, const Value &kwargs) const;
  Status readGroup(const PickleValue &group, OptimizerState &optimizer) const;
  Status readParameterState(const PickleValue &entry, const std::string &where, ParameterState &state) const;

  std::shared_ptr<TorchArchiveReader> archive;
};

Result<Value> Reader::value(const char *key) const {
  const PickleValue *found = archive->root().find(key);
  if (!found)
    return Value();
  Result<Value> converted = toValue(*found, key);
  if (!converted)
    return converted.status().withContext(archive->path());
  return converted;
}

Status Reader::integer(const char *key, bool needed, int64_t &number) const {
  const PickleValue *found = archive->root().find(key);
  if (!found && !needed)
    return Status::ok();
  if (!found || found->kind() != PickleValue::Kind::Int || found->asInt() < 0)
    return fail(std::string("is no Dingo model: its \"") + key + "\" is " +
                (found ? "no whole number" : "missing"));
  number = found->asInt();
  return Status::ok();
}

Status Reader::readWeights(ModelFile &model) const {
  const PickleValue *weights = archive->root().find("model_state_dict");
  if (!weights || !weights->isDict())
    return fail("is no Dingo model: it has no model_state_dict");
  for (const PickleValue::Entry &entry : weights->entries()) {
    if (!entry.key.isString() || entry.value.kind() != PickleValue::Kind::Tensor)
      return fail("model_state_dict holds something else than named tensors");
    KOWARI_ASSIGN(HostTensor tensor, archive->tensor(entry.value.asTensor()));
    model.stateDict.push_back({entry.key.asString(), std::move(tensor)});
  }
  return Status::ok();
}

Status Reader::readGroup(const PickleValue &group, OptimizerState &optimizer) const {
  Result<Value> converted = toValue(group, "optimizer_state_dict.param_groups[0]");
  if (!converted)
    return converted.status().withContext(archive->path());
  Kwargs kwargs(*converted, "optimizer_state_dict.param_groups[0]");
  OptimizerOptions &options = optimizer.options;
  kwargs.take("lr", options.lr);
  options.initialLr = options.lr;
  kwargs.take("initial_lr", options.initialLr);
  kwargs.take("weight_decay", options.weightDecay);
  kwargs.take("maximize", options.maximize);
  kwargs.takePair("betas", options.beta1, options.beta2);
  kwargs.take("eps", options.epsilon);
  kwargs.take("amsgrad", options.amsgrad);
  kwargs.take("momentum", options.momentum);
  kwargs.take("dampening", options.dampening);
  kwargs.take("nesterov", options.nesterov);
  bool decoupled = false;
  kwargs.take("decoupled_weight_decay", decoupled);
  if (decoupled && options.type == OptimizerType::Adam)
    options.type = OptimizerType::AdamW;
  for (const char *key : {"foreach", "fused", "differentiable", "capturable", "params"})
    kwargs.accept(key);
  kwargs.require(options.lr >= 0, "lr", "must not be negative");
  return kwargs.finish().withContext(archive->path());
}

Status Reader::readParameterState(const PickleValue &entry, const std::string &where,
                                  ParameterState &state) const {
  for (const PickleValue::Entry &field : entry.entries()) {
    if (!field.key.isString())
      return fail(where + " has a field without a name");
    const std::string &name = field.key.asString();
    if (field.value.isNone()) // sgd without momentum, in files of older torch
      continue;
    if (field.value.isNumber() && name == "step") { // adam in files of older torch
      state.step = field.value.asDouble();
      continue;
    }
    if (field.value.kind() != PickleValue::Kind::Tensor)
      return fail(where + "." + name + " is no tensor");
    KOWARI_ASSIGN(HostTensor tensor, archive->tensor(field.value.asTensor()));
    if (name == "step") {
      Result<double> step = tensor.item();
      if (!step)
        return step.status().withContext(archive->path() + ": " + where + ".step");
      state.step = *step;
    } else {
      state.buffers.emplace(name, std::move(tensor));
    }
  }
  return Status::ok();
}

Result<OptimizerState> Reader::readOptimizer(const PickleValue &dict, const Value &kwargs) const {
  OptimizerState optimizer;
  Result<OptimizerOptions> options = OptimizerOptions::fromKwargs(kwargs);
  if (!options)
    return options.status().withContext(archive->path());
  optimizer.options = options.take();
  const PickleValue *groups = dict.find("param_groups"), *states = dict.find("state");
  if (!groups || !groups->isSequence() || !states || !states->isDict())
    return fail("its optimizer_state_dict is not one that torch writes");
  if (groups->items().size() != 1)
    return fail("its optimizer has " + std::to_string(groups->items().size()) +
                " parameter groups; Dingo uses one");
  const PickleValue &group = groups->items()[0];
  KOWARI_TRY(readGroup(group, optimizer));
  const PickleValue *positions = group.find("params");
  if (!positions || !positions->isSequence())
    return fail("its optimizer does not list its parameters");
  optimizer.parameterCount = static_cast<int64_t>(positions->items().size());
  for (int64_t i = 0; i < optimizer.parameterCount; ++i) {
    const PickleValue &position = positions->items()[static_cast<size_t>(i)];
    if (position.kind() != PickleValue::Kind::Int || position.asInt() != i)
      return fail("its optimizer does not list its parameters in order");
  }
  for (const PickleValue::Entry &entry : states->entries()) {
    bool inRange = entry.key.kind() == PickleValue::Kind::Int && entry.key.asInt() >= 0 &&
                   entry.key.asInt() < optimizer.parameterCount;
    if (!inRange || !entry.value.isDict())
      return fail("its optimizer has state for a parameter that is not there");
    int64_t position = entry.key.asInt();
    KOWARI_TRY(readParameterState(entry.value, "optimizer_state_dict.state[" + std::to_string(position) + "]",
                                  optimizer.state[position]));
  }
  return optimizer;
}

Result<TrainingState> Reader::readTraining() const {
  TrainingState training;
  KOWARI_ASSIGN(training.optimizerKwargs, value("optimizer_kwargs"));
  KOWARI_ASSIGN(training.schedulerKwargs, value("scheduler_kwargs"));
  if (const PickleValue *dict = archive->root().find("optimizer_state_dict"); dict && !dict->isNone()) {
    KOWARI_ASSIGN(training.optimizer, readOptimizer(*dict, training.optimizerKwargs));
  }
  if (archive->root().find("scheduler_state_dict")) {
    KOWARI_ASSIGN(training.scheduler, value("scheduler_state_dict"));
  }
  return training;
}

Result<ModelFile> Reader::read(ModelFile::Content content) {
  const PickleValue &root = archive->root();
  if (!root.isDict())
    return fail(std::string("is no Dingo model: it holds a ") + root.kindName());
  ModelFile model;
  KOWARI_ASSIGN(model.modelKwargs, value("model_kwargs"));
  KOWARI_ASSIGN(model.metadata, value("metadata"));
  for (const char *key : {"model_kwargs", "metadata"})
    if (const PickleValue *entry = root.find(key); !entry || !entry->isDict())
      return fail(std::string("is no Dingo model: its \"") + key + "\" is " +
                  (entry ? "no dictionary" : "missing"));
  KOWARI_TRY(readWeights(model));
  KOWARI_TRY(integer("epoch", true, model.epoch));
  KOWARI_TRY(integer("iteration", false, model.iteration));
  if (const PickleValue *version = root.find("version"); version && version->isString())
    model.version = version->asString();
  if (root.find("context")) {
    KOWARI_ASSIGN(model.context, value("context"));
  }
  if (root.find("event_metadata")) {
    KOWARI_ASSIGN(model.eventMetadata, value("event_metadata"));
  }
  if (content == ModelFile::Content::Training && root.find("optimizer_kwargs")) {
    KOWARI_ASSIGN(model.training, readTraining());
  }
  return model;
}

} // namespace

Result<ModelFile> ModelFile::read(const std::string &path, Content content) {
  KOWARI_ASSIGN(std::shared_ptr<TorchArchiveReader> archive, TorchArchiveReader::open(path));
  return Reader(std::move(archive)).read(content);
}

} // namespace kowari::train
