//===- FileHandle.cpp - descriptors, locks and safe file access -*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/cache/FileHandle.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/file.h>
#include <unistd.h>

namespace kowari::cache {
namespace {

bool lock(const FileHandle &file, int kind, bool wait) {
  int result = 0;
  do
    result = flock(file.get(), kind | (wait ? 0 : LOCK_NB));
  while (result != 0 && errno == EINTR);
  return result == 0;
}

} // namespace

FileHandle::~FileHandle() {
  if (fd >= 0)
    close(fd);
}

FileHandle openFolderAt(int parent, const std::string &name) {
  return FileHandle(openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

FileHandle openFileAt(int parent, const std::string &name) {
  // O_NONBLOCK: a planted pipe must not hang the reader.
  FileHandle file(openat(parent, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info;
  if (file && (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))) {
    errno = EINVAL;
    return FileHandle();
  }
  return file;
}

bool isPrivate(const struct stat &info) { return info.st_uid == geteuid() && (info.st_mode & 022) == 0; }

bool lockShared(const FileHandle &file, bool wait) { return lock(file, LOCK_SH, wait); }
bool lockExclusive(const FileHandle &file, bool wait) { return lock(file, LOCK_EX, wait); }

bool isStillAt(const FileHandle &handle, int parent, const std::string &name) {
  struct stat mine, there;
  return fstat(handle.get(), &mine) == 0 && fstatat(parent, name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 &&
         mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

Result<std::string> readSmallFile(const FileHandle &file, size_t limit) {
  std::string content;
  char buffer[4096];
  for (;;) {
    const ssize_t got = read(file.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return systemError("read");
    if (got == 0)
      return content;
    content.append(buffer, size_t(got));
    if (content.size() > limit)
      return Status::error("the file is larger than " + std::to_string(limit) + " bytes");
  }
}

Status writeNewFile(int parent, const std::string &name, const std::string &content) {
  const FileHandle file(
      openat(parent, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file)
    return systemError("create " + name);
  for (size_t done = 0; done < content.size();) {
    const ssize_t written = write(file.get(), content.data() + done, content.size() - done);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return systemError("write " + name);
    done += size_t(written);
  }
  if (fsync(file.get()) != 0)
    return systemError("sync " + name);
  return Status::ok();
}

std::vector<std::string> namesIn(int folder) {
  std::vector<std::string> names;
  const int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR *)> stream(copy >= 0 ? fdopendir(copy) : nullptr, closedir);
  if (!stream) {
    if (copy >= 0)
      close(copy);
    return names;
  }
  while (const dirent *item = readdir(stream.get())) {
    const std::string name = item->d_name;
    if (name != "." && name != "..")
      names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void removeTree(int parent, const std::string &name) {
  if (unlinkat(parent, name.c_str(), 0) == 0 || errno == ENOENT)
    return;
  {
    const FileHandle folder = openFolderAt(parent, name);
    if (folder)
      for (const std::string &inner : namesIn(folder.get()))
        removeTree(folder.get(), inner);
  }
  unlinkat(parent, name.c_str(), AT_REMOVEDIR);
}

int64_t treeBytes(int folder) {
  int64_t bytes = 0;
  for (const std::string &name : namesIn(folder)) {
    struct stat info;
    if (fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    if (S_ISREG(info.st_mode))
      bytes += info.st_size;
    else if (S_ISDIR(info.st_mode))
      if (const FileHandle inner = openFolderAt(folder, name))
        bytes += treeBytes(inner.get());
  }
  return bytes;
}

Status systemError(const std::string &what) {
  return Status::error("cannot " + what + ": " + std::strerror(errno));
}

} // namespace kowari::cache
