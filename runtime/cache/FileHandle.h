//===- FileHandle.h - descriptors, locks and safe file access ---*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Everything in the cache is reached from a descriptor of its folder and never through a symbolic link, so
// that nobody can swap a folder for another between a check and a use.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <string>
#include <sys/stat.h>
#include <utility>
#include <vector>

namespace kowari::cache {

/// Owns a file descriptor, and with it any flock() on it.
class FileHandle {
public:
  explicit FileHandle(int fd = -1) : fd(fd) {}
  FileHandle(FileHandle &&other) noexcept : fd(std::exchange(other.fd, -1)) {}
  FileHandle &operator=(FileHandle &&other) noexcept {
    std::swap(fd, other.fd);
    return *this;
  }
  ~FileHandle();
  explicit operator bool() const { return fd >= 0; }
  int get() const { return fd; }

private:
  int fd;
};

/// Opens a folder inside `parent` without following a link; false (errno set) on failure.
FileHandle openFolderAt(int parent, const std::string &name);
/// Opens a regular file for reading without following a link.
FileHandle openFileAt(int parent, const std::string &name);

/// Whether a file or folder is owned by this user and not writable by anybody else.
bool isPrivate(const struct stat &info);

/// flock(); false when it is held elsewhere (`wait` false) or the file system has no locks.
bool lockShared(const FileHandle &file, bool wait);
bool lockExclusive(const FileHandle &file, bool wait);

/// Whether `name` in `parent` is the very file behind `handle`, still.
bool isStillAt(const FileHandle &handle, int parent, const std::string &name);

/// Whole content of a small file (at most `limit` bytes).
Result<std::string> readSmallFile(const FileHandle &file, size_t limit);
/// Writes and syncs a new file of mode 0600.
Status writeNewFile(int parent, const std::string &name, const std::string &content);

/// Names in a folder, sorted, without "." and "..". Empty if it cannot be read.
std::vector<std::string> namesIn(int folder);
/// Removes a file, a link, or a folder with all its content; links are removed, never followed.
void removeTree(int parent, const std::string &name);
/// Bytes of all files below a folder.
int64_t treeBytes(int folder);

/// "cannot WHAT: reason" with errno's reason.
Status systemError(const std::string &what);

} // namespace kowari::cache
