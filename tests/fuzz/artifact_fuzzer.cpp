//===- artifact_fuzzer.cpp - libFuzzer target for the reader ----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Half of the inputs are whole files; the others are manifests, so that the fuzzer is not stopped by the
// digest. An accepted manifest is walked: every string and view that a runtime would touch is touched.
//
//===----------------------------------------------------------------------===//
#include "runtime/plan/ArtifactFile.h"
#include "runtime/plan/ManifestCheck.h"
#include "runtime/plan/plan_generated.h"

#include <cstdlib>

using namespace kowari::plan;

namespace {

void walk(const fb::Manifest &manifest) {
  size_t seen = manifest.spec()->size() + manifest.build_id()->size() + manifest.target()->size();
  for (const auto *tensor : *manifest.tensors())
    seen += tensor->name()->size() + tensor->shape()->size();
  for (const auto *entry : *manifest.entries())
    for (const auto *step : *entry->steps()) {
      seen += step->label() ? step->label()->size() : 0;
      if (const auto *kernel = step->what_as_KernelStep()) {
        if (kernel->kernel() >= manifest.kernels()->size())
          std::abort();
        for (const auto *view : *kernel->operands())
          if (view->offset() < 0 || view->offset() > manifest.arena_bytes())
            std::abort();
      }
    }
  static volatile size_t sink;
  sink = seen;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::span<const uint8_t> input(data, size);
  if (size > 0 && data[0] == 'K')
    return checkContainer(input).isOk() ? 0 : -1;
  // FlatBuffers reads aligned numbers; a file in memory has the manifest at a multiple of 8.
  const std::vector<uint8_t> aligned(input.begin(), input.end());
  if (checkManifest(aligned).isOk())
    walk(*fb::GetManifest(aligned.data()));
  return 0;
}
