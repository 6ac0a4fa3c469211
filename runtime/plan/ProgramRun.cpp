//===- ProgramRun.cpp - running an entry ------------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/cpu/Threads.h"
#include "runtime/plan/ProgramState.h"

#include <chrono>

namespace kowari::plan {
namespace {

void runKernel(const BoundKernel &kernel, const BoundEntry &entry) {
  KowariKernelArgs whole{};
  whole.row_end = whole.rows = kernel.rows;
  whole.col_end = whole.columns = kernel.columns;
  whole.pointers = entry.pointers.data() + kernel.firstOperand;
  whole.strides = entry.strides.data() + kernel.firstOperand;
  if (kernel.threads == 1)
    return kernel.function(&whole);
  const int64_t count = kernel.byColumns ? kernel.columns : kernel.rows;
  cpu::parallelRanges(kernel.threads, count, kernel.grain, [&](int64_t begin, int64_t end) {
    KowariKernelArgs chunk = whole;
    (kernel.byColumns ? chunk.col_begin : chunk.row_begin) = begin;
    (kernel.byColumns ? chunk.col_end : chunk.row_end) = end;
    kernel.function(&chunk);
  });
}

Status runStep(const BoundStep &step, const BoundEntry &entry, int threads) {
  switch (step.kind) {
  case BoundKind::Kernel:
    runKernel(entry.kernels[step.index], entry);
    break;
  case BoundKind::Product: {
    const BoundProduct &p = entry.products[step.index];
    return p.product->run(p.a, p.b, p.c, p.bias);
  }
  case BoundKind::Copy:
    runCopy(entry.copies[step.index], threads);
    break;
  case BoundKind::Fill:
    runFill(entry.fills[step.index], threads);
    break;
  case BoundKind::Gather:
    return runGather(entry.gathers[step.index], threads);
  case BoundKind::Nothing:
    break;
  }
  return Status::ok();
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string_view text(const flatbuffers::String *string) { return string ? string->string_view() : ""; }

} // namespace

Status ProgramState::checkCall(int entry, int64_t rows) const {
  if (entry < 0 || size_t(entry) >= entries.size())
    return Status::error("artifact " + file.path() + " has no entry number " + std::to_string(entry));
  const int64_t maxRows = file.manifest().max_rows();
  if (rows < 1 || rows > maxRows)
    return Status::error("entry '" + entries[entry].name + "' was asked to run " + std::to_string(rows) +
                         " rows; the artifact was compiled for 1 to " + std::to_string(maxRows) +
                         " (compile it with more --rows)");
  return Status::ok();
}

std::string ProgramState::describeStep(int entry, size_t step) const {
  const fb::Step &plan = *entries[entry].plan->steps()->Get(flatbuffers::uoffset_t(step));
  return "entry '" + entries[entry].name + "', step " + std::to_string(step) + " (" +
         std::string(text(plan.label())) + ")";
}

Status Program::prepare(int entry, std::span<const int64_t> rowCounts) {
  cpu::useThreads(state->threads);
  for (const int64_t rows : rowCounts) {
    KOWARI_TRY(state->checkCall(entry, rows));
    KOWARI_TRY(state->bind(state->entries[entry], rows).status());
  }
  return Status::ok();
}

Status Program::run(int entry, int64_t rows) {
  KOWARI_TRY(state->checkCall(entry, rows));
  cpu::useThreads(state->threads);
  KOWARI_ASSIGN(const BoundEntry *bound, state->bind(state->entries[entry], rows));
  for (size_t i = 0; i < bound->steps.size(); ++i)
    if (Status ran = runStep(bound->steps[i], *bound, state->threads); !ran)
      return std::move(ran).withContext(state->describeStep(entry, i));
  return Status::ok();
}

Status Program::runTimed(int entry, int64_t rows, std::vector<StepTime> &times) {
  KOWARI_TRY(state->checkCall(entry, rows));
  cpu::useThreads(state->threads);
  LoadedEntry &loaded = state->entries[entry];
  KOWARI_ASSIGN(const BoundEntry *bound, state->bind(loaded, rows));
  times.clear();
  times.reserve(bound->steps.size());
  double begin = now();
  for (size_t i = 0; i < bound->steps.size(); ++i) {
    if (Status ran = runStep(bound->steps[i], *bound, state->threads); !ran)
      return std::move(ran).withContext(state->describeStep(entry, i));
    const double end = now();
    const fb::Step &step = *loaded.plan->steps()->Get(flatbuffers::uoffset_t(i));
    times.push_back({text(step.label()), text(step.group()), end - begin});
    begin = end;
  }
  return Status::ok();
}

} // namespace kowari::plan
