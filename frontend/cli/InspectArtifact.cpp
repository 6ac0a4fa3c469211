//===- InspectArtifact.cpp - what is in a .kwa file -----------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/Inspect.h"

#include "runtime/plan/ArtifactFile.h"
#include "runtime/plan/plan_generated.h"

namespace kowari::cli {

namespace {

using namespace plan;

std::string text(const flatbuffers::String *string) { return string ? string->str() : ""; }

std::string shapeText(const flatbuffers::Vector<int64_t> &shape) {
  std::string result = "(";
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t dim = shape.Get(static_cast<flatbuffers::uoffset_t>(i));
    result += (i ? ", " : "") + (dim < 0 ? "rows" : std::to_string(dim));
  }
  return result + ")";
}

Value describeTensors(const flatbuffers::Vector<flatbuffers::Offset<fb::Tensor>> &tensors) {
  ValueDict dict;
  for (const fb::Tensor *tensor : tensors)
    dict[text(tensor->name())] =
        std::string(fb::EnumNameTensorKind(tensor->kind())) + " " + shapeText(*tensor->shape()) + " " +
        fb::EnumNameDType(tensor->view()->dtype()) + " at " + std::to_string(tensor->view()->offset());
  return dict;
}

std::string extent(int64_t dim) { return dim < 0 ? "rows" : std::to_string(dim); }

std::string describeStep(const fb::Step &step, const fb::Manifest &manifest) {
  std::string label = text(step.label());
  if (const fb::KernelStep *kernel = step.what_as_KernelStep())
    return "kernel " + text(manifest.kernels()->Get(kernel->kernel())->symbol()) + " " +
           extent(kernel->rows()) + " x " + extent(kernel->columns()) +
           (label.empty() ? "" : " (" + label + ")");
  if (const fb::GemmStep *gemm = step.what_as_GemmStep())
    return "gemm " + extent(gemm->a()->dim0()) + " x " + extent(gemm->a()->dim1()) + " x " +
           extent(gemm->b()->dim1()) + (gemm->accumulate() ? " accumulate" : "") +
           (gemm->bias() ? " bias" : "") + (label.empty() ? "" : " (" + label + ")");
  return std::string(fb::EnumNameStepKind(step.what_type())) + (label.empty() ? "" : " (" + label + ")");
}

Value describeEntry(const fb::Entry &entry, const fb::Manifest &manifest, const InspectDetail &detail) {
  int64_t kernels = 0, gemms = 0, others = 0;
  ValueList plan;
  for (const fb::Step *step : *entry.steps()) {
    ++(step->what_as_KernelStep() ? kernels : step->what_as_GemmStep() ? gemms : others);
    if (detail.plan)
      plan.emplace_back(describeStep(*step, manifest));
  }
  ValueDict dict = {{"kernels", kernels}, {"gemms", gemms}, {"copies_and_fills", others}};
  if (detail.tensors)
    dict["tensors"] = describeTensors(*entry.tensors());
  if (detail.plan)
    dict["plan"] = std::move(plan);
  return dict;
}

/// Bytes of the persistent tensors by kind, and what is left for the steps.
Value describeMemory(const fb::Manifest &manifest) {
  ValueDict kinds;
  for (const fb::Tensor *tensor : *manifest.tensors()) {
    int64_t count =
        tensor->view()->dtype() == fb::DType::F64 || tensor->view()->dtype() == fb::DType::I64 ? 8 : 4;
    for (const int64_t dim : *tensor->shape())
      count *= dim < 0 ? manifest.max_rows() : dim;
    Value &sum = kinds[std::string(fb::EnumNameTensorKind(tensor->kind()))];
    sum = (sum.isNull() ? 0 : sum.asInt()) + count;
  }
  return ValueDict{{"arena_bytes", manifest.arena_bytes()},
                   {"persistent_bytes", manifest.persistent_bytes()},
                   {"step_bytes", manifest.arena_bytes() - manifest.persistent_bytes()},
                   {"unpadded_bytes_by_kind", std::move(kinds)}};
}

Value describeKernels(const fb::Manifest &manifest) {
  ValueDict dict;
  for (const fb::Kernel *kernel : *manifest.kernels())
    dict[text(kernel->symbol())] = std::string("lanes ") + fb::EnumNameLanes(kernel->lanes()) + ", chunks " +
                                   fb::EnumNameChunks(kernel->chunks());
  return dict;
}

} // namespace

Result<Value> inspectArtifact(const std::string &path, const InspectDetail &detail) {
  KOWARI_ASSIGN(const ArtifactFile file, ArtifactFile::open(path));
  const fb::Manifest &manifest = file.manifest();
  ValueList features;
  for (const flatbuffers::String *feature : *manifest.cpu_features())
    features.emplace_back(feature->str());
  ValueDict entries;
  for (const fb::Entry *entry : *manifest.entries())
    entries[text(entry->name())] = describeEntry(*entry, manifest, detail);
  ValueDict dict = {{"file", path},
                    {"type", "artifact"},
                    {"bytes", file.fileBytes()},
                    {"digest", file.digest()},
                    {"format_version", static_cast<int64_t>(manifest.format_version())},
                    {"build_id", text(manifest.build_id())},
                    {"target", text(manifest.target())},
                    {"cpu_features", std::move(features)},
                    {"element_type", fb::EnumNameDType(manifest.element_type())},
                    {"max_rows", manifest.max_rows()},
                    {"code_bytes", static_cast<int64_t>(file.code().size())},
                    {"distinct_kernels", static_cast<int64_t>(manifest.kernels()->size())},
                    {"memory", describeMemory(manifest)},
                    {"entries", std::move(entries)},
                    {"spec", text(manifest.spec())}};
  if (detail.kernels)
    dict["kernels"] = describeKernels(manifest);
  if (detail.tensors)
    dict["tensors"] = describeTensors(*manifest.tensors());
  return Value(std::move(dict));
}

} // namespace kowari::cli
