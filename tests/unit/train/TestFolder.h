//===- TestFolder.h - a folder for a test's files ---------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace kowari::train {

/// A new folder that is removed with the object.
class TestFolder {
public:
  explicit TestFolder(const std::filesystem::path &place = std::filesystem::temp_directory_path()) {
    std::string pattern = (place / "kowari-train-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~TestFolder() { std::filesystem::remove_all(path); }
  TestFolder(const TestFolder &) = delete;
  TestFolder &operator=(const TestFolder &) = delete;

  std::string operator/(const std::string &name) const { return path + "/" + name; }
  /// Entries of the folder, hidden ones too.
  int files() const {
    int count = 0;
    for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator(path))
      ++count;
    return count;
  }

  std::string path;
};

inline std::string readText(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

inline void writeText(const std::string &path, const std::string &content) {
  std::ofstream(path, std::ios::binary) << content;
}

inline std::string dataFile(const std::string &name) { return std::string(KOWARI_TEST_DATA) + "/" + name; }

} // namespace kowari::train
