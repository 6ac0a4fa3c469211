//===- CompileCase.cpp - a spec through the compiler ----------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/refcheck/CompileCase.h"

#include "frontend/cli/ChildProcess.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

namespace fs = std::filesystem;

namespace kowari::refcheck {

static Result<std::string> findCompiler() {
  if (const char *named = std::getenv("KOWARI_COMPILE"); named && *named)
    return std::string(named);
  std::error_code code;
  const std::string path =
      (fs::read_symlink("/proc/self/exe", code).parent_path() / "kowari-compile").string();
  if (!code && fs::exists(path, code))
    return path;
  return Status::error("there is no compiler at " + path +
                       "; build kowari-compile, or set KOWARI_COMPILE to where it is");
}

Result<Compiler> Compiler::find() {
  KOWARI_ASSIGN(std::string program, findCompiler());
  std::error_code code;
  std::string folder = (fs::temp_directory_path(code) / "kowari-reference-check-XXXXXX").string();
  if (code || !::mkdtemp(folder.data()))
    return Status::error("cannot make the folder " + folder + ": " + std::strerror(errno) +
                         "; set TMPDIR to a folder that can be written");
  return Compiler(std::move(program), std::move(folder));
}

Compiler::Compiler(Compiler &&other) noexcept
    : program(std::move(other.program)), folder(std::exchange(other.folder, {})) {}

Compiler::~Compiler() {
  std::error_code code;
  if (!folder.empty())
    fs::remove_all(folder, code);
}

Result<std::unique_ptr<plan::Program>> Compiler::compile(const ProgramSpec &spec,
                                                         const std::string &name) const {
  const std::string specPath = folder + "/" + name + ".json", artifact = folder + "/" + name + ".kwa";
  std::ofstream file(specPath);
  file << spec.toCanonicalJson();
  file.close();
  if (!file)
    return Status::error("cannot write " + specPath + "; is the disk full?");
  KOWARI_ASSIGN(const cli::ChildResult child,
                cli::runChild(program, {"--spec", specPath, "-o", artifact}, [](const std::string &) {}));
  if (child.signal != 0)
    return Status::error("the compiler crashed with " + cli::describeSignal(child.signal) + ": " +
                         child.errorOutput);
  if (child.exitCode != 0)
    return Status::error("compiling failed: " + child.errorOutput);
  auto loaded = plan::Program::load(artifact, plan::ProgramOptions());
  std::error_code code;
  fs::remove(artifact, code);
  return loaded;
}

} // namespace kowari::refcheck
