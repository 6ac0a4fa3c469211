//===- ModelOptions.cpp - options of commands that run a model ------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/ModelOptions.h"

#include "frontend/cli/Progress.h"

#include <CLI/CLI.hpp>

namespace kowari::cli {

void ModelOptions::addTo(CLI::App &command, const std::string &inputsHelp) {
  command.add_option("--model", model, "model file (.pt) of Dingo or Kowari")->required();
  command.add_option("--inputs", inputs, inputsHelp)->required();
  command.add_option("--out", output, "HDF5 file to write; an existing one is replaced")->required();
  command.add_option("--precision", precision, "32-true or 64-true")
      ->check(CLI::IsMember({"32-true", "64-true"}))
      ->capture_default_str();
  command.add_option("--threads", threads, "threads to use; 0: all cores")->check(CLI::NonNegativeNumber);
  command.add_option("--artifact", artifact, "compiled program (.kwa) to use; nothing is compiled");
  command.add_option("--cache_dir", cacheDir, "folder of the cache of compiled programs");
}

CompileOptions ModelOptions::compileOptions() const {
  CompileOptions options;
  options.artifact = artifact;
  options.anyInput = true;
  options.cache.commandLine = cacheDir;
  options.threads = threads;
  options.report = printToUser;
  return options;
}

} // namespace kowari::cli
