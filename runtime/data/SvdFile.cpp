//===- SvdFile.cpp - svd_<ifo>.hdf5 ---------------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/RandomizedSvd.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace kowari::data {
namespace {

Status writeContent(const std::string &path, const SvdBasis &basis,
                    const std::vector<TableColumn> &mismatchTable) {
  KOWARI_ASSIGN(Hdf5File file, Hdf5File::create(path));
  KOWARI_TRY(file.writeStringAttribute("/", "dataset_type", "svd_basis"));
  KOWARI_TRY(file.writeComplex("V", basis.v, {basis.bins, basis.size}));
  KOWARI_TRY(file.writeDoubles("s", basis.s, {basis.size}));
  if (!mismatchTable.empty())
    KOWARI_TRY(file.writeTable("mismatches", mismatchTable));
  return file.close();
}

} // namespace

Status writeSvdFile(const std::string &path, const SvdBasis &basis,
                    const std::vector<TableColumn> &mismatchTable) {
  // Written beside its place and renamed, so that an interrupted save leaves the old file or none.
  std::string temporary = path + ".tmp";
  Status written = writeContent(temporary, basis, mismatchTable);
  if (written.isOk() && std::rename(temporary.c_str(), path.c_str()) != 0)
    written = Status::error(path + ": cannot be written: " + std::strerror(errno));
  if (!written.isOk())
    std::remove(temporary.c_str());
  return written;
}

Result<SvdBasis> readSvdFile(const std::string &path) {
  KOWARI_ASSIGN(Hdf5File file, Hdf5File::open(path));
  KOWARI_ASSIGN(DatasetInfo info, file.info("V"));
  if (info.shape.size() != 2)
    return Status::error(path + ": V: expected complex numbers of shape (bins, size)");
  SvdBasis basis{info.shape[0], info.shape[1], {}, {}};
  KOWARI_ASSIGN(basis.v, file.readComplex("V"));
  KOWARI_ASSIGN(basis.s, file.readDoubles("s"));
  if (static_cast<int64_t>(basis.s.size()) < basis.size)
    return Status::error(path + ": s has " + std::to_string(basis.s.size()) + " values, V has " +
                         std::to_string(basis.size) + " columns");
  basis.s.resize(static_cast<size_t>(basis.size));
  return basis;
}

} // namespace kowari::data
