//===- InspectCommand.cpp - kowari inspect --------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/Command.h"
#include "frontend/cli/Inspect.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

namespace kowari::cli {

namespace {

struct InspectArguments {
  std::string file;
  InspectDetail detail;
  bool json = false;
};

/// The first bytes of a file say what it is, whatever its name.
Result<Value> inspect(const InspectArguments &arguments) {
  std::ifstream file(arguments.file, std::ios::binary);
  char start[8] = {};
  if (!file.read(start, sizeof start) && file.gcount() == 0)
    return Status::error(arguments.file + ": cannot be read, or is empty");
  const std::string magic(start, sizeof start);
  if (magic == "KOWARI1\n")
    return inspectArtifact(arguments.file, arguments.detail);
  if (magic.rfind("\x89HDF", 0) == 0)
    return inspectHdf5(arguments.file);
  if (magic.rfind("PK\x03\x04", 0) == 0)
    return inspectModel(arguments.file, arguments.detail);
  return inspectSettings(arguments.file);
}

} // namespace

void addInspectCommand(CLI::App &app, Action &action) {
  auto arguments = std::make_shared<InspectArguments>();
  CLI::App *command = app.add_subcommand(
      "inspect", "Say what is in a settings file, data set, model (.pt) or artifact (.kwa)");
  command->add_option("file", arguments->file, "the file")->required();
  command->add_flag("--json", arguments->json, "print JSON instead of YAML");
  command->add_flag("--tensors", arguments->detail.tensors, "of a model or an artifact: every tensor");
  command->add_flag("--plan", arguments->detail.plan, "of an artifact: every step of every entry");
  command->add_flag("--kernels", arguments->detail.kernels, "of an artifact: every compiled kernel");
  command->callback([arguments, &action] {
    action = [arguments]() -> Result<int> {
      KOWARI_ASSIGN(const Value value, inspect(*arguments));
      std::printf("%s", arguments->json ? (value.toJson(2) + "\n").c_str() : value.toYaml().c_str());
      return 0;
    };
  });
}

} // namespace kowari::cli
