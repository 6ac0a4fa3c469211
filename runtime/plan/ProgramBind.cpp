//===- ProgramBind.cpp - resolving steps for a row count --------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/plan/PlanProduct.h"
#include "runtime/plan/ProgramState.h"

#include <algorithm>
#include <cstring>

namespace kowari::plan {
namespace {

/// Kernels divide rows and lanes into multiples of this, as KernelAbi.h promises.
constexpr int64_t laneBlock = 16;
/// Operations from which a second thread pays: a parallel region costs about a microsecond.
constexpr double parallelOperations = 40000;
/// Row counts kept bound for one entry. A training uses three: full, last training and last test batch.
constexpr size_t maxBoundRowCounts = 16;

class Binder {
public:
  Binder(ProgramState &state, int64_t rows)
      : state(state), rows(rows), entry(std::make_unique<BoundEntry>()) {
    entry->rows = rows;
  }

  Status bind(const fb::Step &step) {
    switch (step.what_type()) {
    case fb::StepKind::KernelStep:
      bindKernel(*step.what_as_KernelStep());
      return Status::ok();
    case fb::StepKind::GemmStep:
      return bindProduct(*step.what_as_GemmStep());
    case fb::StepKind::CopyStep:
      bindCopy(*step.what_as_CopyStep());
      return Status::ok();
    case fb::StepKind::GatherStep:
      bindGather(*step.what_as_GatherStep());
      return Status::ok();
    case fb::StepKind::FillStep:
      bindFill(*step.what_as_FillStep());
      return Status::ok();
    default:
      // One device, one stream: a reduction over devices leaves its operand as it is, and events order
      // nothing that the order of the steps does not.
      entry->steps.push_back({BoundKind::Nothing, 0});
      return Status::ok();
    }
  }

  std::unique_ptr<BoundEntry> take() { return std::move(entry); }

private:
  int64_t extent(int64_t dim) const { return dim < 0 ? rows : dim; }
  char *address(const fb::View &view) const { return state.arena.base() + view.offset(); }

  template <class T> void push(BoundKind kind, std::vector<T> &list, T item) {
    entry->steps.push_back({kind, uint32_t(list.size())});
    list.push_back(item);
  }

  void bindKernel(const fb::KernelStep &step) {
    const LoadedKernel &kernel = state.kernels[step.kernel()];
    BoundKernel bound{};
    bound.function = kernel.function;
    bound.rows = extent(step.rows());
    bound.columns = step.columns();
    if (bound.rows == 0 || bound.columns == 0) {
      entry->steps.push_back({BoundKind::Nothing, 0});
      return;
    }
    bound.firstOperand = uint32_t(entry->pointers.size());
    const bool lanesAreRows = kernel.lanes == fb::Lanes::Rows;
    for (const fb::View *view : *step.operands()) {
      entry->pointers.push_back(address(*view));
      entry->strides.push_back(lanesAreRows ? view->stride1() : view->stride0());
    }
    bound.byColumns = kernel.chunks == fb::Chunks::Columns;
    bound.grain = bound.byColumns && lanesAreRows ? 1 : laneBlock;
    const double work = double(bound.rows) * double(bound.columns) * std::max(1.0, kernel.costPerPoint);
    const int64_t chunks = ((bound.byColumns ? bound.columns : bound.rows) + bound.grain - 1) / bound.grain;
    const bool divides = kernel.chunks != fb::Chunks::None && chunks > 1;
    bound.threads = divides && work >= parallelOperations ? state.threads : 1;
    push(BoundKind::Kernel, entry->kernels, bound);
  }

  Status bindProduct(const fb::GemmStep &step) {
    KOWARI_ASSIGN(cpu::MatrixProduct * product, state.products->get(productSpec(step, rows)));
    push(BoundKind::Product, entry->products,
         BoundProduct{product, address(*step.a()), address(*step.b()), address(*step.c()),
                      step.bias() ? address(*step.bias()) : nullptr});
    return Status::ok();
  }

  void bindCopy(const fb::CopyStep &step) {
    const fb::View &source = *step.source(), &target = *step.target();
    push(BoundKind::Copy, entry->copies,
         StridedCopy{address(source), address(target), extent(source.dim0()), extent(source.dim1()),
                     source.stride0(), source.stride1(), target.stride0(), target.stride1(),
                     elementSize(source.dtype())});
  }

  void bindGather(const fb::GatherStep &step) {
    const fb::View &table = *step.table(), &index = *step.index(), &target = *step.target();
    push(BoundKind::Gather, entry->gathers,
         RowGather{address(table), reinterpret_cast<const int64_t *>(address(index)), address(target),
                   table.dim0(), extent(target.dim0()), table.dim1(), index.stride0(), table.stride0(),
                   table.stride1(), target.stride0(), target.stride1(), elementSize(table.dtype())});
  }

  void bindFill(const fb::FillStep &step) {
    const fb::View &view = *step.target();
    push(BoundKind::Fill, entry->fills,
         StridedFill{address(view), extent(view.dim0()), extent(view.dim1()), view.stride0(), view.stride1(),
                     elementSize(view.dtype()), pattern(view.dtype(), step.value())});
  }

  template <class T> static uint64_t bits(T value) {
    uint64_t result = 0;
    std::memcpy(&result, &value, sizeof value);
    return result;
  }

  static uint64_t pattern(fb::DType dtype, double value) {
    switch (dtype) {
    case fb::DType::F32:
      return bits(float(value));
    case fb::DType::F64:
      return bits(value);
    case fb::DType::I64:
      return bits(int64_t(value));
    case fb::DType::I32:
      return bits(int32_t(value));
    }
    return 0;
  }

  ProgramState &state;
  int64_t rows;
  std::unique_ptr<BoundEntry> entry;
};

} // namespace

Result<BoundEntry *> ProgramState::bind(LoadedEntry &entry, int64_t rows) {
  for (const auto &bound : entry.bound)
    if (bound->rows == rows) {
      bound->lastUse = ++uses;
      return bound.get();
    }
  Binder binder(*this, rows);
  for (flatbuffers::uoffset_t i = 0; i < entry.plan->steps()->size(); ++i)
    KOWARI_TRY(binder.bind(*entry.plan->steps()->Get(i))
                   .withContext("entry '" + entry.name + "', step " + std::to_string(i)));
  if (entry.bound.size() >= maxBoundRowCounts) {
    const auto oldest =
        std::min_element(entry.bound.begin(), entry.bound.end(),
                         [](const auto &a, const auto &b) { return a->lastUse < b->lastUse; });
    entry.bound.erase(oldest);
  }
  entry.bound.push_back(binder.take());
  entry.bound.back()->lastUse = ++uses;
  return entry.bound.back().get();
}

} // namespace kowari::plan
