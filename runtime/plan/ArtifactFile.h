//===- ArtifactFile.h - the .kwa file ---------------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// An artifact holds everything that a machine without a compiler needs to run compiled entries. Its layout
// (all numbers little-endian; docs/artifact.md):
//
//   0   8 bytes   magic "KOWARI1\n"
//   8   uint64    size of the manifest, a multiple of 64
//   16  uint64    size of the code
//   24  16 bytes  XXH3-128 (canonical, big-endian) of everything from byte 40 on
//   40            the manifest: a FlatBuffer of plan.fbs, zero-padded to 64 bytes
//                 the code: an ELF shared object, or nothing
//
// A file is data from outside until open() has accepted it: any flipped byte, any truncation and any offset
// beyond its buffer is an error. The digest guards against damage, not against malice: an artifact contains
// machine code, so load only files that you or your account made. The file is read, not mapped: what was
// checked is what is used, whatever happens to the file afterwards.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kowari::plan {

namespace fb {
struct Manifest;
}

/// Version of plan.fbs and of the kernel ABI that this runtime writes and reads.
inline constexpr uint32_t formatVersion = 2;

/// The bytes of an artifact file. `manifest` is a finished FlatBuffer (with identifier KWRI), `code` an ELF
/// shared object or empty. Equal arguments give equal bytes.
std::vector<uint8_t> serializeArtifact(std::span<const uint8_t> manifest, std::span<const uint8_t> code);

/// An error if something stands at `path` that is no regular file (a device, a folder) and must not be
/// replaced.
Status checkReplaceable(const std::string &path);

/// Checks the manifest as a reader would and writes the file: temporary name beside `path`, fsync, rename. A
/// link is followed.
Status writeArtifact(const std::string &path, std::span<const uint8_t> manifest,
                     std::span<const uint8_t> code);

class ArtifactFile {
public:
  /// Reads the file and checks all of it: magic, sizes, digest, format version and the manifest (see
  /// checkManifest). Whether this processor can run the code is not asked here, so that any machine can
  /// inspect.
  static Result<ArtifactFile> open(const std::string &path);
  /// The same for an open descriptor, which stays the caller's; `path` is for messages.
  static Result<ArtifactFile> openDescriptor(int descriptor, const std::string &path);

  ArtifactFile(ArtifactFile &&) noexcept = default;
  ArtifactFile &operator=(ArtifactFile &&) noexcept = default;

  const fb::Manifest &manifest() const;
  std::span<const uint8_t> manifestBytes() const;
  std::span<const uint8_t> code() const;
  /// 32 hexadecimal digits.
  std::string digest() const;
  int64_t fileBytes() const { return int64_t(bytes.size()); }
  const std::string &path() const { return filePath; }

private:
  ArtifactFile() = default;
  std::unique_ptr<uint8_t[]> memory;
  std::span<const uint8_t> bytes;
  std::string filePath;
};

/// Checks the container only: magic, sizes, digest. Used by `kowari cache verify` and before anything is
/// parsed.
Status checkContainer(std::span<const uint8_t> file);

} // namespace kowari::plan
