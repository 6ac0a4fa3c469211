//===- RandomizedSvdTest.cpp - bases from streamed rows -------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/RandomizedSvd.h"

#include "ReferenceFiles.h"
#include "runtime/data/CounterRandom.h"

#include <gmock/gmock.h>

#include <filesystem>

namespace kowari::data {
namespace {

using Complex = std::complex<double>;

/// (rows x columns) with orthonormal columns, column after column.
std::vector<Complex> randomOrthonormal(int64_t rows, int64_t columns, uint64_t seed) {
  CounterRandom random(seed, RandomPurpose::RangeFinder, 99);
  std::vector<Complex> q(rows * columns);
  for (int64_t c = 0; c < columns; ++c) {
    Complex *v = &q[c * rows];
    for (int64_t r = 0; r < rows; ++r)
      v[r] = random.complexNormal();
    for (int pass = 0; pass < 2; ++pass) // twice, so that rounding does not spoil it
      for (int64_t b = 0; b < c; ++b) {
        Complex inner = 0.0;
        for (int64_t r = 0; r < rows; ++r)
          inner += std::conj(q[b * rows + r]) * v[r];
        for (int64_t r = 0; r < rows; ++r)
          v[r] -= inner * q[b * rows + r];
      }
    double norm = 0.0;
    for (int64_t r = 0; r < rows; ++r)
      norm += std::norm(v[r]);
    for (int64_t r = 0; r < rows; ++r)
      v[r] /= std::sqrt(norm);
  }
  return q;
}

/// U diag(s) V^H with known factors; the first `firstBin` columns are zero.
struct Known {
  Known(int64_t samples, int64_t bins, int64_t firstBin, int64_t rank, double decay)
      : samples(samples), bins(bins), rank(rank), matrix(samples * bins), v(bins * rank) {
    std::vector<Complex> u = randomOrthonormal(samples, rank, 1),
                         w = randomOrthonormal(bins - firstBin, rank, 2);
    for (int64_t k = 0; k < rank; ++k) {
      s.push_back(100.0 * std::pow(decay, k));
      for (int64_t b = firstBin; b < bins; ++b)
        v[b * rank + k] = w[k * (bins - firstBin) + b - firstBin];
      for (int64_t r = 0; r < samples; ++r)
        for (int64_t b = 0; b < bins; ++b)
          matrix[r * bins + b] += u[k * samples + r] * s[k] * std::conj(v[b * rank + k]);
    }
  }
  RowSource source() const {
    return [this](int64_t first, int64_t rows, Complex *out) {
      std::copy_n(&matrix[first * bins], rows * bins, out);
      return Status::ok();
    };
  }
  int64_t samples, bins, rank;
  std::vector<Complex> matrix, v;
  std::vector<double> s;
};

/// (bins x bins) of the projection on the first n columns.
std::vector<Complex> projection(const std::vector<Complex> &v, int64_t bins, int64_t columns, int64_t n) {
  std::vector<Complex> p(bins * bins);
  for (int64_t a = 0; a < bins; ++a)
    for (int64_t b = 0; b < bins; ++b)
      for (int64_t k = 0; k < n; ++k)
        p[a * bins + b] += v[a * columns + k] * std::conj(v[b * columns + k]);
  return p;
}

void expectBasis(const SvdBasis &basis, const Known &known, int64_t size) {
  ASSERT_EQ(basis.bins, known.bins);
  ASSERT_EQ(basis.size, size);
  for (int64_t k = 0; k < size; ++k)
    EXPECT_NEAR(basis.s[k] / known.s[k], 1.0, 1e-10) << k;
  EXPECT_LT(relativeDifference(projection(basis.v, known.bins, size, size),
                               projection(known.v, known.bins, known.rank, size)),
            1e-8);
}

TEST(RandomizedSvd, FindsKnownFactorsFromAStream) {
  Known known(700, 90, 0, 80, 0.8); // several blocks of rows
  expectBasis(expectValue(randomizedSvd(700, 90, {.size = 20}, known.source())), known, 20);
}

TEST(RandomizedSvd, IsExactWhenAllColumnsAreKept) {
  Known tall(120, 40, 0, 40, 0.9), wide(30, 70, 0, 30, 0.9);
  expectBasis(expectValue(randomizedSvd(120, 40, {.size = 0}, tall.source())), tall, 40);
  expectBasis(expectValue(randomizedSvd(30, 70, {.size = 0}, wide.source())), wide, 30);
  expectBasis(expectValue(randomizedSvd(120, 40, {.size = 36}, tall.source())), tall, 36);
}

TEST(RandomizedSvd, LeavesBinsBelowTheBandAtZero) {
  Known known(300, 90, 12, 70, 0.7);
  SvdBasis basis = expectValue(randomizedSvd(300, 90, {.size = 10, .firstBin = 12}, known.source()));
  expectBasis(basis, known, 10);
  for (int64_t k = 0; k < 12 * 10; ++k)
    EXPECT_EQ(basis.v[k], 0.0);
}

TEST(RandomizedSvd, RefusesBadMatrices) {
  Known known(300, 40, 0, 40, 0.9);
  EXPECT_THAT(randomizedSvd(300, 40, {.size = 41}, known.source()).status().message(),
              ::testing::HasSubstr("at most 40 basis vectors, 41 are asked for"));
  known.matrix[270 * 40 + 3] = std::nan("");
  EXPECT_THAT(randomizedSvd(300, 40, {.size = 4}, known.source()).status().message(),
              ::testing::HasSubstr("not finite in sample 270"));
  RowSource failing = [](int64_t, int64_t, Complex *) { return Status::error("disk on fire"); };
  EXPECT_EQ(randomizedSvd(300, 40, {.size = 4}, failing).status().message(), "disk on fire");
}

TEST(RandomizedSvd, MismatchIsWhatTheProjectionLoses) {
  Known known(60, 30, 0, 30, 0.7);
  SvdBasis basis{30, 30, known.v, known.s};
  // A row inside the space of four vectors, and one with a known part outside.
  std::vector<Complex> rows(2 * 30);
  for (int64_t b = 0; b < 30; ++b) {
    rows[b] = std::conj(known.v[b * 30]) * 2.0 + std::conj(known.v[b * 30 + 3]);
    rows[30 + b] = std::conj(known.v[b * 30 + 1]) * 3.0 + std::conj(known.v[b * 30 + 9]) * 4.0;
  }
  std::vector<double> lost = mismatches(basis, 4, rows.data(), 2);
  EXPECT_NEAR(lost[0], 0.0, 1e-14);
  EXPECT_NEAR(lost[1], 1.0 - 3.0 / 5.0, 1e-14);
  EXPECT_THAT(mismatchSizes(20), ::testing::ElementsAre(20));
  EXPECT_THAT(mismatchSizes(200), ::testing::ElementsAre(50, 100, 150, 200));
}

TEST(SvdFile, HasDingosLayout) {
  Known known(60, 30, 0, 12, 0.7);
  std::string path = scratchFile("svd_H1.hdf5");
  expectOk(writeSvdFile(
      path, {30, 12, known.v, known.s},
      {{"chirp_mass", {30.0}, true}, {"H1_time", {0.01}, false}, {"mismatch n=12", {1e-6}, false}}));
  EXPECT_FALSE(std::filesystem::exists(path + ".tmp"));
  SvdBasis basis = expectValue(readSvdFile(path));
  EXPECT_EQ(basis.bins, 30);
  EXPECT_EQ(basis.size, 12);
  EXPECT_EQ(basis.v, known.v);
  EXPECT_EQ(basis.s, known.s);
  Hdf5File file = expectValue(Hdf5File::open(path));
  EXPECT_EQ(expectValue(file.readStringAttribute("/", "dataset_type")), "svd_basis");
  EXPECT_FALSE(file.hasAttribute("/", "settings"));
  EXPECT_THAT(expectValue(file.children("/")), ::testing::ElementsAre("V", "mismatches", "s"));
  EXPECT_EQ(expectValue(file.info("V")).kind, ElementKind::Complex128);
  EXPECT_FALSE(writeSvdFile("/nowhere/svd_H1.hdf5", basis, {}).isOk());
}

} // namespace
} // namespace kowari::data
