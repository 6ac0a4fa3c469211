//===- kowari-compile.cpp - a spec in, an artifact out --------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The program that `kowari` runs when nothing is in the cache. It is apart so that a training needs no LLVM
// library and a crash in here is an error message there. Progress goes to standard output, one line a change:
// "stage fraction".
//
//===----------------------------------------------------------------------===//
#include "BuildId.h"
#include "compiler/Pipeline.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <fstream>
#include <sstream>

using namespace kowari;

static Result<ProgramSpec> readSpec(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    return Status::error("cannot read " + path);
  std::stringstream text;
  text << file.rdbuf();
  Result<ProgramSpec> spec = ProgramSpec::fromJson(text.str());
  if (!spec.isOk())
    return spec.status().withContext(path);
  return spec;
}

static Status run(const std::string &specPath, const std::string &target, CompileOptions options,
                  const std::string &output) {
  KOWARI_ASSIGN(ProgramSpec spec, readSpec(specPath));
  if (!target.empty())
    spec.target = target;
  options.progress = [](const std::string &stage, double fraction) {
    std::printf("%s %.3f\n", stage.c_str(), fraction);
    std::fflush(stdout);
  };
  return compileProgram(spec, options, output);
}

int main(int argc, char **argv) {
  CLI::App app("Compiles a program spec into an artifact.");
  std::string spec, target, output;
  CompileOptions options;
  app.add_option("--spec", spec, "program spec (JSON), as `kowari compile --print_spec` writes it")
      ->required();
  app.add_option("-o,--output", output, "artifact (.kwa), or IR with --stop-after")->required();
  app.add_option("--target", target,
                 "processor the code is for: native, x86-64-v3, x86-64-v4, znver4, ...; default: the spec's");
  app.add_option("--stop-after", options.stopAfter,
                 "write the IR of this stage instead: graph, grad, fused, planned");
  app.add_option("--dump-ir", options.dumpFolder, "folder that gets the IR of every stage");
  app.add_flag("--time-passes", options.timePasses, "print the time of every pass");
  app.add_flag("--pass-statistics", options.statistics,
               "print which operations every pass leaves more or fewer of");
  app.set_version_flag("--build-id", KOWARI_BUILD_ID);
  CLI11_PARSE(app, argc, argv);
  Status status = run(spec, target, options, output);
  if (status.isOk())
    return 0;
  std::fprintf(stderr, "kowari-compile: %s\n", status.message().c_str());
  return 1;
}
