//===- Machine.h - what this machine has and how fast it is -----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Facts for `kowari doctor`, and two probes from which `kowari bench` computes a step's lower bound: what the
// matrix-product libraries and the memory reach here and now.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cpu/MatrixProduct.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kowari::cpu {

struct Machine {
  std::string processor;             // "AMD EPYC 9654"
  std::string level;                 // "x86-64-v3"
  std::vector<std::string> features; // as in /proc/cpuinfo
  int cores = 0;                     // that this process may use
  int64_t memoryBytes = 0;           // of the machine
  int64_t availableBytes = 0;        // free or reclaimable now, within the control group's limit
  int64_t l2Bytes = 0, l3Bytes = 0;  // 0 where unknown
};

Machine describeMachine();

/// Versions of the libraries that compute products: "oneDNN 2.6.3", "OpenBLAS 0.3.21 ... (Zen kernels)". An
/// error says what is missing.
Result<std::vector<std::string>> productLibraries();

/// What in the environment slows the thread pool down, one sentence each with what to do; for `kowari
/// doctor`. These variables are read before main begins, so they can only be reported.
std::vector<std::string> threadWarnings();

/// Bytes a second of a copy between two buffers beyond the caches, bytes read and written both counted, with
/// `threads` threads; the best of several runs.
double copyBandwidth(int threads);

/// Seconds of one product on random data, the median of runs that take about `budget` seconds in all.
Result<double> productSeconds(const ProductSpec &spec, int threads, double budget = 0.05);

/// The same with the faster of both libraries.
Result<double> bestProductSeconds(ProductSpec spec, int threads, double budget = 0.05);

} // namespace kowari::cpu
