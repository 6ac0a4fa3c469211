//===- WaveformDatasetTest.cpp - waveform data sets -----------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/WaveformDataset.h"

#include "ReferenceFiles.h"
#include "runtime/data/NoiseCurves.h"

#include <gmock/gmock.h>

#include <complex>
#include <filesystem>

namespace kowari::data {
namespace {

using ::testing::HasSubstr;

WaveformDataset open(const std::string &name, bool onDisk, WaveformOptions options = {}) {
  options.path = referenceFile("datasets/" + name + ".hdf5");
  options.leaveOnDisk = onDisk;
  return expectValue(WaveformDataset::open(options));
}

TEST(WaveformDataset, SchemaNeedsNoArrays) {
  WaveformSchema schema =
      expectValue(readWaveformSchema({.path = referenceFile("datasets/toy_svd.hdf5"),
                                      .domainUpdate = DomainUpdate{.fMin = 24.0, .fMax = 512.0},
                                      .svdSizeUpdate = 16}));
  EXPECT_EQ(schema.samples, 200);
  EXPECT_EQ(schema.storedDomain.bins(), 4097);
  EXPECT_EQ(schema.domain.bins(), 2049);
  EXPECT_EQ(schema.domain.minIndex(), 96);
  EXPECT_EQ(schema.storedColumns, 32);
  EXPECT_EQ(schema.svdSize, 16);
  EXPECT_EQ(schema.coefficients(), 16);
  EXPECT_EQ(schema.whitening, "aLIGO_ZERO_DET_high_P_asd.txt");
  EXPECT_THAT(schema.parameterNames,
              ::testing::ElementsAre("chirp_mass", "mass_ratio", "phase", "chi_1", "chi_2", "theta_jn",
                                     "luminosity_distance", "geocent_time"));
  WaveformSchema plain = expectValue(readWaveformSchema({.path = referenceFile("datasets/tiny_fd.hdf5")}));
  EXPECT_FALSE(plain.compressed());
  EXPECT_EQ(plain.coefficients(), 129);
}

/// Rows from disk and from memory, in any order and with repetitions, are the numbers of the file.
void checkRows(const std::string &name, WaveformOptions options) {
  WaveformDataset disk = open(name, true, options), memory = open(name, false, options);
  Hdf5File file = expectValue(Hdf5File::open(referenceFile("datasets/" + name + ".hdf5")));
  std::vector<std::complex<double>> plus = expectValue(file.readComplex("polarizations/h_plus")),
                                    cross = expectValue(file.readComplex("polarizations/h_cross"));
  std::vector<int64_t> indices = {7, 2, 2, 11, 0, 1, 3, 7};
  int64_t width = disk.rowWidth(), half = width / 2, stride = width + 5, stored = disk.schema().storedColumns;
  std::vector<float> rows[4];
  for (auto &r : rows)
    r.assign(indices.size() * stride, -7.0f);
  expectOk(disk.readRows(indices, rows[0].data(), rows[1].data(), stride));
  expectOk(memory.readRows(indices, rows[2].data(), rows[3].data(), stride));
  EXPECT_EQ(rows[0], rows[2]);
  EXPECT_EQ(rows[1], rows[3]);
  int64_t zeros = disk.schema().compressed() ? 0 : disk.domain().minIndex();
  for (size_t k = 0; k < indices.size(); ++k)
    for (int64_t c = 0; c < stride; ++c) {
      float p = rows[0][k * stride + c], x = rows[1][k * stride + c];
      if (c >= width) { // beyond the row nothing is written
        EXPECT_EQ(p, -7.0f);
        continue;
      }
      std::complex<double> hp = plus[indices[k] * stored + c % half],
                           hx = cross[indices[k] * stored + c % half];
      bool zero = c % half < zeros;
      EXPECT_EQ(p, zero ? 0.0f : static_cast<float>(c < half ? hp.real() : hp.imag()));
      EXPECT_EQ(x, zero ? 0.0f : static_cast<float>(c < half ? hx.real() : hx.imag()));
    }
}

TEST(WaveformDataset, ReadsUncompressedRows) { checkRows("tiny_fd", {}); }
TEST(WaveformDataset, ReadsNarrowedRows) {
  checkRows("tiny_fd", {.domainUpdate = DomainUpdate{.fMin = 12.0, .fMax = 40.0}});
}
TEST(WaveformDataset, ReadsCoefficients) { checkRows("tiny_svd", {}); }
TEST(WaveformDataset, ReadsFewerCoefficients) { checkRows("tiny_svd", {.svdSizeUpdate = 4}); }
TEST(WaveformDataset, ReadsFilteredFiles) {
  checkRows("toy_svd", {.svdSizeUpdate = 20});
} // chunked and compressed

TEST(WaveformDataset, RefusesRowsThatDoNotExist) {
  WaveformDataset dataset = open("tiny_fd", true);
  std::vector<float> rows(2 * dataset.rowWidth());
  for (int64_t bad : {int64_t{-1}, int64_t{12}})
    EXPECT_THAT(
        dataset.readRows(std::vector<int64_t>{bad}, rows.data(), rows.data(), dataset.rowWidth()).message(),
        HasSubstr("sample " + std::to_string(bad) + " does not exist; there are 12"));
}

TEST(WaveformDataset, HoldsParametersInBothPrecisions) {
  WaveformDataset dataset = open("tiny_fd", true);
  Hdf5File file = expectValue(Hdf5File::open(dataset.path()));
  size_t columns = dataset.schema().parameterNames.size();
  ASSERT_EQ(dataset.parameters().size(), 12 * columns);
  for (size_t c = 0; c < columns; ++c) {
    const std::string &name = dataset.schema().parameterNames[c];
    std::vector<double> expected = expectValue(file.readColumn("parameters", name));
    ASSERT_NE(dataset.column(name), nullptr);
    EXPECT_EQ(*dataset.column(name), expected);
    for (size_t k = 0; k < 12; ++k)
      EXPECT_EQ(dataset.parameters()[k * columns + c], static_cast<float>(expected[k]));
  }
  EXPECT_EQ(dataset.column("ra"), nullptr);
  EXPECT_EQ(expectValue(dataset.referenceDistance()), 100.0);
}

TEST(WaveformDataset, DecompressesAsDingo) {
  std::string path = referenceFile("preprocessing_svd_domain_update_size_update.hdf5");
  Hdf5File file = expectValue(Hdf5File::open(path));
  WaveformDataset dataset =
      open("toy_svd", true, {.domainUpdate = DomainUpdate{.fMin = 24.0, .fMax = 512.0}, .svdSizeUpdate = 16});
  std::vector<int64_t> indices = expectValue(file.readIntegers("index"));
  std::vector<double> matrix = expectValue(dataset.decompressionMatrix());
  int64_t bins = dataset.domain().bins(), width = dataset.rowWidth();
  ASSERT_EQ(static_cast<int64_t>(matrix.size()), 2 * bins * width);
  std::vector<float> rows[2];
  for (auto &r : rows)
    r.resize(indices.size() * width);
  expectOk(dataset.readRows(indices, rows[0].data(), rows[1].data(), width));
  for (int p : {0, 1}) {
    std::string name = p == 0 ? "polarizations/h_plus" : "polarizations/h_cross";
    std::vector<std::complex<double>> expected = expectValue(file.readComplex(name)), found;
    for (size_t k = 0; k < indices.size(); ++k)
      for (int64_t bin = 0; bin < bins; ++bin) {
        double re = 0.0, im = 0.0;
        for (int64_t c = 0; c < width; ++c) {
          re += rows[p][k * width + c] * matrix[bin * width + c];
          im += rows[p][k * width + c] * matrix[(bins + bin) * width + c];
        }
        found.emplace_back(re, im);
      }
    EXPECT_LT(relativeDifference(found, expected), 1e-6);
    EXPECT_EQ(found[0], 0.0);
  }
}

TEST(WaveformDataset, UncompressedHasNoMatrix) {
  EXPECT_THAT(open("tiny_fd", true).decompressionMatrix().status().message(),
              HasSubstr("not SVD-compressed"));
}

TEST(NoiseCurves, KnowsBilbysCurvesAndTheirRange) {
  std::vector<float> grid = {5.0f, 20.0f, 100.0f, 1000.0f};
  std::vector<float> values = expectValue(noiseCurve("aLIGO_ZERO_DET_high_P_asd.txt", grid, 20.0));
  EXPECT_EQ(values[0], 1e-22f);
  EXPECT_NEAR(values[2], 4e-24, 1e-24); // the design sensitivity at 100 Hz
  EXPECT_THAT(noiseCurve("aLIGO.txt", grid, 20.0).status().message(),
              HasSubstr("unknown noise curve aLIGO.txt; known"));
  std::vector<float> far = {1e5f};
  EXPECT_THAT(noiseCurve("AdV_asd.txt", far, 20.0).status().message(),
              HasSubstr("the data set needs 100000"));
}

/// A copy of a data set with other settings.
std::string withSettings(const std::string &name, const std::string &compression) {
  std::string path = scratchFile("settings.hdf5");
  Hdf5File from = expectValue(Hdf5File::open(referenceFile("datasets/tiny_fd.hdf5")));
  Hdf5File to = expectValue(Hdf5File::create(path));
  for (const char *pol : {"polarizations/h_plus", "polarizations/h_cross"})
    expectOk(to.writeComplex(pol, expectValue(from.readComplex(pol)), {12, 129}));
  expectOk(to.writeTable("parameters", expectValue(from.readTable("parameters"))));
  expectOk(to.writeStringAttribute("/", "settings",
                                   "{'domain': {'type': 'FD', 'f_min': 10, 'f_max': 64.0, 'delta_f': 0.5}" +
                                       compression + "}"));
  expectOk(to.close());
  return path;
}

TEST(WaveformDataset, NoCompressionIsSaidInThreeWays) {
  for (const char *text : {"", ", 'compression': None", ", \"compression\": 'None'"}) {
    WaveformSchema schema = expectValue(readWaveformSchema({.path = withSettings("tiny_fd", text)}));
    EXPECT_FALSE(schema.compressed()) << text;
    EXPECT_EQ(schema.whitening, "") << text;
  }
}

TEST(WaveformDataset, RefusesCompressionItDoesNotServe) {
  auto message = [](const std::string &compression) {
    return readWaveformSchema({.path = withSettings("tiny_fd", ", 'compression': " + compression)})
        .status()
        .message();
  };
  EXPECT_THAT(message("{'phase_heterodyning': {'order': 0}}"),
              HasSubstr("phase_heterodyning is not served yet"));
  EXPECT_THAT(message("{'wavelets': 3}"), HasSubstr("unknown compression wavelets"));
  EXPECT_THAT(message("'svd'"), HasSubstr("compression is \"svd\", expected None or a dictionary"));
  EXPECT_THAT(message("{'svd': {'size': 6}}"), HasSubstr("svd/V: missing"));
}

TEST(WaveformDataset, UndoesWhiteningWithoutSvd) {
  std::string curveName = "aLIGO_ZERO_DET_high_P_asd.txt";
  std::string path = withSettings("tiny_fd", ", 'compression': {'whitening': '" + curveName + "'}");
  WaveformDataset whitened = expectValue(WaveformDataset::open({.path = path}));
  WaveformDataset plain = open("tiny_fd", true);
  std::vector<float> curve = expectValue(noiseCurve(curveName, plain.domain().frequencies(), 10.0));
  int64_t width = plain.rowWidth(), bins = width / 2;
  std::vector<float> a(width), b(width), unused(width);
  std::vector<int64_t> index = {5};
  expectOk(plain.readRows(index, a.data(), unused.data(), width));
  expectOk(whitened.readRows(index, b.data(), unused.data(), width));
  for (int64_t c = 0; c < width; ++c)
    EXPECT_EQ(b[c], a[c] * curve[c % bins]);
}

TEST(WaveformDataset, RefusesAnUpdateThatDoesNotFit) {
  auto message = [](const char *name, WaveformOptions options) {
    options.path = referenceFile(std::string("datasets/") + name + ".hdf5");
    return readWaveformSchema(options).status().message();
  };
  EXPECT_THAT(message("tiny_svd", {.svdSizeUpdate = 7}),
              HasSubstr("svd_size_update is 7, the data set's SVD size is 6"));
  EXPECT_THAT(message("tiny_fd", {.svdSizeUpdate = 4}), HasSubstr("not SVD-compressed; remove it"));
  EXPECT_THAT(message("tiny_fd", {.domainUpdate = DomainUpdate{.fMin = 5.0}}),
              HasSubstr("tiny_fd.hdf5: domain_update: the range [5.0, 64.0] Hz is not inside"));
}

} // namespace
} // namespace kowari::data
