//===- SharedFolderTest.cpp - a folder that is not on this disk -*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "CacheTesting.h"

#include "runtime/cache/CacheFolder.h"

#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <sys/mount.h>

using namespace kowari;
using namespace kowari::cache;
using namespace kowari::cache::test;
namespace fs = std::filesystem;

namespace {

/// Answers for an empty folder: enough to ask for its file system.
void serveEmptyFolder(int device) {
  alignas(fuse_in_header) char request[1 << 16];
  while (read(device, request, sizeof request) > 0) {
    const auto *header = reinterpret_cast<const fuse_in_header *>(request);
    struct {
      fuse_out_header head;
      union {
        fuse_init_out init;
        fuse_attr_out attr;
        fuse_statfs_out statfs;
      };
    } reply{};
    size_t size = 0;
    int error = 0;
    switch (header->opcode) {
    case FUSE_INIT:
      reply.init.major = FUSE_KERNEL_VERSION;
      reply.init.minor = FUSE_KERNEL_MINOR_VERSION;
      reply.init.max_write = 4096;
      size = sizeof reply.init;
      break;
    case FUSE_GETATTR:
      reply.attr.attr.ino = FUSE_ROOT_ID;
      reply.attr.attr.mode = S_IFDIR | 0755;
      reply.attr.attr.nlink = 2;
      size = sizeof reply.attr;
      break;
    case FUSE_STATFS:
      size = sizeof reply.statfs;
      break;
    case FUSE_FORGET:
      continue;
    default:
      error = header->opcode == FUSE_LOOKUP ? -ENOENT : -ENOSYS;
    }
    reply.head = {uint32_t(sizeof reply.head + size), error, header->unique};
    if (write(device, &reply, reply.head.len) < 0)
      return;
  }
}

TEST_F(CacheTest, FolderOnFuseIsWarnedOf) {
  constexpr int cannotMount = 99;
  const fs::path place = base / "fuse";
  fs::create_directory(place);
  const int result = waitFor(spawn([&] {
    const int device = ::open("/dev/fuse", O_RDWR | O_CLOEXEC);
    const std::string options = "fd=" + std::to_string(device) +
                                ",rootmode=40000,user_id=" + std::to_string(geteuid()) +
                                ",group_id=" + std::to_string(getegid());
    if (device < 0 || unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("test", place.c_str(), "fuse", MS_NOSUID | MS_NODEV, options.c_str()) != 0)
      return cannotMount;
    std::thread(serveEmptyFolder, device).detach();
    const auto choice = chooseCacheFolder({place.string(), "", ""});
    const std::string expected = "the cache folder " + choice->path +
                                 " (from --cache_dir) lies on FUSE, which other machines share; set "
                                 "KOWARI_CACHE_DIR or local: compile_cache_dir to a folder on this machine's "
                                 "own disk, such as /tmp";
    return choice && choice->warning == expected ? 0 : 1;
  }));
  if (result == cannotMount)
    GTEST_SKIP() << "mounting is not permitted here";
  EXPECT_EQ(result, 0);
}

TEST_F(CacheTest, FolderOnThisMachineIsNotWarnedOf) {
  const auto choice = chooseCacheFolder({base.string(), "", ""});
  ASSERT_TRUE(choice.isOk());
  EXPECT_EQ(choice->warning, "");
}

} // namespace
