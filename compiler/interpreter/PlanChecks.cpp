//===- PlanChecks.cpp - places and lives of a plan's buffers --------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/interpreter/PlanChecks.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace kowari::interpreter {

std::optional<ArenaBounds> getArenaBounds(ModuleOp module) {
  auto rows = module->getAttrOfType<IntegerAttr>("plan.max_rows");
  auto persistent = module->getAttrOfType<IntegerAttr>("plan.persistent_bytes");
  if (!rows || !persistent)
    return std::nullopt;
  ArenaBounds bounds{rows.getInt(), persistent.getInt(), std::nullopt};
  if (auto arena = module->getAttrOfType<IntegerAttr>("plan.arena_bytes"))
    bounds.arenaBytes = arena.getInt();
  return bounds;
}

std::string describeStep(Operation *op, int64_t number) {
  std::string text = "step " + std::to_string(number) + " (" + op->getName().getStringRef().str();
  if (auto kernel = dyn_cast<plan::KernelOp>(op))
    text += " @" + kernel.getKernel().str();
  return text + ")";
}

int64_t getStream(Operation *op) {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case<plan::AllReduceOp, plan::RecordOp, plan::WaitOp>([](auto step) { return step.getStream(); })
      .Default([](Operation *other) {
        auto stream = other->getAttrOfType<IntegerAttr>("stream");
        return stream ? stream.getInt() : 0;
      });
}

namespace {

/// Elements from the first to behind the last one that a view can touch with `maxRows` rows.
int64_t getExtent(plan::ViewType view, int64_t maxRows) {
  int64_t dim0 = view.getDim0() == plan::rowsOfCall ? maxRows : view.getDim0();
  int64_t dim1 = view.getDim1() == plan::rowsOfCall ? maxRows : view.getDim1();
  return dim0 == 0 || dim1 == 0 ? 0 : (dim0 - 1) * view.getStride0() + (dim1 - 1) * view.getStride1() + 1;
}

struct Life {
  int64_t offset = 0, bytes = 0; ///< place
  int64_t first = 0, last = 0;   ///< steps
};

class LayoutCheck {
public:
  LayoutCheck(plan::ProgramOp checkedProgram, ArenaBounds arenaBounds)
      : program(checkedProgram), bounds(arenaBounds) {}

  std::optional<std::string> run() {
    int64_t number = 0;
    for (Operation &op : program.getBlock()) {
      if (auto output = dyn_cast<plan::OutputOp>(op)) {
        touch(output.getView(), number);
        outputs.push_back(output.getView());
      }
      auto step = dyn_cast<plan::StepOpInterface>(op);
      if (!step)
        continue;
      SmallVector<Value> views = step.getReads();
      llvm::append_range(views, step.getWrites());
      for (Value view : views) {
        touch(view, number);
        if (auto fault = checkView(view))
          return describeStep(&op, number) + ": " + *fault;
      }
      ++number;
    }
    for (Value view : outputs) // readable after the run
      touch(view, number);
    return checkPlaces();
  }

private:
  void touch(Value view, int64_t number) {
    auto buffer = dyn_cast_or_null<plan::BufferOp>(plan::getBase(view).first);
    if (!buffer)
      return;
    auto [life, isNew] = lives.insert({buffer, {}});
    if (isNew)
      life->second = {static_cast<int64_t>(buffer.getOffset().value_or(0)), getBytes(buffer.getType()),
                      number, number};
    life->second.last = number;
  }

  int64_t getBytes(Type type) const {
    auto view = cast<plan::ViewType>(type);
    return plan::getSpan(view, bounds.maxRows) * plan::getElementBytes(view.getElementType());
  }

  std::optional<std::string> checkView(Value view) const {
    auto [base, start] = plan::getBase(view);
    auto type = cast<plan::ViewType>(view.getType());
    int64_t elementBytes = plan::getElementBytes(type.getElementType());
    int64_t end = (start + getExtent(type, bounds.maxRows)) * elementBytes;
    if (auto persistent = dyn_cast<plan::PersistentOp>(base)) {
      int64_t offset = persistent.getOffset();
      if (offset < 0 || start < 0 || offset + end > bounds.persistentBytes)
        return "ends at byte " + std::to_string(offset + end) + ", the persistent part of the arena at " +
               std::to_string(bounds.persistentBytes);
    } else if (start < 0 || end > getBytes(base->getResult(0).getType())) {
      return "a view ends at byte " + std::to_string(end) + " of a buffer of " +
             std::to_string(getBytes(base->getResult(0).getType()));
    }
    return std::nullopt;
  }

  std::optional<std::string> checkPlaces() {
    SmallVector<Life *> placed;
    for (auto &[buffer, life] : lives) {
      if (!buffer.getOffset())
        continue;
      std::string place = "the buffer at bytes " + std::to_string(life.offset) + " to " +
                          std::to_string(life.offset + life.bytes);
      if (life.offset < bounds.persistentBytes)
        return place + " lies in the persistent part, which ends at " +
               std::to_string(bounds.persistentBytes);
      if (bounds.arenaBytes && life.offset + life.bytes > *bounds.arenaBytes)
        return place + " ends outside the arena of " + std::to_string(*bounds.arenaBytes) + " bytes";
      for (const Life *other : placed) {
        bool together = other->first <= life.last && life.first <= other->last;
        if (together && other->offset < life.offset + life.bytes &&
            life.offset < other->offset + other->bytes)
          return place + ", live from step " + std::to_string(life.first) + " to " +
                 std::to_string(life.last) + ", overlaps the one at bytes " + std::to_string(other->offset) +
                 " to " + std::to_string(other->offset + other->bytes) + ", live from step " +
                 std::to_string(other->first) + " to " + std::to_string(other->last);
      }
      placed.push_back(&life);
    }
    return std::nullopt;
  }

  plan::ProgramOp program;
  ArenaBounds bounds;
  llvm::MapVector<plan::BufferOp, Life> lives;
  SmallVector<Value> outputs;
};

} // namespace

std::optional<std::string> findLayoutFault(plan::ProgramOp program) {
  auto bounds = getArenaBounds(program->getParentOfType<ModuleOp>());
  if (!bounds)
    return "the module lacks plan.max_rows or plan.persistent_bytes";
  return LayoutCheck(program, *bounds).run();
}

} // namespace kowari::interpreter
