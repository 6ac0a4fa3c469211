//===- TensorTransfer.h - dense host values <-> arena views -----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Program.h"
#include "runtime/support/Status.h"

#include <cstdint>
#include <span>
#include <string>

namespace kowari::plan {

/// "F32", ...
const char *dtypeName(DType dtype);

/// Copies a dense row-major matrix into the dim0 x dim1 view at `address`. Floating values go into F32 and
/// F64 views, integers into I64 and I32 ones; an integer that does not fit is an error.
template <class T> Status storeDense(const View &view, char *address, std::span<const T> values);
/// The way back.
template <class T> Status loadDense(const View &view, const char *address, std::span<T> values);

} // namespace kowari::plan
