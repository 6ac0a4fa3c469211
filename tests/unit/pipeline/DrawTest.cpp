//===- DrawTest.cpp - random draws and noise of the compiled pipeline -----===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "PipelineTesting.h"

#include <Random123/philox.h>
#include <gmock/gmock.h>

#include <numeric>

namespace kowari::pipeline {
namespace {

constexpr uint64_t testSeed = 0x123456789abcdef;

/// A program over the twelve samples of tiny_fd whose parameters are the five draws, as they are.
struct TinyPipeline {
  explicit TinyPipeline(const std::vector<std::string> &expressions, int64_t maxRows = 256,
                        uint64_t seedValue = testSeed)
      : priors(makePriors(expressions)),
        dataset(expectValue(data::WaveformDataset::open({.path = referenceFile("datasets/tiny_fd.hdf5")}))) {
    DataSpec data;
    data.bins = dataset.domain().bins();
    data.minIndex = dataset.domain().minIndex();
    data.detectors = 2;
    data.asdRows = 8;
    for (const data::Prior &prior : priors)
      data.extrinsicPriors.push_back(prior.className());
    data.parameterSources.assign(std::begin(extrinsicNames), std::end(extrinsicNames));
    program = loadProgram(smallSpec(data, 5, maxRows, ElementType::F32));
    options.detectors = expectValue(data::expandDetectors({"H1", "L1"}));
    options.parameters = data.parameterSources;
    for (const std::string &name : options.parameters)
      options.standardization[name] = {};
    options.extrinsicPriors = priors;
    options.seed = seedValue;
    pipeline = expectValue(InputPipeline::create(*program, dataset, options));
    const std::vector<int64_t> counts = {8, 6}; // noise curves; the curves themselves stay 0
    for (int64_t d = 0; d < 2; ++d)
      expectOk(program->writeScalar(asdCount(d), static_cast<double>(counts[d])));
  }

  /// Runs @draw for samples first, first + 1, ...; one vector for each extrinsic parameter.
  std::vector<std::vector<double>> draw(int64_t first, int64_t count, int64_t epochNumber) {
    std::vector<std::vector<double>> drawn(5);
    indices.assign(2, {});
    expectOk(program->writeScalar(epoch, static_cast<double>(epochNumber)));
    const int entry = program->findEntry("draw");
    for (int64_t begin = 0; begin < count; begin += program->maxRows()) {
      const int64_t rows = std::min(program->maxRows(), count - begin);
      std::vector<int64_t> samples(static_cast<size_t>(rows));
      std::iota(samples.begin(), samples.end(), first + begin);
      expectOk(program->writeInput(entry, sampleIndex, std::span<const int64_t>(samples), rows));
      expectOk(pipeline->draw(rows));
      collect(entry, rows, drawn);
    }
    return drawn;
  }

  void collect(int entry, int64_t rows, std::vector<std::vector<double>> &drawn) {
    std::vector<double> values(static_cast<size_t>(rows));
    for (size_t i = 0; i < drawn.size(); ++i) {
      expectOk(program->readOutput(entry, extrinsic(extrinsicNames[i]), std::span<double>(values), rows));
      drawn[i].insert(drawn[i].end(), values.begin(), values.end());
    }
    for (int64_t d = 0; d < 2; ++d) {
      const plan::TensorInfo *tensor = program->findEntryTensor(entry, asdIndex(d));
      const auto *index = static_cast<const int64_t *>(program->data(tensor->view));
      indices[d].insert(indices[d].end(), index, index + rows);
    }
  }

  std::vector<data::Prior> priors;
  data::WaveformDataset dataset;
  InputPipelineOptions options;
  std::unique_ptr<plan::Program> program;
  std::unique_ptr<InputPipeline> pipeline;
  std::vector<std::vector<int64_t>> indices; ///< of the last draw, by detector
};

const std::vector<std::string> closedPriors = {
    "Cosine(minimum=-1.0, maximum=1.2)", "Uniform(minimum=0.0, maximum=2*np.pi)",
    "Gaussian(mu=0.01, sigma=0.03)", "Sine(minimum=0.2, maximum=np.pi)",
    "PowerLaw(alpha=2, minimum=100.0, maximum=1000.0)"};
const std::vector<std::string> otherPriors = {
    "PowerLaw(alpha=-1, minimum=0.1, maximum=1.0)", "1.25",
    "TruncatedGaussian(mu=0.0, sigma=0.05, minimum=-0.1, maximum=0.1)",
    "LogUniform(minimum=0.1, maximum=3.0)",
    "bilby.gw.prior.UniformSourceFrame(minimum=100.0, maximum=5000.0, "
    "name='luminosity_distance', cosmology='Planck15')"};

/// u of (sample, epoch, site), straight from the generator.
double uniformOf(int64_t sample, int64_t epochNumber, uint32_t site) {
  r123::Philox4x32::ctr_type counter = {
      {static_cast<uint32_t>(sample), static_cast<uint32_t>(epochNumber), site, 0}};
  r123::Philox4x32::key_type key = {{static_cast<uint32_t>(testSeed), static_cast<uint32_t>(testSeed >> 32)}};
  const auto words = r123::Philox4x32()(counter, key);
  const uint64_t all = static_cast<uint64_t>(words[0]) << 32 | words[1];
  return (static_cast<double>(all >> 12) + 0.5) * 0x1p-52;
}

/// What a prior gives at u: its quantile function, or the straight line inside a cell of its table.
double quantile(const data::Prior &prior, double u, bool table) {
  if (!table)
    return prior.rescale(u);
  const double cells = priorTableCells, cell = std::floor(u * cells), fraction = u * cells - cell;
  const double low = prior.rescale(cell / cells), high = prior.rescale((cell + 1) / cells);
  return low + fraction * (high - low);
}

TEST(Draw, AreQuantilesOfTheSamplesOwnCounter) {
  constexpr int64_t first = 4000000000; // beyond 31 bits
  for (const auto &expressions : {closedPriors, otherPriors}) {
    TinyPipeline tiny(expressions);
    const auto drawn = tiny.draw(first, 700, 3);
    for (size_t i = 0; i < drawn.size(); ++i) {
      const bool table = tiny.program->findTensor(priorTable(extrinsicNames[i])) != nullptr;
      for (size_t k = 0; k < drawn[i].size(); ++k) {
        const double u = uniformOf(first + static_cast<int64_t>(k), 3, static_cast<uint32_t>((1 << 20) + i));
        const double expected = quantile(tiny.priors[i], u, table);
        const double span = std::max(std::abs(expected), tiny.priors[i].standardDeviation());
        ASSERT_NEAR(drawn[i][k], expected, 1.2e-7 * span) << extrinsicNames[i] << " at u = " << u;
      }
    }
  }
}

/// Largest distance of an empirical distribution function from the one that `quantile` inverts.
double kolmogorovDistance(std::vector<double> values, const std::function<double(double)> &cumulative) {
  std::sort(values.begin(), values.end());
  double distance = 0;
  const auto count = static_cast<double>(values.size());
  for (size_t k = 0; k < values.size(); ++k) {
    const double below = cumulative(values[k]);
    distance = std::max({distance, std::abs(below - k / count), std::abs(below - (k + 1) / count)});
  }
  return distance;
}

double invert(const data::Prior &prior, double value) {
  double low = 0, high = 1;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (prior.rescale(middle) < value ? low : high) = middle;
  }
  return low;
}

TEST(Draw, FollowThePriors) {
  constexpr int64_t count = 20000;
  for (const auto &expressions : {closedPriors, otherPriors}) {
    TinyPipeline tiny(expressions);
    const auto drawn = tiny.draw(0, count, 1);
    for (size_t i = 0; i < drawn.size(); ++i) {
      const data::Prior &prior = tiny.priors[i];
      if (prior.isConstant()) {
        EXPECT_THAT(drawn[i], ::testing::Each(1.25));
        continue;
      }
      const double mean = std::accumulate(drawn[i].begin(), drawn[i].end(), 0.0) / count;
      EXPECT_NEAR(mean, prior.mean(), 5 * prior.standardDeviation() / std::sqrt(count)) << extrinsicNames[i];
      // The distance exceeds 2/sqrt(n) once in 1500 times.
      EXPECT_LT(kolmogorovDistance(drawn[i], [&](double x) { return invert(prior, x); }),
                2 / std::sqrt(count))
          << extrinsicNames[i];
    }
  }
}

TEST(Draw, NoiseCurvesAreUniformAndIndependent) {
  TinyPipeline tiny(closedPriors);
  constexpr int64_t count = 24000;
  tiny.draw(0, count, 1);
  std::vector<double> joint(48);
  for (int64_t k = 0; k < count; ++k) {
    ASSERT_TRUE(tiny.indices[0][k] >= 0 && tiny.indices[0][k] < 8 && tiny.indices[1][k] >= 0 &&
                tiny.indices[1][k] < 6);
    ++joint[tiny.indices[0][k] * 6 + tiny.indices[1][k]];
  }
  double chiSquare = 0;
  for (const double found : joint)
    chiSquare += (found - 500) * (found - 500) / 500;
  EXPECT_LT(chiSquare, 47 + 5 * std::sqrt(2 * 47.0));
}

TEST(Draw, ChangeWithSeedEpochAndSample) {
  TinyPipeline tiny(closedPriors), other(closedPriors, 256, testSeed + (uint64_t{1} << 40));
  const auto first = tiny.draw(0, 100, 1), repeated = tiny.draw(0, 100, 1), epoch2 = tiny.draw(0, 100, 2),
             seed2 = other.draw(0, 100, 1), shifted = tiny.draw(1, 100, 1);
  EXPECT_EQ(first, repeated);
  for (size_t i = 0; i < first.size(); ++i) {
    for (size_t k = 0; k < 100; ++k) {
      EXPECT_NE(first[i][k], epoch2[i][k]);
      EXPECT_NE(first[i][k], seed2[i][k]);
    }
    EXPECT_TRUE(std::equal(first[i].begin() + 1, first[i].end(), shifted[i].begin()));
  }
}

//===-- noise -------------------------------------------------------------===//

/// Whitened noise of both detectors: what is left of a batch of zeros. Row k is sample first + k.
std::vector<std::vector<double>> drawNoise(int64_t first, int64_t rows, int64_t epochNumber) {
  TinyPipeline tiny(closedPriors);
  const int64_t bins = tiny.dataset.domain().networkBins();
  const int entry = tiny.program->findEntry("prepare");
  std::vector<int64_t> samples(static_cast<size_t>(rows));
  std::iota(samples.begin(), samples.end(), first);
  const std::vector<double> zeros(static_cast<size_t>(rows * 2 * bins));
  tiny.draw(first, rows, epochNumber);
  for (const char *name : {plusRows, crossRows})
    expectOk(tiny.program->writeInput(entry, name, std::span<const double>(zeros), rows));
  expectOk(tiny.program->writeInput(entry, sampleIndex, std::span<const int64_t>(samples), rows));
  expectOk(tiny.pipeline->prepare(rows));
  std::vector<std::vector<double>> noise(2);
  for (int64_t d = 0; d < 2; ++d) {
    std::vector<double> all(static_cast<size_t>(rows * 3 * bins));
    expectOk(tiny.program->readOutput(entry, strain(d), std::span<double>(all), rows));
    for (int64_t r = 0; r < rows; ++r)
      noise[d].insert(noise[d].end(), all.begin() + r * 3 * bins, all.begin() + (r * 3 + 2) * bins);
  }
  return noise;
}

double correlation(const double *a, const double *b, size_t count) {
  double sum = 0;
  for (size_t k = 0; k < count; ++k)
    sum += a[k] * b[k];
  return sum / static_cast<double>(count);
}

TEST(Noise, IsStandardNormal) {
  for (const std::vector<double> &noise : drawNoise(0, 256, 1)) {
    const auto count = static_cast<double>(noise.size());
    double moments[5] = {};
    for (const double x : noise)
      for (int power = 1; power < 5; ++power)
        moments[power] += std::pow(x, power) / count;
    const double error = 1 / std::sqrt(count);
    EXPECT_NEAR(moments[1], 0.0, 5 * error);
    EXPECT_NEAR(moments[2], 1.0, 5 * std::sqrt(2.0) * error);
    EXPECT_NEAR(moments[3], 0.0, 5 * std::sqrt(15.0) * error);
    EXPECT_NEAR(moments[4], 3.0, 5 * std::sqrt(96.0) * error);
    EXPECT_LT(kolmogorovDistance(noise, [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }),
              2 * error);
  }
}

TEST(Noise, IsIndependentAcrossPartsBinsSamplesDetectorsAndEpochs) {
  const auto noise = drawNoise(0, 256, 1), later = drawNoise(0, 256, 2);
  const std::vector<double> &a = noise[0];
  const size_t count = a.size(), half = count / 256 / 2; // real, then imaginary part of a sample
  const double bound = 5 / std::sqrt(static_cast<double>(count / 2));
  EXPECT_NEAR(correlation(a.data(), noise[1].data(), count), 0.0, bound);
  EXPECT_NEAR(correlation(a.data(), later[0].data(), count), 0.0, bound);
  EXPECT_NEAR(correlation(a.data(), a.data() + half, count - half), 0.0, bound);
  EXPECT_NEAR(correlation(a.data(), a.data() + 2 * half, count - 2 * half), 0.0, bound);
  EXPECT_NEAR(correlation(a.data(), a.data() + 1, count - 1), 0.0, bound);
  // Squares too: real and imaginary part share a radius, whose law alone makes them independent.
  std::vector<double> squares;
  for (const double x : a)
    squares.push_back((x * x - 1) / std::sqrt(2.0));
  EXPECT_NEAR(correlation(squares.data(), squares.data() + half, count - half), 0.0, bound);
}

} // namespace
} // namespace kowari::pipeline
