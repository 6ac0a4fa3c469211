//===- NvptxCode.h - LLVM IR of kernels to PTX ------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <string>

namespace llvm {
class Module;
}

namespace kowari::cuda {

/// Links libdevice ("" for none; see PtxEmitter.h), optimizes and writes the module for a chip of getChips().
/// Changes the module.
Result<std::string> emitPtx(llvm::Module &code, const std::string &chip, const std::string &libdevice);

} // namespace kowari::cuda
