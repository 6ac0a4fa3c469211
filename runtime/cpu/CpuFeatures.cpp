//===- CpuFeatures.cpp - instruction sets of this processor -----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/cpu/CpuFeatures.h"

#include <algorithm>
#include <array>
#include <cpuid.h>
#include <cstdint>
#include <cstring>

namespace kowari::cpu {
namespace {

enum Register : uint8_t { Eax, Ebx, Ecx, Edx };
/// Which registers the operating system must save for the feature to be usable (bits of XCR0).
enum class OsState : uint8_t { None, Ymm, Zmm };

struct Feature {
  const char *name;
  uint32_t leaf, subleaf;
  Register reg;
  uint8_t bit;
  OsState state;
};

constexpr std::array features = {
    Feature{"sse", 1, 0, Edx, 25, OsState::None},
    Feature{"sse2", 1, 0, Edx, 26, OsState::None},
    Feature{"pni", 1, 0, Ecx, 0, OsState::None},
    Feature{"ssse3", 1, 0, Ecx, 9, OsState::None},
    Feature{"cx16", 1, 0, Ecx, 13, OsState::None},
    Feature{"sse4_1", 1, 0, Ecx, 19, OsState::None},
    Feature{"sse4_2", 1, 0, Ecx, 20, OsState::None},
    Feature{"movbe", 1, 0, Ecx, 22, OsState::None},
    Feature{"popcnt", 1, 0, Ecx, 23, OsState::None},
    Feature{"lahf_lm", 0x80000001, 0, Ecx, 0, OsState::None},
    Feature{"abm", 0x80000001, 0, Ecx, 5, OsState::None},
    Feature{"bmi1", 7, 0, Ebx, 3, OsState::None},
    Feature{"bmi2", 7, 0, Ebx, 8, OsState::None},
    Feature{"avx", 1, 0, Ecx, 28, OsState::Ymm},
    Feature{"f16c", 1, 0, Ecx, 29, OsState::Ymm},
    Feature{"fma", 1, 0, Ecx, 12, OsState::Ymm},
    Feature{"avx2", 7, 0, Ebx, 5, OsState::Ymm},
    Feature{"vaes", 7, 0, Ecx, 9, OsState::Ymm},
    Feature{"vpclmulqdq", 7, 0, Ecx, 10, OsState::Ymm},
    Feature{"avx_vnni", 7, 1, Eax, 4, OsState::Ymm},
    Feature{"avx512f", 7, 0, Ebx, 16, OsState::Zmm},
    Feature{"avx512dq", 7, 0, Ebx, 17, OsState::Zmm},
    Feature{"avx512ifma", 7, 0, Ebx, 21, OsState::Zmm},
    Feature{"avx512cd", 7, 0, Ebx, 28, OsState::Zmm},
    Feature{"avx512bw", 7, 0, Ebx, 30, OsState::Zmm},
    Feature{"avx512vl", 7, 0, Ebx, 31, OsState::Zmm},
    Feature{"avx512vbmi", 7, 0, Ecx, 1, OsState::Zmm},
    Feature{"avx512_vbmi2", 7, 0, Ecx, 6, OsState::Zmm},
    Feature{"avx512_vnni", 7, 0, Ecx, 11, OsState::Zmm},
    Feature{"avx512_bitalg", 7, 0, Ecx, 12, OsState::Zmm},
    Feature{"avx512_vpopcntdq", 7, 0, Ecx, 14, OsState::Zmm},
    Feature{"avx512_vp2intersect", 7, 0, Edx, 8, OsState::Zmm},
    Feature{"avx512_fp16", 7, 0, Edx, 23, OsState::Zmm},
    Feature{"avx512_bf16", 7, 1, Eax, 5, OsState::Zmm},
};

std::array<uint32_t, 4> cpuid(uint32_t leaf, uint32_t subleaf) {
  std::array<uint32_t, 4> r{};
  if (__get_cpuid_max(leaf & 0x80000000u, nullptr) >= leaf)
    __cpuid_count(leaf, subleaf, r[Eax], r[Ebx], r[Ecx], r[Edx]);
  return r;
}

uint64_t savedStates() {
  constexpr uint32_t osxsave = 1u << 27;
  if (!(cpuid(1, 0)[Ecx] & osxsave))
    return 0;
  uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

bool present(const Feature &feature) {
  constexpr uint64_t ymm = 0x6, zmm = 0xe6;
  static const uint64_t saved = savedStates();
  if (feature.state == OsState::Ymm && (saved & ymm) != ymm)
    return false;
  if (feature.state == OsState::Zmm && (saved & zmm) != zmm)
    return false;
  if (feature.subleaf > cpuid(feature.leaf, 0)[Eax] && feature.leaf == 7)
    return false;
  return cpuid(feature.leaf, feature.subleaf)[feature.reg] >> feature.bit & 1;
}

bool hasAll(std::initializer_list<std::string_view> names) {
  return std::all_of(names.begin(), names.end(), [](std::string_view n) { return hasCpuFeature(n); });
}

} // namespace

std::vector<std::string> cpuFeatures() {
  std::vector<std::string> names;
  for (const Feature &feature : features)
    if (present(feature))
      names.push_back(feature.name);
  return names;
}

bool hasCpuFeature(std::string_view name) {
  const auto *found =
      std::find_if(features.begin(), features.end(), [&](const Feature &f) { return f.name == name; });
  return found != features.end() && present(*found);
}

std::vector<std::string> missingCpuFeatures(std::span<const std::string> needed) {
  std::vector<std::string> missing;
  for (const std::string &name : needed)
    if (!hasCpuFeature(name))
      missing.push_back(name);
  return missing;
}

std::string cpuLevel() {
  if (!hasAll({"cx16", "lahf_lm", "popcnt", "pni", "ssse3", "sse4_1", "sse4_2"}))
    return "x86-64";
  if (!hasAll({"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}))
    return "x86-64-v2";
  if (!hasAll({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}))
    return "x86-64-v3";
  return "x86-64-v4";
}

std::string cpuVendor() {
  const auto r = cpuid(0, 0);
  const std::array<uint32_t, 3> words = {r[Ebx], r[Edx], r[Ecx]};
  char text[13] = {};
  std::memcpy(text, words.data(), 12);
  return text;
}

std::string cpuModelName() {
  if (__get_cpuid_max(0x80000000u, nullptr) < 0x80000004u)
    return cpuVendor();
  char text[49] = {};
  for (uint32_t i = 0; i < 3; ++i) {
    const auto r = cpuid(0x80000002u + i, 0);
    std::memcpy(text + 16 * i, r.data(), 16);
  }
  std::string name = text;
  name.erase(0, name.find_first_not_of(' '));
  return name;
}

} // namespace kowari::cpu
