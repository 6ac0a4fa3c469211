//===- CacheTesting.h - folders, artifacts and processes --------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cache/Cache.h"
#include "tests/unit/plan/PlanBuilder.h"

#include <chrono>
#include <csignal>
#include <functional>
#include <random>
#include <sys/wait.h>
#include <thread>

namespace kowari::cache::test {

inline std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void writeFile(const std::filesystem::path &path, const std::string &content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(content.data(), std::streamsize(content.size()));
}

/// The bytes that "compiling" key number `number` gives; `size` bytes of code.
inline std::string artifactBytes(int number, size_t size, uint32_t version = plan::formatVersion) {
  plan::test::PlanBuilder plan;
  plan.version = version;
  plan.entry("entry" + std::to_string(number));
  std::vector<uint8_t> code(size);
  for (size_t i = 0; i < size; ++i)
    code[i] = uint8_t(i * 31 + size_t(number) * 7 + i / 255);
  const auto bytes = plan::serializeArtifact(plan.finish(1, 0, 0), code);
  return {bytes.begin(), bytes.end()};
}

inline CacheKey keyNumber(int number) {
  auto key =
      CacheKey::make("{\"flow\":{\"hidden_dim\":" + std::to_string(number) + ",\"steps\":5},\"max_rows\":64}",
                     "build 1", "x86-64-v3", plan::formatVersion);
  EXPECT_TRUE(key.isOk());
  return key.take();
}

/// Runs `body` in a child process; its result is the exit code.
inline pid_t spawn(const std::function<int()> &body) {
  const pid_t pid = fork();
  if (pid == 0)
    _exit(body());
  return pid;
}
inline int waitFor(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

class CacheTest : public testing::Test {
protected:
  static constexpr size_t codeBytes = 20000;

  CacheTest() {
    // Memory where there is some: hundreds of rebuilt entries are hundreds of fsyncs.
    const bool memory = access("/dev/shm", W_OK) == 0;
    const std::filesystem::path place = memory ? "/dev/shm" : std::filesystem::temp_directory_path();
    std::string pattern = (place / "kowari-cache-XXXXXX").string();
    base = mkdtemp(pattern.data());
    root = base / "cache";
  }
  ~CacheTest() override { std::filesystem::remove_all(base); }

  Cache open() {
    CacheOptions options;
    options.folder = root.string();
    options.warn = [this](const std::string &text) { warnings.push_back(text); };
    auto cache = Cache::open(options);
    EXPECT_TRUE(cache.isOk()) << cache.status().message();
    return cache.take();
  }

  /// Writes the artifact as a compiler would, in pieces, and counts itself in a file that all processes
  /// share.
  CompileFunction compiler(int number, std::chrono::microseconds duration = {}, size_t size = codeBytes) {
    return [this, number, duration, size](const std::string &folder) {
      std::ofstream(base / "compilations", std::ios::app).put('x').flush();
      const std::string bytes = artifactBytes(number, size);
      constexpr int pieces = 5;
      std::ofstream file(folder + "/artifact.kwa", std::ios::binary);
      for (int piece = 0; piece < pieces; ++piece) {
        const size_t begin = bytes.size() * size_t(piece) / pieces,
                     end = bytes.size() * size_t(piece + 1) / pieces;
        file.write(bytes.data() + begin, std::streamsize(end - begin)).flush();
        std::this_thread::sleep_for(duration / pieces);
      }
      return file ? Status::ok() : Status::error("the compiler cannot write " + folder);
    };
  }
  size_t compilations() const { return readFile(base / "compilations").size(); }

  Result<CacheEntry> obtain(Cache &cache, int number) {
    return cache.obtain(keyNumber(number), compiler(number),
                        [this](const std::string &t) { messages.push_back(t); });
  }
  /// Obtains and compares what would be loaded with what was compiled.
  void expectRight(Cache &cache, int number, bool hit, size_t size = codeBytes) {
    const auto entry = obtain(cache, number);
    ASSERT_TRUE(entry.isOk()) << entry.status().message();
    EXPECT_EQ(entry->hit(), hit);
    EXPECT_TRUE(readFile(entry->loadPath()) == artifactBytes(number, size));
  }
  std::filesystem::path entryFolder(int number) const { return root / "entries" / keyNumber(number).hash(); }

  std::filesystem::path base, root;
  std::vector<std::string> warnings, messages;
};

} // namespace kowari::cache::test
