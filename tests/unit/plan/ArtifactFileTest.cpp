//===- ArtifactFileTest.cpp - damaged and lying artifacts -------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "PlanBuilder.h"

#include "runtime/plan/ManifestCheck.h"

#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <sys/stat.h>

using namespace kowari;
using namespace kowari::plan;
using namespace kowari::plan::test;
using testing::HasSubstr;

namespace {

class ArtifactFileTest : public PlanTest {
protected:
  static std::vector<uint8_t> smallManifest() {
    PlanBuilder plan;
    plan.tensor("w", fb::TensorKind::Parameter, {8, 4}, rowMajor(0, 8, 4, 16));
    plan.tensor("x", fb::TensorKind::Input, {-1, 4}, rowMajor(512, -1, 4, 16));
    plan.gemm(rowMajor(512, -1, 4, 16), featureMajor(0, 4, 8, 16), rowMajor(1024, -1, 8, 16));
    plan.fill(rowMajor(1024, -1, 8, 16), 0);
    plan.entry("train_step/0");
    return plan.finish(8, 1536, 512);
  }

  std::string store(const std::vector<uint8_t> &bytes) {
    const std::string path = (folder / "a.kwa").string();
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
    return path;
  }
};

TEST_F(ArtifactFileTest, RoundTrip) {
  const std::string path = (folder / "a.kwa").string();
  const std::vector<uint8_t> code = {1, 2, 3};
  ASSERT_OK(writeArtifact(path, smallManifest(), code));
  const auto file = ArtifactFile::open(path);
  ASSERT_TRUE(file.isOk()) << file.status().message();
  EXPECT_EQ(file->manifest().build_id()->str(), "test build");
  EXPECT_TRUE(std::equal(code.begin(), code.end(), file->code().begin(), file->code().end()));
  EXPECT_EQ(file->digest().size(), 32u);
  EXPECT_EQ(file->fileBytes(), int64_t(std::filesystem::file_size(path)));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1) << "no temporary file is left";
}

TEST_F(ArtifactFileTest, EqualContentGivesEqualBytes) {
  EXPECT_EQ(serializeArtifact(smallManifest(), {}), serializeArtifact(smallManifest(), {}));
}

TEST_F(ArtifactFileTest, EveryFlippedBitIsFound) {
  const std::vector<uint8_t> code(100, 7), bytes = serializeArtifact(smallManifest(), code);
  ASSERT_OK(checkContainer(bytes));
  for (size_t i = 0; i < bytes.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      auto damaged = bytes;
      damaged[i] ^= uint8_t(1 << bit);
      ASSERT_FALSE(checkContainer(damaged).isOk()) << "byte " << i << ", bit " << bit;
    }
}

TEST_F(ArtifactFileTest, EveryTruncationIsFound) {
  const std::vector<uint8_t> bytes = serializeArtifact(smallManifest(), testCode());
  for (size_t size = 0; size < bytes.size(); size += size < 200 ? 1 : 97)
    ASSERT_FALSE(checkContainer(std::span(bytes).first(size)).isOk()) << size;
  auto longer = bytes;
  longer.push_back(0);
  EXPECT_FALSE(checkContainer(longer).isOk());
  EXPECT_THAT(ArtifactFile::open(store({bytes.begin(), bytes.end() - 1})).status().message(),
              HasSubstr("a.kwa: the artifact is truncated or damaged"));
}

TEST_F(ArtifactFileTest, RefusesWhatIsNoFile) {
  EXPECT_THAT(ArtifactFile::open((folder / "none").string()).status().message(), HasSubstr("No such file"));
  EXPECT_THAT(ArtifactFile::open(folder.string()).status().message(), HasSubstr("not a regular file"));
  EXPECT_THAT(ArtifactFile::open(store({})).status().message(), HasSubstr("is empty"));
  ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_THAT(ArtifactFile::open((folder / "fifo").string()).status().message(),
              HasSubstr("not a regular file"));
  const std::string text = "name: not an artifact, however long this text may be";
  EXPECT_THAT(ArtifactFile::open(store({text.begin(), text.end()})).status().message(),
              HasSubstr("no Kowari artifact"));
}

TEST_F(ArtifactFileTest, RefusesAnotherVersion) {
  PlanBuilder plan;
  plan.version = formatVersion + 1;
  plan.entry("none");
  const auto manifest = plan.finish(1, 0, 0);
  EXPECT_THAT(checkManifest(manifest).message(), HasSubstr("compile the network again"));
  EXPECT_FALSE(writeArtifact((folder / "v.kwa").string(), manifest, {}).isOk());
  EXPECT_THAT(ArtifactFile::open(store(serializeArtifact(manifest, {}))).status().message(),
              HasSubstr("format version " + std::to_string(formatVersion + 1) +
                        " is not the one this runtime reads (" + std::to_string(formatVersion) + ")"));
}

TEST_F(ArtifactFileTest, UnwritableFolderIsAnError) {
  EXPECT_THAT(writeArtifact("/proc/no/such/a.kwa", smallManifest(), {}).message(),
              HasSubstr("cannot create"));
}

/// Damaged manifests behind a right digest: an error or an accepted manifest, never a crash or a view
/// outside.
TEST_F(ArtifactFileTest, MutatedManifestsNeverCrash) {
  const std::vector<uint8_t> manifest = smallManifest();
  std::mt19937 generator(5);
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    auto mutated = manifest;
    for (unsigned n = 1 + generator() % 3; n > 0; --n)
      mutated[generator() % mutated.size()] =
          round % 2 ? uint8_t(generator()) : uint8_t(generator() % 2 ? 0xff : 0x7f);
    if (generator() % 8 == 0)
      mutated.resize(generator() % mutated.size());
    refused += !checkManifest(mutated).isOk();
  }
  EXPECT_GT(refused, 10000);
}

struct Lie {
  const char *name;
  std::function<void(PlanBuilder &)> tell;
  const char *message;
};

class LyingManifest : public testing::TestWithParam<Lie> {};

TEST_P(LyingManifest, IsRefused) {
  PlanBuilder plan;
  GetParam().tell(plan);
  plan.entry("bad");
  const Status status = checkManifest(plan.finish(8, 4096, 1024));
  ASSERT_FALSE(status.isOk());
  EXPECT_THAT(status.message(), HasSubstr(GetParam().message));
}

constexpr int64_t huge = std::numeric_limits<int64_t>::max();

const std::vector<Lie> lies = {
    {"viewBeyondArena", [](PlanBuilder &p) { p.fill(rowMajor(4000, 2, 16, 16), 0); },
     "ends outside the 4096 bytes"},
    {"rowsBeyondArena", [](PlanBuilder &p) { p.fill(rowMajor(0, -1, 16, 160), 0); }, "view of rows x 16"},
    {"overflowingStride", [](PlanBuilder &p) { p.fill(rowMajor(0, 8, 16, huge / 2), 0); }, "ends outside"},
    {"overflowingOffset", [](PlanBuilder &p) { p.fill(rowMajor(huge - 3, 1, 1, 1), 0); }, "ends outside"},
    {"overflowingDimension", [](PlanBuilder &p) { p.fill(rowMajor(0, huge, huge, 1), 0); }, "ends outside"},
    {"negativeOffset", [](PlanBuilder &p) { p.fill(rowMajor(-4, 1, 1, 1), 0); }, "negative number"},
    {"negativeStride", [](PlanBuilder &p) { p.fill(rowMajor(1024, 2, 2, -4), 0); }, "negative number"},
    {"negativeDimension", [](PlanBuilder &p) { p.fill(rowMajor(0, -2, 2, 4), 0); }, "negative number"},
    {"misaligned", [](PlanBuilder &p) { p.fill(rowMajor(2, 1, 1, 1), 0); }, "not aligned"},
    {"unknownType", [](PlanBuilder &p) { p.fill(rowMajor(0, 1, 1, 1, fb::DType(9)), 0); }, "unknown dtype 9"},
    {"kernelIndex", [](PlanBuilder &p) { p.run(0, -1, 1, {}); }, "kernel 0 does not exist"},
    {"kernelRows",
     [](PlanBuilder &p) { p.run(p.kernel("k", fb::Lanes::Rows, fb::Chunks::Rows, 1), -5, 1, {}); },
     "iteration space of -5 x 1"},
    {"kernelOperand",
     [](PlanBuilder &p) {
       p.run(p.kernel("k", fb::Lanes::Rows, fb::Chunks::Rows, 1), -1, 1, {vector(0, 4), vector(4096, 1)});
     },
     "operand 1"},
    {"kernelCost",
     [](PlanBuilder &p) {
       p.kernel("k", fb::Lanes::Rows, fb::Chunks::Rows, std::numeric_limits<float>::quiet_NaN());
     },
     "cost_per_point"},
    {"kernelOutputs",
     [](PlanBuilder &p) {
       p.run(p.kernel("k", fb::Lanes::Rows, fb::Chunks::Rows, 1, 3), -1, 1, {vector(0, 4)});
     },
     "kernel 'k' writes 3 operands, of 1"},
    {"productShapes",
     [](PlanBuilder &p) { p.gemm(rowMajor(0, -1, 4, 4), rowMajor(0, 5, 4, 4), rowMajor(1024, -1, 4, 4)); },
     "do not fit"},
    {"productTypes",
     [](PlanBuilder &p) {
       p.gemm(rowMajor(0, 2, 4, 4), rowMajor(0, 4, 4, 4), rowMajor(1024, 2, 4, 4, fb::DType::F64));
     },
     "must all be F32 or all be F64"},
    {"productStrides",
     [](PlanBuilder &p) {
       p.gemm(fb::View(0, 2, 4, 8, 2, fb::DType::F32), rowMajor(0, 4, 4, 4), rowMajor(1024, 2, 4, 4));
     },
     "operand a is 2x4 with strides (8, 2)"},
    {"productBias",
     [](PlanBuilder &p) {
       const fb::View bias = vector(0, 3);
       p.gemm(rowMajor(0, 2, 4, 4), rowMajor(0, 4, 4, 4), rowMajor(1024, 2, 4, 4), &bias);
     },
     "bias of a product with 4 columns"},
    {"copyShapes", [](PlanBuilder &p) { p.copy(rowMajor(0, 2, 3, 3), rowMajor(0, 3, 2, 2)); },
     "must be equal"},
    {"gatherColumns",
     [](PlanBuilder &p) {
       p.gather(rowMajor(0, 5, 3, 4), vector(256, -1, fb::DType::I64), rowMajor(512, -1, 4, 4));
     },
     "do not fit"},
    {"gatherIndex",
     [](PlanBuilder &p) { p.gather(rowMajor(0, 5, 3, 4), vector(256, -1), rowMajor(512, -1, 3, 4)); },
     "is no row index"},
    {"persistentBeyond",
     [](PlanBuilder &p) { p.tensor("w", fb::TensorKind::Parameter, {4, 16}, rowMajor(1000, 4, 16, 16)); },
     "tensor 'w'"},
    {"sameNameTwice",
     [](PlanBuilder &p) {
       p.tensor("w", fb::TensorKind::Parameter, {4}, vector(0, 4));
       p.tensor("w", fb::TensorKind::Parameter, {4}, vector(64, 4));
     },
     "occurs twice"},
    {"shapeAndView",
     [](PlanBuilder &p) { p.tensor("w", fb::TensorKind::Parameter, {4, 3}, rowMajor(0, 3, 4, 16)); },
     "shape does not match"},
    {"rowsOfAParameter",
     [](PlanBuilder &p) { p.tensor("w", fb::TensorKind::Parameter, {-1, 3}, rowMajor(0, -1, 3, 4)); },
     "shape does not match"},
};

INSTANTIATE_TEST_SUITE_P(Lies, LyingManifest, testing::ValuesIn(lies),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
