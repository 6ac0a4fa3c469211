//===- CacheProcessTest.cpp - many processes, kills, full disks -*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "CacheTesting.h"

#include <cstring>
#include <sched.h>
#include <sys/mount.h>

using namespace kowari;
using namespace kowari::cache;
using namespace kowari::cache::test;
using testing::HasSubstr;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

class CacheProcessTest : public CacheTest {
protected:
  /// In a child: 0 if the right artifact was obtained, 1 if also as a hit, other values are failures.
  int obtainOnce(int number, std::chrono::microseconds duration) {
    CacheOptions options;
    options.folder = root.string();
    auto cache = Cache::open(options);
    if (!cache)
      return 10;
    const auto entry =
        cache->obtain(keyNumber(number), compiler(number, duration), [](const std::string &) {});
    if (!entry)
      return 11;
    if (readFile(entry->loadPath()) != artifactBytes(number, codeBytes))
      return 12;
    return !entry->cached() ? 13 : entry->hit();
  }
};

TEST_F(CacheProcessTest, SixteenProcessesCompileOnce) {
  std::vector<pid_t> children;
  for (int i = 0; i < 16; ++i)
    children.push_back(spawn([&] { return obtainOnce(1, 100ms); }));
  int misses = 0;
  for (const pid_t child : children) {
    const int result = waitFor(child);
    EXPECT_TRUE(result == 0 || result == 1) << result;
    misses += result == 0;
  }
  EXPECT_EQ(misses, 1);
  EXPECT_EQ(compilations(), 1u);
}

TEST_F(CacheProcessTest, DifferentKeysDoNotWaitForEachOther) {
  std::vector<pid_t> children;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 8; ++i)
    children.push_back(spawn([&, i] { return obtainOnce(i, 400ms); }));
  for (const pid_t child : children)
    EXPECT_EQ(waitFor(child), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 2400ms);
}

TEST_F(CacheProcessTest, KilledAtFiftyRandomMoments) {
  std::mt19937 generator(3);
  int killed = 0;
  for (int round = 0; round < 50; ++round) {
    const int number = round % 3;
    // Compilation lasts 8 ms; the moments reach into publication and the next compilation.
    const pid_t child = spawn([&] {
      for (int i = 0; i < 3; ++i)
        if (const int result = obtainOnce(number + 3 * i, 8ms); result > 1)
          return result;
      return 0;
    });
    std::this_thread::sleep_for(std::chrono::microseconds(generator() % 40000));
    kill(child, SIGKILL);
    const int result = waitFor(child);
    EXPECT_TRUE(result == -SIGKILL || result == 0) << result;
    killed += result == -SIGKILL;
    Cache cache = open();
    for (const EntryInfo &info : cache.verify(false))
      ASSERT_EQ(info.problem, "") << "half an entry was published in round " << round;
    if (round % 5 == 4)
      fs::remove_all(root / "entries");
  }
  EXPECT_GT(killed, 10);
  Cache cache = open();
  for (int number = 0; number < 9; ++number)
    ASSERT_TRUE(obtain(cache, number).isOk());
  expectRight(cache, 100, false);
  EXPECT_TRUE(warnings.empty()) << warnings.front();
  EXPECT_TRUE(fs::is_empty(root / "work")) << "what the dead left behind is removed";
  EXPECT_TRUE(fs::is_empty(root / "locks"));
}

TEST_F(CacheProcessTest, LockDiesWithItsOwner) {
  const pid_t owner = spawn([&] { return obtainOnce(1, 60s); });
  while (compilations() == 0)
    std::this_thread::sleep_for(1ms);
  std::thread killer([&] {
    std::this_thread::sleep_for(100ms);
    kill(owner, SIGKILL);
  });
  Cache cache = open();
  expectRight(cache, 1, false);
  killer.join();
  EXPECT_EQ(waitFor(owner), -SIGKILL);
  EXPECT_THAT(messages, testing::Contains(HasSubstr("process " + std::to_string(owner) + " is compiling")));
}

TEST_F(CacheProcessTest, EntryInUseByAnotherProcessIsNotEvicted) {
  int ready[2], done[2];
  ASSERT_TRUE(pipe(ready) == 0 && pipe(done) == 0);
  const pid_t user = spawn([&] {
    Cache cache = open();
    const auto entry = obtain(cache, 1);
    char byte = 0;
    if (!entry || write(ready[1], &byte, 1) != 1 || read(done[0], &byte, 1) != 1)
      return 1;
    return readFile(entry->path()) == artifactBytes(1, codeBytes) ? 0 : 2;
  });
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  Cache cache = open();
  EXPECT_EQ(cache.prune(0, 0).inUse, 1);
  ASSERT_EQ(write(done[1], &byte, 1), 1);
  EXPECT_EQ(waitFor(user), 0);
  EXPECT_EQ(cache.prune(0, 0).removedEntries, 1);
}

TEST_F(CacheProcessTest, ReadersAndEvictorsTogether) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i)
    children.push_back(spawn([&, i] {
      for (int round = 0; round < 20; ++round)
        if (const int result = obtainOnce((round + i) % 3, 0ms); result > 1)
          return result;
      return 0;
    }));
  for (int i = 0; i < 2; ++i)
    children.push_back(spawn([&] {
      Cache cache = open();
      for (int round = 0; round < 60; ++round) {
        cache.prune(0, round % 3);
        std::this_thread::sleep_for(1ms);
      }
      return 0;
    }));
  for (const pid_t child : children)
    EXPECT_EQ(waitFor(child), 0);
}

constexpr int cannotMount = 99;

/// Runs `body` in a child whose cache folder is a small file system of its own.
int onSmallDisk(const fs::path &root, const char *options, const std::function<int()> &body) {
  return waitFor(spawn([&] {
    fs::create_directories(root);
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", root.c_str(), "tmpfs", 0, options) != 0)
      return cannotMount;
    return body();
  }));
}

TEST_F(CacheProcessTest, FullDisk) {
  const int result = onSmallDisk(root, "size=512k,mode=0700", [&] {
    Cache cache = open();
    const auto big = [&](int number, size_t size) {
      return cache.obtain(keyNumber(number), compiler(number, {}, size), [](const std::string &) {});
    };
    const auto first = big(1, 300000);
    if (!first || !first->cached())
      return 1;
    const auto second = big(2, 300000); // does not fit
    if (!second || second->cached() || second->hit())
      return 2;
    if (readFile(second->loadPath()) != artifactBytes(2, 300000))
      return 3;
    if (warnings.size() != 1 || warnings[0].find("is full") == std::string::npos)
      return 4;
    const auto again = big(1, 300000);
    if (!again || !again->hit())
      return 5;
    const auto failing = [](const std::string &) { return Status::error("a real error"); };
    const auto failed = cache.obtain(keyNumber(3), failing, [](const std::string &) {});
    return failed.status().message() == "a real error" && fs::is_empty(root / "work") ? 0 : 6;
  });
  if (result == cannotMount)
    GTEST_SKIP() << "mounting a small tmpfs is not permitted here";
  EXPECT_EQ(result, 0);
}

TEST_F(CacheProcessTest, ReadOnlyFolder) {
  const int result = onSmallDisk(root, "size=4m,mode=0700", [&] {
    {
      Cache cache = open();
      if (!obtain(cache, 1))
        return 1;
    }
    if (mount(nullptr, root.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0)
      return cannotMount;
    Cache cache = open();
    const auto hit = obtain(cache, 1);
    if (!hit || !hit->hit() || !warnings.empty())
      return 2;
    std::string kept;
    {
      const auto miss = obtain(cache, 2);
      if (!miss || miss->hit() || miss->cached() || readFile(miss->loadPath()) != artifactBytes(2, codeBytes))
        return 3;
      kept = miss->path();
    }
    if (warnings.size() != 1 || warnings[0].find("cannot be written") == std::string::npos)
      return 4;
    cache.prune(0, 0);
    return fs::exists(kept) ? 5 : 0;
  });
  if (result == cannotMount)
    GTEST_SKIP() << "mounting a small tmpfs is not permitted here";
  EXPECT_EQ(result, 0);
}

} // namespace
