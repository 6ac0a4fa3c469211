//===- CacheTest.cpp - the cache in one process -----------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "CacheTesting.h"

#include <fcntl.h>
#include <sys/stat.h>

using namespace kowari;
using namespace kowari::cache;
using namespace kowari::cache::test;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

TEST_F(CacheTest, SecondRequestIsAHit) {
  Cache cache = open();
  expectRight(cache, 1, false);
  expectRight(cache, 1, true);
  Cache other = open();
  expectRight(other, 1, true);
  EXPECT_EQ(compilations(), 1u);
  EXPECT_THAT(messages, testing::ElementsAre(HasSubstr("has no entry yet")));
  EXPECT_THAT(warnings, testing::IsEmpty());
}

TEST_F(CacheTest, FoldersArePrivateAndNothingIsLeftBehind) {
  Cache cache = open();
  expectRight(cache, 1, false);
  for (const fs::path &folder : {root, root / "entries", root / "work", root / "locks", entryFolder(1)})
    EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all) << folder;
  EXPECT_TRUE(fs::is_empty(root / "work"));
  EXPECT_TRUE(fs::is_empty(root / "locks"));
  EXPECT_EQ(std::distance(fs::directory_iterator(entryFolder(1)), {}), 2);
}

TEST_F(CacheTest, MissIsExplainedByTheNearestEntry) {
  Cache cache = open();
  expectRight(cache, 64, false);
  const auto far = CacheKey::make("{}", "build 0", "x86-64-v4", 1);
  ASSERT_TRUE(cache.obtain(*far, compiler(9), [](const std::string &) {}).isOk());
  messages.clear();
  expectRight(cache, 128, false);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_THAT(messages[0], HasSubstr(keyNumber(64).hash()));
  EXPECT_THAT(messages[0], HasSubstr("differs in spec.flow.hidden_dim: 64 there, 128 here"));
  EXPECT_THAT(cache.explain(keyNumber(128)), HasSubstr("is in the cache"));
}

TEST_F(CacheTest, FailedCompilationIsTheCallersErrorAndLeavesNothing) {
  Cache cache = open();
  const auto failing = [](const std::string &folder) {
    writeFile(folder + "/artifact.kwa", "half");
    return Status::error("no such op");
  };
  const auto entry = cache.obtain(keyNumber(1), failing, [](const std::string &) {});
  EXPECT_EQ(entry.status().message(), "no such op");
  EXPECT_TRUE(fs::is_empty(root / "work"));
  EXPECT_TRUE(fs::is_empty(root / "entries"));
  expectRight(cache, 1, false);
}

TEST_F(CacheTest, UnusableCompilerOutputIsRefused) {
  Cache cache = open();
  const auto lying = [](const std::string &folder) {
    writeFile(folder + "/artifact.kwa", "KOWARI1\nnonsense");
    return Status::ok();
  };
  EXPECT_THAT(cache.obtain(keyNumber(1), lying, [](const std::string &) {}).status().message(),
              HasSubstr("the compiler's result"));
  const auto silent = [](const std::string &) { return Status::ok(); };
  EXPECT_THAT(cache.obtain(keyNumber(1), silent, [](const std::string &) {}).status().message(),
              HasSubstr("wrote no"));
  EXPECT_TRUE(fs::is_empty(root / "entries"));
}

/// Every way of damaging an entry: it is rebuilt, with one warning, and what is loaded is right.
class DamageTest : public CacheTest {
protected:
  void damageAndCheck(const std::function<void()> &damage, const std::string &what) {
    SCOPED_TRACE(what);
    warnings.clear();
    damage();
    Cache cache = open();
    expectRight(cache, 1, false);
    EXPECT_EQ(warnings.size(), 1u);
    if (warnings.size() == 1) {
      EXPECT_THAT(warnings[0], HasSubstr("is unusable and is built again"));
    }
    warnings.clear();
    expectRight(cache, 1, true);
    EXPECT_TRUE(warnings.empty());
  }
  void SetUp() override {
    Cache cache = open();
    expectRight(cache, 1, false);
    artifact = entryFolder(1) / "artifact.kwa";
    key = entryFolder(1) / "key.json";
  }
  fs::path artifact, key;
};

TEST_F(DamageTest, TruncationAtEvery4KiB) {
  const auto size = fs::file_size(artifact);
  ASSERT_GT(size, codeBytes);
  for (uintmax_t at = 0; at < size; at += 4096)
    damageAndCheck([&] { fs::resize_file(artifact, at); }, "truncated at " + std::to_string(at));
}

TEST_F(DamageTest, FlippedBits) {
  std::mt19937 generator(11);
  for (int i = 0; i < 200; ++i) {
    const fs::path &file = i % 6 == 5 ? key : artifact;
    damageAndCheck(
        [&] {
          std::string bytes = readFile(file);
          bytes[generator() % bytes.size()] ^= char(1 << generator() % 8);
          writeFile(file, bytes);
        },
        "flip " + std::to_string(i) + " of " + file.string());
  }
}

TEST_F(DamageTest, MissingFiles) {
  damageAndCheck([&] { fs::remove(artifact); }, "no artifact");
  damageAndCheck([&] { fs::remove(key); }, "no key");
  damageAndCheck([&] { fs::remove(key), fs::remove(artifact); }, "empty entry");
}

TEST_F(DamageTest, AnotherVersionOrAnotherKey) {
  damageAndCheck([&] { writeFile(artifact, artifactBytes(1, codeBytes, plan::formatVersion + 1)); },
                 "version");
  damageAndCheck([&] { writeFile(key, keyNumber(2).canonicalJson()); }, "key");
}

TEST_F(DamageTest, PlantedSymbolicLinksAreNeitherFollowedNorTheirTargetsTouched) {
  const fs::path elsewhere = base / "elsewhere";
  fs::create_directory(elsewhere);
  writeFile(elsewhere / "artifact.kwa", artifactBytes(2, codeBytes));
  writeFile(elsewhere / "key.json", keyNumber(1).canonicalJson());
  damageAndCheck(
      [&] {
        fs::remove_all(entryFolder(1));
        fs::create_directory_symlink(elsewhere, entryFolder(1));
      },
      "entry");
  damageAndCheck(
      [&] {
        fs::remove(artifact);
        fs::create_symlink(elsewhere / "artifact.kwa", artifact);
      },
      "artifact");
  damageAndCheck(
      [&] {
        fs::remove_all(entryFolder(1));
        fs::create_symlink("/nowhere", entryFolder(1));
      },
      "dangling");
  EXPECT_TRUE(readFile(elsewhere / "artifact.kwa") == artifactBytes(2, codeBytes));
  EXPECT_TRUE(fs::exists(elsewhere / "key.json"));
}

TEST_F(DamageTest, PipesAndFoldersInPlaceOfFiles) {
  damageAndCheck(
      [&] {
        fs::remove(artifact);
        ASSERT_EQ(mkfifo(artifact.c_str(), 0600), 0);
      },
      "pipe");
  damageAndCheck(
      [&] {
        fs::remove(key);
        fs::create_directory(key);
      },
      "folder");
  damageAndCheck(
      [&] {
        fs::remove_all(entryFolder(1));
        writeFile(entryFolder(1), "a file");
      },
      "file for a folder");
}

TEST_F(DamageTest, WritableByOthersIsNeverLoaded) {
  damageAndCheck([&] { chmod(artifact.c_str(), 0666); }, "artifact");
  damageAndCheck([&] { chmod(key.c_str(), 0620); }, "key");
  damageAndCheck([&] { chmod(entryFolder(1).c_str(), 0770); }, "entry");
}

TEST_F(DamageTest, AnotherOwnersEntryIsNeverLoaded) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give files away";
  damageAndCheck([&] { ASSERT_EQ(chown(artifact.c_str(), 12345, 12345), 0); }, "artifact");
  damageAndCheck([&] { ASSERT_EQ(chown(entryFolder(1).c_str(), 12345, 12345), 0); }, "entry");
}

TEST_F(DamageTest, VerifyNamesAndRemovesBadEntries) {
  Cache cache = open();
  expectRight(cache, 2, false);
  EXPECT_THAT(cache.verify(false), testing::Each(testing::Field(&EntryInfo::problem, testing::IsEmpty())));
  fs::resize_file(artifact, 100);
  auto infos = cache.verify(true);
  ASSERT_EQ(infos.size(), 2u);
  for (const EntryInfo &info : infos)
    EXPECT_EQ(info.problem.empty(), info.hash != keyNumber(1).hash());
  infos = cache.list();
  ASSERT_EQ(infos.size(), 1u);
  EXPECT_EQ(infos[0].hash, keyNumber(2).hash());
  EXPECT_EQ(infos[0].keyJson, keyNumber(2).canonicalJson());
  EXPECT_GT(infos[0].bytes, int64_t(codeBytes));
}

TEST_F(CacheTest, RootMustBeOursAndNoLink) {
  fs::create_directory(base / "real");
  fs::create_directory_symlink(base / "real", root);
  EXPECT_THAT(Cache::open({.folder = root.string()}).status().message(), HasSubstr("symbolic link"));
  fs::remove(root);
  fs::create_directory(root);
  chmod(root.c_str(), 0777);
  EXPECT_THAT(Cache::open({.folder = root.string()}).status().message(), HasSubstr("chmod 700"));
  chmod(root.c_str(), 0755);
  ASSERT_TRUE(Cache::open({.folder = root.string()}).isOk());
  EXPECT_EQ(fs::status(root).permissions(), fs::perms::owner_all);
  if (geteuid() == 0) {
    ASSERT_EQ(chown(root.c_str(), 12345, 12345), 0);
    EXPECT_THAT(Cache::open({.folder = root.string()}).status().message(),
                HasSubstr("belongs to user 12345"));
  }
}

TEST_F(CacheTest, FolderEmptiedWhileInUse) {
  Cache cache = open();
  auto entry = obtain(cache, 1);
  ASSERT_TRUE(entry.isOk());
  fs::remove_all(root / "entries");
  EXPECT_TRUE(readFile(entry->loadPath()) == artifactBytes(1, codeBytes)) << "the open file survives";
  expectRight(cache, 1, false);
  expectRight(cache, 1, true);
  fs::remove_all(root);
  expectRight(cache, 1, false);
  expectRight(cache, 1, true);
  EXPECT_TRUE(warnings.empty());
}

TEST_F(CacheTest, LeastRecentlyUsedGoesAndEntriesInUseStay) {
  Cache cache = open();
  for (int i = 1; i <= 4; ++i) {
    expectRight(cache, i, false);
    const timespec old[2] = {{1000 + i, 0}, {1000 + i, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, entryFolder(i).c_str(), old, 0), 0);
  }
  expectRight(cache, 1, true); // now the most recent one
  const auto used = obtain(cache, 2);
  ASSERT_TRUE(used.isOk());
  const timespec oldest[2] = {{1, 0}, {1, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, entryFolder(2).c_str(), oldest, 0), 0);
  const PruneReport report = cache.prune(int64_t(1) << 40, 2);
  EXPECT_EQ(report.removedEntries, 2);
  EXPECT_EQ(report.inUse, 1);
  EXPECT_GT(report.removedBytes, int64_t(2 * codeBytes));
  EXPECT_TRUE(fs::exists(entryFolder(1)) && fs::exists(entryFolder(2)));
  EXPECT_FALSE(fs::exists(entryFolder(3)) || fs::exists(entryFolder(4)));
  cache.prune(0, 0);
  EXPECT_TRUE(fs::exists(entryFolder(2))) << "still in use";
  EXPECT_FALSE(fs::exists(entryFolder(1)));
}

TEST_F(CacheTest, SizeBoundHoldsAfterEachPublication) {
  CacheOptions options;
  options.folder = root.string();
  options.maxBytes = int64_t(3 * codeBytes);
  auto cache = Cache::open(options);
  ASSERT_TRUE(cache.isOk());
  for (int i = 1; i <= 6; ++i)
    expectRight(*cache, i, false);
  int64_t bytes = 0;
  for (const EntryInfo &info : cache->list())
    bytes += info.bytes;
  EXPECT_LE(bytes, options.maxBytes);
  EXPECT_TRUE(fs::exists(entryFolder(6)));
}

TEST_F(CacheTest, ClockSetBack) {
  Cache cache = open();
  expectRight(cache, 1, false);
  expectRight(cache, 2, false);
  const timespec future[2] = {{int64_t(4) << 30, 0}, {int64_t(4) << 30, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, entryFolder(1).c_str(), future, 0), 0);
  EXPECT_EQ(cache.list().front().hash, keyNumber(1).hash());
  expectRight(cache, 2, true);
  expectRight(cache, 1, true);
  cache.prune(int64_t(1) << 40, 1);
  EXPECT_EQ(cache.list().size(), 1u);
  cache.prune(0, 0);
  EXPECT_TRUE(cache.list().empty());
}

} // namespace
