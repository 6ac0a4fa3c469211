//===- ReferenceFiles.h - files of tests/data/reference ---------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Written by Dingo; tests/data/reference/README.md says how.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/data/Hdf5File.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace kowari::data {

inline std::string referenceFile(const std::string &name) {
  return std::string(KOWARI_TEST_DATA "/reference/") + name;
}

/// A path for a file that the test writes.
inline std::string scratchFile(const std::string &name) {
  return ::testing::TempDir() + "kowari-data-" + name;
}

/// The value of a Result, or a failed test with its message.
template <class T> T expectValue(Result<T> result) {
  EXPECT_TRUE(result.isOk()) << result.status().message();
  if (!result.isOk())
    throw std::runtime_error(result.status().message());
  return result.take();
}

inline void expectOk(const Status &status) { EXPECT_TRUE(status.isOk()) << status.message(); }

/// Largest |a - b| over the largest |b|.
template <class A, class B> double relativeDifference(const A &a, const B &b) {
  EXPECT_EQ(a.size(), b.size());
  double difference = 0.0, scale = 0.0;
  for (size_t k = 0; k < std::min<size_t>(a.size(), b.size()); ++k) {
    double d = std::abs(std::complex<double>(a[k]) - std::complex<double>(b[k]));
    difference = d > difference || std::isnan(d) ? d : difference;
    scale = std::max(scale, std::abs(std::complex<double>(b[k])));
  }
  return difference / scale;
}

} // namespace kowari::data
