//===- PlanWatchedMemory.h - a plan's arena under watch ---------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The arena of one run of a program together with the places of its buffers and the order that its streams
// guarantee. Accesses name views; the first that is wrong is kept as the fault, and nothing after it counts.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/PlanArena.h"
#include "compiler/interpreter/PlanChecks.h"

#include "llvm/ADT/DenseMap.h"

#include <map>

namespace kowari::interpreter {

/// What each stream knows to be over: records and waits carry it from one to another.
class StreamClocks {
public:
  explicit StreamClocks(int streams) : known(streams, std::vector<int>(streams, -1)) {}
  void finish(StepStamp stamp) { known[stamp.stream][stamp.stream] = stamp.step; }
  void record(int64_t event, int stream) { events[event] = known[stream]; }
  /// False for an event that nobody has recorded.
  bool wait(int64_t event, int stream);
  bool isOver(StepStamp earlier, int forStream) const {
    return earlier.stream == forStream || earlier.step <= known[forStream][earlier.stream];
  }

private:
  std::vector<std::vector<int>> known; ///< by stream, the last step of each stream that is over
  std::map<int64_t, std::vector<int>> events;
};

class WatchedMemory {
public:
  WatchedMemory(plan::ProgramOp program, const ArenaBounds &bounds, int64_t rows, bool inDouble);

  const std::optional<std::string> &getFault() const { return fault; }
  void fail(const std::string &what);

  ArenaView resolve(mlir::Value view) const;
  ArenaView resolve(plan::ViewType type, int64_t address, int owner) const;
  /// The element kind that values of a view have in this run.
  ElementKind getKind(const ArenaView &view) const {
    return inDouble && view.kind == ElementKind::F32 ? ElementKind::F64 : view.kind;
  }

  bool computesInDouble() const { return inDouble; }

  /// What accesses are attributed to from now on.
  void begin(mlir::Operation *step, int number);
  void beginReading(std::string name) { label = std::move(name); }
  /// After the last step every stream is waited for.
  void end() { ended = true; }
  StreamClocks &getClocks() { return clocks; }
  int getStream() const { return stamp.stream; }

  double readReal(const ArenaView &view, int64_t i, int64_t j);
  int64_t readIndex(const ArenaView &view, int64_t i, int64_t j);
  /// Rounds to the view's element type unless the run is in double.
  void writeReal(const ArenaView &view, int64_t i, int64_t j, double value);
  void writeIndex(const ArenaView &view, int64_t i, int64_t j, int64_t value);
  /// Whether a read would find a value; says nothing of streams.
  bool isDefined(const ArenaView &view, int64_t i, int64_t j) const;
  /// Leaves an element undefined; (i, j) may lie beyond the view's dimensions.
  void spoil(const ArenaView &view, int64_t i, int64_t j);

  /// All elements, row-major. Positions in `undefined`, if given, are filled in instead of being faults.
  Tensor load(const ArenaView &view, std::vector<int64_t> shape, std::vector<bool> *undefined = nullptr);
  /// Positions of `undefined`, if given, are spoilt instead of written.
  void store(const ArenaView &view, const Tensor &tensor, const std::vector<bool> *undefined = nullptr);
  bool wasWritten(const ArenaView &view) const;

private:
  bool checkRead(const ArenaView &view, int64_t i, int64_t j);
  bool checkOrder(const ArenaView &view, int64_t i, int64_t j, bool writes);

  bool inDouble;
  int64_t rows;
  llvm::DenseMap<mlir::Operation *, std::pair<int64_t, int>> buffers; ///< address and owner
  int64_t bytes;
  PlanArena arena;
  StreamClocks clocks;
  StepStamp stamp{-1, 0};
  bool ended = false;
  std::string label = "the inputs";
  std::optional<std::string> fault;

  int64_t placeBuffers(plan::ProgramOp program, const ArenaBounds &bounds);
};

} // namespace kowari::interpreter
