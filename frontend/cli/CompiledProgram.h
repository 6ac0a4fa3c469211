//===- CompiledProgram.h - the artifact of a spec, loaded -------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// A program comes from a file that the user names, from the cache, or from kowari-compile, which runs as a
// child so that a machine with a warm cache needs no compiler and a crash of the compiler is an error
// message.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/settings/ProgramSpec.h"
#include "runtime/cache/Cache.h"
#include "runtime/plan/Program.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kowari::cli {

struct CompileOptions {
  std::string artifact;  // --artifact: take this file and compile nothing; "" otherwise
  bool anyInput = false; // of an artifact: it may prepare its input in another way than the spec says
  cache::FolderWishes cache;
  int threads = 0; // of the program; 0: all cores
  /// One line for each thing a user waits for, and for warnings.
  std::function<void(const std::string &)> report = [](const std::string &) {};
};

struct CompiledProgram {
  std::optional<cache::CacheEntry> entry; // keeps it from being evicted; absent with --artifact
  std::unique_ptr<plan::Program> program;
  std::string path;            // where the artifact lies
  std::vector<int> stages;     // for each stage of the spec the program's number of it; -1: it has none
  double readySeconds = 0.0;   // from the request to the loaded program
  double compileSeconds = 0.0; // 0 if nothing was compiled
};

/// The target name that "native" stands for on this machine: x86-64-v3, ...; others are checked. Errors list
/// the known ones.
Result<std::string> resolveTarget(const std::string &target);

/// The key of a spec whose target is resolved.
Result<cache::CacheKey> keyOf(const ProgramSpec &spec);

/// Opens the cache that the wishes lead to, with warnings to `report`.
Result<cache::Cache> openCache(const cache::FolderWishes &wishes,
                               const std::function<void(const std::string &)> &report);

/// The program of `spec`, loaded. With options.artifact the file must have been compiled from an equal spec:
/// the target apart, as many rows or more, and at least one of the stages; the error names what differs.
Result<CompiledProgram> obtainProgram(ProgramSpec spec, const CompileOptions &options);

/// $KOWARI_COMPILE, or kowari-compile beside this program. The error says how to do without.
Result<std::string> findCompiler();
/// Whether the compiler is of the build that cache keys name.
Status checkCompilerBuild(const std::string &compiler);

/// Runs kowari-compile with `flags` beside its own: writes the artifact of `spec`, or what the flags ask for,
/// to `output`. What it prints on standard error (--time-passes) is passed on. Returns the seconds it took.
Result<double> compileTo(const ProgramSpec &spec, const std::string &output,
                         const std::function<void(const std::string &)> &report,
                         const std::vector<std::string> &flags = {});

} // namespace kowari::cli
