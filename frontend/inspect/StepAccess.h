//===- StepAccess.h - what a step of a plan touches -------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The steps of a checked manifest in one form: every operand with its role and whether it is read or written.
// Rows of -1 count as the manifest's max_rows where bytes are asked for.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/plan_generated.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kowari::inspect {

struct Access {
  plan::fb::View view;
  const char *role; // "a", "source", "in", "out", ...
  bool read = false, written = false;
};

/// Operands in the order of the step. A kernel's tied operand appears twice, once read and once written.
std::vector<Access> accesses(const plan::fb::Manifest &manifest, const plan::fb::Step &step);

/// A dimension for a call of `rows` rows.
inline int64_t extent(int64_t dim, int64_t rows) { return dim < 0 ? rows : dim; }
/// Bytes of the elements alone, without what lies between rows.
int64_t elementBytes(const plan::fb::View &view, int64_t rows);
/// Bytes from the first element to behind the last one.
int64_t spanBytes(const plan::fb::View &view, int64_t rows);

/// "gemm", "kernel", "copy", "gather", "fill", "all_reduce", "record" or "wait".
const char *kindName(const plan::fb::Step &step);
/// The kernel's symbol, or kindName().
std::string stepName(const plan::fb::Manifest &manifest, const plan::fb::Step &step);
/// "f32", "f64", "i64" or "i32", as MLIR spells it.
const char *typeName(plan::fb::DType dtype);
/// "rows" for -1.
std::string dimText(int64_t dim);
/// "rows x 64 f32 @1024 (80, 1)": dimensions, element type, offset in bytes, strides in elements.
std::string viewText(const plan::fb::View &view);
/// "gemm rows x 4 x 8 + bias", "kernel k0_add rows x 64", ...: without operands.
std::string stepText(const plan::fb::Manifest &manifest, const plan::fb::Step &step);
/// "1.5 MB" in powers of 1000; below 1000: "640 bytes".
std::string bytesText(int64_t bytes);

} // namespace kowari::inspect
