//===- BufferLives.cpp - scratch buffers of a plan, found again -----------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/inspect/BufferLives.h"

#include "frontend/inspect/StepAccess.h"
#include "runtime/plan/PlanProduct.h"

#include <algorithm>
#include <numeric>

namespace kowari::inspect {
namespace {

namespace fb = plan::fb;

constexpr int64_t alignment = 64; // of buffers in the arena

/// Whether two windows that overlap as intervals share no column: then both are parts of one wider matrix.
bool areOtherColumns(const fb::View &a, const fb::View &b, int64_t rows) {
  if (a.dtype() != b.dtype() || a.stride0() != b.stride0() || a.stride1() != b.stride1())
    return false;
  const int64_t line = std::max(a.stride0(), a.stride1());
  const bool rowMajor = a.stride1() <= a.stride0();
  const auto width = [&](const fb::View &view) {
    const int64_t count = extent(rowMajor ? view.dim1() : view.dim0(), rows);
    return (count - 1) * (rowMajor ? view.stride1() : view.stride0()) + 1;
  };
  if (line == 0)
    return false;
  const int64_t elements = (b.offset() - a.offset()) / plan::elementSize(a.dtype());
  const int64_t shift = ((elements % line) + line) % line;
  return shift >= width(a) && shift + width(b) <= line;
}

class LifeFinder {
public:
  LifeFinder(const fb::Manifest &planned, const fb::Entry &entry)
      : manifest(planned), program(entry), rows(planned.max_rows()), steps(entry.steps()->size()) {}

  BufferLives run() {
    for (const fb::Tensor *tensor : *program.tensors())
      if (tensor->kind() == fb::TensorKind::Input && isScratch(*tensor->view()))
        create(*tensor->view(), 0, "input " + tensor->name()->str());
    std::vector<std::vector<int>> found(steps);
    for (int64_t step = 0; step < steps; ++step)
      found[size_t(step)] = visit(step);
    std::vector<int> outputs = findOutputs();
    return number(std::move(found), std::move(outputs));
  }

private:
  struct Life : BufferLife {
    std::vector<fb::View> written;
    int joined = -1; // the buffer that this one has become part of
  };

  bool isScratch(const fb::View &view) const {
    return view.offset() >= manifest.persistent_bytes() && spanBytes(view, rows) > 0;
  }

  std::pair<int64_t, int64_t> interval(const fb::View &view) const {
    const int64_t end = view.offset() + spanBytes(view, rows);
    return {view.offset() / alignment * alignment, (end + alignment - 1) / alignment * alignment};
  }

  int resolve(int index) const {
    while (lives[size_t(index)].joined >= 0)
      index = lives[size_t(index)].joined;
    return index;
  }

  std::vector<int> overlapping(const fb::View &view) const {
    const auto [begin, end] = interval(view);
    std::vector<int> result;
    for (int index : current)
      if (lives[size_t(index)].begin < end && begin < lives[size_t(index)].end)
        result.push_back(index);
    return result;
  }

  int create(const fb::View &view, int64_t step, const std::string &label) {
    const auto [begin, end] = interval(view);
    Life life;
    life.begin = begin, life.end = end;
    life.first = step, life.last = step;
    life.label = label;
    life.written = {view};
    lives.push_back(std::move(life));
    current.push_back(int(lives.size()) - 1);
    return current.back();
  }

  void extend(Life &life, const fb::View &view, int64_t step) const {
    const auto [begin, end] = interval(view);
    life.begin = std::min(life.begin, begin);
    life.end = std::max(life.end, end);
    life.last = step;
  }

  void retire(int index) { current.erase(std::find(current.begin(), current.end(), index)); }

  int read(const fb::View &view, int64_t step) {
    const std::vector<int> found = overlapping(view);
    const int index = found.empty()
                          ? create(view, 0, "(written by no step)")
                          : found.front(); // the oldest: buffers are kept in the order of their first steps
    for (size_t i = 1; i < found.size(); ++i)
      join(index, found[i]);
    extend(lives[size_t(index)], view, step);
    return index;
  }

  void join(int index, int other) {
    Life &into = lives[size_t(index)], &from = lives[size_t(other)];
    into.begin = std::min(into.begin, from.begin);
    into.end = std::max(into.end, from.end);
    into.first = std::min(into.first, from.first);
    into.last = std::max(into.last, from.last);
    into.written.insert(into.written.end(), from.written.begin(), from.written.end());
    from.joined = index;
    retire(other);
  }

  int write(const fb::View &view, int64_t step, const std::string &label) {
    const std::vector<int> found = overlapping(view);
    for (int index : found) {
      Life &life = lives[size_t(index)];
      const bool inPlace = std::find(readNow.begin(), readNow.end(), index) != readNow.end();
      const bool beside = std::all_of(life.written.begin(), life.written.end(), [&](const fb::View &other) {
        return !overlap(view, other) || areOtherColumns(view, other, rows);
      });
      if (!inPlace && !beside)
        continue;
      extend(life, view, step);
      life.written.push_back(view);
      return index;
    }
    for (int index : found)
      retire(index);
    return create(view, step, label);
  }

  bool overlap(const fb::View &a, const fb::View &b) const {
    return a.offset() < b.offset() + spanBytes(b, rows) && b.offset() < a.offset() + spanBytes(a, rows);
  }

  std::vector<int> visit(int64_t number) {
    const fb::Step &step = *program.steps()->Get(flatbuffers::uoffset_t(number));
    const std::vector<Access> list = accesses(manifest, step);
    const std::string label = stepName(manifest, step);
    std::vector<int> result(list.size(), BufferLives::persistent);
    readNow.clear();
    for (size_t i = 0; i < list.size(); ++i)
      if (list[i].read && isScratch(list[i].view))
        readNow.push_back(result[i] = read(list[i].view, number));
    for (int &index : readNow)
      index = resolve(index);
    for (size_t i = 0; i < list.size(); ++i)
      if (list[i].written && isScratch(list[i].view))
        result[i] = write(list[i].view, number, label);
    return result;
  }

  std::vector<int> findOutputs() {
    std::vector<int> result;
    for (const fb::Tensor *tensor : *program.tensors()) {
      if (tensor->kind() != fb::TensorKind::Output)
        continue;
      int index = BufferLives::persistent;
      if (isScratch(*tensor->view())) {
        index = read(*tensor->view(), std::max<int64_t>(steps - 1, 0));
        lives[size_t(index)].output = tensor->name()->str();
      }
      result.push_back(index);
    }
    return result;
  }

  /// Joined buffers become one, in the order of the first step.
  BufferLives number(std::vector<std::vector<int>> found, std::vector<int> outputs) const {
    std::vector<int> order, numbers(lives.size(), -1);
    for (size_t i = 0; i < lives.size(); ++i)
      if (lives[i].joined < 0)
        order.push_back(int(i));
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return lives[size_t(a)].first < lives[size_t(b)].first; });
    BufferLives result;
    for (int index : order) {
      numbers[size_t(index)] = int(result.buffers.size());
      result.buffers.push_back(lives[size_t(index)]);
    }
    const auto renumber = [&](std::vector<int> &list) {
      for (int &index : list)
        index = index < 0 ? index : numbers[size_t(resolve(index))];
    };
    for (std::vector<int> &list : found)
      renumber(list);
    renumber(outputs);
    result.operands = std::move(found);
    result.outputs = std::move(outputs);
    return result;
  }

  const fb::Manifest &manifest;
  const fb::Entry &program;
  const int64_t rows, steps;
  std::vector<Life> lives;
  std::vector<int> current; // whose bytes have not been taken by another
  std::vector<int> readNow; // by the step at hand
};

} // namespace

std::vector<int64_t> BufferLives::liveBytes() const {
  std::vector<int64_t> change(operands.size() + 1, 0);
  if (operands.empty())
    return {};
  for (const BufferLife &buffer : buffers) {
    change[size_t(buffer.first)] += buffer.bytes();
    change[size_t(buffer.last) + 1] -= buffer.bytes();
  }
  std::vector<int64_t> result(operands.size());
  std::partial_sum(change.begin(), change.end() - 1, result.begin());
  return result;
}

BufferLives findBufferLives(const fb::Manifest &manifest, const fb::Entry &entry) {
  return LifeFinder(manifest, entry).run();
}

} // namespace kowari::inspect
