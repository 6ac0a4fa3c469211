//===- AtomicFile.cpp - files that are whole or not there -----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/AtomicFile.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kowari::train {

namespace {

constexpr size_t bufferLimit = size_t(1) << 20;
constexpr size_t chunkLimit = size_t(1) << 30; // write(2) takes a little less than 2 GB at a time
constexpr std::string_view marker = ".partial.";

std::string folderOf(const std::string &path) {
  std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

Status systemError(const std::string &path, const std::string &action) {
  return Status::error(path + ": " + action + ": " + std::strerror(errno));
}

} // namespace

Result<AtomicFile> AtomicFile::create(const std::string &path) {
  AtomicFile file;
  file.finalPath = path;
  std::string name = std::filesystem::path(path).filename().string();
  file.temporaryPath = folderOf(path) + "/." + name + std::string(marker) + "XXXXXX";
  file.descriptor = ::mkostemp(file.temporaryPath.data(), O_CLOEXEC);
  if (file.descriptor < 0)
    return systemError(path, "cannot be written in its folder");
  mode_t mask = ::umask(0); // mkstemp makes the file private; give it the mode every other new file gets
  ::umask(mask);
  if (::fchmod(file.descriptor, 0666 & ~mask) != 0)
    return file.fail("cannot set its mode");
  return file;
}

AtomicFile::AtomicFile(AtomicFile &&other) noexcept
    : finalPath(std::move(other.finalPath)), temporaryPath(std::move(other.temporaryPath)),
      buffer(std::move(other.buffer)), descriptor(std::exchange(other.descriptor, -1)),
      written(other.written) {}

AtomicFile::~AtomicFile() {
  if (descriptor < 0)
    return;
  ::close(descriptor);
  ::unlink(temporaryPath.c_str());
}

Status AtomicFile::fail(const char *action) const { return systemError(finalPath, action); }

Status AtomicFile::writeThrough(const char *data, size_t bytes) {
  while (bytes > 0) {
    ssize_t count = ::write(descriptor, data, std::min(bytes, chunkLimit));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return fail("writing failed");
    data += count;
    bytes -= static_cast<size_t>(count);
  }
  return Status::ok();
}

Status AtomicFile::flush() {
  Status status = writeThrough(buffer.data(), buffer.size());
  buffer.clear();
  return status;
}

Status AtomicFile::write(const void *data, size_t bytes) {
  written += bytes;
  if (buffer.size() + bytes <= bufferLimit) {
    buffer.append(static_cast<const char *>(data), bytes);
    return Status::ok();
  }
  KOWARI_TRY(flush());
  return writeThrough(static_cast<const char *>(data), bytes);
}

Status AtomicFile::commit() {
  KOWARI_TRY(flush());
  if (::fsync(descriptor) != 0)
    return fail("cannot be brought to the disk");
  int file = std::exchange(descriptor, -1);
  bool closed = ::close(file) == 0;
  if (!closed || ::rename(temporaryPath.c_str(), finalPath.c_str()) != 0) {
    Status status = fail(closed ? "cannot be renamed to its final name" : "cannot be closed");
    ::unlink(temporaryPath.c_str());
    return status;
  }
  int folder = ::open(folderOf(finalPath).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    ::fsync(folder); // some network file systems refuse this; the rename stands all the same
    ::close(folder);
  }
  return Status::ok();
}

bool AtomicFile::isLeftover(const std::string &fileName) {
  size_t place = fileName.rfind(marker);
  return fileName.size() > 1 && fileName[0] == '.' && place != std::string::npos &&
         fileName.size() == place + marker.size() + 6;
}

Status writeFileAtomically(const std::string &path, std::string_view content) {
  KOWARI_ASSIGN(AtomicFile file, AtomicFile::create(path));
  KOWARI_TRY(file.write(content));
  return file.commit();
}

Status copyFileAtomically(const std::string &from, const std::string &to) {
  struct Source {
    int descriptor;
    ~Source() {
      if (descriptor >= 0)
        ::close(descriptor);
    }
  } source{::open(from.c_str(), O_RDONLY | O_CLOEXEC)};
  if (source.descriptor < 0)
    return systemError(from, "cannot be opened");
  KOWARI_ASSIGN(AtomicFile target, AtomicFile::create(to));
  if (!target.cloneFrom(source.descriptor)) {
    std::vector<char> block(bufferLimit);
    for (;;) {
      ssize_t count = ::read(source.descriptor, block.data(), block.size());
      if (count < 0 && errno == EINTR)
        continue;
      if (count < 0)
        return systemError(from, "cannot be read");
      if (count == 0)
        break;
      KOWARI_TRY(target.write(block.data(), static_cast<size_t>(count)));
    }
  }
  return target.commit();
}

bool AtomicFile::cloneFrom(int source) { return ::ioctl(descriptor, FICLONE, source) == 0; }

} // namespace kowari::train
