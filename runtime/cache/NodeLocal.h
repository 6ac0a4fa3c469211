//===- NodeLocal.h - is a folder on this machine's own disk? ----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <string>

namespace kowari::cache {

struct FileSystem {
  std::string name;    // "ext", "NFS", ... or "file system 0x1234"
  bool shared = false; // a network or cluster file system, or FUSE, which may hide one
};

/// By the magic number of statfs().
FileSystem fileSystemByMagic(uint32_t magic);

/// The file system of `path`, or of its nearest parent that exists.
Result<FileSystem> fileSystemOf(const std::string &path);

} // namespace kowari::cache
