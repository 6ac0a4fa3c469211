//===- ShrinkSpec.cpp - a production network made narrow ------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/settings/ShrinkSpec.h"

#include <algorithm>

namespace kowari {

ProgramSpec shrinkWidths(ProgramSpec spec, int64_t width) {
  auto shrink = [width](int64_t &extent) { extent = std::min(extent, width); };
  shrink(spec.flow.hiddenDim);
  shrink(spec.embedding.bins);
  shrink(spec.embedding.svdSize);
  shrink(spec.embedding.outputDim);
  for (int64_t &hidden : spec.embedding.hiddenDims)
    shrink(hidden);
  if (spec.data.detectors == 0)
    return spec;
  // The bins that the network sees are those of the embedding; some stay below them if there were any.
  const int64_t below = std::min<int64_t>(spec.data.minIndex, 1);
  spec.data.bins = std::min(spec.data.bins - spec.data.minIndex, width) + below;
  spec.data.minIndex = below;
  shrink(spec.data.svdSize);
  shrink(spec.data.asdRows);
  return spec;
}

} // namespace kowari
