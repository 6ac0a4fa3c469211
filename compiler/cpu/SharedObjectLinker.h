//===- SharedObjectLinker.h - objects to a shared object --------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <vector>

namespace kowari::codegen {

/// Links relocatable objects, in this order, with the linker inside this process. The result names no
/// library; equal objects give equal bytes. Temporary files are removed. Safe from several threads (they take
/// turns).
Result<std::string> linkSharedObject(const std::vector<std::string> &objects);

} // namespace kowari::codegen
