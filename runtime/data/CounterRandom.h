//===- CounterRandom.h - counter-based random numbers on the host -*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// A stream of Philox4x32-10 words that depends on (seed, purpose, index) alone. Streams of different purposes
// never share words, whatever the seed.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <Random123/philox.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>

namespace kowari::data {

/// What a stream is for: part of the generator's key.
enum class RandomPurpose : uint32_t {
  SampleOrder = 0x6f726472,
  PriorStatistics = 0x73746174,
  RangeFinder = 0x73766420,
  SvdSamples = 0x73766473,
  BaseNoise = 0x6e6f6973
};

class CounterRandom {
public:
  CounterRandom(uint64_t seed, RandomPurpose purpose, uint64_t index)
      : key{{low(seed), high(seed) ^ static_cast<uint32_t>(purpose)}},
        counter{{0, 0, low(index), high(index)}} {}

  uint32_t next() {
    if (used == 4) {
      words = generator(counter, key);
      if (++counter.v[0] == 0)
        ++counter.v[1];
      used = 0;
    }
    return words.v[used++];
  }
  uint64_t next64() {
    uint64_t upper = next();
    return upper << 32 | next();
  }
  /// Uniform in (0, 1), neither end included: quantile functions may be infinite there.
  double uniform() { return (static_cast<double>(next64() >> 12) + 0.5) * 0x1p-52; }
  /// Uniform in [0, bound) without the bias of a plain remainder (Lemire, 2019).
  uint64_t below(uint64_t bound) {
    uint64_t floor = (0 - bound) % bound;
    for (;;) {
      unsigned __int128 product = static_cast<unsigned __int128>(next64()) * bound;
      if (static_cast<uint64_t>(product) >= floor)
        return static_cast<uint64_t>(product >> 64);
    }
  }
  /// Real and imaginary part independent, of unit standard deviation (Box and Muller).
  std::complex<double> complexNormal() {
    double radius = std::sqrt(-2.0 * std::log(uniform()));
    return std::polar(radius, 2.0 * std::numbers::pi * uniform());
  }

private:
  static uint32_t low(uint64_t x) { return static_cast<uint32_t>(x); }
  static uint32_t high(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

  r123::Philox4x32 generator;
  r123::Philox4x32::key_type key;
  r123::Philox4x32::ctr_type counter, words{};
  int used = 4;
};

} // namespace kowari::data
