//===- Kowari.h - running the program under test ----------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/train/ModelFile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace kowari::e2e {

/// How the program ended and what it said.
struct Outcome {
  int code = -1; // 128 + signal if a signal ended it
  std::string out, err;
};

struct Signal {
  std::string line; // sent when the program's output holds this text
  int number = 0;
};

struct RunOptions {
  std::vector<Signal> signals; // at most one is sent, in order
  std::vector<std::pair<std::string, std::string>> environment;
  bool unprivileged = false; // as the user nobody, when the test runs as root
};

/// Runs kowari in `folder`. Its output is read through a pipe of one page, so it cannot run far ahead of the
/// reader.
Outcome runKowari(const std::filesystem::path &folder, const std::vector<std::string> &arguments,
                  const RunOptions &options = {});

std::string readText(const std::filesystem::path &path);
void writeText(const std::filesystem::path &path, const std::string &text);

/// A folder of its own with the tiny data sets in data/, removed at the end. All tests share one cache of
/// compiled programs.
class TrainingTest : public testing::Test {
protected:
  TrainingTest();
  ~TrainingTest() override;

  /// The tiny training's settings with replacements (text, by what); each text must be there.
  std::string settings(const std::vector<std::pair<std::string, std::string>> &replacements = {}) const;
  /// Writes settings.yaml and trains into train_dir/.
  Outcome train(const std::vector<std::pair<std::string, std::string>> &replacements = {},
                const std::string &trainDir = "train_dir", const RunOptions &options = {}) const;
  /// `kowari compile` of the settings.yaml that is there.
  Outcome compile(const std::vector<std::string> &more, const RunOptions &options = {}) const;
  Outcome resume(const std::string &trainDir = "train_dir", const RunOptions &options = {}) const;

  std::filesystem::path folder;
};

/// Every difference between two model files, by entry; empty if they are equal bit for bit.
std::vector<std::string> differences(const std::filesystem::path &left, const std::filesystem::path &right);

/// One message for the user: exit code 1, one "kowari: error: " on standard error that holds `text`.
void expectError(const Outcome &outcome, const std::string &text);

} // namespace kowari::e2e
