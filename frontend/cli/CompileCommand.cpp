//===- CompileCommand.cpp - kowari compile --------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/Command.h"
#include "frontend/cli/CompiledProgram.h"
#include "frontend/cli/TrainingData.h"
#include "frontend/settings/ShrinkSpec.h"
#include "runtime/plan/ArtifactFile.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

namespace fs = std::filesystem;

namespace kowari::cli {

namespace {

struct CompileArguments {
  std::string settings, device = "cpu", target = "native", stage = "all", output, cacheDir;
  std::optional<int64_t> rows, bins, detectors, minIndex, svdSize, asdCurves;
  std::optional<int64_t> shrinkWidth;
  std::string stopAfter, dumpFolder;
  bool printSpec = false, timePasses = false, passStatistics = false;
};

/// Shapes from the data files, or from the flags where the files are not there yet.
Result<DataShape> shapeOf(const Settings &settings, const CompileArguments &arguments) {
  if (!arguments.bins && !arguments.detectors) {
    Result<DataShape> fromFiles = readDataShape(settings);
    std::error_code code;
    if (!fromFiles && !fs::exists(settings.data.waveformDatasetPath, code))
      return Status::error(fromFiles.status().message() +
                           "; --bins, --min_index, --svd_size and --asd_curves can stand in for it");
    return fromFiles;
  }
  DataShape shape;
  KOWARI_ASSIGN(const auto detectors, data::expandDetectors(settings.data.detectors));
  shape.detectors = arguments.detectors.value_or(static_cast<int64_t>(detectors.size()));
  if (shape.detectors != static_cast<int64_t>(detectors.size()))
    return Status::error("--detectors " + std::to_string(shape.detectors) + ": the settings name " +
                         std::to_string(detectors.size()));
  if (!arguments.bins)
    return Status::error("--detectors stands in for data that are not there, and so needs --bins as well");
  shape.bins = *arguments.bins;
  shape.minIndex = arguments.minIndex.value_or(0);
  shape.svdSize = arguments.svdSize.value_or(settings.data.svdSizeUpdate.value_or(0));
  shape.asdRows = arguments.asdCurves.value_or(1);
  return shape;
}

/// The spec of the stages asked for.
Result<ProgramSpec> specOf(const Settings &settings, const std::string &target,
                           const CompileArguments &arguments) {
  KOWARI_ASSIGN(const DataShape shape, shapeOf(settings, arguments));
  KOWARI_ASSIGN(ProgramSpec spec, makeProgramSpec(settings, shape));
  if (arguments.rows) {
    if (*arguments.rows < spec.maxRows)
      return Status::error("--rows " + std::to_string(*arguments.rows) +
                           ": the settings' largest batch_size is " + std::to_string(spec.maxRows) +
                           "; give at least that");
    spec.maxRows = *arguments.rows;
  }
  spec.target = target;
  if (arguments.shrinkWidth)
    spec = shrinkWidths(std::move(spec), *arguments.shrinkWidth);
  if (arguments.stage == "all")
    return spec;
  const std::string &text = arguments.stage;
  const bool isNumber =
      !text.empty() && text.find_first_not_of("0123456789") == std::string::npos && text.size() < 6;
  const size_t stage = isNumber ? std::stoul(text) : spec.stages.size();
  if (stage >= spec.stages.size())
    return Status::error("--stage " + text + ": the settings have stages 0 to " +
                         std::to_string(spec.stages.size() - 1) + "; give one of them, or all");
  spec.stages = {spec.stages[stage]};
  return spec;
}

Status checkDevice(const std::string &device) {
  if (device == "cpu")
    return Status::ok();
  return Status::error("--device " + device + ": " +
                       (device.rfind("cuda", 0) == 0 ? "CUDA programs are not served yet; use --device cpu"
                                                     : "is not known; use --device cpu"));
}

/// What kowari-compile is told beside spec and output.
Result<std::vector<std::string>> compilerFlags(const CompileArguments &arguments) {
  std::vector<std::string> flags;
  if (!arguments.stopAfter.empty())
    flags.insert(flags.end(), {"--stop-after", arguments.stopAfter});
  if (!arguments.dumpFolder.empty())
    flags.insert(flags.end(), {"--dump-ir", arguments.dumpFolder});
  if (arguments.timePasses)
    flags.emplace_back("--time-passes");
  if (arguments.passStatistics)
    flags.emplace_back("--pass-statistics");
  if (!flags.empty() && arguments.output.empty())
    return Status::error(flags.front() +
                         " looks into a compilation, which the cache may spare; say with -o where "
                         "its result goes");
  return flags;
}

/// Before anything is compiled.
Status checkOutput(const std::string &output) {
  if (output == "-")
    return Status::error("-o -: give a file; standard output shows the progress");
  return plan::checkReplaceable(output);
}

Result<int> run(const CompileArguments &arguments) {
  KOWARI_TRY(checkDevice(arguments.device));
  KOWARI_TRY(checkOutput(arguments.output));
  KOWARI_ASSIGN(const std::vector<std::string> flags, compilerFlags(arguments));
  KOWARI_ASSIGN(const std::string target, resolveTarget(arguments.target));
  KOWARI_ASSIGN(const Settings settings, loadSettings(arguments.settings));
  KOWARI_ASSIGN(const ProgramSpec spec, specOf(settings, target, arguments));
  if (arguments.printSpec) {
    std::printf("%s\n", spec.toCanonicalJson().c_str());
    return 0;
  }
  const auto report = [](const std::string &text) { std::printf("%s\n", text.c_str()), std::fflush(stdout); };
  std::string path = arguments.output;
  double seconds = 0.0;
  if (!path.empty()) {
    KOWARI_ASSIGN(seconds, compileTo(spec, path, report, flags));
  } else {
    KOWARI_ASSIGN(const cache::CacheKey key, keyOf(spec));
    const cache::FolderWishes wishes = {arguments.cacheDir, settings.local.compileCacheDir,
                                        settings.local.torchCompileCacheDir}; // where the training will look
    KOWARI_ASSIGN(cache::Cache cache, openCache(wishes, report));
    const auto compile = [&](const std::string &folder) -> Status {
      KOWARI_ASSIGN(seconds, compileTo(spec, folder + "/artifact.kwa", report));
      return Status::ok();
    };
    KOWARI_ASSIGN(const cache::CacheEntry entry, cache.obtain(key, compile, report));
    if (!entry.cached())
      return Status::error(
          "the compiled program could not be kept in the cache (see the warning above); make room, "
          "name another folder with --cache_dir, or a file with -o");
    path = entry.path();
  }
  std::error_code code;
  std::printf("%s: %.1f KiB for %s, %s\n", path.c_str(),
              static_cast<double>(fs::file_size(path, code)) / 1024.0, spec.target.c_str(),
              seconds > 0.0 ? ("compiled in " + std::to_string(seconds).substr(0, 5) + " s").c_str()
                            : "was in the cache");
  return 0;
}

} // namespace

void addCompileCommand(CLI::App &app, Action &action) {
  auto arguments = std::make_shared<CompileArguments>();
  CLI::App *command = app.add_subcommand("compile", "Compile a training's programs ahead of time");
  command->add_option("--settings_file", arguments->settings, "train_settings.yaml")->required();
  command->add_option("--rows", arguments->rows, "largest batch; default: the settings' largest batch_size")
      ->check(CLI::PositiveNumber)
      ->check(CLI::Range(INT64_C(1), (INT64_C(1) << 31) - 1));
  command
      ->add_option("--bins", arguments->bins,
                   "frequency bins of the data from 0 Hz on, where there are no files yet")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--min_index", arguments->minIndex,
                   "with --bins: the first bin the network sees (f_min / delta_f)")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--svd_size", arguments->svdSize,
                   "with --bins: SVD coefficients of the stored waveforms; 0: uncompressed")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--asd_curves", arguments->asdCurves,
                   "with --bins: most noise curves that a detector has in any stage; default 1")
      ->check(CLI::PositiveNumber);
  command->add_option("--detectors", arguments->detectors, "with --bins: number of detectors")
      ->check(CLI::PositiveNumber);
  command->add_option("--device", arguments->device, "cpu")->capture_default_str();
  command->add_option("--target", arguments->target, "native, x86-64-v3, x86-64-v4, znver3 or znver4")
      ->capture_default_str();
  command->add_option("--stage", arguments->stage, "all, or the number of one stage")->capture_default_str();
  command->add_option("-o,--output", arguments->output, "artifact to write; default: into the cache");
  command->add_option("--cache_dir", arguments->cacheDir, "folder of the cache");
  command->add_option("--stop-after,--stop_after", arguments->stopAfter,
                      "write the IR of this stage to --output instead: graph, grad, fused or planned");
  command->add_option("--dump-ir,--dump_ir", arguments->dumpFolder, "folder that gets the IR of every stage");
  command->add_flag("--time-passes,--time_passes", arguments->timePasses, "print the time of every pass");
  command->add_flag("--pass-statistics,--pass_statistics", arguments->passStatistics,
                    "print which operations every pass leaves more or fewer of");
  command
      ->add_option("--shrink_width", arguments->shrinkWidth,
                   "make the network no wider than this, for kowari-opt --validate-each")
      ->check(CLI::PositiveNumber);
  command->add_flag("--print_spec", arguments->printSpec,
                    "print the spec that kowari-compile takes, compile nothing");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

} // namespace kowari::cli
