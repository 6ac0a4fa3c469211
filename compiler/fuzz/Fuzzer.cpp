//===- Fuzzer.cpp - case after case, failures reduced ---------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/fuzz/Fuzzer.h"
#include "compiler/fuzz/Isolation.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;

namespace kowari::fuzz {

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A temporary folder that goes with its owner.
class ScratchFolder {
public:
  static Result<std::unique_ptr<ScratchFolder>> make() {
    std::error_code code;
    std::string path = (fs::temp_directory_path(code) / "kowari-fuzz-XXXXXX").string();
    if (code || !::mkdtemp(path.data()))
      return Status::error("cannot make the folder " + path + "; set TMPDIR to one that can be written");
    return std::unique_ptr<ScratchFolder>(new ScratchFolder(path));
  }
  ~ScratchFolder() {
    std::error_code code;
    fs::remove_all(path, code);
  }
  const std::string path;

private:
  explicit ScratchFolder(std::string folder) : path(std::move(folder)) {}
};

Status writeFailure(const FuzzOptions &options, uint64_t index, const FuzzCase &original,
                    const ReducedCase &reduced) {
  std::string folder =
      options.outputFolder + "/seed-" + std::to_string(options.seed) + "-case-" + std::to_string(index);
  std::error_code code;
  fs::create_directories(folder + "/original", code);
  if (code)
    return Status::error("cannot make " + folder + ": " + code.message());
  KOWARI_TRY(original.writeTo(folder + "/original").status());
  KOWARI_ASSIGN(std::string file, reduced.fuzzCase.writeTo(folder));
  std::ofstream report(folder + "/report.txt");
  report << reduced.failure << "\n\nThe reduced case again:   kowari-fuzz --input " << file
         << options.toolOptions << "\nThe case as it was found: kowari-fuzz --seed " << options.seed
         << " --first " << index << " --cases 1" << options.toolOptions << "\n";
  report.close();
  return report ? Status::ok() : Status::error("cannot write " + folder + "/report.txt");
}

} // namespace

Result<std::optional<std::string>> checkAlone(const FuzzCase &fuzzCase, CheckOptions options) {
  KOWARI_ASSIGN(std::unique_ptr<ScratchFolder> scratch, ScratchFolder::make());
  options.scratchFolder = scratch->path;
  return checkCase(fuzzCase, options);
}

ReducedCase reduceCase(ReducedCase best,
                       const std::function<std::optional<std::string>(const FuzzCase &)> &fails,
                       double seconds) {
  const double end = now() + seconds;
  for (bool changed = true; changed;) {
    changed = false;
    for (FuzzCase &simpler : best.fuzzCase.simplify()) {
      if (now() >= end)
        return best;
      if (auto failure = fails(simpler)) {
        best = {std::move(simpler), *failure};
        changed = true;
        break;
      }
    }
  }
  return best;
}

Result<FuzzResult> runFuzzer(const FuzzOptions &options, const FuzzProgress &progress) {
  KOWARI_TRY(checkPassNames(options.check));
  KOWARI_ASSIGN(std::unique_ptr<ScratchFolder> scratch, ScratchFolder::make());
  CheckOptions check = options.check;
  check.scratchFolder = scratch->path;
  auto fails = [&](const FuzzCase &fuzzCase) {
    return runIsolated([&] { return checkCase(fuzzCase, check); }, options.caseLimitSeconds);
  };
  FuzzResult result;
  const double begin = now();
  for (uint64_t index = options.firstCase;; ++index) {
    result.seconds = now() - begin;
    progress(result);
    if ((options.cases && result.cases >= *options.cases) ||
        (options.seconds && result.seconds >= *options.seconds) || result.failures >= options.maximumFailures)
      return result;
    FuzzCase fuzzCase = FuzzCase::make(options.seed, index);
    std::optional<std::string> failure = fails(fuzzCase);
    ++result.cases;
    if (!failure)
      continue;
    ++result.failures;
    ReducedCase reduced = reduceCase({fuzzCase, *failure}, fails, options.reductionSeconds);
    KOWARI_TRY(writeFailure(options, index, fuzzCase, reduced));
  }
}

} // namespace kowari::fuzz
