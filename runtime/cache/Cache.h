//===- Cache.h - compiled artifacts on this machine's disk ------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Shared by all processes of one user on one machine. An entry is a folder that appears whole or not at all
// and holds `artifact.kwa` and `key.json`. Whoever misses takes the key's lock, so that one process compiles
// and the others wait; the lock dies with its owner. Trouble with the cache itself (full, read-only, emptied)
// costs the caching, never the training: the artifact is then compiled into a private folder. docs/cache.md
// has the layout and the reasons.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cache/CacheFolder.h"
#include "runtime/cache/CacheKey.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kowari::cache {

struct CacheOptions {
  std::string folder; // from chooseCacheFolder()
  int64_t maxBytes = int64_t(8) << 30;
  int maxEntries = 1000;
  /// Called with one sentence for each problem that does not stop the caller.
  std::function<void(const std::string &)> warn = [](const std::string &) {};
};

/// An artifact that is safe to load as long as this object lives: eviction leaves entries in use alone, and
/// the open file survives even a folder that somebody empties.
class CacheEntry {
public:
  /// Where it lies, for messages.
  const std::string &path() const { return artifactPath; }
  /// The same file through its open descriptor: give this to Program::load.
  std::string loadPath() const { return "/proc/self/fd/" + std::to_string(artifact.get()); }
  /// Whether nothing had to be compiled by this process.
  bool hit() const { return wasHit; }
  /// False if it could not be kept in the cache.
  bool cached() const { return privateFolder == nullptr; }

private:
  friend class Cache;
  struct PrivateFolder {
    std::string path;
    ~PrivateFolder();
  };
  std::string artifactPath;
  FileHandle folder; // holds a shared lock
  FileHandle artifact;
  bool wasHit = false;
  std::unique_ptr<PrivateFolder> privateFolder; // removed at the end
};

struct EntryInfo {
  std::string hash;
  int64_t bytes = 0;
  int64_t lastUse = 0; // seconds since 1970
  std::string keyJson; // empty if unreadable
  std::string problem; // empty if the entry is sound (filled by verify)
};

struct PruneReport {
  int removedEntries = 0;
  int64_t removedBytes = 0;
  int inUse = 0; // entries that had to stay because a process uses them
};

/// Compiles into `folder`: writes artifact.kwa there.
using CompileFunction = std::function<Status(const std::string &folder)>;
using ProgressFunction = std::function<void(const std::string &message)>;

class Cache {
public:
  static Result<Cache> open(CacheOptions options);

  /// The artifact of `key`: a hit, or compiled once among all processes that want it. `progress` hears why
  /// there was no hit and for whom this process waits. An error is compile's own.
  Result<CacheEntry> obtain(const CacheKey &key, const CompileFunction &compile,
                            const ProgressFunction &progress);

  /// A sound entry of `key`, or nothing.
  std::optional<CacheEntry> find(const CacheKey &key);

  /// All entries, most recently used first.
  std::vector<EntryInfo> list() const;
  /// Why `key` is no hit: the parts in which the nearest entry differs. Says so if it is there.
  std::string explain(const CacheKey &key) const;
  /// Removes least recently used entries until both bounds hold, and what dead processes left behind.
  PruneReport prune(int64_t maxBytes, int maxEntries);
  /// Reads every entry whole; those with a problem are named, and removed if `remove`.
  std::vector<EntryInfo> verify(bool remove);

  const std::string &path() const { return folder.path; }

private:
  Cache(CacheOptions options, CacheFolder folder) : options(std::move(options)), folder(std::move(folder)) {}

  struct Lookup {
    std::optional<CacheEntry> entry;
    std::string problem; // empty if there simply is none
  };
  /// Opens and checks an entry; `keyJson` (if any) must be its key. `touch` marks it as used now.
  Lookup lookUp(const std::string &hash, const std::string *keyJson, bool touch) const;
  Result<CacheEntry> build(const CacheKey &key, const CompileFunction &compile);
  Result<CacheEntry> buildIn(const std::string &name, FileHandle temporary, const CacheKey &key,
                             const CompileFunction &compile);
  Result<CacheEntry> buildPrivately(const CompileFunction &compile, const std::string &why);
  /// Makes a locked folder below work; its name goes to `name`.
  FileHandle makeTemporary(const CacheKey &key, std::string &name) const;
  Status publish(const CacheKey &key, const FileHandle &temporary, const FileHandle &artifact,
                 const std::string &name);
  void removeEntry(const std::string &hash);
  bool evict(const std::string &hash);
  void removeAbandoned();
  bool diskIsFull() const;
  /// Opens the folder again if somebody removed it or a part of it.
  void reopenIfGone();

  CacheOptions options;
  CacheFolder folder;
};

} // namespace kowari::cache
