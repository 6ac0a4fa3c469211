//===- Version.cpp - Kowari's version -------------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/Command.h"

namespace kowari::cli {

const char *version() { return KOWARI_VERSION; }

} // namespace kowari::cli
