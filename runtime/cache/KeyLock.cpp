//===- KeyLock.cpp - one compilation of a key at a time ---------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/cache/KeyLock.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

namespace kowari::cache {
namespace {

/// "process 123", as the owner wrote it.
std::string ownerOf(const FileHandle &file) {
  char text[32] = {};
  return pread(file.get(), text, sizeof text - 1, 0) > 0 ? "process " + std::string(text) : "another process";
}

} // namespace

KeyLock::KeyLock(int locksFolder, const std::string &hash,
                 const std::function<void(const std::string &)> &progress)
    : folder(locksFolder), name(hash) {
  constexpr auto pause = std::chrono::milliseconds(20);
  constexpr int pausesPerMessage = 500;
  for (int waited = 0;;) {
    file = FileHandle(openat(folder, name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file)
      return;
    while (!lockExclusive(file, false)) {
      if (errno != EWOULDBLOCK) {
        file = FileHandle();
        return;
      }
      if (waited++ % pausesPerMessage == 0)
        progress(ownerOf(file) + " is compiling this program; waiting for it");
      std::this_thread::sleep_for(pause);
    }
    // The last owner may have removed the file between our open and our lock.
    if (isStillAt(file, folder, name))
      break;
  }
  const std::string owner = std::to_string(getpid());
  if (ftruncate(file.get(), 0) != 0 || pwrite(file.get(), owner.data(), owner.size(), 0) < 0)
    return; // only the message of those who wait suffers
}

KeyLock::~KeyLock() {
  if (file)
    unlinkat(folder, name.c_str(), 0);
}

} // namespace kowari::cache
