//===- TorchArchive.h - torch's zip files ----------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// A torch archive is a zip file with a pickle (data.pkl) and one record a storage (data/0, data/1, ...).
// Reading goes through libzip. Writing is ours: records are stored, aligned to 64 bytes as torch aligns them,
// streamed from the caller's memory without a copy and with Zip64 where a size or offset passes 4 GB; libzip
// offers neither the alignment nor a way to stream without its own temporary file.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/train/Pickle.h"

#include <memory>
#include <span>
#include <string>

namespace kowari::train {

class TorchArchiveReader : public std::enable_shared_from_this<TorchArchiveReader> {
public:
  /// Opens the archive and reads its pickle. A file that is missing, truncated, no zip, an old (pre-1.6)
  /// torch file or big endian is an error that names it and says which of these it is.
  static Result<std::shared_ptr<TorchArchiveReader>> open(const std::string &path);
  ~TorchArchiveReader();
  TorchArchiveReader(const TorchArchiveReader &) = delete;
  TorchArchiveReader &operator=(const TorchArchiveReader &) = delete;

  const std::string &path() const { return filePath; }
  /// The unpickled object.
  const PickleValue &root() const { return content; }
  /// Checks the tensor against the size of its storage and returns it, its bytes still in the file. The
  /// archive stays open as long as such a tensor lives.
  Result<HostTensor> tensor(const PickleTensor &description) const;
  /// Writes the tensor's elements to `destination`, contiguous and row major. Checksums are verified whenever
  /// a whole storage is read.
  Status readTensor(const PickleTensor &description, void *destination) const;

private:
  TorchArchiveReader() = default;
  Status readRecord(const std::string &name, size_t offset, size_t count, void *destination) const;
  Result<uint64_t> recordSize(const std::string &name) const;
  Status loadPickle();

  std::string filePath;
  std::string prefix;      // folder of the records in the archive, with its slash
  void *archive = nullptr; // zip_t
  PickleValue content;
};

/// A storage to be written as data/<key>: the elements of a tensor in memory, in row-major order.
struct StorageView {
  std::string key;
  HostTensor tensor;
};

struct TorchArchiveOptions {
  bool alwaysZip64 = false; // writes every record as one beyond 4 GB would be; for tests
};

/// Writes `path` atomically: a temporary file in the same folder, synced, renamed, folder synced. An
/// interrupted or failed write leaves the old file as it was.
Status writeTorchArchive(const std::string &path, const PickleValue &root,
                         std::span<const StorageView> storages, const TorchArchiveOptions &options = {});

} // namespace kowari::train
