//===- TorchArchiveReader.cpp - reading torch's zip files -----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/TorchArchive.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <new>

#include <zip.h>

namespace kowari::train {

namespace {

constexpr uint64_t pickleLimit = uint64_t(1) << 28; // data.pkl of the largest networks has a few MB
constexpr uint64_t chunkLimit = uint64_t(1) << 26;

zip_t *handle(void *archive) { return static_cast<zip_t *>(archive); }

/// Says what a file that is no readable zip archive is instead.
Status explainNoArchive(const std::string &path, const std::string &reason) {
  std::ifstream file(path, std::ios::binary);
  char head[8] = {};
  file.read(head, sizeof head);
  std::streamsize got = file.gcount();
  if (got == 0)
    return Status::error(path + ": is empty; an interrupted copy? Use another checkpoint");
  if (std::memcmp(head, "PK\3\4", 4) == 0)
    return Status::error(path + ": is truncated or damaged (" + reason +
                         "); copy it again or use another checkpoint");
  if (std::memcmp(head, "\x89HDF", 4) == 0)
    return Status::error(path + ": is an HDF5 file; a PyTorch model (.pt) is expected");
  if (head[0] == '\x80')
    return Status::error(path +
                         ": is in the file format of PyTorch before 1.6; load it and save it again with a "
                         "newer PyTorch");
  return Status::error(path + ": is no PyTorch model file (.pt)");
}

class ArchiveTensor : public TensorSource {
public:
  ArchiveTensor(std::shared_ptr<const TorchArchiveReader> archive, PickleTensor description)
      : archive(std::move(archive)), description(std::move(description)) {}
  Status read(void *destination, size_t bytes) const override {
    assert(bytes == static_cast<size_t>(elementCount(description.shape)) * itemSize(description.type));
    return archive->readTensor(description, destination);
  }

private:
  std::shared_ptr<const TorchArchiveReader> archive;
  PickleTensor description;
};

bool isContiguous(const PickleTensor &tensor) {
  int64_t expected = 1;
  for (size_t i = tensor.shape.size(); i-- > 0;) {
    if (tensor.shape[i] != 1 && tensor.strides[i] != expected)
      return false;
    expected *= tensor.shape[i];
  }
  return true;
}

/// Copies dimension `dim` and those after it of a strided tensor; returns the end of what was written.
std::byte *gather(const PickleTensor &tensor, size_t dim, const std::byte *from, std::byte *to) {
  size_t item = itemSize(tensor.type);
  if (dim == tensor.shape.size()) {
    std::memcpy(to, from, item);
    return to + item;
  }
  for (int64_t i = 0; i < tensor.shape[dim]; ++i)
    to = gather(tensor, dim + 1, from + static_cast<size_t>(i * tensor.strides[dim]) * item, to);
  return to;
}

} // namespace

TorchArchiveReader::~TorchArchiveReader() {
  if (archive)
    zip_discard(handle(archive));
}

Result<std::shared_ptr<TorchArchiveReader>> TorchArchiveReader::open(const std::string &path) {
  std::shared_ptr<TorchArchiveReader> reader(new TorchArchiveReader);
  reader->filePath = path;
  int code = 0;
  reader->archive = zip_open(path.c_str(), ZIP_RDONLY, &code);
  if (!reader->archive) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    std::string reason =
        code == ZIP_ER_OPEN || code == ZIP_ER_NOENT ? std::strerror(errno) : zip_error_strerror(&error);
    zip_error_fini(&error);
    if (code == ZIP_ER_NOENT || code == ZIP_ER_OPEN)
      return Status::error(path + ": cannot be opened: " + reason);
    return explainNoArchive(path, reason);
  }
  KOWARI_TRY(reader->loadPickle());
  return reader;
}

Status TorchArchiveReader::loadPickle() {
  constexpr std::string_view wanted = "data.pkl";
  zip_int64_t count = zip_get_num_entries(handle(archive), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char *name = zip_get_name(handle(archive), static_cast<zip_uint64_t>(i), ZIP_FL_ENC_RAW);
    std::string_view text = name ? name : "";
    size_t slash = text.find('/');
    if (slash != std::string_view::npos && text.substr(slash + 1) == wanted)
      prefix = text.substr(0, slash + 1);
  }
  if (prefix.empty())
    return Status::error(filePath + ": is a zip file, but no PyTorch model (no data.pkl in it)");
  if (Result<uint64_t> size = recordSize("byteorder"); size.isOk()) {
    std::string order(std::min<uint64_t>(*size, 16), '\0');
    KOWARI_TRY(readRecord("byteorder", 0, order.size(), order.data()));
    if (order != "little")
      return Status::error(filePath + ": was written on a machine of other byte order (\"" + order + "\")");
  }
  KOWARI_ASSIGN(uint64_t size, recordSize(std::string(wanted)));
  if (size > pickleLimit)
    return Status::error(filePath + ": its data.pkl has " + std::to_string(size) +
                         " bytes, more than any model's");
  std::string bytes(size, '\0');
  KOWARI_TRY(readRecord(std::string(wanted), 0, bytes.size(), bytes.data()));
  Result<PickleValue> value = readPickle(bytes);
  if (!value)
    return value.status().withContext(filePath);
  content = value.take();
  return Status::ok();
}

Result<uint64_t> TorchArchiveReader::recordSize(const std::string &name) const {
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_stat(handle(archive), (prefix + name).c_str(), ZIP_FL_ENC_RAW, &stat) != 0 ||
      !(stat.valid & ZIP_STAT_SIZE))
    return Status::error(filePath + ": its record " + name + " is missing; the file is damaged");
  if ((stat.valid & ZIP_STAT_COMP_METHOD) && stat.comp_method != ZIP_CM_STORE)
    return Status::error(filePath + ": its record " + name + " is compressed; PyTorch never does that");
  return uint64_t{stat.size};
}

Status TorchArchiveReader::readRecord(const std::string &name, size_t offset, size_t count,
                                      void *destination) const {
  struct Closer {
    void operator()(zip_file_t *file) const { zip_fclose(file); }
  };
  std::unique_ptr<zip_file_t, Closer> file(
      zip_fopen(handle(archive), (prefix + name).c_str(), ZIP_FL_ENC_RAW));
  auto fail = [&](const std::string &what) {
    return Status::error(filePath + ": its record " + name + " cannot be read: " + what +
                         "; copy the file again or use another checkpoint");
  };
  if (!file)
    return fail(zip_strerror(handle(archive)));
  if (offset > 0 && zip_fseek(file.get(), static_cast<zip_int64_t>(offset), SEEK_SET) != 0)
    return fail(zip_file_strerror(file.get()));
  auto *to = static_cast<char *>(destination);
  while (count > 0) {
    zip_int64_t got = zip_fread(file.get(), to, std::min<uint64_t>(count, chunkLimit));
    if (got <= 0)
      return fail(got < 0 ? zip_file_strerror(file.get()) : "it ends early");
    to += got;
    count -= static_cast<size_t>(got);
  }
  char beyond = 0; // the checksum is compared when the end is reached
  if (offset == 0 && zip_fread(file.get(), &beyond, 1) < 0)
    return fail(zip_file_strerror(file.get()));
  return Status::ok();
}

Result<HostTensor> TorchArchiveReader::tensor(const PickleTensor &description) const {
  std::string name = "data/" + description.storageKey;
  KOWARI_ASSIGN(uint64_t size, recordSize(name));
  uint64_t expected = 0;
  if (__builtin_mul_overflow(static_cast<uint64_t>(description.storageElements), itemSize(description.type),
                             &expected) ||
      expected != size)
    return Status::error(filePath + ": its record " + name + " has " + std::to_string(size) +
                         " bytes, but holds " + std::to_string(description.storageElements) +
                         " elements of " + scalarTypeName(description.type) + "; the file is damaged");
  return HostTensor::fromSource(description.type, description.shape,
                                std::make_shared<ArchiveTensor>(shared_from_this(), description));
}

Status TorchArchiveReader::readTensor(const PickleTensor &description, void *destination) const {
  std::string name = "data/" + description.storageKey;
  size_t item = itemSize(description.type);
  auto count = static_cast<size_t>(elementCount(description.shape));
  if (count == 0)
    return Status::ok();
  if (isContiguous(description))
    return readRecord(name, static_cast<size_t>(description.storageOffset) * item, count * item, destination);
  size_t bytes = static_cast<size_t>(description.storageElements) * item;
  std::unique_ptr<std::byte[]> storage(new (std::nothrow) std::byte[bytes]);
  if (!storage)
    return Status::error(filePath + ": no memory for its record " + name);
  KOWARI_TRY(readRecord(name, 0, bytes, storage.get()));
  gather(description, 0, storage.get() + static_cast<size_t>(description.storageOffset) * item,
         static_cast<std::byte *>(destination));
  return Status::ok();
}

} // namespace kowari::train
