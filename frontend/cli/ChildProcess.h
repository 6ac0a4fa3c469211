//===- ChildProcess.h - running another program -----------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <functional>
#include <string>
#include <vector>

namespace kowari::cli {

struct ChildResult {
  int exitCode = 0;        // 0 if ended by a signal
  int signal = 0;          // 0 if it ended itself
  std::string errorOutput; // the last 64 KiB of its standard error
};

/// Runs `program` with `arguments` and waits for it; each line of its standard output goes to `onLine`. The
/// child ends when this process does. An error if it cannot be started.
Result<ChildResult> runChild(const std::string &program, const std::vector<std::string> &arguments,
                             const std::function<void(const std::string &)> &onLine);

/// "SIGSEGV (Segmentation fault)".
std::string describeSignal(int signal);

} // namespace kowari::cli
