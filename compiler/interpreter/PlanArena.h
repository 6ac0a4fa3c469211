//===- PlanArena.h - memory that remembers who wrote it ---------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The arena of an interpreted plan. Addresses are bytes, as in the plan; contents are kept by element, in
// double where an f32 program is to be followed without rounding. Every four bytes remember which buffer they
// were last written for, by which step and who has read them since, so that a read of bytes nobody wrote, of
// bytes that belong to another buffer by now, and two streams that touch the same bytes without a wait
// between them are seen where they happen.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/Tensor.h"
#include "dialects/plan/PlanOps.h"

#include <bit>
#include <functional>
#include <optional>

namespace kowari::interpreter {

/// A view with the row count put in and its address found.
struct ArenaView {
  int64_t address = 0;                                  ///< bytes, of element (0, 0)
  int64_t dim0 = 0, dim1 = 0, stride0 = 0, stride1 = 0; ///< elements
  int64_t elementBytes = 4;
  ElementKind kind = ElementKind::F32; ///< as the plan says, whatever the arena computes in
  int owner = 0;                       ///< the buffer it is part of; PlanArena::persistentOwner

  int64_t getAddress(int64_t i, int64_t j) const {
    return address + (i * stride0 + j * stride1) * elementBytes;
  }
  /// Bytes from the first element to behind the last; {address, address} if there is none.
  std::pair<int64_t, int64_t> getRange() const;
};

/// Which step of which stream is at work.
struct StepStamp {
  int step = 0;
  int stream = 0;
};

class PlanArena {
public:
  static constexpr int nobody = 0, persistentOwner = 1; ///< buffers are numbered from 2 on

  /// Every byte undefined. With `streams` > 1 reads are recorded too.
  PlanArena(int64_t bytes, int streams);

  int64_t getBytes() const { return bytes; }

  double getReal(int64_t address) const { return std::bit_cast<double>(cells[address / cellBytes].content); }
  int64_t getIndex(int64_t address) const { return cells[address / cellBytes].content; }

  /// Whether the element at `address` was last written for `owner`.
  bool isDefined(int64_t address, int64_t elementBytes, int owner) const;
  /// Who wrote the element's first bytes last.
  int getOwner(int64_t address) const { return cells[address / cellBytes].owner; }

  /// The step that wrote them; -1: they are as they were before the first.
  int getWriter(int64_t address) const { return cells[address / cellBytes].writer.step; }

  void writeReal(int64_t address, int64_t elementBytes, double value, int owner, StepStamp stamp);
  void writeIndex(int64_t address, int64_t elementBytes, int64_t value, int owner, StepStamp stamp);
  /// What a step may leave anything in: it belongs to nobody afterwards.
  void spoil(int64_t address, int64_t elementBytes, StepStamp stamp);
  void noteRead(int64_t address, int64_t elementBytes, StepStamp stamp);

  /// The step that must be over before a read (write) of the element but that `isOver` does not know to be.
  using IsOver = std::function<bool(StepStamp)>;
  std::optional<int> findRace(int64_t address, int64_t elementBytes, bool writes, const IsOver &isOver) const;

private:
  static constexpr int64_t cellBytes = 4;
  struct Cell {
    int64_t content = -1; ///< the bits of a double or an index; not a number at first
    int owner = nobody;
    StepStamp writer{-1, 0};
  };
  template <class Action> void forEachCell(int64_t address, int64_t elementBytes, Action action) {
    for (int64_t cell = address / cellBytes; cell < (address + elementBytes) / cellBytes; ++cell)
      action(cell);
  }
  void write(int64_t address, int64_t elementBytes, int64_t content, int owner, StepStamp stamp);

  int64_t bytes;
  int streams;
  std::vector<Cell> cells;
  std::vector<int> lastReads; ///< by cell and stream; empty for one stream
};

} // namespace kowari::interpreter
