//===- DoctorCommand.cpp - kowari doctor ----------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/Command.h"
#include "frontend/cli/CompiledProgram.h"
#include "runtime/cpu/Machine.h"
#include "runtime/data/NoiseCurves.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <string>

namespace kowari::cli {

namespace {

/// Prints what was found, or what is missing and what to do; counts the latter.
class Findings {
public:
  void good(const std::string &what, const std::string &value) { print("ok", what, value); }
  void note(const std::string &what, const std::string &value) { print("note", what, value); }
  void bad(const std::string &what, const Status &status) {
    print("MISSING", what, status.message());
    ++problems;
  }
  int problems = 0;

private:
  static void print(const char *mark, const std::string &what, const std::string &value) {
    std::printf("%-8s %-18s %s\n", mark, what.c_str(), value.c_str());
  }
};

std::string gibibytes(int64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(bytes) / (1 << 30));
  return text;
}

void checkMachine(Findings &findings) {
  const cpu::Machine machine = cpu::describeMachine();
  findings.good("processor", machine.processor + ", " + std::to_string(machine.cores) + " cores");
  if (const Result<std::string> target = resolveTarget("native"))
    findings.good("instruction sets", *target);
  else
    findings.bad("instruction sets", target.status());
  findings.good("memory", gibibytes(machine.availableBytes) + " free of " + gibibytes(machine.memoryBytes));
  if (const Result<std::vector<std::string>> libraries = cpu::productLibraries())
    for (const std::string &library : *libraries)
      findings.good("matrix products", library);
  else
    findings.bad("matrix products", libraries.status());
  for (const std::string &warning : cpu::threadWarnings())
    findings.note("threads", warning);
}

void checkFiles(Findings &findings) {
  if (const Result<std::string> curves = data::findDataFile("noise_curves.hdf5"))
    findings.good("noise curves", *curves);
  else
    findings.bad("noise curves", curves.status());
  const Result<std::string> compiler = findCompiler();
  if (!compiler) {
    findings.note("compiler",
                  "none: only cached and given artifacts can run (" + compiler.status().message() + ")");
  } else if (const Status build = checkCompilerBuild(*compiler); !build) {
    findings.bad("compiler", build);
  } else {
    findings.good("compiler", *compiler);
  }
  const auto warn = [&](const std::string &text) { findings.note("cache", text); };
  if (Result<cache::Cache> cache = openCache({}, warn))
    findings.good("cache", cache->path() + ", " + std::to_string(cache->list().size()) + " programs");
  else
    findings.bad("cache", cache.status());
}

} // namespace

void addDoctorCommand(CLI::App &app, Action &action) {
  CLI::App *command = app.add_subcommand("doctor", "Say what this machine has and what is missing");
  command->callback([&action] {
    action = []() -> Result<int> {
      Findings findings;
      findings.good("kowari", version());
      checkMachine(findings);
      checkFiles(findings);
      return findings.problems > 0 ? 1 : 0;
    };
  });
}

} // namespace kowari::cli
