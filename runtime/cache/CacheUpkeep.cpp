//===- CacheUpkeep.cpp - list, explain, prune, verify -----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/cache/Cache.h"
#include "runtime/cache/CacheLayout.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace kowari::cache {
namespace {

std::string readKey(const FileHandle &entry) {
  const FileHandle file = openFileAt(entry.get(), keyFile);
  if (!file)
    return "";
  const Result<std::string> text = readSmallFile(file, maxKeyBytes);
  return text ? *text : "";
}

std::string differenceText(const std::vector<KeyDifference> &differences) {
  constexpr size_t most = 8;
  std::string text;
  for (size_t i = 0; i < std::min(most, differences.size()); ++i)
    text += (i ? "; " : "") + differences[i].part + ": " + differences[i].there + " there, " +
            differences[i].here + " here";
  if (differences.size() > most)
    text += "; and " + std::to_string(differences.size() - most) + " more";
  return text;
}

} // namespace

std::vector<EntryInfo> Cache::list() const {
  std::vector<EntryInfo> infos;
  for (const std::string &name : namesIn(folder.entries.get())) {
    EntryInfo info;
    info.hash = name;
    const FileHandle entry = openFolderAt(folder.entries.get(), name);
    struct stat status;
    if (entry && fstat(entry.get(), &status) == 0) {
      info.bytes = treeBytes(entry.get());
      info.lastUse = status.st_mtime;
      info.keyJson = readKey(entry);
    } else if (errno == ENOENT) {
      continue; // evicted since
    } else {
      info.problem = "it is a symbolic link or cannot be opened";
    }
    infos.push_back(std::move(info));
  }
  std::stable_sort(infos.begin(), infos.end(),
                   [](const EntryInfo &a, const EntryInfo &b) { return a.lastUse > b.lastUse; });
  return infos;
}

std::string Cache::explain(const CacheKey &key) const {
  std::optional<std::vector<KeyDifference>> fewest;
  std::string nearest;
  for (const EntryInfo &info : list()) {
    const auto other = CacheKey::parse(info.keyJson);
    if (!other)
      continue;
    std::vector<KeyDifference> differences = compareKeys(key, *other);
    if (!fewest || differences.size() < fewest->size()) {
      nearest = info.hash;
      fewest = std::move(differences);
    }
  }
  if (!fewest)
    return "the program is not in the cache " + folder.path + ", which has no entry yet";
  if (fewest->empty())
    return "the program is in the cache " + folder.path + " as " + nearest;
  return "the program is not in the cache " + folder.path + "; the nearest entry, " + nearest +
         ", differs in " + differenceText(*fewest);
}

void Cache::removeEntry(const std::string &hash) {
  static std::atomic<unsigned> counter{0};
  const std::string name = "removed-" + std::to_string(getpid()) + "-" + std::to_string(counter++);
  // Moved first, so that nobody sees half an entry.
  if (folder.work && renameat(folder.entries.get(), hash.c_str(), folder.work->get(), name.c_str()) == 0)
    removeTree(folder.work->get(), name);
  else
    removeTree(folder.entries.get(), hash);
}

bool Cache::evict(const std::string &hash) {
  const FileHandle entry = openFolderAt(folder.entries.get(), hash);
  if (entry) {
    if (!lockExclusive(entry, false) && errno == EWOULDBLOCK)
      return false;
    if (!isStillAt(entry, folder.entries.get(), hash))
      return false;
  }
  removeEntry(hash);
  return true;
}

PruneReport Cache::prune(int64_t maxBytes, int maxEntries) {
  PruneReport report;
  if (!folder.work)
    return report;
  removeAbandoned();
  std::vector<EntryInfo> infos = list();
  int64_t bytes = 0, count = int64_t(infos.size());
  for (const EntryInfo &info : infos)
    bytes += info.bytes;
  for (auto oldest = infos.rbegin(); oldest != infos.rend() && (bytes > maxBytes || count > maxEntries);
       ++oldest) {
    if (!evict(oldest->hash)) {
      ++report.inUse;
      continue;
    }
    ++report.removedEntries;
    report.removedBytes += oldest->bytes;
    bytes -= oldest->bytes;
    --count;
  }
  return report;
}

std::vector<EntryInfo> Cache::verify(bool remove) {
  reopenIfGone();
  std::vector<EntryInfo> infos = list();
  for (EntryInfo &info : infos) {
    const Lookup found = lookUp(info.hash, nullptr, false);
    if (!found.entry && !found.problem.empty())
      info.problem = found.problem;
    if (remove && !info.problem.empty())
      removeEntry(info.hash);
  }
  return infos;
}

void Cache::removeAbandoned() {
  if (!folder.work)
    return;
  for (const std::string &name : namesIn(folder.work->get())) {
    const FileHandle left = openFolderAt(folder.work->get(), name);
    const bool mine = left && lockExclusive(left, false) && isStillAt(left, folder.work->get(), name);
    if (mine || (!left && errno != ENOENT))
      removeTree(folder.work->get(), name);
  }
  for (const std::string &name : namesIn(folder.locks->get())) {
    const FileHandle left(openat(folder.locks->get(), name.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
    if (left && lockExclusive(left, false) && isStillAt(left, folder.locks->get(), name))
      unlinkat(folder.locks->get(), name.c_str(), 0);
  }
}

} // namespace kowari::cache
