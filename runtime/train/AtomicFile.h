//===- AtomicFile.h - files that are whole or not there ---------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// A file is written under a temporary name in the folder of its final name (".<name>.partial.<random>"),
// synced, renamed, and the folder synced. Whatever interrupts that, the final name holds the old content or
// the new one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kowari::train {

class AtomicFile {
public:
  /// Creates the temporary file. Errors name the folder and the reason (read-only, no space, ...).
  static Result<AtomicFile> create(const std::string &path);
  /// Removes the temporary file unless committed.
  ~AtomicFile();
  AtomicFile(AtomicFile &&other) noexcept;
  AtomicFile &operator=(AtomicFile &&other) = delete;

  Status write(const void *data, size_t bytes);
  Status write(std::string_view text) { return write(text.data(), text.size()); }
  /// Shares the blocks of the open file `source` where the file system can; false if it cannot, then nothing
  /// is done.
  bool cloneFrom(int source);
  /// Bytes written so far.
  uint64_t size() const { return written; }
  /// Syncs, renames to the final name (replacing a file of that name) and syncs the folder.
  Status commit();

  /// Whether `fileName` is the name of a temporary file, left by a process that was killed.
  static bool isLeftover(const std::string &fileName);

private:
  AtomicFile() = default;
  Status flush();
  Status writeThrough(const char *data, size_t bytes);
  Status fail(const char *action) const;

  std::string finalPath, temporaryPath, buffer;
  int descriptor = -1;
  uint64_t written = 0;
};

/// Writes `content` as the whole of `path`.
Status writeFileAtomically(const std::string &path, std::string_view content);
/// Copies a file; on file systems that can, without copying blocks.
Status copyFileAtomically(const std::string &from, const std::string &to);

} // namespace kowari::train
