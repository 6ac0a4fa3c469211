//===- PlanWatchedMemory.cpp - a plan's arena under watch -----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/interpreter/PlanWatchedMemory.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kowari::interpreter {

bool StreamClocks::wait(int64_t event, int stream) {
  auto found = events.find(event);
  if (found == events.end())
    return false;
  for (size_t other = 0; other < known.size(); ++other)
    known[stream][other] = std::max(known[stream][other], found->second[other]);
  return true;
}

static int countStreams(plan::ProgramOp program) {
  int64_t count = 1;
  for (Operation &op : program.getBlock())
    if (isa<plan::StepOpInterface>(op))
      count = std::max(count, getStream(&op) + 1);
  return static_cast<int>(count);
}

/// Buffers that have no offset yet get a place of their own behind everything else.
int64_t WatchedMemory::placeBuffers(plan::ProgramOp program, const ArenaBounds &bounds) {
  auto getBytes = [&](plan::BufferOp buffer) {
    auto type = cast<plan::ViewType>(buffer.getType());
    return plan::getSpan(type, bounds.maxRows) * plan::getElementBytes(type.getElementType());
  };
  int64_t end = bounds.persistentBytes;
  for (auto buffer : program.getBlock().getOps<plan::BufferOp>())
    if (buffer.getOffset())
      end = std::max<int64_t>(end, *buffer.getOffset() + getBytes(buffer));
  int owner = PlanArena::persistentOwner;
  for (auto buffer : program.getBlock().getOps<plan::BufferOp>()) {
    int64_t address = buffer.getOffset().value_or(llvm::alignTo(end, 64));
    if (!buffer.getOffset())
      end = address + getBytes(buffer);
    buffers[buffer] = {address, ++owner};
  }
  return llvm::alignTo(end, 64);
}

WatchedMemory::WatchedMemory(plan::ProgramOp program, const ArenaBounds &bounds, int64_t rowCount,
                             bool computeInDouble)
    : inDouble(computeInDouble), rows(rowCount), bytes(placeBuffers(program, bounds)),
      arena(bytes, countStreams(program)), clocks(countStreams(program)) {}

void WatchedMemory::fail(const std::string &what) {
  if (!fault)
    fault = label + ": " + what;
}

ArenaView WatchedMemory::resolve(plan::ViewType type, int64_t address, int owner) const {
  auto extent = [&](int64_t dim) { return dim == plan::rowsOfCall ? rows : dim; };
  Type element = type.getElementType();
  ElementKind kind = element.isInteger() ? ElementKind::I64
                     : element.isF32()   ? ElementKind::F32
                                         : ElementKind::F64;
  return {address,
          extent(type.getDim0()),
          extent(type.getDim1()),
          type.getStride0(),
          type.getStride1(),
          plan::getElementBytes(element),
          kind,
          owner};
}

ArenaView WatchedMemory::resolve(Value view) const {
  auto type = cast<plan::ViewType>(view.getType());
  auto [base, start] = plan::getBase(view);
  int64_t distance = start * plan::getElementBytes(type.getElementType());
  if (auto persistent = dyn_cast<plan::PersistentOp>(base))
    return resolve(type, persistent.getOffset() + distance, PlanArena::persistentOwner);
  auto [address, owner] = buffers.lookup(base);
  return resolve(type, address + distance, owner);
}

void WatchedMemory::begin(Operation *step, int number) {
  if (stamp.step >= 0)
    clocks.finish(stamp);
  stamp = {number, static_cast<int>(kowari::interpreter::getStream(step))};
  label = describeStep(step, number);
}

bool WatchedMemory::isDefined(const ArenaView &view, int64_t i, int64_t j) const {
  return arena.isDefined(view.getAddress(i, j), view.elementBytes, view.owner);
}

static std::string describeElement(const ArenaView &view, int64_t i, int64_t j) {
  return "element (" + std::to_string(i) + ", " + std::to_string(j) + ") of a view at byte " +
         std::to_string(view.address);
}

bool WatchedMemory::checkOrder(const ArenaView &view, int64_t i, int64_t j, bool writes) {
  if (fault || ended)
    return !fault;
  auto race = arena.findRace(view.getAddress(i, j), view.elementBytes, writes,
                             [&](StepStamp earlier) { return clocks.isOver(earlier, stamp.stream); });
  if (race)
    fail(std::string(writes ? "writes " : "reads ") + describeElement(view, i, j) +
         " without a wait for step " + std::to_string(*race) + " of another stream");
  return !race;
}

bool WatchedMemory::checkRead(const ArenaView &view, int64_t i, int64_t j) {
  if (!checkOrder(view, i, j, false))
    return false;
  if (!isDefined(view, i, j)) {
    bool other = arena.getOwner(view.getAddress(i, j)) != PlanArena::nobody;
    fail("reads " + describeElement(view, i, j) +
         (other ? ", which holds another buffer by now" : ", which nobody wrote"));
    return false;
  }
  arena.noteRead(view.getAddress(i, j), view.elementBytes, stamp);
  return true;
}

double WatchedMemory::readReal(const ArenaView &view, int64_t i, int64_t j) {
  return checkRead(view, i, j) ? arena.getReal(view.getAddress(i, j)) : 0;
}

int64_t WatchedMemory::readIndex(const ArenaView &view, int64_t i, int64_t j) {
  return checkRead(view, i, j) ? arena.getIndex(view.getAddress(i, j)) : 0;
}

void WatchedMemory::writeReal(const ArenaView &view, int64_t i, int64_t j, double value) {
  if (!checkOrder(view, i, j, true))
    return;
  if (getKind(view) == ElementKind::F32)
    value = static_cast<float>(value);
  arena.writeReal(view.getAddress(i, j), view.elementBytes, value, view.owner, stamp);
}

void WatchedMemory::writeIndex(const ArenaView &view, int64_t i, int64_t j, int64_t value) {
  if (checkOrder(view, i, j, true))
    arena.writeIndex(view.getAddress(i, j), view.elementBytes, value, view.owner, stamp);
}

void WatchedMemory::spoil(const ArenaView &view, int64_t i, int64_t j) {
  int64_t address = view.getAddress(i, j);
  if (fault)
    return;
  if (address < 0 || address + view.elementBytes > bytes)
    return fail("may write " + describeElement(view, i, j) + ", outside the arena");
  if (checkOrder(view, i, j, true))
    arena.spoil(address, view.elementBytes, stamp);
}

Tensor WatchedMemory::load(const ArenaView &view, std::vector<int64_t> shape, std::vector<bool> *undefined) {
  bool isReal = view.kind != ElementKind::I64;
  Tensor tensor(getKind(view), shape);
  std::vector<int64_t> indices;
  if (tensor.getSize() != view.dim0 * view.dim1) {
    fail("a tensor " + tensor.describe() + " does not fit a view of " + std::to_string(view.dim0) + " x " +
         std::to_string(view.dim1));
    return tensor;
  }
  for (int64_t i = 0, position = 0; i < view.dim0; ++i)
    for (int64_t j = 0; j < view.dim1; ++j, ++position) {
      if (undefined && !isDefined(view, i, j)) {
        (*undefined)[position] = true;
        continue;
      }
      if (isReal)
        tensor.setReal(position, readReal(view, i, j));
      else
        indices.push_back(readIndex(view, i, j));
    }
  return isReal ? tensor : Tensor::fromIndices(std::move(shape), std::move(indices));
}

void WatchedMemory::store(const ArenaView &view, const Tensor &tensor, const std::vector<bool> *undefined) {
  if (tensor.getSize() != view.dim0 * view.dim1 || tensor.isReal() != (view.kind != ElementKind::I64))
    return fail("a tensor " + tensor.describe() + " does not fit a view of " + std::to_string(view.dim0) +
                " x " + std::to_string(view.dim1));
  for (int64_t i = 0, position = 0; i < view.dim0; ++i)
    for (int64_t j = 0; j < view.dim1; ++j, ++position) {
      if (undefined && (*undefined)[position])
        spoil(view, i, j);
      else if (tensor.isReal())
        writeReal(view, i, j, tensor.getReal(position));
      else
        writeIndex(view, i, j, tensor.getIndices()[position]);
    }
}

bool WatchedMemory::wasWritten(const ArenaView &view) const {
  for (int64_t i = 0; i < view.dim0; ++i)
    for (int64_t j = 0; j < view.dim1; ++j)
      if (arena.getWriter(view.getAddress(i, j)) >= 0)
        return true;
  return false;
}

} // namespace kowari::interpreter
