//===- StepAccess.cpp - what a step of a plan touches ---------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/inspect/StepAccess.h"

#include "runtime/plan/PlanProduct.h"

#include <cstdio>
#include <limits>

namespace kowari::inspect {

namespace fb = plan::fb;

std::vector<Access> accesses(const fb::Manifest &manifest, const fb::Step &step) {
  std::vector<Access> list;
  if (const auto *kernel = step.what_as_KernelStep()) {
    const uint32_t outputs = manifest.kernels()->Get(kernel->kernel())->outputs();
    const uint32_t inputs = kernel->operands()->size() - outputs;
    for (uint32_t i = 0; i < kernel->operands()->size(); ++i)
      list.push_back({*kernel->operands()->Get(i), i < inputs ? "in" : "out", i < inputs, i >= inputs});
  } else if (const auto *gemm = step.what_as_GemmStep()) {
    list = {{*gemm->a(), "a", true, false}, {*gemm->b(), "b", true, false}};
    if (gemm->bias())
      list.push_back({*gemm->bias(), "bias", true, false});
    list.push_back({*gemm->c(), "c", gemm->accumulate(), true});
  } else if (const auto *copy = step.what_as_CopyStep()) {
    list = {{*copy->source(), "source", true, false}, {*copy->target(), "target", false, true}};
  } else if (const auto *gather = step.what_as_GatherStep()) {
    list = {{*gather->table(), "table", true, false},
            {*gather->index(), "index", true, false},
            {*gather->target(), "target", false, true}};
  } else if (const auto *fill = step.what_as_FillStep()) {
    list = {{*fill->target(), "target", false, true}};
  } else if (const auto *collective = step.what_as_CollectiveStep()) {
    list = {{*collective->target(), "target", true, true}};
  }
  return list;
}

int64_t elementBytes(const fb::View &view, int64_t rows) {
  // Strides of zero let a checked view have more elements than the arena has bytes.
  int64_t count = 0, bytes = 0;
  if (__builtin_mul_overflow(extent(view.dim0(), rows), extent(view.dim1(), rows), &count) ||
      __builtin_mul_overflow(count, plan::elementSize(view.dtype()), &bytes))
    return std::numeric_limits<int64_t>::max();
  return bytes;
}

int64_t spanBytes(const fb::View &view, int64_t rows) {
  const int64_t dim0 = extent(view.dim0(), rows), dim1 = extent(view.dim1(), rows);
  if (dim0 == 0 || dim1 == 0)
    return 0;
  return ((dim0 - 1) * view.stride0() + (dim1 - 1) * view.stride1() + 1) * plan::elementSize(view.dtype());
}

const char *kindName(const fb::Step &step) {
  switch (step.what_type()) {
  case fb::StepKind::KernelStep:
    return "kernel";
  case fb::StepKind::GemmStep:
    return "gemm";
  case fb::StepKind::CopyStep:
    return "copy";
  case fb::StepKind::GatherStep:
    return "gather";
  case fb::StepKind::FillStep:
    return "fill";
  case fb::StepKind::CollectiveStep:
    return "all_reduce";
  case fb::StepKind::RecordStep:
    return "record";
  case fb::StepKind::WaitStep:
    return "wait";
  case fb::StepKind::NONE:
    break;
  }
  return "none"; // checkManifest refuses it
}

std::string stepName(const fb::Manifest &manifest, const fb::Step &step) {
  if (const auto *kernel = step.what_as_KernelStep())
    return manifest.kernels()->Get(kernel->kernel())->symbol()->str();
  return kindName(step);
}

const char *typeName(fb::DType dtype) {
  constexpr const char *names[] = {"f32", "f64", "i64", "i32"};
  return names[int(dtype)];
}

std::string dimText(int64_t dim) { return dim < 0 ? "rows" : std::to_string(dim); }

std::string viewText(const fb::View &view) {
  return dimText(view.dim0()) + " x " + dimText(view.dim1()) + " " + typeName(view.dtype()) + " @" +
         std::to_string(view.offset()) + " (" + std::to_string(view.stride0()) + ", " +
         std::to_string(view.stride1()) + ")";
}

std::string stepText(const fb::Manifest &manifest, const fb::Step &step) {
  const std::string kind = kindName(step);
  if (const auto *kernel = step.what_as_KernelStep())
    return kind + " " + stepName(manifest, step) + " " + dimText(kernel->rows()) + " x " +
           std::to_string(kernel->columns());
  if (const auto *gemm = step.what_as_GemmStep())
    return kind + " " + dimText(gemm->a()->dim0()) + " x " + dimText(gemm->a()->dim1()) + " x " +
           dimText(gemm->b()->dim1()) + (gemm->bias() ? " + bias" : "") +
           (gemm->accumulate() ? " accumulate" : "");
  if (const auto *fill = step.what_as_FillStep()) {
    char value[32];
    std::snprintf(value, sizeof value, " %g", fill->value());
    return kind + value;
  }
  if (const auto *collective = step.what_as_CollectiveStep())
    return kind + (collective->reduction() == fb::Reduction::Mean ? " mean" : " sum") + " on stream " +
           std::to_string(collective->stream());
  if (const auto *record = step.what_as_RecordStep())
    return kind + " event " + std::to_string(record->event()) + " on stream " +
           std::to_string(record->stream());
  if (const auto *wait = step.what_as_WaitStep())
    return kind + " event " + std::to_string(wait->event()) + " on stream " + std::to_string(wait->stream());
  return kind;
}

std::string bytesText(int64_t bytes) {
  if (bytes < 1000)
    return std::to_string(bytes) + " bytes";
  double value = double(bytes) / 1000;
  const char *unit = "kB";
  for (const char *next : {"MB", "GB", "TB"}) {
    if (value < 999.95)
      break;
    value /= 1000;
    unit = next;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", value, unit);
  return text;
}

} // namespace kowari::inspect
