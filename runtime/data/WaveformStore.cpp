//===- WaveformStore.cpp - reading rows of polarizations ------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/WaveformStore.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <complex>
#include <cstring>
#include <numeric>
#include <utility>

namespace kowari::data {

Result<PolarizationReader> PolarizationReader::open(const Hdf5File &file, std::string name,
                                                    const DatasetInfo &info, int64_t coefficients,
                                                    std::vector<float> bandScale) {
  PolarizationReader reader;
  reader.file = &file;
  reader.dataset = std::move(name);
  reader.columns = info.shape[1];
  reader.coefficients = coefficients;
  reader.fileOffset = info.fileOffset;
  // Through the library, numbers arrive in single precision whatever the file has.
  reader.elementBytes =
      info.fileOffset >= 0 ? info.elementBytes : static_cast<int64_t>(sizeof(std::complex<float>));
  reader.scale = std::move(bandScale);
  if (info.fileOffset >= 0) {
    reader.descriptor = ::open(file.path().c_str(), O_RDONLY | O_CLOEXEC);
    if (reader.descriptor < 0)
      return Status::error(file.path() + ": cannot be opened: " + std::strerror(errno));
  }
  return reader;
}

PolarizationReader::PolarizationReader(PolarizationReader &&other) noexcept { *this = std::move(other); }

PolarizationReader &PolarizationReader::operator=(PolarizationReader &&other) noexcept {
  std::swap(file, other.file);
  std::swap(dataset, other.dataset);
  std::swap(columns, other.columns);
  std::swap(coefficients, other.coefficients);
  std::swap(elementBytes, other.elementBytes);
  std::swap(fileOffset, other.fileOffset);
  std::swap(scale, other.scale);
  std::swap(descriptor, other.descriptor);
  std::swap(scratch, other.scratch);
  return *this;
}

PolarizationReader::~PolarizationReader() {
  if (descriptor >= 0)
    ::close(descriptor);
}

int64_t PolarizationReader::blockRows() const {
  constexpr int64_t blockBytes = 4 << 20;
  return std::max<int64_t>(1, blockBytes / (columns * elementBytes));
}

Status PolarizationReader::readBlock(int64_t first, int64_t rows) {
  int64_t rowBytes = columns * elementBytes;
  scratch.resize(static_cast<size_t>(std::max(rows, blockRows()) * rowBytes));
  if (fileOffset < 0)
    return file->readRows(dataset, first, rows, columns, true, reinterpret_cast<float *>(scratch.data()));
  int64_t offset = fileOffset + first * rowBytes, wanted = rows * rowBytes, done = 0;
  while (done < wanted) {
    ssize_t got =
        ::pread(descriptor, scratch.data() + done, static_cast<size_t>(wanted - done), offset + done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return Status::error(file->path() + ": " + dataset + ": rows " + std::to_string(first) + " to " +
                           std::to_string(first + rows - 1) + " cannot be read: " +
                           (got < 0 ? std::strerror(errno) : "the file ends before them"));
    done += got;
  }
  return Status::ok();
}

template <class T> static void splitComplex(const T *source, int64_t count, float *out) {
  for (int64_t k = 0; k < count; ++k) {
    out[k] = static_cast<float>(source[2 * k]);
    out[count + k] = static_cast<float>(source[2 * k + 1]);
  }
}

void PolarizationReader::convert(const void *row, float *out) const {
  if (elementBytes == sizeof(std::complex<double>))
    splitComplex(static_cast<const double *>(row), coefficients, out);
  else
    splitComplex(static_cast<const float *>(row), coefficients, out);
  // A bin that is scaled by zero is zero, even where the file holds no number.
  for (size_t k = 0; k < scale.size(); ++k) {
    out[k] = scale[k] == 0.0f ? 0.0f : out[k] * scale[k];
    out[coefficients + k] = scale[k] == 0.0f ? 0.0f : out[coefficients + k] * scale[k];
  }
}

Status PolarizationReader::readRun(int64_t first, int64_t rows, float *out, int64_t stride) {
  for (int64_t done = 0, block = blockRows(); done < rows; done += block) {
    int64_t count = std::min(block, rows - done);
    KOWARI_TRY(readBlock(first + done, count));
    for (int64_t k = 0; k < count; ++k)
      convert(scratch.data() + k * columns * elementBytes, out + (done + k) * stride);
  }
  return Status::ok();
}

Status PolarizationReader::readRows(std::span<const int64_t> indices, float *out, int64_t stride) {
  std::vector<size_t> order(indices.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return indices[a] < indices[b]; });
  int64_t block = blockRows();
  for (size_t begin = 0; begin < order.size();) {
    // One read covers ascending neighbours, repetitions included.
    int64_t first = indices[order[begin]], last = first;
    size_t end = begin + 1;
    while (end < order.size() && indices[order[end]] <= last + 1 && indices[order[end]] - first < block)
      last = indices[order[end++]];
    KOWARI_TRY(readBlock(first, last - first + 1));
    for (; begin < end; ++begin)
      convert(scratch.data() + (indices[order[begin]] - first) * columns * elementBytes,
              out + static_cast<int64_t>(order[begin]) * stride);
  }
  return Status::ok();
}

} // namespace kowari::data
