//===- CacheCommand.cpp - kowari cache ------------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/Command.h"
#include "frontend/cli/CompiledProgram.h"
#include "frontend/cli/Progress.h"
#include "frontend/cli/TrainingData.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <ctime>
#include <memory>

namespace kowari::cli {

namespace {

struct CacheArguments {
  std::string cacheDir, settings;
  double maxGigabytes = 8.0;
  int maxEntries = 1000;
  bool keep = false;
};

Result<cache::Cache> open(const CacheArguments &arguments, const LocalSettings &local = {}) {
  return openCache({arguments.cacheDir, local.compileCacheDir, local.torchCompileCacheDir}, printToUser);
}

std::string timeText(int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  char text[32];
  ::localtime_r(&time, &parts);
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  return text;
}

void printEntries(const std::vector<cache::EntryInfo> &entries) {
  for (const cache::EntryInfo &entry : entries)
    std::printf("%s  %9.1f KiB  last used %s%s%s\n", entry.hash.c_str(),
                static_cast<double>(entry.bytes) / 1024.0, timeText(entry.lastUse).c_str(),
                entry.problem.empty() ? "" : "  BAD: ", entry.problem.c_str());
}

Result<int> list(const CacheArguments &arguments) {
  KOWARI_ASSIGN(const cache::Cache cache, open(arguments));
  const std::vector<cache::EntryInfo> entries = cache.list();
  printEntries(entries);
  std::printf("%zu programs in %s\n", entries.size(), cache.path().c_str());
  return 0;
}

Result<int> explain(const CacheArguments &arguments) {
  KOWARI_ASSIGN(const Settings settings, loadSettings(arguments.settings));
  KOWARI_ASSIGN(const DataShape shape, readDataShape(settings));
  KOWARI_ASSIGN(ProgramSpec spec, makeProgramSpec(settings, shape));
  KOWARI_ASSIGN(spec.target, resolveTarget(spec.target));
  KOWARI_ASSIGN(const cache::CacheKey key, keyOf(spec));
  KOWARI_ASSIGN(const cache::Cache cache, open(arguments, settings.local)); // where the training would look
  std::printf("%s\n", cache.explain(key).c_str());
  return 0;
}

Result<int> prune(const CacheArguments &arguments) {
  KOWARI_ASSIGN(cache::Cache cache, open(arguments));
  const auto bytes = static_cast<int64_t>(arguments.maxGigabytes * (int64_t{1} << 30));
  const cache::PruneReport report = cache.prune(bytes, arguments.maxEntries);
  std::printf("%d programs removed (%.1f MiB), %d kept because they are in use\n", report.removedEntries,
              static_cast<double>(report.removedBytes) / (1 << 20), report.inUse);
  return 0;
}

Result<int> verify(const CacheArguments &arguments) {
  KOWARI_ASSIGN(cache::Cache cache, open(arguments));
  const std::vector<cache::EntryInfo> entries = cache.verify(!arguments.keep);
  int bad = 0;
  for (const cache::EntryInfo &entry : entries)
    bad += !entry.problem.empty();
  printEntries(entries);
  std::printf("%zu programs, %d bad\n", entries.size(), bad);
  if (bad == 0)
    return 0;
  return Status::error(
      std::to_string(bad) + " of " + std::to_string(entries.size()) + " programs in " + cache.path() + " " +
      (bad == 1 ? "is" : "are") + " bad; " +
      (arguments.keep ? "without --keep they are removed" : "removed, and compiled again when needed"));
}

} // namespace

void addCacheCommand(CLI::App &app, Action &action) {
  auto arguments = std::make_shared<CacheArguments>();
  CLI::App *command = app.add_subcommand("cache", "Look after the compiled programs on this machine");
  command->require_subcommand(1);
  const auto add = [&](const char *name, const char *help, Result<int> (*function)(const CacheArguments &)) {
    CLI::App *sub = command->add_subcommand(name, help);
    sub->add_option("--cache_dir", arguments->cacheDir, "folder of the cache");
    sub->callback(
        [arguments, &action, function] { action = [arguments, function] { return function(*arguments); }; });
    return sub;
  };
  add("list", "All programs, most recently used first", list);
  CLI::App *explaining =
      add("explain", "Why a training would have to compile, or that it would not", explain);
  explaining->add_option("--settings_file", arguments->settings, "train_settings.yaml")->required();
  CLI::App *pruning = add("prune", "Remove the least recently used programs", prune);
  pruning->add_option("--max_gb", arguments->maxGigabytes, "GiB to keep at most")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  pruning->add_option("--max_entries", arguments->maxEntries, "programs to keep at most")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  CLI::App *verifying = add("verify", "Read every program whole; bad ones are removed", verify);
  verifying->add_flag("--keep", arguments->keep, "do not remove bad programs");
}

} // namespace kowari::cli
