//===- Program.cpp - tensors of a loaded program ----------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/plan/Program.h"

#include "runtime/plan/ProgramState.h"
#include "runtime/plan/TensorTransfer.h"

#include <cassert>
#include <cmath>

namespace kowari::plan {
namespace {

template <class Index>
const TensorInfo *find(const std::vector<TensorInfo> &tensors, const Index &index, std::string_view name) {
  const auto found = index.find(name);
  return found == index.end() ? nullptr : &tensors[found->second];
}

Status unknownTensor(std::string_view name, const std::string &place) {
  return Status::error(place + " has no tensor '" + std::string(name) + "'");
}

/// The view of the first `rows` rows.
View withRows(View view, int64_t rows) {
  view.dim0 = view.dim0 < 0 ? rows : view.dim0;
  view.dim1 = view.dim1 < 0 ? rows : view.dim1;
  return view;
}

/// Finds an entry's tensor and checks the call; `state.checkCall` has accepted entry and rows.
Result<const TensorInfo *> argument(const LoadedEntry &entry, std::string_view name, TensorKind kind) {
  const TensorInfo *tensor = find(entry.tensors, entry.tensorIndex, name);
  if (!tensor)
    return unknownTensor(name, "entry '" + entry.name + "'");
  if (tensor->kind != kind)
    return Status::error("tensor '" + tensor->name + "' of entry '" + entry.name + "' is no " +
                         (kind == TensorKind::Input ? "input" : "output"));
  return tensor;
}

} // namespace

const std::vector<TensorInfo> &Program::tensors() const { return state->tensors; }
const TensorInfo *Program::findTensor(std::string_view name) const {
  return find(state->tensors, state->tensorIndex, name);
}
int64_t Program::maxRows() const { return state->file.manifest().max_rows(); }
DType Program::elementType() const { return static_cast<DType>(state->file.manifest().element_type()); }
int64_t Program::arenaBytes() const { return state->file.manifest().arena_bytes(); }
int64_t Program::persistentBytes() const { return state->file.manifest().persistent_bytes(); }
const std::string &Program::specJson() const { return state->spec; }

std::vector<std::string> Program::entryNames() const {
  std::vector<std::string> names;
  for (const LoadedEntry &entry : state->entries)
    names.push_back(entry.name);
  return names;
}

namespace {

template <class T>
Status readTensor(const TensorInfo *tensor, const char *base, std::string_view name, const std::string &path,
                  std::span<T> values) {
  if (!tensor)
    return unknownTensor(name, "artifact " + path);
  return loadDense<T>(tensor->view, base + tensor->view.offset, values)
      .withContext("reading tensor " + tensor->name);
}

template <class T>
Status writeTensor(const TensorInfo *tensor, char *base, std::string_view name, const std::string &path,
                   std::span<const T> values) {
  if (!tensor)
    return unknownTensor(name, "artifact " + path);
  return storeDense<T>(tensor->view, base + tensor->view.offset, values)
      .withContext("writing tensor " + tensor->name);
}

} // namespace

Status Program::read(std::string_view name, std::span<float> values) const {
  return readTensor(findTensor(name), state->arena.base(), name, state->file.path(), values);
}
Status Program::read(std::string_view name, std::span<double> values) const {
  return readTensor(findTensor(name), state->arena.base(), name, state->file.path(), values);
}
Status Program::read(std::string_view name, std::span<int64_t> values) const {
  return readTensor(findTensor(name), state->arena.base(), name, state->file.path(), values);
}
Status Program::write(std::string_view name, std::span<const float> values) {
  return writeTensor(findTensor(name), state->arena.base(), name, state->file.path(), values);
}
Status Program::write(std::string_view name, std::span<const double> values) {
  return writeTensor(findTensor(name), state->arena.base(), name, state->file.path(), values);
}
Status Program::write(std::string_view name, std::span<const int64_t> values) {
  return writeTensor(findTensor(name), state->arena.base(), name, state->file.path(), values);
}

Status Program::writeScalar(std::string_view name, double value) {
  const TensorInfo *tensor = findTensor(name);
  if (!tensor || tensor->view.dtype == DType::F32 || tensor->view.dtype == DType::F64)
    return write(name, std::span<const double>(&value, 1));
  if (!(std::abs(value) < 9007199254740992.0) || value != std::trunc(value))
    return Status::error("writing tensor " + tensor->name + ": " + std::to_string(value) +
                         " is not an integer that a double holds exactly");
  const int64_t integer = int64_t(value);
  return write(name, std::span<const int64_t>(&integer, 1));
}

int Program::findEntry(std::string_view name) const {
  for (size_t i = 0; i < state->entries.size(); ++i)
    if (state->entries[i].name == name)
      return int(i);
  return -1;
}

const std::vector<TensorInfo> &Program::entryTensors(int entry) const {
  assert(entry >= 0 && size_t(entry) < state->entries.size());
  return state->entries[entry].tensors;
}

const TensorInfo *Program::findEntryTensor(int entry, std::string_view name) const {
  assert(entry >= 0 && size_t(entry) < state->entries.size());
  return find(state->entries[entry].tensors, state->entries[entry].tensorIndex, name);
}

void *Program::data(const View &view) const { return state->arena.base() + view.offset; }

namespace {

template <class T>
Status writeArgument(const LoadedEntry &entry, char *base, std::string_view name, std::span<const T> values,
                     int64_t rows) {
  KOWARI_ASSIGN(const TensorInfo *tensor, argument(entry, name, TensorKind::Input));
  return storeDense<T>(withRows(tensor->view, rows), base + tensor->view.offset, values)
      .withContext("writing input " + tensor->name + " of entry '" + entry.name + "'");
}

template <class T>
Status readArgument(const LoadedEntry &entry, const char *base, std::string_view name, std::span<T> values,
                    int64_t rows) {
  KOWARI_ASSIGN(const TensorInfo *tensor, argument(entry, name, TensorKind::Output));
  return loadDense<T>(withRows(tensor->view, rows), base + tensor->view.offset, values)
      .withContext("reading output " + tensor->name + " of entry '" + entry.name + "'");
}

} // namespace

Status Program::writeInput(int entry, std::string_view name, std::span<const float> values, int64_t rows) {
  KOWARI_TRY(state->checkCall(entry, rows));
  return writeArgument(state->entries[entry], state->arena.base(), name, values, rows);
}
Status Program::writeInput(int entry, std::string_view name, std::span<const double> values, int64_t rows) {
  KOWARI_TRY(state->checkCall(entry, rows));
  return writeArgument(state->entries[entry], state->arena.base(), name, values, rows);
}
Status Program::writeInput(int entry, std::string_view name, std::span<const int64_t> values, int64_t rows) {
  KOWARI_TRY(state->checkCall(entry, rows));
  return writeArgument(state->entries[entry], state->arena.base(), name, values, rows);
}
Status Program::readOutput(int entry, std::string_view name, std::span<float> values, int64_t rows) const {
  KOWARI_TRY(state->checkCall(entry, rows));
  return readArgument(state->entries[entry], state->arena.base(), name, values, rows);
}
Status Program::readOutput(int entry, std::string_view name, std::span<double> values, int64_t rows) const {
  KOWARI_TRY(state->checkCall(entry, rows));
  return readArgument(state->entries[entry], state->arena.base(), name, values, rows);
}

} // namespace kowari::plan
