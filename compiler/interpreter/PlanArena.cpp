//===- PlanArena.cpp - memory that remembers who wrote it -----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/interpreter/PlanArena.h"

namespace kowari::interpreter {

std::pair<int64_t, int64_t> ArenaView::getRange() const {
  if (dim0 <= 0 || dim1 <= 0)
    return {address, address};
  return {address, getAddress(dim0 - 1, dim1 - 1) + elementBytes};
}

PlanArena::PlanArena(int64_t arenaBytes, int streamCount)
    : bytes(arenaBytes), streams(streamCount), cells(arenaBytes / cellBytes) {
  if (streams > 1)
    lastReads.assign(cells.size() * streams, -1);
}

bool PlanArena::isDefined(int64_t address, int64_t elementBytes, int owner) const {
  for (int64_t cell = address / cellBytes; cell < (address + elementBytes) / cellBytes; ++cell)
    if (cells[cell].owner != owner)
      return false;
  return true;
}

void PlanArena::write(int64_t address, int64_t elementBytes, int64_t content, int owner, StepStamp stamp) {
  forEachCell(address, elementBytes, [&](int64_t cell) { cells[cell] = {content, owner, stamp}; });
}

void PlanArena::writeReal(int64_t address, int64_t elementBytes, double value, int owner, StepStamp stamp) {
  write(address, elementBytes, std::bit_cast<int64_t>(value), owner, stamp);
}

void PlanArena::writeIndex(int64_t address, int64_t elementBytes, int64_t value, int owner, StepStamp stamp) {
  write(address, elementBytes, value, owner, stamp);
}

void PlanArena::spoil(int64_t address, int64_t elementBytes, StepStamp stamp) {
  write(address, elementBytes, -1, nobody, stamp);
}

void PlanArena::noteRead(int64_t address, int64_t elementBytes, StepStamp stamp) {
  if (streams > 1)
    forEachCell(address, elementBytes,
                [&](int64_t cell) { lastReads[cell * streams + stamp.stream] = stamp.step; });
}

std::optional<int> PlanArena::findRace(int64_t address, int64_t elementBytes, bool writes,
                                       const IsOver &isOver) const {
  for (int64_t cell = address / cellBytes; cell < (address + elementBytes) / cellBytes; ++cell) {
    const StepStamp &writer = cells[cell].writer;
    if (writer.step >= 0 && !isOver(writer))
      return writer.step;
    for (int stream = 0; writes && stream < streams && streams > 1; ++stream)
      if (int reader = lastReads[cell * streams + stream]; reader >= 0 && !isOver({reader, stream}))
        return reader;
  }
  return std::nullopt;
}

} // namespace kowari::interpreter
