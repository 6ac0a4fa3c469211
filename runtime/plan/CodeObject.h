//===- CodeObject.h - an artifact's machine code ----------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/KernelAbi.h"
#include "runtime/support/Status.h"

#include <cstdint>
#include <span>
#include <string>

namespace kowari::plan {

/// A shared object loaded from memory, or, with the environment variable KOWARI_CODE_DIR, from a new file in
/// that folder, which stays for perf. Kernels are valid as long as the object lives.
class CodeObject {
public:
  /// `code` may be empty, for programs without kernels.
  static Result<CodeObject> load(std::span<const uint8_t> code);
  CodeObject() = default;
  CodeObject(CodeObject &&other) noexcept;
  CodeObject &operator=(CodeObject &&other) noexcept;
  ~CodeObject();

  Result<KowariKernel> find(const std::string &symbol) const;

private:
  int descriptor = -1;
  void *handle = nullptr;
};

} // namespace kowari::plan
