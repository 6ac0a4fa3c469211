//===- CpuTarget.cpp - which processor kernels are compiled for -----------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/cpu/CpuTarget.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

#include <array>

namespace kowari::codegen {

namespace {
const std::vector<std::string> level3 = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"};
const std::array<const char *, 5> level4Extra = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"};

struct Named {
  const char *name;
  bool wide; // AVX-512: 16 lanes
  std::vector<const char *> extra;
};
// Processors beyond the levels list what else LLVM may use on them.
const Named known[] = {
    {"x86-64-v3", false, {}},
    {"x86-64-v4", true, {}},
    {"haswell", false, {}},
    {"znver2", false, {}},
    {"znver3", false, {"vaes", "vpclmulqdq"}},
    {"skylake-avx512", true, {}},
    {"icelake-server",
     true,
     {"avx512_vnni", "avx512_vbmi2", "avx512_vpopcntdq", "avx512_bitalg", "avx512ifma"}},
    {"sapphirerapids", true, {"avx512_vnni", "avx512_vbmi2", "avx512_bf16", "avx512_fp16"}},
    {"znver4", true, {"avx512_vnni", "avx512_vbmi2", "avx512_vpopcntdq", "avx512_bf16"}},
    {"znver5", true, {"avx512_vnni", "avx512_vbmi2", "avx512_vpopcntdq", "avx512_bf16", "avx_vnni"}},
};

CpuTarget fromNamed(const Named &entry) {
  CpuTarget target;
  target.name = target.cpu = entry.name;
  target.lanes = entry.wide ? 16 : 8;
  target.required = level3;
  if (entry.wide)
    target.required.insert(target.required.end(), level4Extra.begin(), level4Extra.end());
  target.required.insert(target.required.end(), entry.extra.begin(), entry.extra.end());
  return target;
}
} // namespace

/// The widest level this machine has, tuned for its processor: virtual machines often hide single features of
/// the processor they name, so the name alone is never trusted.
static Result<CpuTarget> getNative() {
  llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  for (const char *needed : {"avx2", "fma", "bmi", "bmi2", "f16c", "lzcnt", "movbe"})
    if (!host.lookup(needed))
      return Status::error(std::string("this processor has no ") + needed +
                           ": kernels need at least x86-64-v3 (AVX2 and FMA)");
  bool wide = true;
  for (const char *needed : level4Extra)
    wide = wide && host.lookup(needed);
  CpuTarget target = fromNamed(known[wide ? 1 : 0]);
  target.name = "native";
  return target;
}

Result<CpuTarget> CpuTarget::get(const std::string &name) {
  if (name == "native")
    return getNative();
  std::string names = "native";
  for (const Named &entry : known) {
    if (name == entry.name)
      return fromNamed(entry);
    names += std::string(", ") + entry.name;
  }
  return Status::error("unknown CPU target '" + name + "': use one of " + names);
}

} // namespace kowari::codegen
