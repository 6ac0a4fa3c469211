//===- CacheTest.cpp - the cache under real compilations ------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// tests/unit/cache does the same with a compiler that is a function; here kowari and kowari-compile run as
// users run them.
//
//===----------------------------------------------------------------------===//

#include "tests/e2e/Kowari.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;

namespace kowari::e2e {

namespace {

class CacheTest : public TrainingTest {
protected:
  CacheTest() {
    writeText(folder / "settings.yaml", settings());
    fs::create_directory(folder / "cache");
    own.environment = {{"KOWARI_CACHE_DIR", (folder / "cache").string()}};
  }

  Outcome compile(const std::vector<std::string> &more = {}) const {
    return TrainingTest::compile(more, own);
  }
  /// The same as a child that goes on by itself, in silence.
  pid_t startCompiling() const {
    const pid_t child = ::fork();
    if (child != 0)
      return child;
    ::setenv("KOWARI_CACHE_DIR", (folder / "cache").c_str(), 1);
    for (const auto &[name, value] : own.environment)
      ::setenv(name.c_str(), value.c_str(), 1);
    if (::chdir(folder.c_str()) != 0 || !std::freopen("out.txt", "a", stdout) ||
        !std::freopen("err.txt", "a", stderr))
      ::_exit(126);
    ::execl(KOWARI_PROGRAM, KOWARI_PROGRAM, "compile", "--settings_file", "settings.yaml", nullptr);
    ::_exit(126);
  }
  static int statusOf(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  /// A compiler that notes each compilation and then is the real one.
  void countCompilations() {
    const char *named = std::getenv("KOWARI_COMPILE");
    const std::string real =
        named && *named ? named : (fs::path(KOWARI_PROGRAM).parent_path() / "kowari-compile").string();
    const fs::path script = folder / "counting";
    writeText(script, "#!/bin/sh\n[ \"$1\" = --build-id ] || echo x >> '" + (folder / "count").string() +
                          "'\nexec '" + real + "' \"$@\"\n");
    fs::permissions(script, fs::perms::owner_all);
    own.environment.emplace_back("KOWARI_COMPILE", script.string());
  }
  long compilations() const {
    const std::string text = readText(folder / "count");
    return std::count(text.begin(), text.end(), '\n');
  }
  /// The only entry; empty if there is none.
  fs::path entry() const {
    std::error_code code; // a process may have been killed before it made the folder
    for (const fs::directory_entry &user : fs::directory_iterator(folder / "cache", code))
      for (const fs::directory_entry &hash : fs::directory_iterator(user.path() / "entries", code))
        return hash.path();
    return {};
  }

  RunOptions own;
};

} // namespace

TEST_F(CacheTest, SixteenProcessesCompileOnce) {
  countCompilations();
  std::vector<pid_t> children;
  for (int i = 0; i < 16; ++i)
    children.push_back(startCompiling());
  for (const pid_t child : children)
    EXPECT_EQ(statusOf(child), 0) << readText(folder / "err.txt");
  EXPECT_EQ(compilations(), 1);
  const std::string out = readText(folder / "out.txt");
  EXPECT_THAT(out, HasSubstr("compiled in "));
  EXPECT_THAT(out, HasSubstr("was in the cache"));
  EXPECT_THAT(out, ContainsRegex("process [0-9]+ is compiling this program; waiting for it"));
}

TEST_F(CacheTest, KilledAtFiftyMomentsOfACompilation) {
  ASSERT_EQ(compile({"-o", "reference.kwa"}).code, 0);
  const std::string reference = readText(folder / "reference.kwa");
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(compile().code, 0);
  const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - start;
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> moment(0.0, 1.1 * whole.count());
  int killed = 0;
  for (int round = 0; round < 50; ++round) {
    fs::remove_all(folder / "cache");
    const pid_t child = startCompiling();
    std::this_thread::sleep_for(std::chrono::duration<double>(moment(generator)));
    ::kill(child, SIGKILL);
    const int result = statusOf(child);
    ASSERT_TRUE(result == -SIGKILL || result == 0) << result << readText(folder / "err.txt");
    killed += result == -SIGKILL;
    if (!entry().empty()) {
      ASSERT_TRUE(readText(entry() / "artifact.kwa") == reference) << "half an entry in round " << round;
    }
  }
  EXPECT_GT(killed, 25);
  const Outcome clean = compile();
  ASSERT_EQ(clean.code, 0) << clean.err;
  EXPECT_TRUE(readText(entry() / "artifact.kwa") == reference);
  EXPECT_EQ(runKowari(folder, {"cache", "verify"}, own).code, 0);
  EXPECT_TRUE(fs::is_empty(entry().parent_path().parent_path() / "work"));
  EXPECT_TRUE(fs::is_empty(entry().parent_path().parent_path() / "locks"));
}

TEST_F(CacheTest, DamagedEntriesAreFoundRemovedAndBuiltAgain) {
  ASSERT_EQ(train({}, "good", own).code, 0);
  const fs::path artifact = entry() / "artifact.kwa";
  std::string bytes = readText(artifact);
  bytes[bytes.size() / 2] ^= 4;
  writeText(artifact, bytes);
  expectError(runKowari(folder, {"cache", "verify", "--keep"}, own), "1 of 1 programs in ");
  const Outcome again = train({}, "again", own);
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("is unusable and is built again: "));
  EXPECT_EQ(readText(folder / "good/history.txt"), readText(folder / "again/history.txt"));
  EXPECT_EQ(runKowari(folder, {"cache", "verify"}, own).code, 0);
  fs::resize_file(artifact, 4096);
  expectError(runKowari(folder, {"cache", "verify"}, own), "is bad; removed");
  EXPECT_THAT(runKowari(folder, {"cache", "list"}, own).out, HasSubstr("0 programs in "));
}

TEST_F(CacheTest, ReadOnlyFolderKeepsNothing) {
  fs::create_directory(folder / "cache" / "kowari-65534");
  fs::permissions(folder / "cache", fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read |
                                        fs::perms::others_exec);
  RunOptions nobody = own;
  nobody.unprivileged = true;
  const auto arguments = std::vector<std::string>{"compile", "--settings_file", "settings.yaml"};
  if (::geteuid() == 0)
    expectError(runKowari(folder, arguments, nobody), "belongs to user 0, not to you (65534)");
  if (::geteuid() == 0 && ::chown((folder / "cache/kowari-65534").c_str(), 65534, 65534) != 0)
    GTEST_SKIP() << "folders cannot be given away here";
  const fs::path mine =
      folder / "cache" / ("kowari-" + std::to_string(::geteuid() == 0 ? 65534 : ::geteuid()));
  fs::permissions(folder / "cache", fs::perms::all);
  fs::create_directories(mine / "entries");
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown((mine / "entries").c_str(), 65534, 65534), 0);
  }
  fs::permissions(mine / "entries", fs::perms::owner_all);
  fs::permissions(mine, fs::perms::owner_read | fs::perms::owner_exec);
  const Outcome compiled = runKowari(folder, arguments, nobody);
  fs::permissions(mine, fs::perms::owner_all); // the test's folder is to be removed
  // It has compiled, but for a compile command that is not enough.
  expectError(compiled, "the compiled program could not be kept in the cache");
  EXPECT_THAT(compiled.out, HasSubstr("cannot be written (Permission denied)"));
  EXPECT_THAT(compiled.out, HasSubstr("compiled for this run only"));
}

TEST_F(CacheTest, ExplainAndCompileLookWhereTheTrainingWould) {
  const std::string local = "checkpoint_epochs: 2\n  compile_cache_dir: " + (folder / "local").string();
  fs::create_directory(folder / "local");
  RunOptions plain;
  plain.environment = {{"KOWARI_CACHE_DIR", ""}};
  ASSERT_EQ(train({{"checkpoint_epochs: 2", local}}, "train_dir", plain).code, 0);
  const Outcome explained =
      runKowari(folder, {"cache", "explain", "--settings_file", "settings.yaml"}, plain);
  ASSERT_EQ(explained.code, 0) << explained.err;
  EXPECT_THAT(explained.out, HasSubstr("the program is in the cache " + (folder / "local").string()));
  EXPECT_THAT(runKowari(folder, {"compile", "--settings_file", "settings.yaml"}, plain).out,
              HasSubstr("was in the cache"));
}

TEST_F(CacheTest, EveryKindOfMissIsExplained) {
  ASSERT_EQ(compile().code, 0);
  EXPECT_THAT(compile({"--target", "x86-64-v4"}).out,
              testing::AnyOf(ContainsRegex("differs in .*target: \"x86-64-v3\" there, \"x86-64-v4\" here"),
                             HasSubstr("was in the cache")));
  EXPECT_THAT(compile({"--rows", "64"}).out, HasSubstr("spec.max_rows: 4 there, 64 here"));
  writeText(folder / "settings.yaml", settings({{"activation: elu", "activation: relu"}}));
  EXPECT_THAT(compile().out, HasSubstr("spec.flow.activation: \"elu\" there, \"relu\" here"));
}

} // namespace kowari::e2e
