//===- EpochOrder.cpp - order of the samples in an epoch ------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/EpochOrder.h"

#include <Random123/philox.h>

#include <utility>

namespace kowari::data {
namespace {

/// Words of Philox4x32-10: counter (block number, epoch), key (seed) with a mark of its own, so that no other
/// use of the seed sees the same words.
class PhiloxWords {
public:
  PhiloxWords(uint64_t seed, uint64_t epoch)
      : key{{low(seed), high(seed) ^ orderMark}}, counter{{0, 0, low(epoch), high(epoch)}} {}

  uint32_t next() {
    if (used == 4) {
      words = generator(counter, key);
      counter.v[1] += ++counter.v[0] == 0;
      used = 0;
    }
    return words.v[used++];
  }

  /// Uniform in [0, bound), without the bias of a plain remainder (Lemire, 2019, with 64-bit draws).
  uint64_t below(uint64_t bound) {
    uint64_t floor = (0 - bound) % bound;
    for (;;) {
      unsigned __int128 product = static_cast<unsigned __int128>(next64()) * bound;
      if (static_cast<uint64_t>(product) >= floor)
        return static_cast<uint64_t>(product >> 64);
    }
  }

private:
  static constexpr uint32_t orderMark = 0x6f726472;
  static uint32_t low(uint64_t x) { return static_cast<uint32_t>(x); }
  static uint32_t high(uint64_t x) { return static_cast<uint32_t>(x >> 32); }
  uint64_t next64() {
    uint64_t upper = next();
    return upper << 32 | next();
  }

  r123::Philox4x32 generator;
  r123::Philox4x32::key_type key;
  r123::Philox4x32::ctr_type counter, words{};
  int used = 4;
};

} // namespace

std::vector<int64_t> epochOrder(std::span<const int64_t> indices, uint64_t seed, uint64_t epoch) {
  std::vector<int64_t> order(indices.begin(), indices.end());
  PhiloxWords words(seed, epoch);
  for (size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[words.below(left)]);
  return order;
}

} // namespace kowari::data
