//===- CacheFolder.h - where the cache lives --------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cache/FileHandle.h"

#include <optional>
#include <string>

namespace kowari::cache {

/// What the user said about the folder; empty where nothing was said.
struct FolderWishes {
  std::string commandLine;          // --cache_dir
  std::string compileCacheDir;      // local: compile_cache_dir
  std::string torchCompileCacheDir; // local: torch_compile_cache_dir, for Dingo's users
};

struct FolderChoice {
  std::string path;    // of our own folder in what was chosen
  std::string source;  // who chose it: "--cache_dir", "KOWARI_CACHE_DIR", ...
  std::string warning; // empty, or that the place is not node-local and what to set
};

/// In this order: --cache_dir, $KOWARI_CACHE_DIR, local: compile_cache_dir, local: torch_compile_cache_dir,
/// $XDG_CACHE_HOME, ~/.cache. What is named explicitly may be shared between users, so ours is "kowari-<uid>"
/// in it; in the XDG folder it is "kowari". Paths may begin with "~/".
Result<FolderChoice> chooseCacheFolder(const FolderWishes &wishes);

/// The cache's folder, open: all access goes through these descriptors.
struct CacheFolder {
  std::string path;
  FileHandle root;
  FileHandle entries;             // one folder an entry, named by the key's hash
  std::optional<FileHandle> work; // temporary folders; absent if the folder is read-only
  std::optional<FileHandle> locks;
  std::string readOnlyReason; // why the last two are absent
};

/// Makes the folder (mode 0700) if needed and checks that it is this user's own, private and no symbolic link
/// (R20a): otherwise an error. A folder that cannot be written still serves hits.
Result<CacheFolder> openCacheFolder(const std::string &path);

} // namespace kowari::cache
