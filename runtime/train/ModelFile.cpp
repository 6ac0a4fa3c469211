//===- ModelFile.cpp - looking into a model -------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/ModelFile.h"

#include <unordered_map>
#include <unordered_set>

namespace kowari::train {

Status ModelFile::loadAll() {
  for (NamedTensor &entry : stateDict)
    if (Status status = entry.tensor.load(); !status)
      return std::move(status).withContext(entry.name);
  if (!training || !training->optimizer)
    return Status::ok();
  for (auto &[position, state] : training->optimizer->state)
    for (auto &[name, tensor] : state.buffers)
      if (Status status = tensor.load(); !status)
        return std::move(status).withContext("optimizer state of parameter " + std::to_string(position));
  return Status::ok();
}

const HostTensor *ModelFile::find(std::string_view name) const {
  for (const NamedTensor &entry : stateDict)
    if (entry.name == name)
      return &entry.tensor;
  return nullptr;
}

namespace {

/// What differs between the tensor of the file and the one expected; empty when nothing does.
std::string difference(const HostTensor &found, const ExpectedTensor &expected) {
  if (found.shape() != expected.shape)
    return "has shape " + shapeToString(found.shape()) + ", this network needs " +
           shapeToString(expected.shape);
  bool isFloat = found.type() == ScalarType::Float32 || found.type() == ScalarType::Float64;
  if (expected.isInteger ? found.type() != ScalarType::Int64 : !isFloat)
    return std::string("has type ") + scalarTypeName(found.type()) + ", this network needs " +
           (expected.isInteger ? "int64" : "float32");
  return "";
}

} // namespace

Status ModelFile::checkNetwork(std::span<const ExpectedTensor> expected, const std::string &path) const {
  std::unordered_map<std::string_view, const HostTensor *> present;
  for (const NamedTensor &entry : stateDict)
    present[entry.name] = &entry.tensor;
  auto fail = [&](const std::string &what) {
    return Status::error(path + ": is a checkpoint of another network: " + what +
                         ". Use the settings it was trained with, or another checkpoint");
  };
  std::unordered_set<std::string_view> wanted;
  for (const ExpectedTensor &tensor : expected) {
    auto it = present.find(tensor.name);
    if (it == present.end())
      return fail("tensor " + tensor.name + " " + shapeToString(tensor.shape) + " is missing");
    if (std::string what = difference(*it->second, tensor); !what.empty())
      return fail("tensor " + tensor.name + " " + what);
    wanted.insert(tensor.name);
  }
  for (const NamedTensor &entry : stateDict)
    if (!wanted.count(entry.name))
      return fail("it has a tensor " + entry.name + " " + shapeToString(entry.tensor.shape()) +
                  " that this network lacks");
  return Status::ok();
}

} // namespace kowari::train
