//===- KeyLock.h - one compilation of a key at a time -----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cache/FileHandle.h"

#include <functional>
#include <string>

namespace kowari::cache {

/// An exclusive flock() on locks/<hash>, which the system drops when its owner dies, however it dies. The
/// file is removed with the lock. Where the file system has no locks, nothing is held and two processes may
/// compile the same: publication copes with that.
class KeyLock {
public:
  /// Waits for the lock; `progress` hears of waiting, at once and every ten seconds.
  KeyLock(int locksFolder, const std::string &hash, const std::function<void(const std::string &)> &progress);
  ~KeyLock();
  KeyLock(const KeyLock &) = delete;
  KeyLock &operator=(const KeyLock &) = delete;

private:
  int folder;
  std::string name;
  FileHandle file;
};

} // namespace kowari::cache
