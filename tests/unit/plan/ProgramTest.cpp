//===- ProgramTest.cpp - running hand-written plans -------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "PlanBuilder.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace kowari;
using namespace kowari::plan;
using namespace kowari::plan::test;

namespace {

template <class T> constexpr fb::DType dtypeOf = std::is_same_v<T, float> ? fb::DType::F32 : fb::DType::F64;

template <class T> std::vector<T> randomValues(size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<T> uniform(-1, 1);
  std::vector<T> values(count);
  for (T &value : values)
    value = uniform(generator);
  return values;
}

/// x (rows x in) -> h = x W^T + b (row-major, padded), scaled by rows and shifted by columns -> y; its
/// transpose shifted by column numbers -> z (feature-major); column sums of y -> s.
template <class T> struct Network {
  static constexpr int64_t in = 19, out = 37, maxRows = 100;
  static constexpr int64_t line = 48, featureLine = 112; // padded strides
  static constexpr int64_t size = sizeof(T);
  static constexpr fb::DType dtype = dtypeOf<T>;
  static constexpr int64_t align(int64_t bytes) { return (bytes + 63) / 64 * 64; }
  static constexpr int64_t weight = 0, bias = weight + align(out * 32 * size),
                           shift = bias + align(out * size), persistent = shift + align(64 * size),
                           x = persistent, scale = x + align(maxRows * 32 * size),
                           h = scale + align(112 * size), y = h + align(maxRows * line * size),
                           yt = y + align(maxRows * line * size), z = yt + align(out * featureLine * size),
                           s = z + align(out * featureLine * size), arena = s + align(48 * size);

  static std::vector<uint8_t> manifest() {
    const std::string suffix = sizeof(T) == 4 ? "_f32" : "_f64";
    PlanBuilder plan;
    plan.elementType = dtype;
    plan.tensor("layer.weight", fb::TensorKind::Parameter, {out, in}, rowMajor(weight, out, in, 32, dtype));
    plan.tensor("layer.bias", fb::TensorKind::Parameter, {out}, vector(bias, out, dtype));
    plan.tensor("shift", fb::TensorKind::Constant, {out}, vector(shift, out, dtype));
    const uint32_t scaleRows = plan.kernel("scale" + suffix, fb::Lanes::Columns, fb::Chunks::Rows, 100);
    const uint32_t addColumn = plan.kernel("add_column" + suffix, fb::Lanes::Rows, fb::Chunks::Columns, 100);
    const uint32_t sums = plan.kernel("column_sums" + suffix, fb::Lanes::Columns, fb::Chunks::Columns, 100);
    plan.tensor("x", fb::TensorKind::Input, {-1, in}, rowMajor(x, -1, in, 32, dtype));
    plan.tensor("scale", fb::TensorKind::Input, {-1}, vector(scale, -1, dtype));
    plan.tensor("y", fb::TensorKind::Output, {-1, out}, rowMajor(y, -1, out, line, dtype));
    plan.tensor("z", fb::TensorKind::Output, {-1, out}, featureMajor(z, -1, out, featureLine, dtype));
    plan.tensor("s", fb::TensorKind::Output, {out}, vector(s, out, dtype));
    const fb::View biasView = vector(bias, out, dtype), hView = rowMajor(h, -1, out, line, dtype),
                   yView = rowMajor(y, -1, out, line, dtype),
                   ytView = featureMajor(yt, -1, out, featureLine, dtype),
                   zView = featureMajor(z, -1, out, featureLine, dtype);
    plan.gemm(rowMajor(x, -1, in, 32, dtype), featureMajor(weight, in, out, 32, dtype), hView, &biasView);
    plan.run(scaleRows, -1, out, {hView, vector(scale, -1, dtype), vector(shift, out, dtype), yView});
    plan.copy(yView, ytView);
    plan.run(addColumn, -1, out, {ytView, zView});
    plan.run(sums, -1, out, {yView, vector(s, out, dtype)});
    plan.entry("forward");
    return plan.finish(maxRows, arena, persistent);
  }
};

template <class T> class ProgramNumbers : public PlanTest {};
using Elements = testing::Types<float, double>;
TYPED_TEST_SUITE(ProgramNumbers, Elements);

TYPED_TEST(ProgramNumbers, MatchesNaiveLoopsForRaggedRows) {
  using T = TypeParam;
  using Net = Network<T>;
  const auto program = this->load(Net::manifest(), testCode());
  ASSERT_TRUE(program);
  const auto weight = randomValues<T>(Net::out * Net::in, 1), bias = randomValues<T>(Net::out, 2),
             shift = randomValues<T>(Net::out, 3);
  ASSERT_OK(program->write("layer.weight", std::span<const T>(weight)));
  ASSERT_OK(program->write("layer.bias", std::span<const T>(bias)));
  ASSERT_OK(program->write("shift", std::span<const T>(shift)));
  const int entry = program->findEntry("forward");
  ASSERT_GE(entry, 0);
  const std::vector<int64_t> prepared = {Net::maxRows};
  ASSERT_OK(program->prepare(entry, prepared));
  for (const int64_t rows :
       {int64_t(1), int64_t(2), int64_t(15), int64_t(16), int64_t(17), int64_t(63), Net::maxRows}) {
    const auto x = randomValues<T>(rows * Net::in, 10 + unsigned(rows)), scale = randomValues<T>(rows, 20);
    ASSERT_OK(program->writeInput(entry, "x", std::span<const T>(x), rows));
    ASSERT_OK(program->writeInput(entry, "scale", std::span<const T>(scale), rows));
    ASSERT_OK(program->run(entry, rows));
    std::vector<T> y(rows * Net::out), z(rows * Net::out), s(Net::out);
    ASSERT_OK(program->readOutput(entry, "y", std::span<T>(y), rows));
    ASSERT_OK(program->readOutput(entry, "z", std::span<T>(z), rows));
    ASSERT_OK(program->readOutput(entry, "s", std::span<T>(s), rows));
    const double tolerance = sizeof(T) == 4 ? 2e-5 : 1e-13;
    for (int64_t j = 0; j < Net::out; ++j) {
      double sum = 0;
      for (int64_t i = 0; i < rows; ++i) {
        double h = bias[j];
        for (int64_t k = 0; k < Net::in; ++k)
          h += double(x[i * Net::in + k]) * double(weight[j * Net::in + k]);
        const double expected = h * scale[i] + shift[j];
        sum += expected;
        ASSERT_NEAR(y[i * Net::out + j], expected, tolerance) << "rows " << rows << " at " << i << ", " << j;
        ASSERT_NEAR(z[i * Net::out + j], expected + double(j), tolerance * (1 + double(j)));
      }
      ASSERT_NEAR(s[j], sum, tolerance * double(rows + 1));
    }
  }
}

TYPED_TEST(ProgramNumbers, SameBitsForOneAndTwoThreadsOfOurOwnKernels) {
  using T = TypeParam;
  std::vector<std::vector<T>> results;
  for (const int threads : {1, 2, 5}) {
    using Net = Network<T>;
    const auto program = this->load(Net::manifest(), testCode(), threads);
    ASSERT_TRUE(program);
    // A zero weight leaves the product out of the comparison: libraries may differ with the thread count.
    const auto bias = randomValues<T>(Net::out, 2), shift = randomValues<T>(Net::out, 3);
    ASSERT_OK(program->write("layer.bias", std::span<const T>(bias)));
    ASSERT_OK(program->write("shift", std::span<const T>(shift)));
    const auto scale = randomValues<T>(Net::maxRows, 20);
    ASSERT_OK(program->writeInput(0, "scale", std::span<const T>(scale), Net::maxRows));
    ASSERT_OK(program->run(0, Net::maxRows));
    std::vector<T> all(Net::maxRows * Net::out + Net::out);
    ASSERT_OK(program->readOutput(0, "z", std::span<T>(all.data(), Net::maxRows * Net::out), Net::maxRows));
    ASSERT_OK(program->readOutput(0, "s", std::span<T>(all.data() + Net::maxRows * Net::out, Net::out),
                                  Net::maxRows));
    results.push_back(all);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

class ProgramTest : public PlanTest {};

struct ChunkCase {
  fb::Lanes lanes;
  fb::Chunks chunks;
  float cost;
  int64_t rowGrain, columnGrain; // 0: the dimension must not be cut
};

TEST_F(ProgramTest, ChunksAreCutAsTheAbiPromises) {
  constexpr int64_t rows = 77, columns = 41, line = 48, bytes = 96 * line * 4;
  const std::vector<ChunkCase> cases = {{fb::Lanes::Columns, fb::Chunks::Rows, 1e6f, 16, 0},
                                        {fb::Lanes::Rows, fb::Chunks::Rows, 1e6f, 16, 0},
                                        {fb::Lanes::Columns, fb::Chunks::Columns, 1e6f, 0, 16},
                                        {fb::Lanes::Rows, fb::Chunks::Columns, 1e6f, 0, 1},
                                        {fb::Lanes::Columns, fb::Chunks::None, 1e6f, 0, 0},
                                        {fb::Lanes::Columns, fb::Chunks::Rows, 0.1f, 0, 0}};
  PlanBuilder plan;
  for (size_t i = 0; i < cases.size(); ++i) {
    const uint32_t kernel = plan.kernel("record_chunks", cases[i].lanes, cases[i].chunks, cases[i].cost);
    std::vector<fb::View> views;
    for (int64_t v = 0; v < 3; ++v) {
      // record_chunks is row-major whatever its lanes: both strides say so.
      views.push_back(fb::View(v * bytes, -1, columns, line, cases[i].lanes == fb::Lanes::Rows ? line : 1,
                               fb::DType::I32));
      if (cases[i].lanes == fb::Lanes::Rows)
        views.back() = fb::View(v * bytes, 1, columns, 1, line, fb::DType::I32);
    }
    plan.fill(rowMajor(2 * bytes, -1, columns, line, fb::DType::I32), 0);
    plan.run(kernel, -1, columns, views);
    plan.entry("case" + std::to_string(i));
  }
  const auto program = load(plan.finish(96, 3 * bytes, 0), testCode(), 3);
  ASSERT_TRUE(program);
  for (size_t i = 0; i < cases.size(); ++i) {
    ASSERT_OK(program->run(int(i), rows));
    const auto *begins = static_cast<const int32_t *>(program->data({0, 0, 0, 0, 0, DType::I32}));
    const auto *columnBegins = static_cast<const int32_t *>(program->data({bytes, 0, 0, 0, 0, DType::I32}));
    const auto *calls = static_cast<const int32_t *>(program->data({2 * bytes, 0, 0, 0, 0, DType::I32}));
    int64_t lastRow = 0, lastColumn = 0;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) {
        ASSERT_EQ(calls[r * line + c], 1) << "case " << i << " at " << r << ", " << c;
        const int64_t rowBegin = begins[r * line + c], columnBegin = columnBegins[r * line + c];
        ASSERT_EQ(cases[i].rowGrain ? rowBegin % cases[i].rowGrain : rowBegin, 0) << "case " << i;
        ASSERT_EQ(cases[i].columnGrain ? columnBegin % cases[i].columnGrain : columnBegin, 0) << "case " << i;
        lastRow = std::max(lastRow, rowBegin);
        lastColumn = std::max(lastColumn, columnBegin);
      }
    EXPECT_EQ(lastRow > 0, cases[i].rowGrain > 0) << "case " << i << " was not divided as it should";
    EXPECT_EQ(lastColumn > 0, cases[i].columnGrain > 0) << "case " << i << " was not divided as it should";
  }
}

TEST_F(ProgramTest, CopiesBetweenAllLayouts) {
  constexpr int64_t d0 = 37, d1 = 53, bytes = 8 * 8192;
  const std::vector<std::pair<int64_t, int64_t>> layouts = {{56, 1}, {1, 40}, {110, 2}, {3, 150}};
  for (const fb::DType dtype : {fb::DType::F32, fb::DType::I64})
    for (const auto &[s0, s1] : layouts)
      for (const auto &[t0, t1] : layouts) {
        PlanBuilder plan;
        const fb::View source(0, d0, d1, s0, s1, dtype), target(bytes, d0, d1, t0, t1, dtype);
        plan.copy(source, target);
        plan.entry("copy");
        const auto program = load(plan.finish(1, 2 * bytes, 0), {});
        ASSERT_TRUE(program);
        const int64_t size = dtype == fb::DType::F32 ? 4 : 8;
        char *base = static_cast<char *>(program->data({0, 0, 0, 0, 0, DType::F32}));
        const auto at = [&](int64_t offset, int64_t element) { return base + offset + element * size; };
        for (int64_t i = 0; i < d0; ++i)
          for (int64_t j = 0; j < d1; ++j) {
            const int32_t value = int32_t(1000 * i + j + 1);
            std::memcpy(at(0, i * s0 + j * s1), &value, 4);
          }
        ASSERT_OK(program->run(0, 1));
        for (int64_t i = 0; i < d0; ++i)
          for (int64_t j = 0; j < d1; ++j) {
            int32_t value = 0;
            std::memcpy(&value, at(bytes, i * t0 + j * t1), 4);
            ASSERT_EQ(value, 1000 * i + j + 1) << s0 << "," << s1 << " -> " << t0 << "," << t1;
          }
      }
}

TEST_F(ProgramTest, GatherCopiesRowsAndNamesABadIndex) {
  PlanBuilder plan;
  plan.tensor("table", fb::TensorKind::Constant, {5, 3}, rowMajor(0, 5, 3, 8));
  plan.tensor("index", fb::TensorKind::Input, {-1}, vector(256, -1, fb::DType::I64));
  plan.tensor("rows", fb::TensorKind::Output, {-1, 3}, rowMajor(512, -1, 3, 4));
  plan.tensor("features", fb::TensorKind::Output, {-1, 3}, featureMajor(1024, -1, 3, 16));
  plan.gather(rowMajor(0, 5, 3, 8), vector(256, -1, fb::DType::I64), rowMajor(512, -1, 3, 4));
  plan.gather(rowMajor(0, 5, 3, 8), vector(256, -1, fb::DType::I64), featureMajor(1024, -1, 3, 16));
  plan.entry("prepare");
  const auto program = load(plan.finish(8, 2048, 256), {});
  ASSERT_TRUE(program);
  const std::vector<float> table = {0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32, 40, 41, 42};
  ASSERT_OK(program->write("table", std::span<const float>(table)));
  const std::vector<int64_t> index = {4, 0, 0, 2, 1, 4};
  ASSERT_OK(program->writeInput(0, "index", std::span<const int64_t>(index), 6));
  ASSERT_OK(program->run(0, 6));
  for (const char *output : {"rows", "features"}) {
    std::vector<float> values(18);
    ASSERT_OK(program->readOutput(0, output, std::span<float>(values), 6));
    for (size_t r = 0; r < 6; ++r)
      for (size_t c = 0; c < 3; ++c)
        EXPECT_EQ(values[3 * r + c], float(10 * index[r] + int64_t(c))) << output;
  }
  for (const int64_t bad : {int64_t(5), int64_t(-1), int64_t(1) << 62}) {
    const std::vector<int64_t> wrong = {1, bad};
    ASSERT_OK(program->writeInput(0, "index", std::span<const int64_t>(wrong), 2));
    EXPECT_THAT(program->run(0, 2).message(),
                testing::AllOf(testing::HasSubstr("entry 'prepare', step 0 (gather)"),
                               testing::HasSubstr("row 1 asks for row " + std::to_string(bad))));
  }
}

TEST_F(ProgramTest, FillLeavesThePadAlone) {
  PlanBuilder plan;
  plan.fill(rowMajor(0, 3, 5, 8, fb::DType::F64), 1.5);
  plan.fill(featureMajor(1024, 5, 3, 8, fb::DType::I64), -7);
  plan.entry("fill");
  const auto program = load(plan.finish(1, 2048, 0), {});
  ASSERT_TRUE(program);
  ASSERT_OK(program->run(0, 1));
  const auto *doubles = static_cast<const double *>(program->data({0, 0, 0, 0, 0, DType::F64}));
  const auto *integers = static_cast<const int64_t *>(program->data({1024, 0, 0, 0, 0, DType::I64}));
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 8; ++j) {
      EXPECT_EQ(doubles[8 * i + j], j < 5 ? 1.5 : 0.0);
      EXPECT_EQ(integers[8 * i + j], j < 5 ? -7 : 0);
    }
}

TEST_F(ProgramTest, TransfersCheckNamesSizesAndTypes) {
  PlanBuilder plan;
  plan.tensor("w", fb::TensorKind::Parameter, {2, 3}, rowMajor(0, 2, 3, 8));
  plan.tensor("permutation", fb::TensorKind::Constant, {3}, vector(64, 3, fb::DType::I32));
  plan.tensor("step", fb::TensorKind::Scalar, {}, vector(128, 1, fb::DType::I64));
  plan.tensor("lr", fb::TensorKind::Scalar, {}, vector(192, 1));
  plan.tensor("x", fb::TensorKind::Input, {-1, 2}, rowMajor(256, -1, 2, 2));
  plan.entry("none");
  const auto program = load(plan.finish(4, 512, 256), {});
  ASSERT_TRUE(program);
  const std::vector<double> values = {1, 2, 3, 4, 5, 6};
  ASSERT_OK(program->write("w", std::span<const double>(values)));
  std::vector<float> back(6);
  ASSERT_OK(program->read("w", std::span<float>(back)));
  EXPECT_EQ(back, (std::vector<float>{1, 2, 3, 4, 5, 6}));
  const auto *raw = static_cast<const float *>(program->data({0, 0, 0, 0, 0, DType::F32}));
  EXPECT_EQ(raw[3], 0) << "the pad stays zero";
  EXPECT_EQ(raw[8], 4);
  const std::vector<int64_t> permutation = {2, 0, 1}, huge = {1, 2, int64_t(1) << 40};
  ASSERT_OK(program->write("permutation", std::span<const int64_t>(permutation)));
  EXPECT_THAT(program->write("permutation", std::span<const int64_t>(huge)).message(),
              testing::HasSubstr("1099511627776 does not fit in I32"));
  EXPECT_THAT(program->write("permutation", std::span<const double>(values.data(), 3)).message(),
              testing::HasSubstr("takes integer values"));
  EXPECT_THAT(program->write("w", std::span<const double>(values.data(), 5)).message(),
              testing::HasSubstr("2 x 3 = 6 elements, not 5"));
  EXPECT_THAT(program->write("v", std::span<const double>(values)).message(),
              testing::HasSubstr("no tensor 'v'"));
  ASSERT_OK(program->writeScalar("step", 12));
  ASSERT_OK(program->writeScalar("lr", 0.5));
  EXPECT_FALSE(program->writeScalar("step", 12.5).isOk());
  EXPECT_FALSE(program->writeScalar("step", std::nan("")).isOk());
  int64_t step = 0;
  ASSERT_OK(program->read("step", std::span<int64_t>(&step, 1)));
  EXPECT_EQ(step, 12);
  EXPECT_THAT(program->run(0, 5).message(), testing::HasSubstr("compiled for 1 to 4"));
  EXPECT_FALSE(program->run(0, 0).isOk());
  EXPECT_FALSE(program->run(1, 1).isOk());
  EXPECT_FALSE(program->writeInput(0, "x", std::span<const double>(values), 2).isOk());
  ASSERT_OK(program->writeInput(0, "x", std::span<const double>(values), 3));
}

TEST_F(ProgramTest, TimesEveryStepAndEvictsRowCounts) {
  using Net = Network<float>;
  const auto program = load(Net::manifest(), testCode());
  ASSERT_TRUE(program);
  std::vector<StepTime> times;
  for (int64_t rows = 1; rows <= 40; ++rows)
    ASSERT_OK(program->runTimed(0, rows, times));
  ASSERT_EQ(times.size(), 5u);
  EXPECT_EQ(times[0].label, "gemm");
  EXPECT_EQ(times[2].label, "copy");
  EXPECT_EQ(times[2].group, "test");
  for (const StepTime &time : times)
    EXPECT_GE(time.seconds, 0);
  ASSERT_OK(program->run(0, 1));
}

TEST_F(ProgramTest, RefusesAForeignProcessorNamingBothSets) {
  PlanBuilder plan;
  plan.features = {"sse2", "avx512_made_up"};
  plan.entry("none");
  const std::string path = (folder / "foreign.kwa").string();
  ASSERT_OK(writeArtifact(path, plan.finish(1, 0, 0), {}));
  const auto program = Program::load(path, {});
  ASSERT_FALSE(program.isOk());
  EXPECT_THAT(program.status().message(), testing::HasSubstr("lacks: avx512_made_up"));
  EXPECT_THAT(program.status().message(), testing::HasSubstr("The artifact needs: sse2 avx512_made_up"));
  EXPECT_THAT(program.status().message(), testing::HasSubstr("The processor has: sse"));
}

TEST_F(ProgramTest, RefusesCodeWithoutTheKernel) {
  PlanBuilder plan;
  plan.kernel("absent", fb::Lanes::Rows, fb::Chunks::Rows, 1);
  plan.entry("none");
  const std::string path = (folder / "absent.kwa").string();
  ASSERT_OK(writeArtifact(path, plan.finish(1, 0, 0), testCode()));
  EXPECT_THAT(Program::load(path, {}).status().message(), testing::HasSubstr("no kernel 'absent'"));
}

TEST_F(ProgramTest, TwoProgramsKeepTheirOwnCode) {
  using F = Network<float>;
  using D = Network<double>;
  const auto first = load(F::manifest(), testCode());
  const auto second = load(D::manifest(), testCode());
  ASSERT_TRUE(first && second);
  ASSERT_OK(first->run(0, 3));
  ASSERT_OK(second->run(0, 3));
}

} // namespace
