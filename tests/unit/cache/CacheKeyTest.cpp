//===- CacheKeyTest.cpp - keys, folders, file systems -----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "CacheTesting.h"

#include "runtime/cache/NodeLocal.h"

#include <cstdlib>

using namespace kowari;
using namespace kowari::cache;
using namespace kowari::cache::test;
using testing::HasSubstr;

namespace {

TEST(CacheKey, OrderAndSpacesOfTheSpecificationDoNotMatter) {
  const auto a = CacheKey::make("{\"a\":1,\"b\":[1,2]}", "id", "t", 1);
  const auto b = CacheKey::make("{ \"b\": [1, 2], \"a\": 1 }", "id", "t", 1);
  const auto c = CacheKey::make("{\"a\":1,\"b\":[2,1]}", "id", "t", 1);
  ASSERT_TRUE(a.isOk() && b.isOk() && c.isOk());
  EXPECT_EQ(a->hash(), b->hash());
  EXPECT_NE(a->hash(), c->hash());
  EXPECT_EQ(a->hash().size(), 32u);
  EXPECT_EQ(a->canonicalJson(),
            "{\"build_id\":\"id\",\"format_version\":1,\"spec\":{\"a\":1,\"b\":[1,2]},\"target\":\"t\"}");
  EXPECT_FALSE(CacheKey::make("{\"a\":", "id", "t", 1).isOk());
}

TEST(CacheKey, EveryPartDecides) {
  const auto hash = [](const char *spec, const char *build, const char *target, uint32_t version) {
    return CacheKey::make(spec, build, target, version)->hash();
  };
  const std::string base = hash("{}", "b", "t", 1);
  EXPECT_NE(base, hash("{\"x\":0}", "b", "t", 1));
  EXPECT_NE(base, hash("{}", "c", "t", 1));
  EXPECT_NE(base, hash("{}", "b", "u", 1));
  EXPECT_NE(base, hash("{}", "b", "t", 2));
}

TEST(CacheKey, StoredTextGivesTheSameKey) {
  const CacheKey key = keyNumber(3);
  const auto again = CacheKey::parse(key.canonicalJson());
  ASSERT_TRUE(again.isOk());
  EXPECT_EQ(again->hash(), key.hash());
  EXPECT_FALSE(CacheKey::parse("[1]").isOk());
  EXPECT_FALSE(CacheKey::parse("").isOk());
  EXPECT_FALSE(CacheKey::parse(std::string(100000, '[')).isOk());
}

TEST(CacheKey, DifferencesNameTheLeaf) {
  const auto differences = compareKeys(keyNumber(64), keyNumber(128));
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].part, "spec.flow.hidden_dim");
  EXPECT_EQ(differences[0].here, "64");
  EXPECT_EQ(differences[0].there, "128");
  const auto a = CacheKey::make("{\"stages\":[{\"lr\":1}]}", "b", "t", 1);
  const auto b = CacheKey::make("{\"stages\":[{\"lr\":1},{\"lr\":2}]}", "b", "t", 1);
  const auto more = compareKeys(*a, *b);
  ASSERT_EQ(more.size(), 1u);
  EXPECT_EQ(more[0].part, "spec.stages[1].lr");
  EXPECT_EQ(more[0].here, "nothing");
}

TEST(NodeLocal, KnowsSharedFileSystems) {
  const std::pair<uint32_t, const char *> shared[] = {
      {0x6969, "NFS"},      {0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"}, {0x19830326, "BeeGFS"},
      {0xff534d42, "CIFS"}, {0x5346414f, "AFS"},    {0x65735546, "FUSE"}};
  for (const auto &[magic, name] : shared) {
    EXPECT_EQ(fileSystemByMagic(magic).name, name);
    EXPECT_TRUE(fileSystemByMagic(magic).shared) << name;
  }
  EXPECT_FALSE(fileSystemByMagic(0xef53).shared);
  EXPECT_FALSE(fileSystemByMagic(0x01021994).shared);
  EXPECT_EQ(fileSystemByMagic(0x1234).name, "file system 0x1234");
}

TEST(NodeLocal, AsksTheNearestParentThatExists) {
  const auto proc = fileSystemOf("/proc/no/such/folder");
  ASSERT_TRUE(proc.isOk());
  EXPECT_EQ(proc->name, "file system 0x9fa0");
}

class FolderChoiceTest : public testing::Test {
protected:
  FolderChoiceTest() {
    unsetenv("KOWARI_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", "/tmp/home", 1);
  }
  const std::string own = "/kowari-" + std::to_string(geteuid());
  void expect(const FolderWishes &wishes, const std::string &path, const std::string &source) {
    const auto choice = chooseCacheFolder(wishes);
    ASSERT_TRUE(choice.isOk()) << choice.status().message();
    EXPECT_EQ(choice->path, path);
    EXPECT_EQ(choice->source, source);
  }
};

TEST_F(FolderChoiceTest, Order) {
  FolderWishes wishes{"/tmp/a", "/tmp/b", "/tmp/c"};
  setenv("KOWARI_CACHE_DIR", "/tmp/env", 1);
  setenv("XDG_CACHE_HOME", "/tmp/xdg", 1);
  expect(wishes, "/tmp/a" + own, "--cache_dir");
  wishes.commandLine.clear();
  expect(wishes, "/tmp/env" + own, "KOWARI_CACHE_DIR");
  unsetenv("KOWARI_CACHE_DIR");
  expect(wishes, "/tmp/b" + own, "local: compile_cache_dir");
  wishes.compileCacheDir.clear();
  expect(wishes, "/tmp/c" + own, "local: torch_compile_cache_dir");
  wishes.torchCompileCacheDir.clear();
  expect(wishes, "/tmp/xdg/kowari", "XDG_CACHE_HOME");
  setenv("XDG_CACHE_HOME", "relative", 1);
  expect(wishes, "/tmp/home/.cache/kowari", "the home folder");
  wishes.commandLine = "~/x/../y";
  expect(wishes, "/tmp/home/y" + own, "--cache_dir");
}

} // namespace
