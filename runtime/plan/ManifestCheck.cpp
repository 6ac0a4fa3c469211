//===- ManifestCheck.cpp - what a manifest may say --------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/plan/ManifestCheck.h"

#include "runtime/cpu/MatrixProduct.h"
#include "runtime/plan/ArtifactFile.h"
#include "runtime/plan/PlanProduct.h"
#include "runtime/plan/plan_generated.h"

#include <limits>
#include <set>
#include <string>
#include <string_view>

namespace kowari::plan {
namespace {

// FlatBuffers nests manifest > entry > step > operation; a few levels more leave room for later versions.
constexpr flatbuffers::uoffset_t maxDepth = 16, maxTables = 1u << 24;
constexpr int64_t maxRowLimit = int64_t(1) << 31, maxArena = int64_t(1) << 46;
constexpr uint64_t arenaAlignment = 64;

std::string show(const fb::View &view) {
  const auto dim = [](int64_t d) { return d < 0 ? std::string("rows") : std::to_string(d); };
  return std::string(fb::EnumNameDType(view.dtype())) + " view of " + dim(view.dim0()) + " x " +
         dim(view.dim1()) + " at byte " + std::to_string(view.offset()) + " with strides (" +
         std::to_string(view.stride0()) + ", " + std::to_string(view.stride1()) + ")";
}

/// FlatBuffers checks the alignment of a vector's length only, not of its eight-byte elements.
template <class T> bool elementsAligned(const flatbuffers::Vector<T> &vector) {
  return vector.size() == 0 || reinterpret_cast<uintptr_t>(vector.Data()) % 8 == 0;
}

class Checker {
public:
  explicit Checker(const fb::Manifest &manifest) : manifest(manifest) {}

  Status check() const {
    KOWARI_TRY(checkHead());
    std::set<std::string_view> names;
    for (const fb::Tensor *tensor : *manifest.tensors())
      KOWARI_TRY(checkTensor(*tensor, true, names));
    for (const fb::Kernel *kernel : *manifest.kernels())
      KOWARI_TRY(checkKernel(*kernel));
    std::set<std::string_view> entryNames;
    for (const fb::Entry *entry : *manifest.entries()) {
      if (!entryNames.insert(entry->name()->string_view()).second)
        return Status::error("entry '" + entry->name()->str() + "' occurs twice");
      KOWARI_TRY(checkEntry(*entry).withContext("entry '" + entry->name()->str() + "'"));
    }
    return Status::ok();
  }

private:
  Status checkHead() const {
    if (manifest.format_version() != formatVersion)
      return Status::error("format version " + std::to_string(manifest.format_version()) +
                           " is not the one this runtime reads (" + std::to_string(formatVersion) +
                           "); compile the network again with this version of Kowari");
    if (manifest.max_rows() < 1 || manifest.max_rows() > maxRowLimit)
      return Status::error("max_rows is " + std::to_string(manifest.max_rows()) + ", not between 1 and 2^31");
    if (manifest.arena_bytes() < 0 || manifest.arena_bytes() > maxArena)
      return Status::error("arena_bytes is " + std::to_string(manifest.arena_bytes()) +
                           ", not between 0 and 2^46");
    if (manifest.persistent_bytes() < 0 || manifest.persistent_bytes() > manifest.arena_bytes())
      return Status::error("persistent_bytes is " + std::to_string(manifest.persistent_bytes()) +
                           ", not between 0 and the arena's " + std::to_string(manifest.arena_bytes()));
    if (manifest.element_type() != fb::DType::F32 && manifest.element_type() != fb::DType::F64)
      return Status::error("element type " + std::to_string(int(manifest.element_type())) +
                           " is neither F32 nor F64");
    return Status::ok();
  }

  static Status checkKernel(const fb::Kernel &kernel) {
    const std::string name = "kernel '" + kernel.symbol()->str() + "': ";
    if (kernel.symbol()->size() == 0)
      return Status::error("a kernel has no symbol name");
    if (kernel.lanes() < fb::Lanes::MIN || kernel.lanes() > fb::Lanes::MAX ||
        kernel.chunks() < fb::Chunks::MIN || kernel.chunks() > fb::Chunks::MAX)
      return Status::error(name + "unknown lanes or chunks");
    if (!(kernel.cost_per_point() >= 0 && kernel.cost_per_point() <= 1e9f))
      return Status::error(name + "cost_per_point is not between 0 and 1e9");
    return Status::ok();
  }

  /// The view lies in the first `limit` bytes of the arena for every row count up to max_rows.
  Status checkView(const fb::View &view, int64_t limit) const {
    const auto bad = [&](const std::string &what) { return Status::error(show(view) + " " + what); };
    if (view.dtype() < fb::DType::MIN || view.dtype() > fb::DType::MAX)
      return Status::error("a view has the unknown dtype " + std::to_string(int(view.dtype())));
    if (view.dim0() < -1 || view.dim1() < -1 || view.stride0() < 0 || view.stride1() < 0 || view.offset() < 0)
      return bad("has a negative number");
    const int64_t dim0 = view.dim0() < 0 ? manifest.max_rows() : view.dim0();
    const int64_t dim1 = view.dim1() < 0 ? manifest.max_rows() : view.dim1();
    const int64_t size = elementSize(view.dtype());
    if (view.offset() % size != 0)
      return bad("is not aligned to its elements");
    if (dim0 == 0 || dim1 == 0)
      return view.offset() <= limit ? Status::ok() : bad("begins outside the arena");
    int64_t last0 = 0, last1 = 0, last = 0, bytes = 0, end = 0;
    if (__builtin_mul_overflow(dim0 - 1, view.stride0(), &last0) ||
        __builtin_mul_overflow(dim1 - 1, view.stride1(), &last1) ||
        __builtin_add_overflow(last0, last1, &last) || __builtin_add_overflow(last, int64_t(1), &last) ||
        __builtin_mul_overflow(last, size, &bytes) || __builtin_add_overflow(view.offset(), bytes, &end) ||
        end > limit)
      return bad("ends outside the " + std::to_string(limit) + " bytes it must lie in");
    return Status::ok();
  }

  Status checkView(const fb::View &view) const { return checkView(view, manifest.arena_bytes()); }

  Status checkTensor(const fb::Tensor &tensor, bool persistent, std::set<std::string_view> &names) const {
    const std::string name = "tensor '" + tensor.name()->str() + "'";
    if (tensor.name()->size() == 0 || !names.insert(tensor.name()->string_view()).second)
      return Status::error(name + " has no name or one that occurs twice");
    if (tensor.kind() < fb::TensorKind::MIN || tensor.kind() > fb::TensorKind::MAX ||
        tensor.init() < fb::InitKind::MIN || tensor.init() > fb::InitKind::MAX)
      return Status::error(name + ": unknown kind or initializer");
    // Inputs are persistent and listed again by the entries that read them; outputs belong to one entry.
    const bool isOutput = tensor.kind() == fb::TensorKind::Output;
    if (persistent ? isOutput : !isOutput && tensor.kind() != fb::TensorKind::Input)
      return Status::error(name + ": its kind " + fb::EnumNameTensorKind(tensor.kind()) +
                           " does not belong here");
    KOWARI_TRY(checkView(*tensor.view(), persistent ? manifest.persistent_bytes() : manifest.arena_bytes())
                   .withContext(name));
    if (!elementsAligned(*tensor.shape()))
      return Status::error(name + ": its shape is not aligned");
    if (!shapeFits(tensor, persistent))
      return Status::error(name + ": its shape does not match its " + show(*tensor.view()));
    return Status::ok();
  }

  /// Whether the view's dimensions are products of a leading and a trailing part of the shape.
  static bool shapeFits(const fb::Tensor &tensor, bool persistent) {
    const auto &shape = *tensor.shape();
    const fb::View &view = *tensor.view();
    const bool hasRows = view.dim0() < 0 || view.dim1() < 0;
    if (persistent && hasRows && tensor.kind() != fb::TensorKind::Input)
      return false;
    // Rows stand alone in the leading dimension.
    for (flatbuffers::uoffset_t i = 0; i < shape.size(); ++i)
      if (shape[i] < -1 || (shape[i] == -1 && i > 0))
        return false;
    if ((shape.size() > 0 && shape[0] == -1) != hasRows)
      return false;
    for (flatbuffers::uoffset_t split = 0; split <= shape.size(); ++split) {
      int64_t leading = 1, trailing = 1;
      bool overflow = false;
      for (flatbuffers::uoffset_t i = 0; i < shape.size(); ++i)
        overflow |= i < split ? __builtin_mul_overflow(leading, shape[i], &leading)
                              : __builtin_mul_overflow(trailing, shape[i], &trailing);
      if (overflow)
        continue;
      if (leading == view.dim0() && trailing == view.dim1() && (!hasRows || split == 1))
        return true;
    }
    return false;
  }

  Status checkEntry(const fb::Entry &entry) const {
    std::set<std::string_view> names;
    for (const fb::Tensor *tensor : *entry.tensors())
      KOWARI_TRY(checkTensor(*tensor, false, names));
    for (flatbuffers::uoffset_t i = 0; i < entry.steps()->size(); ++i)
      KOWARI_TRY(checkStep(*entry.steps()->Get(i)).withContext("step " + std::to_string(i)));
    return Status::ok();
  }

  Status checkStep(const fb::Step &step) const {
    switch (step.what_type()) {
    case fb::StepKind::KernelStep:
      return checkKernelStep(*step.what_as_KernelStep());
    case fb::StepKind::GemmStep:
      return checkGemm(*step.what_as_GemmStep());
    case fb::StepKind::CopyStep:
      return checkCopy(*step.what_as_CopyStep());
    case fb::StepKind::GatherStep:
      return checkGather(*step.what_as_GatherStep());
    case fb::StepKind::FillStep:
      return checkView(*step.what_as_FillStep()->target()).withContext("target");
    case fb::StepKind::CollectiveStep:
      return checkView(*step.what_as_CollectiveStep()->target()).withContext("target");
    case fb::StepKind::RecordStep:
    case fb::StepKind::WaitStep:
      return Status::ok();
    case fb::StepKind::NONE:
      break;
    }
    return Status::error("unknown kind of step " + std::to_string(int(step.what_type())));
  }

  Status checkKernelStep(const fb::KernelStep &step) const {
    if (step.kernel() >= manifest.kernels()->size())
      return Status::error("kernel " + std::to_string(step.kernel()) + " does not exist; there are " +
                           std::to_string(manifest.kernels()->size()));
    constexpr int64_t limit = std::numeric_limits<int64_t>::max() / 2;
    if (step.rows() < -1 || step.columns() < 0 || step.rows() > limit || step.columns() > limit)
      return Status::error("iteration space of " + std::to_string(step.rows()) + " x " +
                           std::to_string(step.columns()));
    const fb::Kernel &kernel = *manifest.kernels()->Get(step.kernel());
    if (kernel.outputs() > step.operands()->size())
      return Status::error("kernel '" + kernel.symbol()->str() + "' writes " +
                           std::to_string(kernel.outputs()) + " operands, of " +
                           std::to_string(step.operands()->size()));
    if (!elementsAligned(*step.operands()))
      return Status::error("the operands are not aligned");
    for (flatbuffers::uoffset_t i = 0; i < step.operands()->size(); ++i)
      KOWARI_TRY(checkView(*step.operands()->Get(i)).withContext("operand " + std::to_string(i)));
    return Status::ok();
  }

  Status checkGemm(const fb::GemmStep &step) const {
    KOWARI_TRY(checkView(*step.a()).withContext("a"));
    KOWARI_TRY(checkView(*step.b()).withContext("b"));
    KOWARI_TRY(checkView(*step.c()).withContext("c"));
    if (step.bias())
      KOWARI_TRY(checkView(*step.bias()).withContext("bias"));
    const fb::View &a = *step.a(), &b = *step.b(), &c = *step.c();
    if (a.dim1() != b.dim0() || a.dim0() != c.dim0() || b.dim1() != c.dim1())
      return Status::error("operands of a product do not fit: a is " + show(a) + ", b " + show(b) + ", c " +
                           show(c));
    if ((a.dtype() != fb::DType::F32 && a.dtype() != fb::DType::F64) || a.dtype() != b.dtype() ||
        a.dtype() != c.dtype() || (step.bias() && step.bias()->dtype() != a.dtype()))
      return Status::error("operands of a product must all be F32 or all be F64");
    if (step.bias() && !isContiguousVector(*step.bias(), c.dim1()))
      return Status::error("bias of a product with " + std::to_string(c.dim1()) + " columns is a " +
                           show(*step.bias()));
    if (step.library() < fb::Library::MIN || step.library() > fb::Library::MAX)
      return Status::error("unknown matrix-product library " + std::to_string(int(step.library())));
    // Strides are valid for every row count if they are for the largest.
    return cpu::checkProductSpec(productSpec(step, manifest.max_rows()));
  }

  static bool isContiguousVector(const fb::View &view, int64_t size) {
    return size >= 0 && ((view.dim0() == size && view.dim1() == 1 && (view.stride0() == 1 || size <= 1)) ||
                         (view.dim0() == 1 && view.dim1() == size && (view.stride1() == 1 || size <= 1)));
  }

  Status checkCopy(const fb::CopyStep &step) const {
    KOWARI_TRY(checkView(*step.source()).withContext("source"));
    KOWARI_TRY(checkView(*step.target()).withContext("target"));
    const fb::View &source = *step.source(), &target = *step.target();
    if (source.dim0() != target.dim0() || source.dim1() != target.dim1() || source.dtype() != target.dtype())
      return Status::error("a copy from a " + show(source) + " to a " + show(target) +
                           ": dimensions and types must be equal");
    return Status::ok();
  }

  Status checkGather(const fb::GatherStep &step) const {
    KOWARI_TRY(checkView(*step.table()).withContext("table"));
    KOWARI_TRY(checkView(*step.index()).withContext("index"));
    KOWARI_TRY(checkView(*step.target()).withContext("target"));
    const fb::View &table = *step.table(), &index = *step.index(), &target = *step.target();
    if (table.dim0() < 0 || table.dim1() < 0 || table.dim1() != target.dim1() ||
        table.dtype() != target.dtype())
      return Status::error("rows of a " + show(table) + " do not fit into a " + show(target));
    if (index.dtype() != fb::DType::I64 || index.dim0() != target.dim0() || index.dim1() != 1)
      return Status::error("a " + show(index) + " is no row index for a " + show(target));
    return Status::ok();
  }

  const fb::Manifest &manifest;
};

} // namespace

Status checkManifest(std::span<const uint8_t> bytes) {
  if (bytes.size() < 16 || bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE)
    return Status::error("a manifest of " + std::to_string(bytes.size()) + " bytes cannot be");
  if (!fb::ManifestBufferHasIdentifier(bytes.data()))
    return Status::error("the manifest's identifier is not KWRI");
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), maxDepth, maxTables);
  if (!fb::VerifyManifestBuffer(verifier))
    return Status::error("the manifest is not a whole FlatBuffer");
  return Checker(*fb::GetManifest(bytes.data())).check();
}

} // namespace kowari::plan
