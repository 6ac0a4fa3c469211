//===- KernelCompiler.h - one kernel to one object file ---------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/CpuTarget.h"

#include "llvm/ADT/StringRef.h"

#include <memory>

namespace kowari::codegen {

/// Compiles kernels one after the other; each thread has its own, because it owns its MLIR context.
class KernelCompiler {
public:
  explicit KernelCompiler(const CpuTarget &target);
  ~KernelCompiler();

  /// The text of a module with one `flow.kernel` function to the bytes of a relocatable object. An error is a
  /// bug of the generator, for kernels are checked before: it carries the compiler's message.
  Result<std::string> compile(llvm::StringRef module, llvm::StringRef kernelName);

  struct State;

private:
  std::unique_ptr<State> state;
};

} // namespace kowari::codegen
