//===- RunRecord.cpp - what a checkpoint says about its run ----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/RunRecord.h"

namespace kowari::train {

Value RunRecord::toValue() const {
  ValueDict dict, versions;
  for (const auto &[name, text] : libraries)
    versions[name] = text;
  dict["version"] = version;
  dict["seed"] = static_cast<int64_t>(seed); // the same 64 bits
  dict["precision"] = precision;
  dict["cpu_level"] = cpuLevel;
  dict["threads"] = threads;
  dict["libraries"] = versions;
  dict["stage"] = stage;
  dict["early_stopping"] = earlyStopping;
  if (partialEpoch) {
    ValueDict partial;
    partial["batches"] = partialEpoch->batches;
    partial["loss_sum"] = partialEpoch->lossSum;
    partial["loss_weight"] = partialEpoch->lossWeight;
    dict["partial_epoch"] = partial;
  }
  return dict;
}

Result<RunRecord> RunRecord::fromValue(const Value &value) {
  RunRecord record;
  auto wrong = [](const std::string &key) {
    return Status::error("metadata.kowari." + key +
                         ": has a wrong type; the file was changed by another program");
  };
  if (!value.isDict())
    return Status::error("metadata.kowari: is no dictionary; the file was changed by another program");
  auto text = [&](const char *key, std::string &to) {
    const Value *found = value.find(key);
    if (found && found->isString())
      to = found->asString();
    return !found || found->isString();
  };
  auto number = [&](const char *key, int64_t &to) {
    const Value *found = value.find(key);
    if (found && found->isInt())
      to = found->asInt();
    return !found || found->isInt();
  };
  int64_t seedBits = 0;
  const std::pair<const char *, std::string *> texts[] = {
      {"version", &record.version}, {"precision", &record.precision}, {"cpu_level", &record.cpuLevel}};
  const std::pair<const char *, int64_t *> numbers[] = {
      {"seed", &seedBits}, {"threads", &record.threads}, {"stage", &record.stage}};
  for (auto [key, to] : texts)
    if (!text(key, *to))
      return wrong(key);
  for (auto [key, to] : numbers)
    if (!number(key, *to))
      return wrong(key);
  record.seed = static_cast<uint64_t>(seedBits);
  if (const Value *versions = value.find("libraries")) {
    if (!versions->isDict())
      return wrong("libraries");
    for (const auto &[name, entry] : versions->asDict().items()) {
      if (!entry.isString())
        return wrong("libraries." + name);
      record.libraries.emplace_back(name, entry.asString());
    }
  }
  if (const Value *state = value.find("early_stopping"))
    record.earlyStopping = *state;
  if (const Value *partial = value.find("partial_epoch")) {
    const Value *batches = partial->find("batches"), *sum = partial->find("loss_sum"),
                *weight = partial->find("loss_weight");
    if (!batches || !batches->isInt() || !sum || !sum->isNumber() || !weight || !weight->isNumber())
      return wrong("partial_epoch");
    record.partialEpoch = PartialEpoch{batches->asInt(), sum->asDouble(), weight->asDouble()};
  }
  return record;
}

std::vector<std::string> RunRecord::changesSince(const RunRecord &saved) const {
  std::vector<std::string> changes;
  auto compare = [&](const std::string &what, const std::string &before, const std::string &now) {
    if (before != now)
      changes.push_back("The checkpoint was written with " + what + " " +
                        (before.empty() ? "unknown" : before) + ", this run has " +
                        (now.empty() ? "none" : now) +
                        "; the resumed run is as good, but not equal to the last digit.");
  };
  compare("precision", saved.precision, precision);
  compare("CPU level", saved.cpuLevel, cpuLevel);
  compare("a number of threads of", std::to_string(saved.threads), std::to_string(threads));
  for (const auto &[name, version] : libraries) {
    std::string before;
    for (const auto &[savedName, savedVersion] : saved.libraries)
      if (savedName == name)
        before = savedVersion;
    compare(name, before, version);
  }
  if (seed != saved.seed)
    changes.push_back("The checkpoint was written with seed " + std::to_string(saved.seed) +
                      ", this run has seed " + std::to_string(seed) + ": it draws other samples and noise.");
  return changes;
}

} // namespace kowari::train
