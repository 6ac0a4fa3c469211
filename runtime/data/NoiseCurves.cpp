//===- NoiseCurves.cpp - noise curves by file name ------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/NoiseCurves.h"

#include "runtime/data/Hdf5File.h"
#include "runtime/data/IndexList.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace kowari::data {

Result<std::string> findDataFile(const std::string &name) {
  namespace fs = std::filesystem;
  std::vector<fs::path> folders;
  if (const char *chosen = std::getenv("KOWARI_DATA_DIR"))
    folders.push_back(chosen);
  std::error_code failed;
  fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (!failed)
    folders.push_back(program.parent_path().parent_path() / "share" / "kowari");
  folders.push_back(KOWARI_SOURCE_DATA_FOLDER);
  std::vector<std::string> searched;
  for (const fs::path &folder : folders) {
    if (fs::is_regular_file(folder / name, failed))
      return (folder / name).string();
    searched.push_back(folder.string());
  }
  return Status::error(name + ": not found in " + listNames(searched) +
                       "; set KOWARI_DATA_DIR to the folder that holds it");
}

namespace {

/// Linear interpolation in a table of (frequency, value) rows; NaN outside.
double interpolate(const std::vector<double> &table, double f) {
  size_t rows = table.size() / 2;
  if (!(f >= table[0] && f <= table[2 * (rows - 1)]))
    return std::nan("");
  size_t right = 1, high = rows - 1; // first row at or above f, but never row 0
  while (right < high) {
    size_t middle = (right + high) / 2;
    if (table[2 * middle] < f)
      right = middle + 1;
    else
      high = middle;
  }
  const double *a = &table[2 * (right - 1)], *b = &table[2 * right];
  return (b[1] - a[1]) / (b[0] - a[0]) * (f - a[0]) + a[1];
}

} // namespace

Result<std::vector<float>> noiseCurve(const std::string &curve, std::span<const float> frequencies,
                                      double fMin, double below) {
  KOWARI_ASSIGN(std::string path, findDataFile("noise_curves.hdf5"));
  KOWARI_ASSIGN(Hdf5File file, Hdf5File::open(path));
  if (!file.has(curve) || curve == "/") {
    KOWARI_ASSIGN(std::vector<std::string> known, file.children("/"));
    return Status::error("unknown noise curve " + curve + "; known are " + listNames(known));
  }
  KOWARI_ASSIGN(std::vector<double> table, file.readDoubles(curve));
  std::vector<float> values(frequencies.size());
  for (size_t k = 0; k < values.size(); ++k) {
    double f = frequencies[k], asd = f < fMin ? below : interpolate(table, f);
    if (std::isnan(asd))
      return Status::error("noise curve " + curve + " covers " + std::to_string(table[0]) + " to " +
                           std::to_string(table[table.size() - 2]) + " Hz, the data set needs " +
                           std::to_string(f) + " Hz");
    values[k] = static_cast<float>(asd);
  }
  return values;
}

} // namespace kowari::data
