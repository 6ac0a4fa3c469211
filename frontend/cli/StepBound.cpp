//===- StepBound.cpp - the least time a step can take ---------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/StepBound.h"

#include "runtime/cpu/Machine.h"
#include "runtime/plan/ArtifactFile.h"
#include "runtime/plan/PlanProduct.h"

#include <map>

namespace kowari::cli {

namespace {

/// Times a parameter's element passes through memory in an update: read and write of the parameter and of
/// each state buffer, and the read of the gradient.
int64_t passes(const OptimizerSpec &optimizer) {
  int64_t buffers = 0;
  if (optimizer.kind == OptimizerKind::Sgd)
    buffers = optimizer.momentum != 0.0;
  else
    buffers = optimizer.amsgrad ? 3 : 2;
  return 2 * (1 + buffers) + 1;
}

} // namespace

Result<StepBound> measureStepBound(const std::string &path, const std::string &entryName, int64_t rows,
                                   int threads, int64_t trained, const OptimizerSpec &optimizer,
                                   ElementType element) {
  KOWARI_ASSIGN(const plan::ArtifactFile file, plan::ArtifactFile::open(path));
  std::map<cpu::ProductSpec, int64_t> products;
  StepBound bound;
  for (const plan::fb::Entry *entry : *file.manifest().entries()) {
    if (entry->name()->str() != entryName)
      continue;
    for (const plan::fb::Step *step : *entry->steps())
      if (const plan::fb::GemmStep *gemm = step->what_as_GemmStep()) {
        cpu::ProductSpec spec = plan::productSpec(*gemm, rows);
        spec.library = cpu::ProductLibrary::Auto;
        ++products[spec];
        ++bound.products;
      }
  }
  for (const auto &[spec, count] : products) {
    KOWARI_ASSIGN(const double seconds, cpu::bestProductSeconds(spec, threads));
    bound.productSeconds += seconds * static_cast<double>(count);
  }
  const double bytes =
      static_cast<double>(trained * passes(optimizer) * (element == ElementType::F64 ? 8 : 4));
  bound.trafficSeconds = bytes / cpu::copyBandwidth(threads);
  return bound;
}

} // namespace kowari::cli
