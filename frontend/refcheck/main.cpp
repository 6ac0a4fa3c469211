//===- main.cpp - kowari-reference-check ----------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Compares this build with recorded numbers of Dingo, PyTorch, bilby and LAL (docs/reference-check.md).
//
//===----------------------------------------------------------------------===//
#include "frontend/refcheck/CaseList.h"

#include <CLI/CLI.hpp>

#include <cstdio>

using namespace kowari;
using namespace kowari::refcheck;

namespace {

struct Tally {
  int passed = 0, failed = 0, skipped = 0;
};

void print(const CaseFile &file, const Result<CaseResult> &result, Tally &tally) {
  const std::string name = file.name;
  if (!result) {
    ++tally.failed;
    std::printf("%s\n  FAILED  %s\n", name.c_str(), result.status().message().c_str());
    return;
  }
  if (!result->skipped.empty()) {
    ++tally.skipped;
    std::printf("%s\n  skipped: %s\n", name.c_str(), result->skipped.c_str());
    return;
  }
  const bool passed = result->passed() && !result->measures.empty();
  ++(passed ? tally.passed : tally.failed);
  std::printf("%s\n", name.c_str());
  for (const Measure &m : result->measures)
    std::printf("  %-6s  %-40s %10.1e  of %8.1e%s%s\n", m.passed() ? "ok" : "FAILED", m.name.c_str(),
                m.difference, m.tolerance, m.worst.empty() || m.passed() ? "" : "  at ",
                m.passed() ? "" : m.worst.c_str());
  for (const std::string &part : result->leftOut)
    std::printf("  skipped: %s\n", part.c_str());
}

Result<int> checkFolder(const std::string &folder, const std::string &glob) {
  KOWARI_ASSIGN(const std::vector<CaseFile> files, findCases(folder, glob));
  KOWARI_ASSIGN(const Compiler compiler, Compiler::find());
  Tally tally;
  for (const CaseFile &file : files) {
    print(file, checkCase(compiler, file), tally);
    std::fflush(stdout);
  }
  std::printf("%d passed, %d failed", tally.passed, tally.failed);
  if (tally.skipped > 0)
    std::printf(", %d skipped", tally.skipped);
  std::printf("\n");
  return tally.failed > 0 ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Compares this build with numbers recorded in Dingo.", "kowari-reference-check");
  std::string folder, glob = "*", device = "cpu";
  app.add_option("DIR", folder,
                 "folder with model cases, preprocessing_*.hdf5, detectors.hdf5, priors.hdf5, split.hdf5")
      ->required();
  app.add_option("--device", device, "device to run on")
      ->check(CLI::IsMember({"cpu"}))
      ->capture_default_str();
  app.add_option("--only", glob, "cases whose file name without .hdf5 fits this pattern (*, ?, [abc])")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const Result<int> code = checkFolder(folder, glob);
  if (code)
    return *code;
  std::fprintf(stderr, "kowari-reference-check: error: %s\n", code.status().message().c_str());
  return 1;
}
