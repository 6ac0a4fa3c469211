//===- ArtifactFile.cpp - the .kwa file -------------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/plan/ArtifactFile.h"

#include "runtime/plan/ManifestCheck.h"
#include "runtime/plan/plan_generated.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

namespace kowari::plan {
namespace {

constexpr std::array<uint8_t, 8> magic = {'K', 'O', 'W', 'A', 'R', 'I', '1', '\n'};
constexpr size_t headerSize = 40, digestOffset = 24, manifestAlignment = 64;

uint64_t readNumber(std::span<const uint8_t> file, size_t offset) {
  uint64_t value = 0;
  for (size_t i = 8; i-- > 0;)
    value = value << 8 | file[offset + i];
  return value;
}

void appendNumber(std::vector<uint8_t> &file, uint64_t value) {
  for (size_t i = 0; i < 8; ++i)
    file.push_back(uint8_t(value >> 8 * i));
}

std::array<uint8_t, 16> digestOf(std::span<const uint8_t> content) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(content.data(), content.size()));
  std::array<uint8_t, 16> digest;
  std::memcpy(digest.data(), canonical.digest, digest.size());
  return digest;
}

std::string reason() { return std::strerror(errno); }

/// Closes on scope exit.
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0)
      close(fd);
  }
};

Status writeAll(int fd, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return Status::error("cannot write " + std::to_string(bytes.size()) + " bytes: " + reason());
    bytes = bytes.subspan(size_t(written));
  }
  return Status::ok();
}

Status writeSynced(const std::string &path, std::span<const uint8_t> bytes) {
  const Descriptor file{open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)};
  if (file.fd < 0)
    return Status::error("cannot create " + path + ": " + reason());
  KOWARI_TRY(writeAll(file.fd, bytes).withContext(path));
  if (fsync(file.fd) != 0)
    return Status::error("cannot sync " + path + ": " + reason());
  return Status::ok();
}

/// Makes a rename durable; a file system that cannot sync folders is left to its own devices.
void syncFolder(const std::string &path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  const Descriptor directory{open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (directory.fd >= 0)
    fsync(directory.fd);
}

} // namespace

std::vector<uint8_t> serializeArtifact(std::span<const uint8_t> manifest, std::span<const uint8_t> code) {
  const size_t padded = (manifest.size() + manifestAlignment - 1) / manifestAlignment * manifestAlignment;
  std::vector<uint8_t> file(magic.begin(), magic.end());
  file.reserve(headerSize + padded + code.size());
  appendNumber(file, padded);
  appendNumber(file, code.size());
  file.resize(headerSize);
  file.insert(file.end(), manifest.begin(), manifest.end());
  file.resize(headerSize + padded);
  file.insert(file.end(), code.begin(), code.end());
  const auto digest = digestOf(std::span(file).subspan(headerSize));
  std::memcpy(file.data() + digestOffset, digest.data(), digest.size());
  return file;
}

Status checkReplaceable(const std::string &path) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    return Status::error("cannot write " + path + ": it is not a regular file");
  return Status::ok();
}

/// Where a link leads, so that the rename does not replace the link.
static std::string followLink(const std::string &path) {
  std::unique_ptr<char, void (*)(void *)> target(realpath(path.c_str(), nullptr), std::free);
  return target ? target.get() : path;
}

Status writeArtifact(const std::string &givenPath, std::span<const uint8_t> manifest,
                     std::span<const uint8_t> code) {
  KOWARI_TRY(checkReplaceable(givenPath));
  const std::string path = followLink(givenPath);
  KOWARI_TRY(checkManifest(manifest).withContext("writing " + path));
  const std::string temporary = path + ".tmp." + std::to_string(getpid());
  unlink(temporary.c_str());
  Status written = writeSynced(temporary, serializeArtifact(manifest, code));
  if (written && rename(temporary.c_str(), path.c_str()) != 0)
    written = Status::error("cannot rename " + temporary + " to " + path + ": " + reason());
  if (!written) {
    unlink(temporary.c_str());
    return written;
  }
  syncFolder(path);
  return Status::ok();
}

Status checkContainer(std::span<const uint8_t> file) {
  if (file.size() < magic.size() || std::memcmp(file.data(), magic.data(), magic.size()) != 0)
    return Status::error("this is no Kowari artifact (it does not begin with KOWARI1)");
  if (file.size() < headerSize)
    return Status::error("the artifact is truncated: " + std::to_string(file.size()) +
                         " bytes are less than a header");
  const uint64_t manifest = readNumber(file, 8), code = readNumber(file, 16),
                 content = file.size() - headerSize;
  if (manifest == 0 || manifest % manifestAlignment != 0 || manifest > content || code != content - manifest)
    return Status::error("the artifact is truncated or damaged: its header announces " +
                         std::to_string(manifest) + " bytes of manifest and " + std::to_string(code) +
                         " of code, but " + std::to_string(content) + " bytes follow");
  if (std::memcmp(file.data() + digestOffset, digestOf(file.subspan(headerSize)).data(), 16) != 0)
    return Status::error("the artifact is damaged: its digest does not match its content");
  return Status::ok();
}

Result<ArtifactFile> ArtifactFile::open(const std::string &path) {
  const Descriptor descriptor{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (descriptor.fd < 0)
    return Status::error("cannot open artifact " + path + ": " + reason());
  return openDescriptor(descriptor.fd, path);
}

Result<ArtifactFile> ArtifactFile::openDescriptor(int descriptor, const std::string &path) {
  struct stat info;
  if (fstat(descriptor, &info) != 0)
    return Status::error("cannot open artifact " + path + ": " + reason());
  if (!S_ISREG(info.st_mode))
    return Status::error("cannot open artifact " + path + ": it is not a regular file");
  if (info.st_size == 0)
    return Status::error("cannot open artifact " + path + ": the file is empty");
  constexpr int64_t largest = int64_t(1) << 32;
  if (info.st_size > largest)
    return Status::error("cannot open artifact " + path + ": " + std::to_string(info.st_size) +
                         " bytes are more than any artifact has");
  const size_t size = size_t(info.st_size);
  ArtifactFile file;
  file.memory.reset(new uint8_t[size]);
  file.bytes = {file.memory.get(), size};
  file.filePath = path;
  for (size_t done = 0; done < size;) {
    const ssize_t got = pread(descriptor, file.memory.get() + done, size - done, off_t(done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return Status::error("cannot read artifact " + path + ": " +
                           (got < 0 ? reason() : "it has been shortened"));
    done += size_t(got);
  }
  const std::string context = "reading artifact " + path;
  KOWARI_TRY(checkContainer(file.bytes).withContext(context));
  KOWARI_TRY(checkManifest(file.manifestBytes()).withContext(context));
  return file;
}

const fb::Manifest &ArtifactFile::manifest() const { return *fb::GetManifest(bytes.data() + headerSize); }

std::span<const uint8_t> ArtifactFile::manifestBytes() const {
  return bytes.subspan(headerSize, size_t(readNumber(bytes, 8)));
}

std::span<const uint8_t> ArtifactFile::code() const {
  return bytes.subspan(headerSize + size_t(readNumber(bytes, 8)));
}

std::string ArtifactFile::digest() const {
  constexpr const char *digits = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : bytes.subspan(digestOffset, 16)) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

} // namespace kowari::plan
