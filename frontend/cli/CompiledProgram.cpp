//===- CompiledProgram.cpp - the artifact of a spec, loaded ---------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/CompiledProgram.h"

#include "BuildId.h"
#include "frontend/cli/ChildProcess.h"
#include "frontend/settings/Schema.h"
#include "runtime/cpu/CpuFeatures.h"
#include "runtime/plan/ArtifactFile.h"
#include "runtime/train/AtomicFile.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <sys/mman.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace kowari::cli {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

const std::vector<std::string> knownTargets = {"native", "x86-64-v3", "x86-64-v4", "znver3", "znver4"};

/// What the compiler said, for the message: its last lines.
std::string lastLines(const std::string &text) {
  std::string trimmed = text.substr(0, text.find_last_not_of(" \n") + 1);
  size_t begin = trimmed.size();
  for (int lines = 0; lines < 8 && begin != std::string::npos && begin > 0; ++lines)
    begin = trimmed.rfind('\n', begin - 1);
  return begin == std::string::npos || begin == 0 ? trimmed : trimmed.substr(begin + 1);
}

/// For each stage wanted its number among those there, -1 if it is not: an artifact may hold one stage alone.
std::vector<int> findStages(const std::vector<StageSpec> &wanted, const std::vector<StageSpec> &there) {
  const auto text = [](const StageSpec &stage) {
    ProgramSpec spec;
    spec.stages = {stage};
    return spec.toCanonicalJson();
  };
  std::vector<int> numbers;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto isEqual = [&](const StageSpec &stage) { return text(stage) == text(wanted[i]); };
    const auto found = i < there.size() && isEqual(there[i])
                           ? there.begin() + static_cast<std::ptrdiff_t>(i)
                           : std::find_if(there.begin(), there.end(), isEqual);
    numbers.push_back(found == there.end() ? -1 : static_cast<int>(found - there.begin()));
  }
  return numbers;
}

/// What must be equal in an artifact and its use.
Result<cache::CacheKey> comparableKey(ProgramSpec spec, bool withStages, bool withData) {
  spec.target = "native";
  spec.maxRows = 1;
  if (!withStages)
    spec.stages.clear();
  if (!withData)
    spec.data = {};
  return cache::CacheKey::make(spec.toCanonicalJson(), "", "", plan::formatVersion);
}

/// Whether the artifact is one of the spec; the numbers of the spec's stages in it.
Result<std::vector<int>> matchSpec(const ProgramSpec &spec, const plan::Program &program,
                                   const CompileOptions &options) {
  const std::string &path = options.artifact;
  if (program.maxRows() < spec.maxRows)
    return Status::error(path + ": was compiled for " + std::to_string(program.maxRows()) + " rows, " +
                         std::to_string(spec.maxRows) + " are needed; compile it with --rows " +
                         std::to_string(spec.maxRows));
  Result<ProgramSpec> there = ProgramSpec::fromJson(program.specJson());
  if (!there)
    return there.status().withContext(path);
  std::vector<int> stages = findStages(spec.stages, there->stages);
  const bool someStage = spec.stages.empty() ||
                         std::any_of(stages.begin(), stages.end(), [](int number) { return number >= 0; });
  KOWARI_ASSIGN(const cache::CacheKey wanted, comparableKey(spec, !someStage, !options.anyInput));
  KOWARI_ASSIGN(const cache::CacheKey found, comparableKey(*there, !someStage, !options.anyInput));
  std::string differences;
  for (const cache::KeyDifference &difference : cache::compareKeys(wanted, found))
    differences += (differences.empty() ? "" : "; ") + difference.part + " is " + difference.here +
                   " here and " + difference.there + " in the artifact";
  if (differences.empty())
    return stages;
  return Status::error(path + ": was compiled from other settings or data: " + differences +
                       ". Compile it again with kowari compile, or leave --artifact out");
}

Result<CompiledProgram> loadArtifact(const ProgramSpec &spec, const CompileOptions &options) {
  CompiledProgram result;
  result.path = options.artifact;
  KOWARI_ASSIGN(result.program, plan::Program::load(options.artifact, {options.threads}));
  KOWARI_ASSIGN(result.stages, matchSpec(spec, *result.program, options));
  return result;
}

} // namespace

Result<std::string> findCompiler() {
  if (const char *named = std::getenv("KOWARI_COMPILE"); named && *named)
    return std::string(named);
  std::error_code code;
  const fs::path self = fs::read_symlink("/proc/self/exe", code);
  const std::string path = (self.parent_path() / "kowari-compile").string();
  if (!code && fs::exists(path, code))
    return path;
  return Status::error("this program is not in the cache, and there is no compiler at " + path +
                       "; make the artifact elsewhere (kowari compile) and give it with --artifact, or set "
                       "KOWARI_COMPILE to a kowari-compile program");
}

Result<std::string> resolveTarget(const std::string &target) {
  if (target == "native") {
    const std::string level = cpu::cpuLevel();
    if (level == "x86-64-v3" || level == "x86-64-v4")
      return level;
    return Status::error("this processor (" + cpu::cpuModelName() + ", " + level +
                         ") lacks AVX2 or FMA, which compiled programs need");
  }
  if (target.rfind("sm_", 0) == 0)
    return Status::error("target " + target +
                         ": CUDA programs are not served yet; known targets: native, "
                         "x86-64-v3, x86-64-v4, znver3, znver4");
  if (std::find(knownTargets.begin(), knownTargets.end(), target) != knownTargets.end())
    return target;
  std::string list;
  for (const std::string &known : knownTargets)
    list += (list.empty() ? "" : ", ") + known;
  const std::string near = nearestWord(target, knownTargets);
  return Status::error("target " + target + " is not known" +
                       (near.empty() ? "" : " (did you mean " + near + "?)") + "; known targets: " + list);
}

Result<cache::CacheKey> keyOf(const ProgramSpec &spec) {
  return cache::CacheKey::make(spec.toCanonicalJson(), KOWARI_BUILD_ID, spec.target, plan::formatVersion);
}

Result<cache::Cache> openCache(const cache::FolderWishes &wishes,
                               const std::function<void(const std::string &)> &report) {
  KOWARI_ASSIGN(cache::FolderChoice choice, cache::chooseCacheFolder(wishes));
  if (!choice.warning.empty())
    report("Warning: " + choice.warning);
  cache::CacheOptions options;
  options.folder = choice.path;
  options.warn = [report](const std::string &text) { report("Warning: " + text); };
  return cache::Cache::open(std::move(options));
}

Status checkCompilerBuild(const std::string &compiler) {
  std::string build;
  KOWARI_ASSIGN(const ChildResult child,
                runChild(compiler, {"--build-id"}, [&](const std::string &line) { build = line; }));
  if (child.signal != 0 || child.exitCode != 0)
    return Status::error(compiler + " cannot run: " + lastLines(child.errorOutput));
  if (build != KOWARI_BUILD_ID)
    return Status::error(compiler + " is of another build (" + build +
                         ") than this program (" KOWARI_BUILD_ID "); build both together");
  return Status::ok();
}

/// Lines "stage fraction" of the compiler, as one report a stage.
static std::function<void(const std::string &)>
stageReporter(const std::function<void(const std::string &)> &report) {
  return [report, last = std::string()](const std::string &line) mutable {
    const std::string stage = line.substr(0, line.rfind(' '));
    if (stage != last)
      report("  compiler: " + stage);
    last = stage;
  };
}

namespace {

/// A text that child processes read by a path; nothing of it is left whatever ends this process.
class InheritedText {
public:
  InheritedText() : descriptor(::memfd_create("kowari-spec", 0)) {}
  InheritedText(const InheritedText &) = delete;
  InheritedText &operator=(const InheritedText &) = delete;
  ~InheritedText() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
  Status write(const std::string &text) const {
    for (size_t done = 0; done < text.size();) {
      const ssize_t count = ::write(descriptor, text.data() + done, text.size() - done);
      if (count < 0 && errno != EINTR)
        return Status::error(std::string("cannot hand the spec to the compiler: ") + std::strerror(errno));
      done += static_cast<size_t>(std::max<ssize_t>(count, 0));
    }
    return Status::ok();
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor); }

private:
  int descriptor;
};

} // namespace

Result<double> compileTo(const ProgramSpec &spec, const std::string &output,
                         const std::function<void(const std::string &)> &report,
                         const std::vector<std::string> &flags) {
  KOWARI_ASSIGN(const std::string compiler, findCompiler());
  KOWARI_TRY(checkCompilerBuild(compiler));
  InheritedText specText;
  KOWARI_TRY(specText.write(spec.toCanonicalJson()));
  const Clock::time_point start = Clock::now();
  std::vector<std::string> arguments = {"--spec", specText.path(), "-o", output};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  KOWARI_ASSIGN(const ChildResult child, runChild(compiler, arguments, stageReporter(report)));
  if (child.signal != 0) {
    const fs::path kept =
        fs::temp_directory_path() / ("kowari-compile-" + std::to_string(::getpid()) + ".json");
    KOWARI_TRY(train::writeFileAtomically(kept, spec.toCanonicalJson()));
    return Status::error(
        "the compiler crashed with " + describeSignal(child.signal) +
        ". This is a bug of kowari-compile; please report it with " + kept.string() +
        (child.errorOutput.empty() ? "" : ". Its last words:\n" + lastLines(child.errorOutput)));
  }
  if (child.exitCode != 0)
    return Status::error("compiling failed (exit code " + std::to_string(child.exitCode) + "):\n" +
                         lastLines(child.errorOutput));
  if (!child.errorOutput.empty())
    report(child.errorOutput.substr(0, child.errorOutput.find_last_not_of('\n') + 1));
  std::error_code code;
  if (!fs::exists(output, code))
    return Status::error("the compiler " + compiler + " ended without an error, but wrote no " + output);
  return secondsSince(start);
}

Result<CompiledProgram> obtainProgram(ProgramSpec spec, const CompileOptions &options) {
  const Clock::time_point start = Clock::now();
  KOWARI_ASSIGN(spec.target, resolveTarget(spec.target));
  if (!options.artifact.empty()) {
    KOWARI_ASSIGN(CompiledProgram result, loadArtifact(spec, options));
    result.readySeconds = secondsSince(start);
    return result;
  }
  KOWARI_ASSIGN(cache::CacheKey key, keyOf(spec));
  KOWARI_ASSIGN(cache::Cache cache, openCache(options.cache, options.report));
  CompiledProgram result;
  const cache::CompileFunction compile = [&](const std::string &folder) -> Status {
    options.report("Compiling for " + spec.target + ".");
    KOWARI_ASSIGN(result.compileSeconds, compileTo(spec, folder + "/artifact.kwa", options.report));
    return Status::ok();
  };
  KOWARI_ASSIGN(result.entry, cache.obtain(key, compile, options.report));
  KOWARI_ASSIGN(result.program, plan::Program::load(result.entry->loadPath(), {options.threads}));
  result.path = result.entry->path();
  result.stages.resize(spec.stages.size());
  std::iota(result.stages.begin(), result.stages.end(), 0);
  result.readySeconds = secondsSince(start);
  return result;
}

} // namespace kowari::cli
