//===- CacheKey.h - what decides a compiled artifact ------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// A key is content, never a path or a time: named parts in JSON. Its canonical text (keys sorted, no spaces)
// is stored with the entry, so that a miss can be explained by the part that differs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kowari::cache {

class CacheKey {
public:
  /// `specJson` is the canonical ProgramSpec, `buildId` the compiler's, `target` a name such as x86-64-v3
  /// (never "native": the caller resolves it). An error if specJson is not JSON.
  static Result<CacheKey> make(const std::string &specJson, const std::string &buildId,
                               const std::string &target, uint32_t formatVersion);
  /// From the stored text; an error if it is no JSON object.
  static Result<CacheKey> parse(const std::string &json);

  const std::string &canonicalJson() const { return text; }
  /// 32 hexadecimal digits: XXH3-128 of the canonical text.
  const std::string &hash() const { return digest; }

private:
  explicit CacheKey(std::string canonical);
  std::string text, digest;
};

/// One leaf that differs: "spec.flow.hidden_dim", and its JSON on both sides ("nothing" if absent).
struct KeyDifference {
  std::string part, here, there;
};

/// Leaves that differ, sorted by name.
std::vector<KeyDifference> compareKeys(const CacheKey &here, const CacheKey &there);

} // namespace kowari::cache
