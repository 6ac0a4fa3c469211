//===- CacheBuild.cpp - compiling and publishing an entry -------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// An entry is made in a folder below work/ whose lock this process holds: what dead processes leave behind is
// what can be locked. Publication is one rename, after everything is on disk.
//
//===----------------------------------------------------------------------===//
#include "runtime/cache/Cache.h"
#include "runtime/cache/CacheLayout.h"
#include "runtime/plan/ArtifactFile.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/statvfs.h>
#include <unistd.h>

namespace kowari::cache {
namespace {

/// Opens what the compiler wrote and checks it as a reader would.
Result<FileHandle> openResult(const FileHandle &folder, const std::string &path) {
  FileHandle artifact = openFileAt(folder.get(), artifactFile);
  if (!artifact)
    return Status::error("the compiler reported success but wrote no " + path);
  KOWARI_TRY(
      plan::ArtifactFile::openDescriptor(artifact.get(), path).status().withContext("the compiler's result"));
  return artifact;
}

} // namespace

FileHandle Cache::makeTemporary(const CacheKey &key, std::string &name) const {
  static std::atomic<unsigned> counter{0};
  constexpr int attempts = 100;
  for (int i = 0; i < attempts; ++i) {
    name = key.hash().substr(0, 8) + "-" + std::to_string(getpid()) + "-" + std::to_string(counter++);
    if (mkdirat(folder.work->get(), name.c_str(), 0700) != 0) {
      if (errno == EEXIST)
        continue;
      return FileHandle();
    }
    // Until it is locked, another process may take it for abandoned.
    FileHandle temporary = openFolderAt(folder.work->get(), name);
    if (temporary && lockExclusive(temporary, false) && isStillAt(temporary, folder.work->get(), name))
      return temporary;
    if (temporary && errno != EWOULDBLOCK && isStillAt(temporary, folder.work->get(), name))
      return temporary; // a file system without locks
  }
  errno = EAGAIN;
  return FileHandle();
}

Result<CacheEntry> Cache::build(const CacheKey &key, const CompileFunction &compile) {
  removeAbandoned();
  std::string name;
  FileHandle temporary = makeTemporary(key, name);
  if (!temporary)
    return buildPrivately(compile, systemError("make a folder in the cache " + folder.path).message());
  return buildIn(name, std::move(temporary), key, compile);
}

Result<CacheEntry> Cache::buildIn(const std::string &name, FileHandle temporary, const CacheKey &key,
                                  const CompileFunction &compile) {
  const std::string place = folder.path + "/work/" + name;
  const Status compiled = compile(place);
  Result<FileHandle> artifact =
      compiled ? openResult(temporary, place + "/" + artifactFile) : Result<FileHandle>(compiled);
  if (!artifact) {
    const bool full = diskIsFull();
    removeTree(folder.work->get(), name);
    return full ? buildPrivately(compile, "the disk of the cache folder " + folder.path + " is full")
                : Result<CacheEntry>(artifact.status());
  }
  CacheEntry entry;
  entry.artifact = artifact.take();
  const Status published = publish(key, temporary, entry.artifact, name);
  if (published) {
    // Our own lock turns into the one that keeps the entry from being evicted.
    lockShared(temporary, true);
    entry.folder = std::move(temporary);
    entry.artifactPath = folder.path + "/entries/" + key.hash() + "/" + artifactFile;
    prune(options.maxBytes, options.maxEntries);
    return entry;
  }
  Lookup winner = lookUp(key.hash(), &key.canonicalJson(), true);
  if (winner.entry) {
    // Somebody else published the same in the meantime (R9).
    removeTree(folder.work->get(), name);
    winner.entry->wasHit = false;
    return std::move(*winner.entry);
  }
  options.warn("the compiled program could not be kept in the cache: " + published.message());
  entry.folder = std::move(temporary);
  entry.artifactPath = place + "/" + artifactFile;
  entry.privateFolder.reset(new CacheEntry::PrivateFolder{place});
  return entry;
}

Status Cache::publish(const CacheKey &key, const FileHandle &temporary, const FileHandle &artifact,
                      const std::string &name) {
  for (const std::string &other : namesIn(temporary.get()))
    if (other != artifactFile)
      removeTree(temporary.get(), other);
  if (fchmod(artifact.get(), 0600) != 0 || fsync(artifact.get()) != 0)
    return systemError("sync " + std::string(artifactFile));
  KOWARI_TRY(writeNewFile(temporary.get(), keyFile, key.canonicalJson()));
  if (fsync(temporary.get()) != 0)
    return systemError("sync the entry's folder");
  if (renameat(folder.work->get(), name.c_str(), folder.entries.get(), key.hash().c_str()) != 0)
    return systemError("rename the entry into place");
  fsync(folder.entries.get()); // the entry is whole already; a lost rename is only a miss
  return Status::ok();
}

Result<CacheEntry> Cache::buildPrivately(const CompileFunction &compile, const std::string &why) {
  options.warn(why + "; the program is compiled for this run only");
  std::error_code failed;
  const std::filesystem::path base = std::filesystem::temp_directory_path(failed);
  std::string pattern = ((failed ? std::filesystem::path("/tmp") : base) / "kowari-XXXXXX").string();
  if (!mkdtemp(pattern.data()))
    return systemError("make a temporary folder " + pattern);
  CacheEntry entry;
  entry.privateFolder.reset(new CacheEntry::PrivateFolder{pattern});
  KOWARI_TRY(compile(pattern));
  entry.folder = openFolderAt(AT_FDCWD, pattern);
  entry.artifactPath = pattern + "/" + artifactFile;
  if (!entry.folder)
    return systemError("open " + pattern);
  KOWARI_ASSIGN(entry.artifact, openResult(entry.folder, entry.artifactPath));
  return entry;
}

bool Cache::diskIsFull() const {
  constexpr uint64_t little = 4 << 20;
  struct statvfs info;
  return fstatvfs(folder.root.get(), &info) == 0 &&
         (uint64_t(info.f_bavail) * info.f_frsize < little || (info.f_files > 0 && info.f_favail == 0));
}

} // namespace kowari::cache
