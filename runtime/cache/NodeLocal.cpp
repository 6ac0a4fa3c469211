//===- NodeLocal.cpp - is a folder on this machine's own disk? --*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/cache/NodeLocal.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sys/vfs.h>

namespace kowari::cache {
namespace {

struct Known {
  uint32_t magic;
  const char *name;
  bool shared;
};

constexpr std::array known = {
    Known{0x00006969, "NFS", true},       Known{0x0bd00bd0, "Lustre", true},
    Known{0x47504653, "GPFS", true},      Known{0x19830326, "BeeGFS", true},
    Known{0xff534d42, "CIFS", true},      Known{0xfe534d42, "SMB", true},
    Known{0x0000517b, "SMB", true},       Known{0x5346414f, "AFS", true},
    Known{0x6b414653, "AFS", true},       Known{0x65735546, "FUSE", true},
    Known{0x00c36400, "Ceph", true},      Known{0x01021997, "9P", true},
    Known{0xaad7aaea, "PanFS", true},     Known{0x01161970, "GFS2", true},
    Known{0x7461636f, "OCFS2", true},     Known{0x20030528, "OrangeFS", true},
    Known{0x73757245, "Coda", true},      Known{0x786f4256, "vboxsf", true},
    Known{0x0000ef53, "ext", false},      Known{0x58465342, "XFS", false},
    Known{0x9123683e, "Btrfs", false},    Known{0x01021994, "tmpfs", false},
    Known{0x858458f6, "ramfs", false},    Known{0x794c7630, "overlayfs", false},
    Known{0x2fc12fc1, "ZFS", false},      Known{0xf2f52010, "F2FS", false},
    Known{0xca451a4e, "bcachefs", false},
};

} // namespace

FileSystem fileSystemByMagic(uint32_t magic) {
  for (const Known &entry : known)
    if (entry.magic == magic)
      return {entry.name, entry.shared};
  char text[32];
  std::snprintf(text, sizeof text, "file system 0x%x", magic);
  return {text, false};
}

Result<FileSystem> fileSystemOf(const std::string &path) {
  std::error_code ignored;
  std::filesystem::path place = std::filesystem::absolute(path, ignored);
  struct statfs info;
  while (statfs(place.c_str(), &info) != 0) {
    if (errno != ENOENT || place == place.parent_path())
      return Status::error("cannot ask for the file system of " + path + ": " + std::strerror(errno));
    place = place.parent_path();
  }
  return fileSystemByMagic(uint32_t(info.f_type));
}

} // namespace kowari::cache
