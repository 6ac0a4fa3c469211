//===- Hdf5File.h - HDF5 files through the C library ---------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The only place that calls the HDF5 library. Every failure becomes a Status that names the file, the data
// set and what was found. Numbers are converted to the type asked for while they are read. Complex numbers
// are compounds (r, i), as h5py writes them. Objects are named by their path in the file
// ("polarizations/h_plus").
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kowari::data {

/// What one element of a data set is. Table: a compound with named fields other than (r, i).
enum class ElementKind { Integer, Float32, Float64, Complex64, Complex128, String, Table, Other };

/// Spelling for messages: "complex128", ...
const char *toString(ElementKind kind);

struct DatasetInfo {
  std::vector<int64_t> shape; ///< empty for a scalar
  ElementKind kind = ElementKind::Other;
  int64_t elementBytes = 0;
  /// Byte position of the first element in the file when the data lie there contiguously, unfiltered and in
  /// the machine's byte order, so that rows can be read by offset; -1 otherwise.
  int64_t fileOffset = -1;
  std::vector<std::string> fields; ///< names of a table's columns, in file order

  int64_t elements() const;
};

/// One column of a table; in single precision on file when `isFloat32`.
struct TableColumn {
  std::string name;
  std::vector<double> values;
  bool isFloat32 = false;
};

/// An open file; closed by the destructor. Not copyable. Reading from several threads is safe as long as each
/// call is complete before the object is destroyed (Debian's library is built thread-safe).
class Hdf5File {
public:
  /// Opens for reading. A file cut short is reported with the size it should have and the size it has.
  static Result<Hdf5File> open(const std::string &path);
  /// Creates an empty file; an existing one is replaced.
  static Result<Hdf5File> create(const std::string &path);
  Hdf5File(Hdf5File &&) noexcept;
  Hdf5File &operator=(Hdf5File &&) noexcept;
  ~Hdf5File();

  const std::string &path() const { return filePath; }

  bool has(const std::string &name) const;
  /// Names of the members of a group in alphabetical order ("/" for the root).
  Result<std::vector<std::string>> children(const std::string &group) const;
  Result<DatasetInfo> info(const std::string &name) const;

  // Whole data sets, flattened row by row. Integers and either float width are read as the type asked for.
  Result<std::vector<double>> readDoubles(const std::string &name) const;
  Result<std::vector<float>> readFloats(const std::string &name) const;
  Result<std::vector<int64_t>> readIntegers(const std::string &name) const;
  Result<std::vector<std::complex<double>>> readComplex(const std::string &name) const;
  Result<std::vector<std::complex<float>>> readComplexFloat(const std::string &name) const;
  Result<std::vector<std::string>> readStrings(const std::string &name) const;
  Result<std::string> readString(const std::string &name) const;
  /// One column of a one-dimensional table.
  Result<std::vector<double>> readColumn(const std::string &table, const std::string &column) const;

  /// All columns of a one-dimensional table of numbers, in file order.
  Result<std::vector<TableColumn>> readTable(const std::string &table) const;

  /// Rows [firstRow, firstRow + rows) and columns [0, columns) of a two-dimensional data set, complex numbers
  /// as pairs of floats: `out` holds rows x columns (x 2) values. Works for any layout and filter of the
  /// library.
  Status readRows(const std::string &name, int64_t firstRow, int64_t rows, int64_t columns, bool complex,
                  float *out) const;

  // Attributes of a group or data set ("/" for the file itself).
  bool hasAttribute(const std::string &object, const std::string &name) const;
  Result<std::string> readStringAttribute(const std::string &object, const std::string &name) const;
  Result<double> readDoubleAttribute(const std::string &object, const std::string &name) const;

  // Writing. Missing groups on the way are created; the product of `shape` must equal the number of values.
  Status writeDoubles(const std::string &name, std::span<const double> values,
                      const std::vector<int64_t> &shape);
  Status writeFloats(const std::string &name, std::span<const float> values,
                     const std::vector<int64_t> &shape);
  Status writeIntegers(const std::string &name, std::span<const int64_t> values,
                       const std::vector<int64_t> &shape);
  Status writeComplex(const std::string &name, std::span<const std::complex<double>> values,
                      const std::vector<int64_t> &shape);
  Status writeString(const std::string &name, const std::string &value);
  Status writeStrings(const std::string &name, const std::vector<std::string> &values);
  /// Columns must be of one length.
  Status writeTable(const std::string &name, const std::vector<TableColumn> &columns);
  Status writeStringAttribute(const std::string &object, const std::string &name, const std::string &value);
  Status writeDoubleAttribute(const std::string &object, const std::string &name, double value);
  /// Writes everything to the disk and closes; the object must not be used afterwards. Errors the destructor
  /// would have to swallow are reported here.
  Status close();

private:
  Hdf5File(std::string path, int64_t handle) : filePath(std::move(path)), file(handle) {}
  Status error(const std::string &name, const std::string &what) const;
  template <class T>
  Result<std::vector<T>> readNumbers(const std::string &name, int64_t memoryType, bool complex) const;
  Status writeArray(const std::string &name, const void *values, size_t count,
                    const std::vector<int64_t> &shape, int64_t type);

  std::string filePath;
  int64_t file = -1; ///< hid_t
};

} // namespace kowari::data
