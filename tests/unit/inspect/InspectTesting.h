//===- InspectTesting.h - a small plan with known numbers -------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "tests/unit/plan/PlanBuilder.h"

namespace kowari::inspect::test {

namespace fb = plan::fb;
using plan::test::featureMajor;
using plan::test::PlanBuilder;
using plan::test::rowMajor;
using plan::test::vector;

/// 8 rows, a persistent part of 1024 bytes with w (8 x 4), b (8) and the input x (rows x 4), and the entry
/// "step". Its scratch buffers, in bytes of the arena and steps:
///
///     h [1024, 1536) 0-1    y [1536, 2048) 1-2    z [1024, 1536) 2-4 (where h was)
///     s [2048, 2112) 2      g [2112, 2624) 3-6    o [2688, 3200) 5-6, written in two halves of its columns
inline void addSmallEntry(PlanBuilder &plan) {
  plan.tensor("w", fb::TensorKind::Parameter, {8, 4}, rowMajor(0, 8, 4, 16));
  plan.tensor("b", fb::TensorKind::Parameter, {8}, vector(512, 8));
  const fb::View x = rowMajor(640, -1, 4, 4), h = rowMajor(1024, -1, 8, 16), y = rowMajor(1536, -1, 8, 16);
  const fb::View s = vector(2048, 8), g = rowMajor(2112, -1, 4, 16), o = rowMajor(2688, -1, 8, 16);
  const fb::View bias = vector(512, 8);
  std::vector<int64_t> shape = {-1, 4};
  plan.tensors.push_back(
      fb::CreateTensorDirect(plan.builder, "x", fb::TensorKind::Input, &shape, &x, fb::InitKind::None, 0));
  plan.tensor("x", fb::TensorKind::Input, {-1, 4}, x);
  plan.tensor("o", fb::TensorKind::Output, {-1, 8}, o);
  const uint32_t elu = plan.kernel("k0_elu", fb::Lanes::Columns, fb::Chunks::Rows, 4);
  const uint32_t two = plan.kernel("k1_sums", fb::Lanes::Rows, fb::Chunks::None, 4e5f, 2);
  plan.group = "gemm";
  plan.gemm(x, featureMajor(0, 4, 8, 16), h, &bias);
  plan.group = "elementwise";
  plan.run(elu, -1, 8, {h, y});
  plan.group = "norm";
  plan.run(two, -1, 8, {y, h, s});
  plan.group = "copy";
  plan.fill(g, 0.5);
  plan.group = "gemm";
  plan.gemm(h, rowMajor(0, 8, 4, 16), g, nullptr, true);
  plan.group = "copy";
  plan.copy(x, rowMajor(2688, -1, 4, 16));
  plan.copy(g, rowMajor(2704, -1, 4, 16));
  plan.entry("step");
}

inline std::vector<uint8_t> smallManifest() {
  PlanBuilder plan;
  addSmallEntry(plan);
  return plan.finish(8, 3200, 1024);
}

} // namespace kowari::inspect::test
