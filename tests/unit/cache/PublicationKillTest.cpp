//===- PublicationKillTest.cpp - killed in every system call ----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "CacheTesting.h"

#include <sys/ptrace.h>

using namespace kowari;
using namespace kowari::cache;
using namespace kowari::cache::test;
namespace fs = std::filesystem;

namespace {

class PublicationKillTest : public CacheTest {
protected:
  /// In a traced child: obtains key 1 and stops itself when the compiler is done, where publication begins.
  int obtainTraced() {
    auto cache = Cache::open({.folder = root.string()});
    const CompileFunction compile = [&](const std::string &folder) {
      const Status done = compiler(1)(folder);
      if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0)
        _exit(cannotTrace);
      raise(SIGSTOP);
      return done;
    };
    return cache && cache->obtain(keyNumber(1), compile, [](const std::string &) {}) ? 0 : 1;
  }

  /// Kills the child when it has passed `calls` entries into or exits from system calls since the compiler
  /// was done. -SIGKILL, or the exit code of a child that needed fewer.
  int killAfter(int calls) {
    const pid_t child = spawn([&] { return obtainTraced(); });
    int status = 0;
    waitpid(child, &status, WUNTRACED);
    for (int i = 0; i < calls && WIFSTOPPED(status); ++i) {
      ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
      waitpid(child, &status, 0);
    }
    if (!WIFSTOPPED(status))
      return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    kill(child, SIGKILL);
    return waitFor(child);
  }

  static constexpr int cannotTrace = 99;
};

TEST_F(PublicationKillTest, NoMomentLeavesHalfAnEntry) {
  int calls = 0, unpublished = 0;
  for (int result = -SIGKILL; result == -SIGKILL; ++calls) {
    SCOPED_TRACE("killed after " + std::to_string(calls) + " entries and exits of system calls");
    result = killAfter(calls);
    if (result == cannotTrace)
      GTEST_SKIP() << "tracing a child is not permitted here";
    ASSERT_TRUE(result == -SIGKILL || result == 0) << result;
    Cache cache = open();
    const std::vector<EntryInfo> entries = cache.verify(false);
    ASSERT_LE(entries.size(), 1u);
    ASSERT_TRUE(entries.empty() || entries[0].problem.empty()) << entries[0].problem;
    unpublished += entries.empty();
    expectRight(cache, 1, !entries.empty());
    cache.prune(int64_t(1) << 40, 100);
    ASSERT_TRUE(fs::is_empty(root / "work") && fs::is_empty(root / "locks"));
    ASSERT_TRUE(warnings.empty()) << warnings.front();
    fs::remove_all(root);
  }
  EXPECT_GT(unpublished, 20); // moments before the rename
  EXPECT_GT(calls, unpublished + 10);
}

} // namespace
