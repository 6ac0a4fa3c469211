//===- CacheLayout.h - names inside the cache folder ------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>

namespace kowari::cache {

inline constexpr const char *artifactFile = "artifact.kwa";
inline constexpr const char *keyFile = "key.json";
inline constexpr size_t maxKeyBytes = size_t(1) << 20;

} // namespace kowari::cache
