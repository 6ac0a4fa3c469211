//===- PhiloxWords.h - the random numbers of a sample -----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <Random123/philox.h>

#include <array>
#include <cstdint>

namespace kowari::interpreter {

/// Philox 4x32-10 with key (low, high half of seed) and counter (low half of sample, epoch, site, column).
inline std::array<uint32_t, 4> drawWords(int64_t seed, int64_t sample, int64_t epoch, int64_t site,
                                         int64_t column) {
  auto word = [](int64_t value) { return static_cast<uint32_t>(value); };
  r123::Philox4x32::ctr_type counter = {{word(sample), word(epoch), word(site), word(column)}};
  r123::Philox4x32::key_type key = {{word(seed), word(seed >> 32)}};
  auto words = r123::Philox4x32()(counter, key);
  return {words[0], words[1], words[2], words[3]};
}

} // namespace kowari::interpreter
