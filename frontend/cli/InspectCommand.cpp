//===- InspectCommand.cpp - kowari inspect --------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/Command.h"
#include "frontend/cli/Inspect.h"
#include "frontend/inspect/InspectArtifact.h"

#include <CLI/CLI.hpp>

#include <fstream>
#include <iostream>
#include <memory>
#include <string>

namespace kowari::cli {

namespace {

struct InspectArguments {
  std::string file;
  inspect::InspectOptions options; // most are of artifacts only
};

Status print(const Result<Value> &value, bool json) {
  KOWARI_TRY(value.status());
  std::cout << (json ? value->toJson(2) + "\n" : value->toYaml());
  return Status::ok();
}

/// Options that make sense of an artifact only must not be ignored for another file.
Status refuseArtifactOptions(const InspectArguments &arguments) {
  const inspect::InspectOptions &o = arguments.options;
  if (o.plan || o.mlir || o.memory || o.kernels || !o.svg.empty() || !o.roofline.empty() || !o.diff.empty() ||
      !o.entry.empty() || o.rows != 0)
    return Status::error(arguments.file + ": only --json and --tensors apply to a file that is no artifact");
  return Status::ok();
}

/// The first bytes of a file say what it is, whatever its name.
Status printFile(const InspectArguments &arguments) {
  std::ifstream file(arguments.file, std::ios::binary);
  char start[8] = {};
  if (!file.read(start, sizeof start) && file.gcount() == 0)
    return Status::error(arguments.file + ": cannot be read, or is empty");
  const std::string magic(start, sizeof start);
  if (magic == "KOWARI1\n")
    return inspect::inspectArtifact(arguments.file, arguments.options, std::cout);
  KOWARI_TRY(refuseArtifactOptions(arguments));
  const bool json = arguments.options.json;
  if (magic.rfind("\x89HDF", 0) == 0)
    return print(inspectHdf5(arguments.file), json);
  if (magic.rfind("PK\x03\x04", 0) == 0)
    return print(inspectModel(arguments.file, arguments.options.tensors), json);
  return print(inspectSettings(arguments.file), json);
}

} // namespace

void addInspectCommand(CLI::App &app, Action &action) {
  auto arguments = std::make_shared<InspectArguments>();
  CLI::App *command = app.add_subcommand(
      "inspect", "Say what is in a settings file, data set, model (.pt) or artifact (.kwa)");
  command->add_option("file", arguments->file, "the file")->required();
  inspect::InspectOptions &options = arguments->options;
  command->add_flag("--json", options.json, "print JSON");
  command->add_flag("--tensors", options.tensors, "of a model or an artifact: every tensor");
  command->add_flag("--plan", options.plan, "of an artifact: every step with its operands");
  command->add_flag("--mlir", options.mlir, "with --plan: the plan as IR that kowari-opt reads");
  command->add_flag("--memory", options.memory, "of an artifact: peak, what holds it, timeline by step");
  command->add_option("--svg", options.svg, "of an artifact: write a picture of its memory to this file");
  command->add_flag("--kernels", options.kernels,
                    "of an artifact: compiled kernels and the steps that run them");
  command->add_option("--roofline", options.roofline, "of an artifact: predict its time on this device");
  command->add_option("--rows", options.rows, "rows of the prediction (default: as compiled)")
      ->check(CLI::PositiveNumber);
  command->add_option("--diff", options.diff, "of an artifact: what changed since this other one");
  command->add_option("--entry", options.entry, "of an artifact: only this entry");
  command->callback([arguments, &action] {
    action = [arguments]() -> Result<int> {
      KOWARI_TRY(printFile(*arguments));
      std::cout.flush();
      return 0;
    };
  });
}

} // namespace kowari::cli
