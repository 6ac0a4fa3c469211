//===- CpuTarget.h - which processor kernels are compiled for ---*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <string>
#include <vector>

namespace kowari::codegen {

struct CpuTarget {
  std::string name;     ///< x86-64-v3, x86-64-v4, znver4, ... as the settings and the artifact say it.
  std::string cpu;      ///< LLVM's processor name.
  std::string features; ///< LLVM's feature string ("+avx2,-avx512f"); empty for a named processor.
  unsigned lanes = 8;   ///< float32 lanes of a vector register; half as many for float64.
  std::vector<std::string> required; ///< Instruction sets the code needs, spelt as in /proc/cpuinfo.

  /// The target of that name; "native" is this machine's processor. An unknown name, or a processor below
  /// x86-64-v3, is an error that lists the known names.
  static Result<CpuTarget> get(const std::string &name);
};

} // namespace kowari::codegen
