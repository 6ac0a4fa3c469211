//===- ProgramSpec.cpp - the canonical JSON of a program spec -------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// One list of fields a struct serves writing and reading.
//
//===----------------------------------------------------------------------===//
#include "frontend/settings/ProgramSpec.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kowari {
namespace {

using Json = nlohmann::json;

constexpr int64_t most = std::numeric_limits<int64_t>::max();
constexpr double infinite = std::numeric_limits<double>::infinity();

template <class E> using Words = std::vector<std::pair<E, const char *>>;

const Words<Activation> &words(Activation) {
  static const Words<Activation> table = {{Activation::Elu, "elu"},
                                          {Activation::Relu, "relu"},
                                          {Activation::LeakyRelu, "leaky_relu"},
                                          {Activation::Gelu, "gelu"}};
  return table;
}
const Words<Norm> &words(Norm) {
  static const Words<Norm> table = {
      {Norm::None, "none"}, {Norm::BatchNorm, "BatchNorm"}, {Norm::LayerNorm, "LayerNorm"}};
  return table;
}
const Words<OptimizerKind> &words(OptimizerKind) {
  static const Words<OptimizerKind> table = {
      {OptimizerKind::Adam, "adam"}, {OptimizerKind::AdamW, "adamw"}, {OptimizerKind::Sgd, "sgd"}};
  return table;
}
const Words<ElementType> &words(ElementType) {
  static const Words<ElementType> table = {{ElementType::F32, "f32"}, {ElementType::F64, "f64"}};
  return table;
}

/// Writes every field.
class Writer {
public:
  Json json = Json::object();

  void integer(const char *key, int64_t &value, int64_t, int64_t = most) { json[key] = value; }
  void number(const char *key, double &value, double, double) { json[key] = value; }
  void flag(const char *key, bool &value) { json[key] = value; }
  void text(const char *key, std::string &value) { json[key] = value; }
  void integers(const char *key, std::vector<int64_t> &value) { json[key] = value; }
  void texts(const char *key, std::vector<std::string> &value) { json[key] = value; }
  template <class E> void word(const char *key, E &value) {
    for (const auto &[known, text] : words(value))
      if (known == value)
        json[key] = text;
  }
  template <class S> void section(const char *key, S &value) {
    Writer inner;
    fields(inner, value);
    json[key] = std::move(inner.json);
  }
  template <class S> void sections(const char *key, std::vector<S> &values) {
    json[key] = Json::array();
    for (S &value : values) {
      Writer inner;
      fields(inner, value);
      json[key].push_back(std::move(inner.json));
    }
  }
};

/// Reads every field, keeps the first fault, and knows which keys were asked for.
class Reader {
public:
  Reader(const Json &json, std::string path, std::string &fault)
      : json(json), path(std::move(path)), fault(fault) {
    if (!json.is_object())
      note("", "must be an object");
  }

  void integer(const char *key, int64_t &value, int64_t low, int64_t high = most) {
    const Json *found = get(key);
    if (!found)
      return;
    if (!isInt64(*found) || found->get<int64_t>() < low || found->get<int64_t>() > high)
      return note(key, "must be an integer of at least " + std::to_string(low) +
                           (high == most ? "" : " and at most " + std::to_string(high)));
    value = found->get<int64_t>();
  }
  /// In [low, high], finite.
  void number(const char *key, double &value, double low, double high) {
    const Json *found = get(key);
    if (!found)
      return;
    const double given = found->is_number() ? found->get<double>() : infinite;
    if (!std::isfinite(given) || given < low || given > high)
      return note(key, "is out of range or no number");
    value = given;
  }
  void flag(const char *key, bool &value) {
    const Json *found = get(key);
    if (found && !found->is_boolean())
      return note(key, "must be true or false");
    if (found)
      value = found->get<bool>();
  }
  void text(const char *key, std::string &value) {
    const Json *found = get(key);
    if (found && !found->is_string())
      return note(key, "must be text");
    if (found)
      value = found->get<std::string>();
  }
  void integers(const char *key, std::vector<int64_t> &value) {
    const Json *found = list(key);
    if (!found)
      return;
    value.clear();
    for (const Json &item : *found) {
      if (!isInt64(item) || item.get<int64_t>() < 1)
        return note(key, "must hold integers of at least 1");
      value.push_back(item.get<int64_t>());
    }
  }
  void texts(const char *key, std::vector<std::string> &value) {
    const Json *found = list(key);
    if (!found)
      return;
    value.clear();
    for (const Json &item : *found) {
      if (!item.is_string())
        return note(key, "must hold texts");
      value.push_back(item.get<std::string>());
    }
  }
  template <class E> void word(const char *key, E &value) {
    const Json *found = get(key);
    if (!found)
      return;
    std::string known;
    for (const auto &[meaning, text] : words(value)) {
      if (found->is_string() && found->get<std::string>() == text) {
        value = meaning;
        return;
      }
      known += (known.empty() ? "" : ", ") + std::string(text);
    }
    note(key, "must be one of " + known);
  }
  template <class S> void section(const char *key, S &value) {
    if (const Json *found = get(key)) {
      Reader inner(*found, path + key + ".", fault);
      fields(inner, value);
      inner.finish();
    }
  }
  template <class S> void sections(const char *key, std::vector<S> &values) {
    const Json *found = list(key);
    if (!found)
      return;
    values.clear();
    for (const Json &item : *found) {
      Reader inner(item, path + key + "[" + std::to_string(values.size()) + "].", fault);
      fields(inner, values.emplace_back());
      inner.finish();
    }
  }
  /// Complains of keys that no field asked for.
  void finish() {
    if (!json.is_object())
      return;
    for (const auto &[key, value] : json.items())
      if (std::find(asked.begin(), asked.end(), key) == asked.end())
        note(key, "is unknown");
  }

private:
  const Json &json;
  std::string path;
  std::string &fault;
  std::vector<std::string> asked;

  void note(const std::string &key, const std::string &what) {
    if (!fault.empty())
      return;
    std::string where = path + key;
    if (key.empty() && !where.empty())
      where.pop_back(); // the dot behind a section's name
    fault = (where.empty() ? "the whole text" : where) + " " + what;
  }
  static bool isInt64(const Json &value) {
    if (value.is_number_unsigned())
      return value.get<uint64_t>() <= static_cast<uint64_t>(most);
    return value.is_number_integer();
  }
  const Json *get(const char *key) {
    asked.emplace_back(key);
    if (!json.is_object())
      return nullptr;
    const auto found = json.find(key);
    if (found == json.end()) {
      note(key, "is missing");
      return nullptr;
    }
    return &*found;
  }
  const Json *list(const char *key) {
    const Json *found = get(key);
    if (!found || found->is_array())
      return found;
    note(key, "must be a list");
    return nullptr;
  }
};

constexpr double belowOne = 1 - 0x1p-53;

template <class V> void fields(V &v, FlowSpec &s) {
  v.integer("input_dim", s.inputDim, 1);
  v.integer("num_flow_steps", s.numFlowSteps, 1);
  v.integer("hidden_dim", s.hiddenDim, 1);
  v.integer("num_transform_blocks", s.numTransformBlocks, 1);
  v.word("activation", s.activation);
  v.number("dropout", s.dropout, 0, belowOne);
  v.word("norm", s.norm);
  v.integer("num_bins", s.numBins, 1, 1000);
  v.number("tail_bound", s.tailBound, std::numeric_limits<double>::min(), infinite);
}

template <class V> void fields(V &v, EmbeddingSpec &s) {
  v.integer("detectors", s.detectors, 0);
  v.integer("bins", s.bins, 0);
  v.integer("svd_size", s.svdSize, 0);
  v.integer("output_dim", s.outputDim, 0);
  v.integers("hidden_dims", s.hiddenDims);
  v.word("activation", s.activation);
  v.number("dropout", s.dropout, 0, belowOne);
  v.word("norm", s.norm);
}

template <class V> void fields(V &v, OptimizerSpec &s) {
  v.word("kind", s.kind);
  v.number("beta1", s.beta1, 0, belowOne);
  v.number("beta2", s.beta2, 0, belowOne);
  v.number("epsilon", s.epsilon, 0, infinite);
  v.number("weight_decay", s.weightDecay, 0, infinite);
  v.flag("amsgrad", s.amsgrad);
  v.flag("maximize", s.maximize);
  v.flag("nesterov", s.nesterov);
  v.number("momentum", s.momentum, 0, infinite);
  v.number("dampening", s.dampening, -infinite, infinite);
}

template <class V> void fields(V &v, StageSpec &s) {
  v.section("optimizer", s.optimizer);
  v.flag("freeze_rb_layer", s.freezeRbLayer);
}

template <class V> void fields(V &v, DataSpec &s) {
  v.integer("bins", s.bins, 0);
  v.integer("min_index", s.minIndex, 0);
  v.integer("svd_size", s.svdSize, 0);
  v.integer("detectors", s.detectors, 0);
  v.integer("asd_rows", s.asdRows, 1);
  v.flag("zero_noise", s.zeroNoise);
  v.texts("extrinsic_priors", s.extrinsicPriors);
  v.texts("parameter_sources", s.parameterSources);
}

template <class V> void fields(V &v, ProgramSpec &s) {
  v.word("element_type", s.elementType);
  v.integer("max_rows", s.maxRows, 1);
  v.section("flow", s.flow);
  v.flag("has_embedding", s.hasEmbedding);
  v.section("embedding", s.embedding);
  v.integer("context_parameters", s.contextParameters, 0);
  v.sections("stages", s.stages);
  v.section("data", s.data);
  v.flag("gradient_entry", s.gradientEntry);
  v.text("target", s.target);
}

/// A condition between fields that does not hold; "" when all do.
std::string disagreement(const ProgramSpec &s) {
  const EmbeddingSpec &e = s.embedding;
  if (s.hasEmbedding &&
      (e.detectors < 1 || e.bins < 1 || e.svdSize < 1 || e.outputDim < 1 || e.hiddenDims.empty()))
    return "embedding needs detectors, bins, svd_size, output_dim and hidden_dims of at least 1";
  if (s.data.detectors > 0 && s.data.minIndex >= s.data.bins)
    return "data.min_index must be below data.bins";
  if (s.data.detectors > 0 &&
      (s.data.extrinsicPriors.size() != 5 ||
       static_cast<int64_t>(s.data.parameterSources.size()) != s.flow.inputDim + s.contextParameters))
    return "data needs five extrinsic_priors and one of parameter_sources for each inference and context "
           "parameter";
  if (s.target.empty())
    return "target must not be empty";
  return "";
}

} // namespace

std::string ProgramSpec::toCanonicalJson() const {
  Writer writer;
  ProgramSpec copy = *this; // one list of fields serves both directions, so it takes references
  fields(writer, copy);
  return writer.json.dump();
}

Result<ProgramSpec> ProgramSpec::fromJson(const std::string &text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded())
    return Status::error("the program spec is no valid JSON");
  ProgramSpec spec;
  std::string fault;
  Reader reader(json, "", fault);
  fields(reader, spec);
  reader.finish();
  if (fault.empty())
    fault = disagreement(spec);
  if (!fault.empty())
    return Status::error("program spec: " + fault);
  return spec;
}

} // namespace kowari
