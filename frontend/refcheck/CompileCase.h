//===- CompileCase.h - a spec through the compiler --------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/settings/ProgramSpec.h"
#include "runtime/plan/Program.h"

#include <memory>
#include <string>

namespace kowari::refcheck {

/// Runs `kowari-compile` and loads what it makes. Safe to use from several threads.
class Compiler {
public:
  /// The compiler beside this program, or the one that KOWARI_COMPILE names; a scratch folder of its own.
  static Result<Compiler> find();
  Compiler(Compiler &&other) noexcept;
  ~Compiler(); // removes the folder

  /// `name` tells the specs of one run apart. Errors hold what the compiler said.
  Result<std::unique_ptr<plan::Program>> compile(const ProgramSpec &spec, const std::string &name) const;

private:
  Compiler(std::string program, std::string folder)
      : program(std::move(program)), folder(std::move(folder)) {}
  std::string program, folder;
};

} // namespace kowari::refcheck
