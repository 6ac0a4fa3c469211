//===- TorchArchiveWriter.cpp - writing torch's zip files -----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Layout as torch.save's: every record is stored, its bytes begin at a multiple of 64 thanks to an extra
// field of padding ("FB", as torch names it), the directory follows, Zip64 fields where 32 bits do not
// suffice.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/AtomicFile.h"
#include "runtime/train/TorchArchive.h"

#include <filesystem>

#include <zlib.h>

namespace kowari::train {

namespace {

constexpr uint64_t limit32 = 0xffffffff;
constexpr uint64_t alignment = 64;
constexpr uint16_t dosDate = (1 << 5) | 1; // 1 January 1980: the same content gives the same bytes

class Bytes {
public:
  Bytes &u16(uint64_t value) { return put(value, 2); }
  Bytes &u32(uint64_t value) { return put(value, 4); }
  Bytes &u64(uint64_t value) { return put(value, 8); }
  Bytes &text(std::string_view value) {
    data += value;
    return *this;
  }
  std::string data;

private:
  Bytes &put(uint64_t value, int count) {
    for (int i = 0; i < count; ++i)
      data += static_cast<char>(value >> (8 * i));
    return *this;
  }
};

class ZipWriter {
public:
  ZipWriter(AtomicFile &file, std::string prefix, bool alwaysZip64)
      : file(file), prefix(std::move(prefix)), alwaysZip64(alwaysZip64) {}

  /// Goes over the tensor twice: the checksum stands in front of the bytes.
  Status add(const std::string &name, const HostTensor &tensor) {
    Record record{prefix + name, file.size(), tensor.bytes(), 0, false};
    KOWARI_TRY(tensor.forEachPiece([&](const void *piece, size_t size) {
      record.crc = static_cast<uint32_t>(crc32_z(record.crc, static_cast<const Bytef *>(piece), size));
      return Status::ok();
    }));
    record.zip64 = alwaysZip64 || record.size >= limit32 || record.offset >= limit32;
    KOWARI_TRY(file.write(localHeader(record)));
    KOWARI_TRY(tensor.forEachPiece([&](const void *piece, size_t size) { return file.write(piece, size); }));
    records.push_back(std::move(record));
    return Status::ok();
  }

  Status add(const std::string &name, std::string_view text) {
    return add(name, HostTensor::view(ScalarType::UInt8, {static_cast<int64_t>(text.size())}, text.data()));
  }

  Status finish() {
    uint64_t begin = file.size();
    for (const Record &record : records)
      KOWARI_TRY(file.write(directoryEntry(record)));
    return file.write(endOfDirectory(begin, file.size() - begin));
  }

private:
  struct Record {
    std::string name;
    uint64_t offset; // of its local header
    uint64_t size;
    uint32_t crc;
    bool zip64;
  };

  static uint64_t clip(const Record &record, uint64_t value) { return record.zip64 ? limit32 : value; }
  static uint16_t neededVersion(const Record &record) { return record.zip64 ? 45 : 20; }

  static std::string localHeader(const Record &record) {
    Bytes extra;
    if (record.zip64)
      extra.u16(0x0001).u16(16).u64(record.size).u64(record.size);
    uint64_t unpadded = record.offset + 30 + record.name.size() + extra.data.size() + 4;
    uint64_t padding = (alignment - unpadded % alignment) % alignment;
    extra.text("FB").u16(padding).text(std::string(padding, 'Z'));
    Bytes header;
    header.u32(0x04034b50).u16(neededVersion(record)).u16(0).u16(0).u16(0).u16(dosDate);
    header.u32(record.crc).u32(clip(record, record.size)).u32(clip(record, record.size));
    header.u16(record.name.size()).u16(extra.data.size()).text(record.name).text(extra.data);
    return std::move(header.data);
  }

  static std::string directoryEntry(const Record &record) {
    Bytes extra;
    if (record.zip64)
      extra.u16(0x0001).u16(24).u64(record.size).u64(record.size).u64(record.offset);
    Bytes entry;
    entry.u32(0x02014b50).u16(45).u16(neededVersion(record)).u16(0).u16(0).u16(0).u16(dosDate);
    entry.u32(record.crc).u32(clip(record, record.size)).u32(clip(record, record.size));
    entry.u16(record.name.size()).u16(extra.data.size()).u16(0).u16(0).u16(0).u32(0);
    entry.u32(clip(record, record.offset)).text(record.name).text(extra.data);
    return std::move(entry.data);
  }

  std::string endOfDirectory(uint64_t begin, uint64_t size) const {
    bool zip64 = alwaysZip64 || records.size() >= 0xffff || begin + size >= limit32;
    Bytes end;
    if (zip64) {
      end.u32(0x06064b50).u64(44).u16(45).u16(45).u32(0).u32(0);
      end.u64(records.size()).u64(records.size()).u64(size).u64(begin);
      end.u32(0x07064b50).u32(0).u64(begin + size).u32(1);
    }
    uint64_t count = zip64 ? 0xffff : records.size();
    end.u32(0x06054b50).u16(0).u16(0).u16(count).u16(count);
    end.u32(zip64 ? limit32 : size).u32(zip64 ? limit32 : begin).u16(0);
    return std::move(end.data);
  }

  AtomicFile &file;
  std::string prefix;
  bool alwaysZip64;
  std::vector<Record> records;
};

} // namespace

Status writeTorchArchive(const std::string &path, const PickleValue &root,
                         std::span<const StorageView> storages, const TorchArchiveOptions &options) {
  KOWARI_ASSIGN(AtomicFile file, AtomicFile::create(path));
  ZipWriter zip(file, std::filesystem::path(path).stem().string() + "/", options.alwaysZip64);
  std::string pickle = writePickle(root);
  KOWARI_TRY(zip.add("data.pkl", pickle));
  KOWARI_TRY(zip.add(".format_version", "1"));
  KOWARI_TRY(zip.add(".storage_alignment", std::to_string(alignment)));
  KOWARI_TRY(zip.add("byteorder", "little"));
  uint64_t identity = crc32_z(0, reinterpret_cast<const Bytef *>(pickle.data()), pickle.size());
  for (const StorageView &storage : storages) {
    KOWARI_TRY(zip.add("data/" + storage.key, storage.tensor));
    identity = identity * 1099511628211ull + storage.tensor.bytes();
  }
  KOWARI_TRY(zip.add("version", "3\n"));
  KOWARI_TRY(zip.add(".data/serialization_id", std::to_string(identity)));
  KOWARI_TRY(zip.finish());
  return file.commit();
}

} // namespace kowari::train
