//===- CudaToolkit.h - the assembler and libdevice of CUDA ------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Only files are looked for: nothing of CUDA is linked, and no GPU is needed.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <optional>
#include <string>
#include <vector>

namespace kowari::cuda {

/// What ptxas -v says of one kernel. Bytes are a thread's.
struct AssembledKernel {
  std::string name;
  unsigned registers = 0, stackBytes = 0, spillStoreBytes = 0, spillLoadBytes = 0;
};

/// Reads the messages of ptxas -v; kernels in the order in which they were assembled.
std::vector<AssembledKernel> parsePtxasReport(const std::string &messages);

class CudaToolkit {
public:
  /// The first of CUDA_HOME, CUDA_PATH, the folder above a ptxas in PATH, and /usr/local/cuda that holds
  /// bin/ptxas.
  static std::optional<CudaToolkit> find();

  std::string ptxas;     ///< Path of the assembler.
  std::string libdevice; ///< Path of libdevice.10.bc, or "" if the toolkit lacks it.

  /// Assembles PTX for a chip (sm_90); the cubin is thrown away. An error holds the assembler's messages.
  Result<std::vector<AssembledKernel>> assemble(const std::string &ptx, const std::string &chip) const;
};

} // namespace kowari::cuda
