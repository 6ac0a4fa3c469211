//===- NetworkRun.cpp - a case's compiled network -------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/refcheck/NetworkRun.h"

#include <algorithm>

namespace kowari::refcheck {

using plan::TensorInfo;
using plan::TensorKind;

static int64_t countElements(const TensorInfo &tensor, int64_t rows) {
  int64_t count = 1;
  for (const int64_t extent : tensor.shape)
    count *= extent < 0 ? rows : extent;
  return count;
}

bool isHostBuffer(const std::string &parameter) {
  for (const char *ending : {"num_batches_tracked", "identity_features", "transform_features"})
    if (parameter.ends_with(ending))
      return true;
  return false;
}

Status NetworkRun::reset() {
  for (const TensorInfo &tensor : program.tensors()) {
    const std::string path = "parameters/" + tensor.name;
    const bool isParameter = tensor.kind == TensorKind::Parameter || tensor.kind == TensorKind::State;
    if (tensor.kind == TensorKind::OptimizerState) {
      const std::vector<double> zeros(static_cast<size_t>(countElements(tensor, 0)));
      KOWARI_TRY(program.write(tensor.name, std::span<const double>(zeros)));
    } else if (isParameter && !reference.file.has(path)) {
      return Status::error(reference.file.path() + ": lacks " + path + ", which the network has");
    } else if (!reference.file.has(path)) {
      continue; // scalars
    } else if (tensor.view.dtype == plan::DType::I64) {
      KOWARI_ASSIGN(const std::vector<int64_t> values, reference.file.readIntegers(path));
      KOWARI_TRY(program.write(tensor.name, std::span<const int64_t>(values)));
    } else {
      KOWARI_ASSIGN(const std::vector<double> values, reference.file.readDoubles(path));
      KOWARI_TRY(program.write(tensor.name, std::span<const double>(values)));
    }
  }
  KOWARI_ASSIGN(const std::vector<std::string> names, reference.file.children("parameters"));
  for (const std::string &name : names)
    if (!hasTensor(name) && !isHostBuffer(name)) {
      KOWARI_ASSIGN(const data::DatasetInfo info, reference.file.info("parameters/" + name));
      if (info.elements() > 0)
        return Status::error("the program has no tensor " + name + ", which " + reference.file.path() +
                             " holds");
    }
  return Status::ok();
}

Result<int> NetworkRun::entryIndex(const std::string &entry) const {
  const int index = program.findEntry(entry);
  if (index < 0)
    return Status::error("the program has no entry " + entry);
  return index;
}

Status NetworkRun::writeBatch(const std::string &entry, const std::vector<double> *noise) {
  KOWARI_ASSIGN(const int index, entryIndex(entry));
  const auto write = [&](const std::string &name, const std::vector<double> &values) {
    // An input that nothing reads is no input: the strain of an entry without context, say.
    return program.writeInput(index, name, std::span<const double>(values), reference.rows)
        .withContext("entry " + entry);
  };
  KOWARI_TRY(noise ? write("noise", *noise) : write("theta", reference.theta));
  for (size_t d = 0; d < reference.strain.size(); ++d)
    KOWARI_TRY(write("strain/" + std::to_string(d), reference.strain[d]));
  return reference.context.empty() ? Status::ok() : write("context", reference.context);
}

Status NetworkRun::runEntry(const std::string &entry) {
  KOWARI_ASSIGN(const int index, entryIndex(entry));
  return program.run(index, reference.rows).withContext("entry " + entry);
}

bool NetworkRun::hasOutput(const std::string &entry, const std::string &name) const {
  const int index = program.findEntry(entry);
  return index >= 0 && program.findEntryTensor(index, name);
}

Result<std::vector<double>> NetworkRun::output(const std::string &entry, const std::string &name) const {
  KOWARI_ASSIGN(const int index, entryIndex(entry));
  const TensorInfo *tensor = program.findEntryTensor(index, name);
  if (!tensor)
    return Status::error("entry " + entry + " has no output " + name);
  std::vector<double> values(static_cast<size_t>(countElements(*tensor, reference.rows)));
  KOWARI_TRY(program.readOutput(index, name, std::span<double>(values), reference.rows));
  return values;
}

Result<std::vector<double>> NetworkRun::tensor(const std::string &name) const {
  const TensorInfo *found = program.findTensor(name);
  if (!found)
    return Status::error("the program has no tensor " + name);
  std::vector<double> values(static_cast<size_t>(countElements(*found, 0)));
  KOWARI_TRY(program.read(name, std::span<double>(values)));
  return values;
}

} // namespace kowari::refcheck
