//===- Cache.cpp - finding and obtaining artifacts --------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/cache/Cache.h"

#include "runtime/cache/CacheLayout.h"
#include "runtime/cache/KeyLock.h"
#include "runtime/plan/ArtifactFile.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>

namespace kowari::cache {
namespace {

/// Opens a file of an entry if it is this user's own and closed to others' writing.
Result<FileHandle> openEntryFile(const FileHandle &folder, const char *name) {
  FileHandle file = openFileAt(folder.get(), name);
  struct stat info;
  if (!file || fstat(file.get(), &info) != 0)
    return systemError(std::string("open ") + name);
  if (!isPrivate(info))
    return Status::error(std::string(name) + " belongs to another user or can be written by others");
  return file;
}

Status checkKey(const FileHandle &folder, const std::string &hash, const std::string *keyJson) {
  KOWARI_ASSIGN(const FileHandle file, openEntryFile(folder, keyFile));
  KOWARI_ASSIGN(const std::string text, readSmallFile(file, maxKeyBytes));
  if (keyJson && text != *keyJson)
    return Status::error(std::string(keyFile) + " holds another key");
  KOWARI_ASSIGN(const CacheKey key, CacheKey::parse(text));
  return key.hash() == hash ? Status::ok()
                            : Status::error(std::string(keyFile) + " does not match the entry's name");
}

} // namespace

CacheEntry::PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

Result<Cache> Cache::open(CacheOptions options) {
  KOWARI_ASSIGN(CacheFolder folder, openCacheFolder(options.folder));
  return Cache(std::move(options), std::move(folder));
}

void Cache::reopenIfGone() {
  const auto gone = [&](const std::optional<FileHandle> &inner, const char *name) {
    return inner && !isStillAt(*inner, folder.root.get(), name);
  };
  if (isStillAt(folder.root, AT_FDCWD, folder.path) &&
      isStillAt(folder.entries, folder.root.get(), "entries") && !gone(folder.work, "work") &&
      !gone(folder.locks, "locks"))
    return;
  Result<CacheFolder> again = openCacheFolder(folder.path);
  if (again)
    folder = again.take();
}

Cache::Lookup Cache::lookUp(const std::string &hash, const std::string *keyJson, bool touch) const {
  Lookup result;
  CacheEntry entry;
  entry.folder = openFolderAt(folder.entries.get(), hash);
  if (!entry.folder) {
    if (errno != ENOENT)
      result.problem = "it is a symbolic link or cannot be opened";
    return result;
  }
  struct stat info;
  if (fstat(entry.folder.get(), &info) != 0 || !isPrivate(info)) {
    result.problem = "it belongs to another user or can be written by others";
    return result;
  }
  // Held as long as the entry is in use. Whoever evicts holds the lock only to move the entry away: look
  // again.
  lockShared(entry.folder, true);
  if (!isStillAt(entry.folder, folder.entries.get(), hash))
    return result;
  const Status key = checkKey(entry.folder, hash, keyJson);
  if (!key) {
    result.problem = key.message();
    return result;
  }
  Result<FileHandle> artifact = openEntryFile(entry.folder, artifactFile);
  if (!artifact) {
    result.problem = artifact.status().message();
    return result;
  }
  entry.artifact = artifact.take();
  entry.artifactPath = folder.path + "/entries/" + hash + "/" + artifactFile;
  const auto content = plan::ArtifactFile::openDescriptor(entry.artifact.get(), entry.artifactPath);
  if (!content) {
    result.problem = content.status().message();
    return result;
  }
  if (touch)
    futimens(entry.folder.get(), nullptr); // a read-only folder keeps its times
  entry.wasHit = true;
  result.entry = std::move(entry);
  return result;
}

std::optional<CacheEntry> Cache::find(const CacheKey &key) {
  reopenIfGone();
  return lookUp(key.hash(), &key.canonicalJson(), true).entry;
}

Result<CacheEntry> Cache::obtain(const CacheKey &key, const CompileFunction &compile,
                                 const ProgressFunction &progress) {
  reopenIfGone();
  Lookup first = lookUp(key.hash(), &key.canonicalJson(), true);
  if (first.entry)
    return std::move(*first.entry);
  progress(first.problem.empty() ? explain(key)
                                 : "the cache's entry " + key.hash() + " is unusable: " + first.problem);
  if (!folder.work)
    return buildPrivately(compile, "the cache folder " + folder.path + " cannot be written (" +
                                       folder.readOnlyReason + ")");
  const KeyLock lock(folder.locks->get(), key.hash(), progress);
  Lookup second = lookUp(key.hash(), &key.canonicalJson(), true);
  if (second.entry)
    return std::move(*second.entry);
  if (!second.problem.empty()) {
    options.warn("cache entry " + folder.path + "/entries/" + key.hash() +
                 " is unusable and is built again: " + second.problem);
    removeEntry(key.hash());
  }
  return build(key, compile);
}

} // namespace kowari::cache
