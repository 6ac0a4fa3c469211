//===- Hdf5Write.cpp - writing HDF5 files ---------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/Hdf5File.h"

#include "runtime/data/Hdf5Handle.h"

#include <cstring>
#include <numeric>

namespace kowari::data {

using hdf5::Handle;

namespace {

Handle spaceOf(const std::vector<int64_t> &shape) {
  if (shape.empty())
    return Handle(H5Screate(H5S_SCALAR), H5Sclose);
  std::vector<hsize_t> extent(shape.begin(), shape.end());
  return Handle(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose);
}

Handle createDataset(hid_t file, const std::string &name, hid_t type, hid_t space) {
  Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  return Handle(H5Dcreate2(file, name.c_str(), type, space, links, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
}

} // namespace

Status Hdf5File::writeArray(const std::string &name, const void *values, size_t count,
                            const std::vector<int64_t> &shape, int64_t type) {
  hdf5::silence();
  int64_t elements = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  if (static_cast<size_t>(elements) != count)
    return error(name, "shape and number of values differ");
  Handle space = spaceOf(shape);
  Handle dataset = createDataset(file, name, type, space);
  if (!dataset.valid() || (count > 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0))
    return error(name, "cannot be written: " + hdf5::lastError());
  return Status::ok();
}

Status Hdf5File::writeDoubles(const std::string &name, std::span<const double> values,
                              const std::vector<int64_t> &shape) {
  return writeArray(name, values.data(), values.size(), shape, H5T_NATIVE_DOUBLE);
}

Status Hdf5File::writeFloats(const std::string &name, std::span<const float> values,
                             const std::vector<int64_t> &shape) {
  return writeArray(name, values.data(), values.size(), shape, H5T_NATIVE_FLOAT);
}

Status Hdf5File::writeIntegers(const std::string &name, std::span<const int64_t> values,
                               const std::vector<int64_t> &shape) {
  return writeArray(name, values.data(), values.size(), shape, H5T_NATIVE_INT64);
}

Status Hdf5File::writeComplex(const std::string &name, std::span<const std::complex<double>> values,
                              const std::vector<int64_t> &shape) {
  Handle type = hdf5::complexType(16);
  return writeArray(name, values.data(), values.size(), shape, type);
}

Status Hdf5File::writeString(const std::string &name, const std::string &value) {
  const char *text = value.c_str();
  Handle type = hdf5::textType();
  return writeArray(name, &text, 1, {}, type);
}

Status Hdf5File::writeStrings(const std::string &name, const std::vector<std::string> &values) {
  std::vector<const char *> texts;
  for (const std::string &value : values)
    texts.push_back(value.c_str());
  Handle type = hdf5::textType();
  return writeArray(name, texts.data(), texts.size(), {static_cast<int64_t>(values.size())}, type);
}

Status Hdf5File::writeTable(const std::string &name, const std::vector<TableColumn> &columns) {
  hdf5::silence();
  if (columns.empty())
    return error(name, "a table needs columns");
  size_t rows = columns[0].values.size(), width = 0;
  for (const TableColumn &column : columns) {
    if (column.values.size() != rows)
      return error(name, "columns " + columns[0].name + " and " + column.name + " differ in length");
    width += column.isFloat32 ? sizeof(float) : sizeof(double);
  }
  Handle type(H5Tcreate(H5T_COMPOUND, width), H5Tclose);
  std::vector<char> bytes(rows * width);
  size_t offset = 0;
  for (const TableColumn &column : columns) {
    H5Tinsert(type, column.name.c_str(), offset, column.isFloat32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE);
    size_t size = column.isFloat32 ? sizeof(float) : sizeof(double);
    for (size_t k = 0; k < rows; ++k) {
      float single = static_cast<float>(column.values[k]);
      const void *source = column.isFloat32 ? static_cast<const void *>(&single) : &column.values[k];
      std::memcpy(bytes.data() + k * width + offset, source, size);
    }
    offset += size;
  }
  return writeArray(name, bytes.data(), rows, {static_cast<int64_t>(rows)}, type);
}

Status Hdf5File::writeStringAttribute(const std::string &object, const std::string &name,
                                      const std::string &value) {
  hdf5::silence();
  Handle type = hdf5::textType();
  Handle space = spaceOf({});
  Handle attribute(H5Acreate_by_name(file, object.c_str(), name.c_str(), type, space, H5P_DEFAULT,
                                     H5P_DEFAULT, H5P_DEFAULT),
                   H5Aclose);
  const char *text = value.c_str();
  if (!attribute.valid() || H5Awrite(attribute, type, &text) < 0)
    return error(object, "attribute " + name + " cannot be written: " + hdf5::lastError());
  return Status::ok();
}

Status Hdf5File::writeDoubleAttribute(const std::string &object, const std::string &name, double value) {
  hdf5::silence();
  Handle space = spaceOf({});
  Handle attribute(H5Acreate_by_name(file, object.c_str(), name.c_str(), H5T_NATIVE_DOUBLE, space,
                                     H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                   H5Aclose);
  if (!attribute.valid() || H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value) < 0)
    return error(object, "attribute " + name + " cannot be written: " + hdf5::lastError());
  return Status::ok();
}

} // namespace kowari::data
