//===- kowari-fuzz.cpp - random networks against the interpreter ----------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// docs/fuzzing.md
//
//===----------------------------------------------------------------------===//
#include "compiler/Passes.h"
#include "compiler/cpu/CpuTarget.h"
#include "compiler/fuzz/Fuzzer.h"

#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Transforms/Passes.h"

#include <CLI/CLI.hpp>

#include <climits>
#include <cstdio>
#include <unistd.h>

using namespace kowari;
using namespace kowari::fuzz;

/// Reads "PASS=OTHER".
static Status addPair(const std::string &text, std::map<std::string, std::string> &pairs) {
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return Status::error("'" + text + "' must be PASS=OTHER, two names of passes");
  std::string other = text.substr(equals + 1);
  if (!mlir::PassInfo::lookup(other))
    return Status::error("there is no pass '" + other +
                         "'; load the plug-in that has it with --load-pass-plugin");
  pairs[text.substr(0, equals)] = other;
  return Status::ok();
}

static Status loadPlugins(const std::vector<std::string> &paths) {
  for (const std::string &path : paths) {
    auto plugin = mlir::PassPlugin::load(path);
    if (!plugin)
      return Status::error("cannot load " + path + ": " + llvm::toString(plugin.takeError()));
    plugin->registerPassRegistryCallbacks();
  }
  return Status::ok();
}

/// One line that is rewritten on a terminal, one every ten seconds elsewhere.
static void showProgress(const FuzzResult &result, const FuzzOptions &options) {
  static double last = -1;
  const bool terminal = ::isatty(STDERR_FILENO);
  if (result.seconds - last < (terminal ? 0.2 : 10.0) && last >= 0)
    return;
  last = result.seconds;
  std::string of = options.seconds ? " of " + std::to_string(static_cast<long>(*options.seconds)) : "";
  std::fprintf(stderr, "%s%llu cases, %llu failures, %.0f%s s%s", terminal ? "\r" : "",
               static_cast<unsigned long long>(result.cases),
               static_cast<unsigned long long>(result.failures), result.seconds, of.c_str(),
               terminal ? "" : "\n");
}

static Result<int> run(FuzzOptions options, const std::string &input) {
  if (!input.empty()) {
    KOWARI_TRY(checkPassNames(options.check));
    KOWARI_ASSIGN(FuzzCase fuzzCase, FuzzCase::read(input));
    KOWARI_ASSIGN(std::optional<std::string> failure, checkAlone(fuzzCase, options.check));
    std::printf("%s\n", failure ? failure->c_str() : "agrees");
    return failure ? 1 : 0;
  }
  KOWARI_ASSIGN(FuzzResult result,
                runFuzzer(options, [&](const FuzzResult &r) { showProgress(r, options); }));
  std::printf("%s%llu cases, %llu failures, %.1f s, seed %llu\n", ::isatty(STDERR_FILENO) ? "\n" : "",
              static_cast<unsigned long long>(result.cases), static_cast<unsigned long long>(result.failures),
              result.seconds, static_cast<unsigned long long>(options.seed));
  if (result.failures > 0)
    std::printf("reduced cases in %s\n", options.outputFolder.c_str());
  return result.failures > 0 ? 1 : 0;
}

int main(int argc, char **argv) {
  CLI::App app(
      "Compiles random networks and functions and compares every stage with the reference interpreter.");
  FuzzOptions options;
  options.outputFolder = "kowari-fuzz-failures";
  std::string input;
  std::vector<std::string> plugins, replaced, added;
  app.add_option("--seconds", options.seconds, "how long to go on (60 without --cases)")
      ->check(CLI::Range(1.0, 1e9));
  app.add_option("--cases", options.cases, "how many cases to try")->check(CLI::Range(1, INT_MAX));
  app.add_option("--seed", options.seed, "of the cases and their inputs")->capture_default_str();
  app.add_option("--first", options.firstCase, "number of the first case")->capture_default_str();
  app.add_option("--output", options.outputFolder, "folder for reduced failures")->capture_default_str();
  app.add_option("--reduce-seconds", options.reductionSeconds, "how long to reduce a failure")
      ->capture_default_str();
  app.add_option("--target", options.check.target, "processor to compile for")->capture_default_str();
  app.add_option("--input", input, "one case from a file instead: spec.json or module.mlir");
  app.add_option("--load-pass-plugin", plugins, "shared library with passes");
  app.add_option("--replace", replaced, "PASS=OTHER: run another pass in place of one of the compiler's");
  app.add_option("--after", added,
                 "PASS=OTHER: run another pass behind one of the compiler's; code=OTHER: on the kernels that "
                 "are compiled alone");
  CLI11_PARSE(app, argc, argv);
  if (!options.seconds && !options.cases)
    options.seconds = 60;

  for (const std::string &plugin : plugins)
    options.toolOptions += " --load-pass-plugin " + plugin;
  for (const std::string &pair : replaced)
    options.toolOptions += " --replace " + pair;
  for (const std::string &pair : added)
    options.toolOptions += " --after " + pair;
  registerKowariPasses();
  mlir::registerTransformsPasses();
  Status status = loadPlugins(plugins);
  for (const std::string &pair : replaced)
    status = status ? addPair(pair, options.check.replaced) : std::move(status);
  for (const std::string &pair : added)
    status = status ? addPair(pair, options.check.added) : std::move(status);
  options.check.seed = options.seed;
  if (status)
    status = codegen::CpuTarget::get(options.check.target).status();
  Result<int> code = status ? run(options, input) : Result<int>(status);
  if (code)
    return *code;
  std::fprintf(stderr, "kowari-fuzz: %s\n", code.status().message().c_str());
  return 2;
}
