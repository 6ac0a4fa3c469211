//===- GpuEmulator.h - gpu kernels on the CPU -------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Compiles the LLVM IR of gpu kernels for this machine, with thread indices, warp shuffles and warp barriers
// replaced by calls into a small runtime: the 32 lanes of a warp are fibers that run in turn, each to its
// next shuffle or barrier. Functions of libdevice become those of libm of the same name. Shared memory, block
// barriers and atomics are not there: the kernels have none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/cuda/PtxEmitter.h"

namespace kowari::test {

class GpuEmulator {
public:
  /// Compiles all kernels of the emitter; errors name what has no counterpart here.
  static Result<GpuEmulator> create(const cuda::PtxEmitter &emitter);
  GpuEmulator(GpuEmulator &&) noexcept;
  ~GpuEmulator();

  /// Runs every thread of a grid of gridX x gridY blocks of the launch's size. `words` are the kernel's
  /// arguments, one 8-byte word each.
  void run(const cuda::GpuLaunch &launch, unsigned gridX, unsigned gridY,
           const std::vector<int64_t> &words) const;

private:
  struct State;
  explicit GpuEmulator(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace kowari::test
