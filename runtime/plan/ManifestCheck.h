//===- ManifestCheck.h - what a manifest may say ----------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The single place that decides whether a manifest can be run without touching memory outside the arena:
// everything behind it (Program) trusts the numbers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <span>

namespace kowari::plan {

/// Checks a manifest from untrusted bytes: FlatBuffers structure (bounded depth and table count), identifier,
/// format version, sizes, names, every view of tensors and steps inside the arena for max_rows, matching
/// dimensions of products and copies, kernel indices. Errors name the entry, the step and the value.
Status checkManifest(std::span<const uint8_t> manifest);

} // namespace kowari::plan
