//===- CacheKey.cpp - what decides a compiled artifact ----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/cache/CacheKey.h"

#include <map>
#include <nlohmann/json.hpp>
#include <xxhash.h>

namespace kowari::cache {
namespace {

using nlohmann::json;

void flatten(const json &value, const std::string &name, std::map<std::string, std::string> &leaves) {
  if (value.is_object() && !value.empty())
    for (const auto &[key, inner] : value.items())
      flatten(inner, name.empty() ? key : name + "." + key, leaves);
  else if (value.is_array() && !value.empty())
    for (size_t i = 0; i < value.size(); ++i)
      flatten(value[i], name + "[" + std::to_string(i) + "]", leaves);
  else
    leaves[name] = value.dump();
}

std::map<std::string, std::string> leavesOf(const CacheKey &key) {
  std::map<std::string, std::string> leaves;
  flatten(json::parse(key.canonicalJson()), "", leaves);
  return leaves;
}

} // namespace

CacheKey::CacheKey(std::string canonical) : text(std::move(canonical)) {
  XXH128_canonical_t hash;
  XXH128_canonicalFromHash(&hash, XXH3_128bits(text.data(), text.size()));
  for (const unsigned char byte : hash.digest) {
    digest += "0123456789abcdef"[byte >> 4];
    digest += "0123456789abcdef"[byte & 15];
  }
}

Result<CacheKey> CacheKey::make(const std::string &specJson, const std::string &buildId,
                                const std::string &target, uint32_t formatVersion) {
  json spec = json::parse(specJson, nullptr, false);
  if (spec.is_discarded())
    return Status::error("the program's specification is not JSON");
  const json key = {
      {"build_id", buildId}, {"format_version", formatVersion}, {"spec", spec}, {"target", target}};
  return CacheKey(key.dump(-1, ' ', false, json::error_handler_t::replace));
}

Result<CacheKey> CacheKey::parse(const std::string &text) {
  // Deeper values are dropped, which makes another key of them: a stored text may be anything.
  constexpr int maxDepth = 64;
  const auto shallow = [](int depth, json::parse_event_t, json &) { return depth <= maxDepth; };
  const json key = json::parse(text, shallow, false);
  if (!key.is_object())
    return Status::error("the key is not a JSON object");
  return CacheKey(key.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::vector<KeyDifference> compareKeys(const CacheKey &here, const CacheKey &there) {
  const auto mine = leavesOf(here), theirs = leavesOf(there);
  std::map<std::string, KeyDifference> differences;
  for (const auto &[part, value] : mine) {
    const auto other = theirs.find(part);
    if (other == theirs.end() || other->second != value)
      differences[part] = {part, value, other == theirs.end() ? "nothing" : other->second};
  }
  for (const auto &[part, value] : theirs)
    if (!mine.count(part))
      differences[part] = {part, "nothing", value};
  std::vector<KeyDifference> list;
  for (auto &[part, difference] : differences)
    list.push_back(std::move(difference));
  return list;
}

} // namespace kowari::cache
