//===- PlanProduct.h - a plan's product as the CPU takes it -----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cpu/MatrixProduct.h"
#include "runtime/plan/plan_generated.h"

namespace kowari::plan {

inline int64_t elementSize(fb::DType dtype) {
  return dtype == fb::DType::F32 || dtype == fb::DType::I32 ? 4 : 8;
}

/// The product of a step for `rows` rows. Dimensions must have been found equal (checkManifest).
inline cpu::ProductSpec productSpec(const fb::GemmStep &step, int64_t rows) {
  const auto extent = [rows](int64_t dim) { return dim < 0 ? rows : dim; };
  cpu::ProductSpec spec;
  spec.element = step.a()->dtype() == fb::DType::F64 ? cpu::Element::F64 : cpu::Element::F32;
  spec.m = extent(step.a()->dim0());
  spec.k = extent(step.a()->dim1());
  spec.n = extent(step.b()->dim1());
  spec.aStride0 = step.a()->stride0(), spec.aStride1 = step.a()->stride1();
  spec.bStride0 = step.b()->stride0(), spec.bStride1 = step.b()->stride1();
  spec.cStride0 = step.c()->stride0(), spec.cStride1 = step.c()->stride1();
  spec.accumulate = step.accumulate();
  spec.bias = step.bias() != nullptr;
  spec.library = step.library() == fb::Library::OneDnn     ? cpu::ProductLibrary::OneDnn
                 : step.library() == fb::Library::OpenBlas ? cpu::ProductLibrary::OpenBlas
                                                           : cpu::ProductLibrary::Auto;
  return spec;
}

} // namespace kowari::plan
