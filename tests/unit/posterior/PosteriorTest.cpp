//===- PosteriorTest.cpp - a trained flow against a known posterior -------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Losses of real trainings hardly fall, so they do not notice subtle faults. Here a small flow learns a
// posterior that is known in closed form: theta ~ N(0, I), z = M theta + noise, and the parameters handed to
// the flow are theta with its first entry bent (w = theta + theta^3/6). The trained flow's density must come
// close to the true one, and the ranks of true parameters among its samples must be uniform (a P-P test).
//
//===----------------------------------------------------------------------===//
#include "frontend/settings/ProgramSpec.h"
#include "runtime/plan/Program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>

namespace kowari {
namespace {

constexpr int64_t dims = 3, rows = 256;
constexpr double noiseStd = 0.6;
constexpr double mixing[dims][dims] = {{1.0, 0.4, 0.0}, {-0.3, 0.8, 0.5}, {0.2, 0.0, 0.7}};

using Vector = std::array<double, dims>;
using Matrix = std::array<Vector, dims>;

double bend(double theta) { return theta + theta * theta * theta / 6.0; }

/// The theta with bend(theta) = w, by Newton's method.
double unbend(double w) {
  double theta = std::cbrt(w);
  for (int i = 0; i < 50; ++i)
    theta -= (bend(theta) - w) / (1.0 + theta * theta / 2.0);
  return theta;
}

/// The posterior of theta given z: normal with precision P = I + M^T M/s^2 and mean P^-1 M^T z/s^2.
class TruePosterior {
public:
  TruePosterior() {
    for (int64_t i = 0; i < dims; ++i)
      for (int64_t j = 0; j < dims; ++j) {
        precision[i][j] = i == j ? 1.0 : 0.0;
        for (int64_t k = 0; k < dims; ++k)
          precision[i][j] += mixing[k][i] * mixing[k][j] / (noiseStd * noiseStd);
      }
    invert();
  }

  double logDensity(const Vector &parameters, const Vector &z) const {
    Vector theta = parameters, difference{};
    theta[0] = unbend(parameters[0]);
    Vector right{};
    for (int64_t i = 0; i < dims; ++i)
      for (int64_t k = 0; k < dims; ++k)
        right[i] += mixing[k][i] * z[k] / (noiseStd * noiseStd);
    for (int64_t i = 0; i < dims; ++i) {
      double mean = 0.0;
      for (int64_t j = 0; j < dims; ++j)
        mean += covariance[i][j] * right[j];
      difference[i] = theta[i] - mean;
    }
    double square = 0.0;
    for (int64_t i = 0; i < dims; ++i)
      for (int64_t j = 0; j < dims; ++j)
        square += difference[i] * precision[i][j] * difference[j];
    return -0.5 * square + 0.5 * std::log(determinant) - 0.5 * dims * std::log(2 * M_PI) -
           std::log(1.0 + theta[0] * theta[0] / 2.0);
  }

private:
  void invert() {
    const Matrix &p = precision;
    auto minor = [&](int64_t i, int64_t j) {
      int64_t a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
      return p[a][c] * p[b][d] - p[a][d] * p[b][c];
    };
    determinant = p[0][0] * minor(0, 0) + p[0][1] * minor(0, 1) + p[0][2] * minor(0, 2);
    for (int64_t i = 0; i < dims; ++i)
      for (int64_t j = 0; j < dims; ++j)
        covariance[j][i] = minor(i, j) / determinant;
  }

  Matrix precision{}, covariance{};
  double determinant = 0.0;
};

struct Batch {
  std::vector<double> theta, z; // (rows x dims)
};

class Simulator {
public:
  explicit Simulator(unsigned seed) : random(seed) {}
  double normal() { return gauss(random); }
  Batch draw() {
    Batch batch;
    for (int64_t r = 0; r < rows; ++r) {
      Vector theta;
      for (double &t : theta)
        t = normal();
      for (int64_t k = 0; k < dims; ++k) {
        double z = noiseStd * normal();
        for (int64_t j = 0; j < dims; ++j)
          z += mixing[k][j] * theta[j];
        batch.z.push_back(z);
      }
      theta[0] = bend(theta[0]);
      batch.theta.insert(batch.theta.end(), theta.begin(), theta.end());
    }
    return batch;
  }

private:
  std::mt19937 random;
  std::normal_distribution<double> gauss;
};

#define ASSERT_STATUS(expression)                                                                            \
  do {                                                                                                       \
    Status assertedStatus = (expression);                                                                    \
    ASSERT_TRUE(assertedStatus.isOk()) << assertedStatus.message();                                          \
  } while (false)

class PosteriorTest : public testing::TestWithParam<Norm> {
protected:
  void SetUp() override {
    folder = std::filesystem::temp_directory_path() / ("kowari-posterior-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    ProgramSpec spec;
    spec.maxRows = rows;
    spec.flow.inputDim = dims;
    spec.flow.numFlowSteps = 4;
    spec.flow.hiddenDim = 32;
    spec.flow.activation = Activation::Elu;
    spec.flow.norm = GetParam();
    spec.flow.tailBound = 4.0;
    spec.hasEmbedding = false;
    spec.contextParameters = dims;
    spec.stages.emplace_back();
    std::ofstream(folder / "spec.json") << spec.toCanonicalJson();
    std::string command = std::string(KOWARI_COMPILE) + " --spec " + (folder / "spec.json").string() +
                          " -o " + (folder / "flow.kwa").string() + " > " + (folder / "log").string();
    ASSERT_EQ(std::system(command.c_str()), 0);
    auto loaded = plan::Program::load((folder / "flow.kwa").string(), {});
    ASSERT_TRUE(loaded.isOk()) << loaded.status().message();
    program = loaded.take();
    initialize();
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  void initialize() {
    std::mt19937 random(7);
    for (const plan::TensorInfo &t : program->tensors()) {
      int64_t count = std::accumulate(t.shape.begin(), t.shape.end(), int64_t(1), std::multiplies<>());
      if (t.kind == plan::TensorKind::Parameter || t.kind == plan::TensorKind::State) {
        std::vector<double> values(count, t.initValue);
        if (t.init == plan::InitKind::Uniform)
          for (double &v : values)
            v = std::uniform_real_distribution<double>(-t.initValue, t.initValue)(random);
        ASSERT_STATUS(program->write(t.name, std::span<const double>(values)));
      } else if (t.kind == plan::TensorKind::Constant) {
        std::vector<int64_t> order(count);
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        ASSERT_STATUS(program->write(t.name, std::span<const int64_t>(order)));
      }
    }
  }

  void train(int steps) {
    Simulator simulator(1);
    int entry = program->findEntry("train_step_0");
    ASSERT_GE(entry, 0);
    for (int step = 1; step <= steps; ++step) {
      Batch batch = simulator.draw();
      double rate = 0.5 * 3e-3 * (1.0 + std::cos(M_PI * step / steps));
      ASSERT_STATUS(program->writeScalar("learning_rate", rate));
      ASSERT_STATUS(program->writeScalar("step", step));
      ASSERT_STATUS(program->writeInput(entry, "theta", std::span<const double>(batch.theta), rows));
      ASSERT_STATUS(program->writeInput(entry, "context", std::span<const double>(batch.z), rows));
      ASSERT_STATUS(program->run(entry, rows));
    }
  }

  /// Mean of log p(theta | z) - log q(theta | z) over fresh draws: the divergence, 0 for a perfect flow.
  void measureDivergence(double &divergence) {
    Simulator simulator(2);
    TruePosterior posterior;
    int entry = program->findEntry("log_prob");
    double sum = 0.0;
    constexpr int batches = 40;
    for (int i = 0; i < batches; ++i) {
      Batch batch = simulator.draw();
      std::vector<double> logProb(rows);
      ASSERT_STATUS(program->writeInput(entry, "theta", std::span<const double>(batch.theta), rows));
      ASSERT_STATUS(program->writeInput(entry, "context", std::span<const double>(batch.z), rows));
      ASSERT_STATUS(program->run(entry, rows));
      ASSERT_STATUS(program->readOutput(entry, "log_prob", std::span<double>(logProb), rows));
      for (int64_t r = 0; r < rows; ++r) {
        Vector theta, z;
        std::copy_n(batch.theta.begin() + r * dims, dims, theta.begin());
        std::copy_n(batch.z.begin() + r * dims, dims, z.begin());
        sum += posterior.logDensity(theta, z) - logProb[r];
      }
    }
    divergence = sum / (batches * rows);
  }

  /// Share of posterior samples below the truth, for each parameter and each of `rows` x 4 problems.
  void collectRanks(std::array<std::vector<double>, dims> &ranks) {
    Simulator simulator(3);
    int entry = program->findEntry("sample");
    constexpr int draws = 100;
    for (int problem = 0; problem < 4; ++problem) {
      Batch batch = simulator.draw();
      std::vector<double> below(rows * dims, 0.0), noise(rows * dims), theta(rows * dims);
      ASSERT_STATUS(program->writeInput(entry, "context", std::span<const double>(batch.z), rows));
      for (int draw = 0; draw < draws; ++draw) {
        std::generate(noise.begin(), noise.end(), [&] { return simulator.normal(); });
        ASSERT_STATUS(program->writeInput(entry, "noise", std::span<const double>(noise), rows));
        ASSERT_STATUS(program->run(entry, rows));
        ASSERT_STATUS(program->readOutput(entry, "theta", std::span<double>(theta), rows));
        for (int64_t i = 0; i < rows * dims; ++i)
          below[i] += theta[i] < batch.theta[i] ? 1.0 / draws : 0.0;
      }
      for (int64_t i = 0; i < rows * dims; ++i)
        ranks[i % dims].push_back(below[i]);
    }
  }

  std::filesystem::path folder;
  std::unique_ptr<plan::Program> program;
};

/// Largest distance between the ranks' distribution and the uniform one.
double kolmogorovSmirnov(std::vector<double> ranks) {
  std::sort(ranks.begin(), ranks.end());
  double distance = 0.0, n = static_cast<double>(ranks.size());
  for (size_t i = 0; i < ranks.size(); ++i)
    distance = std::max({distance, (i + 1) / n - ranks[i], ranks[i] - i / n});
  return distance;
}

TEST_P(PosteriorTest, LearnsAKnownPosterior) {
  double before = 0.0, after = 0.0;
  measureDivergence(before);
  train(3000);
  measureDivergence(after);
  EXPECT_GT(before, 0.5);
  EXPECT_GT(after, -0.01); // a density that beats the truth is no density
  EXPECT_LT(after, 0.02);
  std::array<std::vector<double>, dims> ranks;
  collectRanks(ranks);
  for (int64_t i = 0; i < dims; ++i) // 1024 ranks: 0.06 has probability 1e-3 for a perfect flow
    EXPECT_LT(kolmogorovSmirnov(ranks[i]), 0.06) << "parameter " << i;
  RecordProperty("divergence", std::to_string(after));
}

INSTANTIATE_TEST_SUITE_P(Norms, PosteriorTest, testing::Values(Norm::None, Norm::BatchNorm, Norm::LayerNorm),
                         [](const auto &info) {
                           return info.param == Norm::None        ? "None"
                                  : info.param == Norm::BatchNorm ? "BatchNorm"
                                                                  : "LayerNorm";
                         });

} // namespace
} // namespace kowari
