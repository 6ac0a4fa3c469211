//===- Command.h - the commands of the kowari program -----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// One file a command. Each adds a subcommand to the parser and, when that subcommand was given, sets the
// action to run. An action returns the program's exit code; an error is printed once, by main, and exits
// with 1.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <functional>

namespace CLI {
class App;
}

namespace kowari::cli {

using Action = std::function<Result<int>()>;

void addTrainCommand(CLI::App &app, Action &action);
void addLogProbCommand(CLI::App &app, Action &action);
void addSampleCommand(CLI::App &app, Action &action);
void addInspectCommand(CLI::App &app, Action &action);
void addCompileCommand(CLI::App &app, Action &action);
void addBenchCommand(CLI::App &app, Action &action);
void addCacheCommand(CLI::App &app, Action &action);
void addDoctorCommand(CLI::App &app, Action &action);

/// Kowari's version, as in CMake's project().
const char *version();

} // namespace kowari::cli
