//===- Hdf5File.cpp - reading HDF5 files ----------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/Hdf5File.h"

#include "runtime/data/Hdf5Handle.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <system_error>

namespace kowari::data {

using hdf5::Handle;

namespace hdf5 {

void silence() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

static herr_t keepDescription(unsigned, const H5E_error2_t *entry, void *out) {
  if (entry->desc && *entry->desc)
    *static_cast<std::string *>(out) = entry->desc;
  return 0;
}

std::string lastError() {
  std::string text;
  // Downward ends at the innermost function, whose description is the most specific one.
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keepDescription, &text);
  return text.empty() ? "unknown error" : text;
}

Handle complexType(size_t bytes) {
  Handle type(H5Tcreate(H5T_COMPOUND, bytes), H5Tclose);
  hid_t part = bytes == sizeof(std::complex<float>) ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
  H5Tinsert(type, "r", 0, part);
  H5Tinsert(type, "i", bytes / 2, part);
  return type;
}

Handle textType() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

} // namespace hdf5

const char *toString(ElementKind kind) {
  switch (kind) {
  case ElementKind::Integer:
    return "integer";
  case ElementKind::Float32:
    return "float32";
  case ElementKind::Float64:
    return "float64";
  case ElementKind::Complex64:
    return "complex64";
  case ElementKind::Complex128:
    return "complex128";
  case ElementKind::String:
    return "string";
  case ElementKind::Table:
    return "table";
  case ElementKind::Other:
    break;
  }
  return "other";
}

int64_t DatasetInfo::elements() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

//===----------------------------------------------------------------------===//
// Opening and closing
//===----------------------------------------------------------------------===//

Result<Hdf5File> Hdf5File::open(const std::string &path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    return Status::error(path + ": no such file");
  if (std::filesystem::is_directory(path, ignored))
    return Status::error(path + ": is a folder, expected an HDF5 file");
  hdf5::silence();
  hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (id >= 0)
    return Hdf5File(path, id);
  std::string reason = hdf5::lastError();
  unsigned long long found = 0, base = 0, stored = 0;
  if (std::sscanf(reason.c_str(), "truncated file: eof = %llu, sblock->base_addr = %llu, stored_eof = %llu",
                  &found, &base, &stored) == 3)
    return Status::error(path + ": file is truncated: it should have " + std::to_string(stored + base) +
                         " bytes and has " + std::to_string(found) + "; copy it again");
  if (reason.find("signature") != std::string::npos)
    return Status::error(path + ": not an HDF5 file");
  return Status::error(path + ": cannot be opened: " + reason);
}

Result<Hdf5File> Hdf5File::create(const std::string &path) {
  hdf5::silence();
  hid_t id = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (id < 0)
    return Status::error(path + ": cannot be created: " + hdf5::lastError());
  return Hdf5File(path, id);
}

Hdf5File::Hdf5File(Hdf5File &&other) noexcept
    : filePath(std::move(other.filePath)), file(std::exchange(other.file, -1)) {}

Hdf5File &Hdf5File::operator=(Hdf5File &&other) noexcept {
  std::swap(filePath, other.filePath);
  std::swap(file, other.file);
  return *this;
}

Hdf5File::~Hdf5File() {
  hdf5::silence();
  if (file >= 0)
    H5Fclose(file);
}

Status Hdf5File::close() {
  hdf5::silence();
  if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0 || H5Fclose(std::exchange(file, -1)) < 0)
    return Status::error(filePath + ": cannot be written: " + hdf5::lastError());
  return Status::ok();
}

Status Hdf5File::error(const std::string &name, const std::string &what) const {
  return Status::error(filePath + ": " + name + ": " + what);
}

//===----------------------------------------------------------------------===//
// Looking around
//===----------------------------------------------------------------------===//

bool Hdf5File::has(const std::string &name) const {
  hdf5::silence();
  // H5Lexists fails, rather than saying no, when a group on the way is missing.
  for (size_t end = name.find('/', 1); end != std::string::npos; end = name.find('/', end + 1))
    if (H5Lexists(file, name.substr(0, end).c_str(), H5P_DEFAULT) <= 0)
      return false;
  return name == "/" || H5Lexists(file, name.c_str(), H5P_DEFAULT) > 0;
}

Result<std::vector<std::string>> Hdf5File::children(const std::string &group) const {
  hdf5::silence();
  Handle handle(H5Gopen2(file, group.c_str(), H5P_DEFAULT), H5Gclose);
  if (!handle.valid())
    return error(group, "no such group");
  std::vector<std::string> names;
  auto collect = [](hid_t, const char *name, const H5L_info_t *, void *out) -> herr_t {
    static_cast<std::vector<std::string> *>(out)->push_back(name);
    return 0;
  };
  if (H5Literate(handle, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect, &names) < 0)
    return error(group, hdf5::lastError());
  return names;
}

namespace {

ElementKind floatKind(hid_t type) {
  return H5Tget_size(type) == 4   ? ElementKind::Float32
         : H5Tget_size(type) == 8 ? ElementKind::Float64
                                  : ElementKind::Other;
}

bool isComplex(hid_t type) {
  if (H5Tget_nmembers(type) != 2 || H5Tget_member_index(type, "r") != 0 ||
      H5Tget_member_index(type, "i") != 1)
    return false;
  return H5Tget_member_class(type, 0) == H5T_FLOAT && H5Tget_member_class(type, 1) == H5T_FLOAT;
}

ElementKind kindOf(hid_t type) {
  switch (H5Tget_class(type)) {
  case H5T_INTEGER:
  case H5T_ENUM:
    return ElementKind::Integer;
  case H5T_FLOAT:
    return floatKind(type);
  case H5T_STRING:
    return ElementKind::String;
  case H5T_COMPOUND:
    if (!isComplex(type))
      return ElementKind::Table;
    return H5Tget_size(type) == 8    ? ElementKind::Complex64
           : H5Tget_size(type) == 16 ? ElementKind::Complex128
                                     : ElementKind::Other;
  default:
    return ElementKind::Other;
  }
}

/// Whether bytes of this type in the file are those of memory.
bool isNative(hid_t type, ElementKind kind) {
  switch (kind) {
  case ElementKind::Float32:
    return H5Tequal(type, H5T_NATIVE_FLOAT) > 0;
  case ElementKind::Float64:
    return H5Tequal(type, H5T_NATIVE_DOUBLE) > 0;
  case ElementKind::Complex64:
  case ElementKind::Complex128:
    return H5Tequal(type, hdf5::complexType(H5Tget_size(type))) > 0;
  default:
    return false;
  }
}

int64_t offsetOf(hid_t dataset) {
  Handle plist(H5Dget_create_plist(dataset), H5Pclose);
  if (!plist.valid() || H5Pget_layout(plist) != H5D_CONTIGUOUS || H5Pget_external_count(plist) > 0)
    return -1;
  haddr_t offset = H5Dget_offset(dataset);
  return offset == HADDR_UNDEF ? -1 : static_cast<int64_t>(offset);
}

std::vector<std::string> fieldNames(hid_t type) {
  std::vector<std::string> names;
  for (int i = 0, n = H5Tget_nmembers(type); i < n; ++i) {
    char *name = H5Tget_member_name(type, static_cast<unsigned>(i));
    names.push_back(name ? name : "");
    H5free_memory(name);
  }
  return names;
}

} // namespace

Result<DatasetInfo> Hdf5File::info(const std::string &name) const {
  if (!has(name))
    return error(name, "missing from the file");
  Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.valid())
    return error(name, "is not a data set");
  Handle space(H5Dget_space(dataset), H5Sclose), type(H5Dget_type(dataset), H5Tclose);
  if (!space.valid() || !type.valid())
    return error(name, hdf5::lastError());
  DatasetInfo result;
  if (H5Sget_simple_extent_type(space) == H5S_NULL)
    result.shape = {0};
  int rank = H5Sget_simple_extent_ndims(space);
  if (rank > 0) {
    std::vector<hsize_t> extent(rank);
    H5Sget_simple_extent_dims(space, extent.data(), nullptr);
    result.shape.assign(extent.begin(), extent.end());
  }
  result.kind = kindOf(type);
  result.elementBytes = static_cast<int64_t>(H5Tget_size(type));
  if (result.kind == ElementKind::Table)
    result.fields = fieldNames(type);
  if (isNative(type, result.kind))
    result.fileOffset = offsetOf(dataset);
  return result;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

template <class T>
Result<std::vector<T>> Hdf5File::readNumbers(const std::string &name, int64_t memoryType,
                                             bool complex) const {
  KOWARI_ASSIGN(DatasetInfo found, info(name));
  bool real = found.kind == ElementKind::Integer || found.kind == ElementKind::Float32 ||
              found.kind == ElementKind::Float64;
  bool pairs = found.kind == ElementKind::Complex64 || found.kind == ElementKind::Complex128;
  if (complex ? !pairs : !real)
    return error(name, std::string("holds ") + toString(found.kind) + " values, expected " +
                           (complex ? "complex" : "real") + " numbers");
  std::vector<T> values(static_cast<size_t>(found.elements()));
  Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!values.empty() && H5Dread(dataset, memoryType, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    return error(name, "cannot be read: " + hdf5::lastError());
  return values;
}

Result<std::vector<double>> Hdf5File::readDoubles(const std::string &name) const {
  return readNumbers<double>(name, H5T_NATIVE_DOUBLE, false);
}

Result<std::vector<float>> Hdf5File::readFloats(const std::string &name) const {
  return readNumbers<float>(name, H5T_NATIVE_FLOAT, false);
}

Result<std::vector<int64_t>> Hdf5File::readIntegers(const std::string &name) const {
  return readNumbers<int64_t>(name, H5T_NATIVE_INT64, false);
}

Result<std::vector<std::complex<double>>> Hdf5File::readComplex(const std::string &name) const {
  Handle type = hdf5::complexType(16);
  return readNumbers<std::complex<double>>(name, type, true);
}

Result<std::vector<std::complex<float>>> Hdf5File::readComplexFloat(const std::string &name) const {
  Handle type = hdf5::complexType(8);
  return readNumbers<std::complex<float>>(name, type, true);
}

namespace {

/// Text of a variable-length or fixed-length element array read by `read(type, buffer)`.
template <class Read>
bool readText(hid_t fileType, hid_t space, size_t count, std::vector<std::string> &out, Read read) {
  if (H5Tis_variable_str(fileType) > 0) {
    Handle type(H5Tcopy(fileType), H5Tclose);
    std::vector<char *> pointers(count, nullptr);
    if (read(type, static_cast<void *>(pointers.data())) < 0)
      return false;
    for (const char *text : pointers)
      out.emplace_back(text ? text : "");
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data());
    return true;
  }
  size_t width = H5Tget_size(fileType);
  std::vector<char> bytes(width * count);
  if (read(fileType, static_cast<void *>(bytes.data())) < 0)
    return false;
  for (size_t k = 0; k < count; ++k)
    out.emplace_back(bytes.data() + k * width, strnlen(bytes.data() + k * width, width));
  return true;
}

} // namespace

Result<std::vector<std::string>> Hdf5File::readStrings(const std::string &name) const {
  KOWARI_ASSIGN(DatasetInfo found, info(name));
  if (found.kind != ElementKind::String)
    return error(name, std::string("holds ") + toString(found.kind) + " values, expected text");
  Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  Handle type(H5Dget_type(dataset), H5Tclose), space(H5Dget_space(dataset), H5Sclose);
  std::vector<std::string> values;
  bool done =
      readText(type, space, static_cast<size_t>(found.elements()), values, [&](hid_t memory, void *out) {
        return H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, out);
      });
  if (!done)
    return error(name, "cannot be read: " + hdf5::lastError());
  return values;
}

Result<std::string> Hdf5File::readString(const std::string &name) const {
  KOWARI_ASSIGN(std::vector<std::string> values, readStrings(name));
  if (values.size() != 1)
    return error(name, "holds " + std::to_string(values.size()) + " texts, expected one");
  return values[0];
}

Result<std::vector<double>> Hdf5File::readColumn(const std::string &table, const std::string &column) const {
  KOWARI_ASSIGN(DatasetInfo found, info(table));
  if (found.kind != ElementKind::Table || found.shape.size() != 1)
    return error(table, "is not a one-dimensional table");
  if (std::find(found.fields.begin(), found.fields.end(), column) == found.fields.end())
    return error(table, "has no column " + column);
  Handle dataset(H5Dopen2(file, table.c_str(), H5P_DEFAULT), H5Dclose);
  Handle type(H5Tcreate(H5T_COMPOUND, sizeof(double)), H5Tclose);
  H5Tinsert(type, column.c_str(), 0, H5T_NATIVE_DOUBLE);
  std::vector<double> values(static_cast<size_t>(found.shape[0]));
  if (!values.empty() && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    return error(table, "column " + column + " cannot be read as numbers: " + hdf5::lastError());
  return values;
}

Result<std::vector<TableColumn>> Hdf5File::readTable(const std::string &table) const {
  KOWARI_ASSIGN(DatasetInfo found, info(table));
  if (found.kind != ElementKind::Table || found.shape.size() != 1)
    return error(table, "is not a one-dimensional table");
  Handle dataset(H5Dopen2(file, table.c_str(), H5P_DEFAULT), H5Dclose);
  Handle fileType(H5Dget_type(dataset), H5Tclose), space(H5Dget_space(dataset), H5Sclose);
  size_t width = found.fields.size(), rows = static_cast<size_t>(found.shape[0]);
  Handle type(H5Tcreate(H5T_COMPOUND, std::max<size_t>(width, 1) * sizeof(double)), H5Tclose);
  std::vector<TableColumn> columns(width);
  for (size_t c = 0; c < width; ++c) {
    H5Tinsert(type, found.fields[c].c_str(), c * sizeof(double), H5T_NATIVE_DOUBLE);
    Handle field(H5Tget_member_type(fileType, static_cast<unsigned>(c)), H5Tclose);
    columns[c] = {found.fields[c], std::vector<double>(rows), floatKind(field) == ElementKind::Float32};
  }
  const size_t blockRows = 1 << 14; // bounds the memory for whole rows
  std::vector<double> block(std::min(rows, blockRows) * width);
  for (hsize_t first = 0; first < rows; first += blockRows) {
    hsize_t count = std::min<hsize_t>(blockRows, rows - first);
    Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, nullptr, &count, nullptr) < 0 ||
        H5Dread(dataset, type, memory, space, H5P_DEFAULT, block.data()) < 0)
      return error(table, "cannot be read as columns of numbers: " + hdf5::lastError());
    for (hsize_t k = 0; k < count; ++k)
      for (size_t c = 0; c < width; ++c)
        columns[c].values[first + k] = block[k * width + c];
  }
  return columns;
}

Status Hdf5File::readRows(const std::string &name, int64_t firstRow, int64_t rows, int64_t columns,
                          bool complex, float *out) const {
  if (rows == 0 || columns == 0)
    return Status::ok();
  hdf5::silence();
  Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.valid())
    return error(name, "missing from the file");
  Handle space(H5Dget_space(dataset), H5Sclose);
  hsize_t start[2] = {static_cast<hsize_t>(firstRow), 0};
  hsize_t extent[2] = {static_cast<hsize_t>(rows), static_cast<hsize_t>(columns)};
  Handle memory(H5Screate_simple(2, extent, nullptr), H5Sclose);
  Handle pair = hdf5::complexType(8);
  hid_t type = complex ? static_cast<hid_t>(pair) : H5T_NATIVE_FLOAT;
  if (H5Sget_simple_extent_ndims(space) != 2 ||
      H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, extent, nullptr) < 0 ||
      H5Dread(dataset, type, memory, space, H5P_DEFAULT, out) < 0)
    return error(name, "rows " + std::to_string(firstRow) + " to " + std::to_string(firstRow + rows - 1) +
                           " cannot be read: " + hdf5::lastError());
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

bool Hdf5File::hasAttribute(const std::string &object, const std::string &name) const {
  hdf5::silence();
  return has(object) && H5Aexists_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

Result<std::string> Hdf5File::readStringAttribute(const std::string &object, const std::string &name) const {
  if (!hasAttribute(object, name))
    return error(object, "attribute " + name + " is missing");
  Handle attribute(H5Aopen_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1)
    return error(object, "attribute " + name + " is not a text");
  std::vector<std::string> values;
  bool done = readText(type, space, 1, values,
                       [&](hid_t memory, void *out) { return H5Aread(attribute, memory, out); });
  if (!done)
    return error(object, "attribute " + name + " cannot be read: " + hdf5::lastError());
  return values[0];
}

Result<double> Hdf5File::readDoubleAttribute(const std::string &object, const std::string &name) const {
  if (!hasAttribute(object, name))
    return error(object, "attribute " + name + " is missing");
  Handle attribute(H5Aopen_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  Handle space(H5Aget_space(attribute), H5Sclose);
  double value = 0.0;
  if (H5Sget_simple_extent_npoints(space) != 1 || H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0)
    return error(object, "attribute " + name + " is not a number");
  return value;
}

} // namespace kowari::data
