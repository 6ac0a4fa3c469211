//===- main.cpp - the kowari program --------------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/Command.h"
#include "frontend/settings/Schema.h"

#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

using namespace kowari;

namespace {

/// The innermost subcommand that was given.
const CLI::App *innermost(const CLI::App *app) {
  while (!app->get_subcommands().empty())
    app = app->get_subcommands().front();
  return app;
}

/// Arguments that nothing asked for, each with the nearest known one.
std::string describeExtras(const CLI::App &app) {
  const CLI::App *command = innermost(&app);
  std::vector<std::string> known;
  for (const CLI::Option *option : command->get_options())
    for (const std::string &name : option->get_lnames())
      known.push_back("--" + name);
  for (const CLI::App *sub : command->get_subcommands({}))
    known.push_back(sub->get_name());
  std::string text;
  for (const std::string &argument : app.remaining(true)) {
    const std::string near = nearestWord(argument.substr(0, argument.find('=')), known);
    text += (text.empty() ? "" : "; ") + argument + " is not known" +
            (near.empty() ? "" : " (did you mean " + near + "?)");
  }
  std::string name = command->get_name();
  for (const CLI::App *parent = command->get_parent(); parent; parent = parent->get_parent())
    name = parent->get_name() + " " + name;
  return text + "; see " + name + " --help";
}

/// CLI11 gives the largest double as the end of a range: "--rows: Value 0 not in range 0.000000 to 1797...".
std::string describeRange(const CLI::App &app, const std::string &message) {
  const std::string before = ": Value ", after = " not in range ";
  const size_t value = message.find(before), range = message.find(after);
  if (value == std::string::npos || range == std::string::npos)
    return message;
  const std::string name = message.substr(0, value);
  const CLI::Option *option = innermost(&app)->get_option_no_throw(name);
  const std::string type = option ? option->get_type_name() : "";
  const char *rule = type.find("POSITIVE") != std::string::npos      ? "greater than 0"
                     : type.find("NONNEGATIVE") != std::string::npos ? "of 0 or more"
                                                                     : nullptr;
  const size_t begin = value + before.size();
  return rule ? name + " " + message.substr(begin, range - begin) + ": must be a number " + rule : message;
}

int report(const std::string &message) {
  std::fflush(stdout);
  std::fprintf(stderr, "kowari: error: %s\n", message.c_str());
  return 1;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Compiled training of Dingo's gravitational-wave posterior networks", "kowari");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("kowari ") + cli::version());
  cli::Action action;
  cli::addTrainCommand(app, action);
  cli::addLogProbCommand(app, action);
  cli::addSampleCommand(app, action);
  cli::addInspectCommand(app, action);
  cli::addCompileCommand(app, action);
  cli::addBenchCommand(app, action);
  cli::addCacheCommand(app, action);
  cli::addDoctorCommand(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &success) { // --help, --version
    return app.exit(success);
  } catch (const CLI::ExtrasError &) {
    return report(describeExtras(app));
  } catch (const CLI::RequiredError &error) { // a misspelt command is an extra argument, too
    const std::vector<std::string> extras = app.remaining(true);
    return report(extras.empty() ? std::string(error.what()) + "; see kowari --help" : describeExtras(app));
  } catch (const CLI::ParseError &error) {
    return report(describeRange(app, error.what()) + "; see kowari --help");
  }
  const Result<int> result = action();
  if (!result)
    return report(result.status().message());
  if (std::fflush(stdout) != 0 || std::ferror(stdout))
    return report(std::string("standard output: ") + std::strerror(errno));
  return *result;
}
