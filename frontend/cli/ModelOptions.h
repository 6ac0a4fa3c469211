//===- ModelOptions.h - options of commands that run a model ----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/cli/CompiledProgram.h"

#include <string>

namespace CLI {
class App;
}

namespace kowari::cli {

struct ModelOptions {
  std::string model, inputs, output, artifact, cacheDir, precision = "32-true";
  int threads = 0;

  void addTo(CLI::App &command, const std::string &inputsHelp);
  ElementType elementType() const { return precision == "64-true" ? ElementType::F64 : ElementType::F32; }
  /// Reports go to standard error: they are no part of the result.
  CompileOptions compileOptions() const;
};

} // namespace kowari::cli
