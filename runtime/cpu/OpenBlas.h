//===- OpenBlas.h - the OpenMP build of OpenBLAS ----------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// OpenBLAS picks its kernels when it is loaded and believes OPENBLAS_CORETYPE, which clusters set to odd
// values. So it is opened at run time, after that variable is set from the processor's real features.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <string>

namespace kowari::cpu {

struct OpenBlas {
  // CBLAS with 32-bit sizes: order, transposes, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc.
  void (*sgemm)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *,
                int);
  void (*dgemm)(int, int, int, int, int, int, double, const double *, int, const double *, int, double,
                double *, int);
  void *library = nullptr; // handle for dlsym: functions that are not listed here (LAPACK's among them)
  std::string config;      // version and build options
  std::string core;        // the kernels in use: "Zen", "SkylakeX", ...

  static constexpr int rowMajor = 101, noTranspose = 111, transpose = 112;

  /// The library, opened on first use. An error names the package that brings it.
  static Result<const OpenBlas *> get();
};

} // namespace kowari::cpu
