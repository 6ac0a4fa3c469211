//===- PtxEmitter.h - fused kernels to PTX ----------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// flow.kernel functions -> gpu.func -> nvvm -> LLVM's NVPTX back end. Elementary functions are those of
// libdevice; without that file they stay extern __nv_* functions, and the PTX can be read but not assembled.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/cuda/GpuKernels.h"
#include "runtime/support/Status.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace kowari::cuda {

/// Chips that PTX is written for, oldest first: sm_80, sm_90, sm_100.
std::vector<std::string> getChips();

class PtxEmitter {
public:
  /// Lowers every flow.kernel function of the module, which stays as it is. Errors name the kernel or hold
  /// the diagnostics.
  static Result<PtxEmitter> create(mlir::ModuleOp module);
  PtxEmitter(PtxEmitter &&) noexcept;
  ~PtxEmitter();

  /// One for each kernel, in the module's order.
  const std::vector<GpuLaunch> &getLaunches() const;

  /// The kernels as LLVM IR of the nvvm intrinsics, without libdevice, triple and data layout.
  Result<std::unique_ptr<llvm::Module>> translate(llvm::LLVMContext &context) const;

  /// One PTX text with all kernels. `libdevice` is the path of libdevice.10.bc; a file that lacks a function
  /// the kernels call is an error. Empty: the calls stay.
  Result<std::string> emit(const std::string &chip, const std::string &libdevice) const;

private:
  struct State;
  explicit PtxEmitter(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace kowari::cuda
