//===- CpuFeatures.h - instruction sets of this processor -------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Names are those of the flags in /proc/cpuinfo ("avx2", "fma", "avx512f", ...). A feature counts as present
// when cpuid reports it and the operating system saves its registers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kowari::cpu {

/// Every instruction set of this processor that Kowari knows by name, in a fixed order.
std::vector<std::string> cpuFeatures();

/// False for names that Kowari does not know.
bool hasCpuFeature(std::string_view name);

/// Those of `needed` that this processor lacks (or that have no meaning to Kowari), in the order given.
std::vector<std::string> missingCpuFeatures(std::span<const std::string> needed);

/// The highest of "x86-64", "x86-64-v2", "x86-64-v3" and "x86-64-v4" whose features are all present.
std::string cpuLevel();

/// "AuthenticAMD", "GenuineIntel", ...
std::string cpuVendor();
/// The processor's own name for itself, such as "AMD EPYC 9654".
std::string cpuModelName();

} // namespace kowari::cpu
