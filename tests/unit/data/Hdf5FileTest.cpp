//===- Hdf5FileTest.cpp - reading and writing HDF5 ------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "ReferenceFiles.h"

#include <gmock/gmock.h>

#include <complex>
#include <filesystem>
#include <fstream>

namespace kowari::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Hdf5File, WritesAndReadsEveryKind) {
  std::string path = scratchFile("kinds.hdf5");
  std::vector<double> reals = {1.5, -2.0, 3.25, 1e300, 0.0, -1e-300};
  std::vector<float> singles = {1.5f, -2.25f};
  std::vector<int64_t> whole = {-1, int64_t{1} << 40};
  std::vector<std::complex<double>> complex = {{1.0, -2.0}, {3.0, 4.0}};
  {
    Hdf5File file = expectValue(Hdf5File::create(path));
    expectOk(file.writeDoubles("a/b/reals", reals, {2, 3}));
    expectOk(file.writeFloats("singles", singles, {2}));
    expectOk(file.writeIntegers("whole", whole, {2}));
    expectOk(file.writeComplex("complex", complex, {1, 2}));
    expectOk(file.writeString("text", "dingo=0.10.3"));
    expectOk(file.writeStrings("names", {"H1", "", "Gr\xc3\xbc\xc3\x9f"}));
    expectOk(file.writeTable("table",
                             {{"chirp_mass", {30.0, 40.5}, true}, {"mismatch n=50", {1e-9, 0.25}, false}}));
    expectOk(file.writeStringAttribute("/", "settings", "{'a': 1}"));
    expectOk(file.writeDoubleAttribute("a/b", "scale", 0.5));
    EXPECT_FALSE(file.writeDoubles("bad", reals, {4}).isOk());
    expectOk(file.close());
  }
  Hdf5File file = expectValue(Hdf5File::open(path));
  EXPECT_EQ(expectValue(file.readDoubles("a/b/reals")), reals);
  EXPECT_EQ(expectValue(file.readFloats("singles")), singles);
  EXPECT_EQ(expectValue(file.readIntegers("whole")), whole);
  EXPECT_EQ(expectValue(file.readComplex("complex")), complex);
  EXPECT_EQ(expectValue(file.readString("text")), "dingo=0.10.3");
  EXPECT_THAT(expectValue(file.readStrings("names")), ElementsAre("H1", "", "Gr\xc3\xbc\xc3\x9f"));
  EXPECT_THAT(expectValue(file.readColumn("table", "mismatch n=50")), ElementsAre(1e-9, 0.25));
  std::vector<TableColumn> table = expectValue(file.readTable("table"));
  ASSERT_EQ(table.size(), 2u);
  EXPECT_TRUE(table[0].isFloat32);
  EXPECT_FALSE(table[1].isFloat32);
  EXPECT_THAT(table[0].values, ElementsAre(30.0, 40.5));
  EXPECT_EQ(expectValue(file.readStringAttribute("/", "settings")), "{'a': 1}");
  EXPECT_EQ(expectValue(file.readDoubleAttribute("a/b", "scale")), 0.5);
  EXPECT_THAT(expectValue(file.children("a")), ElementsAre("b"));

  DatasetInfo info = expectValue(file.info("a/b/reals"));
  EXPECT_THAT(info.shape, ElementsAre(2, 3));
  EXPECT_EQ(info.kind, ElementKind::Float64);
  // The offset is where the bytes are.
  ASSERT_GT(info.fileOffset, 0);
  std::ifstream raw(path, std::ios::binary);
  raw.seekg(info.fileOffset);
  std::vector<double> bytes(6);
  raw.read(reinterpret_cast<char *>(bytes.data()), 48);
  EXPECT_EQ(bytes, reals);
}

TEST(Hdf5File, RefusesWhatIsNotThere) {
  EXPECT_THAT(Hdf5File::open("/nowhere/x.hdf5").status().message(),
              HasSubstr("/nowhere/x.hdf5: no such file"));
  EXPECT_THAT(Hdf5File::open(referenceFile("datasets")).status().message(), HasSubstr("is a folder"));
  std::string text = scratchFile("text.hdf5");
  std::ofstream(text) << "this is not HDF5, though it is long enough to look at";
  EXPECT_THAT(Hdf5File::open(text).status().message(), HasSubstr("not an HDF5 file"));

  Hdf5File file = expectValue(Hdf5File::open(referenceFile("datasets/tiny_fd.hdf5")));
  EXPECT_FALSE(file.has("polarizations/h_x"));
  EXPECT_FALSE(file.has("nothing/at/all"));
  EXPECT_THAT(file.readDoubles("polarizations/h_x").status().message(),
              HasSubstr("tiny_fd.hdf5: polarizations/h_x: missing"));
  EXPECT_THAT(file.readDoubles("polarizations/h_plus").status().message(),
              HasSubstr("holds complex128 values, expected real numbers"));
  EXPECT_THAT(file.readComplex("parameters").status().message(), HasSubstr("holds table values"));
  EXPECT_THAT(file.readColumn("parameters", "mass").status().message(), HasSubstr("has no column mass"));
  EXPECT_THAT(file.readStringAttribute("/", "setting").status().message(),
              HasSubstr("attribute setting is missing"));
  float out[2];
  EXPECT_FALSE(file.readRows("polarizations/h_plus", 12, 1, 1, true, out).isOk());
}

TEST(Hdf5File, SaysHowMuchOfATruncatedFileIsThere) {
  std::string path = referenceFile("broken/wf_truncated.hdf5");
  std::string message = Hdf5File::open(path).status().message();
  EXPECT_THAT(message, HasSubstr(path));
  EXPECT_THAT(message, HasSubstr("truncated: it should have 58512 bytes and has 35107"));
}

TEST(Hdf5File, ReadsTheSameRowsWhateverTheLayout) {
  // The complex128 original is contiguous; single precision is asked for.
  Hdf5File file = expectValue(Hdf5File::open(referenceFile("datasets/tiny_fd.hdf5")));
  std::vector<std::complex<double>> all = expectValue(file.readComplex("polarizations/h_cross"));
  std::vector<float> rows(2 * 3 * 5);
  expectOk(file.readRows("polarizations/h_cross", 4, 3, 5, true, rows.data()));
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 5; ++c) {
      EXPECT_EQ(rows[2 * (5 * r + c)], static_cast<float>(all[(4 + r) * 129 + c].real()));
      EXPECT_EQ(rows[2 * (5 * r + c) + 1], static_cast<float>(all[(4 + r) * 129 + c].imag()));
    }
}

} // namespace
} // namespace kowari::data
