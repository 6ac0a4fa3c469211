//===- PrepareTest.cpp - compiled preparation against Dingo's batches -----===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "PipelineTesting.h"

#include <gmock/gmock.h>

namespace kowari::pipeline {
namespace {

using data::relativeDifference;
using ::testing::HasSubstr;

using Case = std::tuple<const char *, ElementType>;

std::string nameOf(const ::testing::TestParamInfo<Case> &info) {
  return std::string(std::get<0>(info.param)) +
         (std::get<1>(info.param) == ElementType::F64 ? "_f64" : "_f32");
}

class PreparedBatch : public ::testing::TestWithParam<Case> {
protected:
  static constexpr int64_t maxRows = 9; // more than any recorded batch has, and no multiple of a vector

  void run(bool zeroNoise) {
    recorded.emplace(std::get<0>(GetParam()));
    program = loadProgram(smallSpec(recorded->dataSpec(zeroNoise),
                                    static_cast<int64_t>(recorded->parameters.size()), maxRows,
                                    std::get<1>(GetParam())));
    entry = program->findEntry("prepare");
    pipeline = expectValue(InputPipeline::create(*program, *recorded->dataset, recorded->options()));
    expectOk(pipeline->startStage(*recorded->asds, maxRows));
    expectOk(pipeline->load(recorded->index));
    recorded->writeDraws(*program);
    expectOk(pipeline->prepare(recorded->rows()));
  }

  std::vector<double> output(const std::string &name, int64_t columns) {
    std::vector<double> values(static_cast<size_t>(recorded->rows() * columns));
    expectOk(program->readOutput(entry, name, std::span<double>(values), recorded->rows()));
    return values;
  }

  /// (rows, detectors, 3, bins) as Dingo packs them.
  std::vector<double> packed() {
    const int64_t columns = 3 * recorded->dataset->domain().networkBins(), count = recorded->detectors();
    std::vector<double> all(static_cast<size_t>(recorded->rows() * count * columns));
    for (int64_t d = 0; d < count; ++d) {
      const std::vector<double> one = output(strain(d), columns);
      for (int64_t r = 0; r < recorded->rows(); ++r)
        std::copy_n(one.begin() + r * columns, columns, all.begin() + (r * count + d) * columns);
    }
    return all;
  }

  bool isDouble() const { return std::get<1>(GetParam()) == ElementType::F64; }

  std::optional<RecordedBatch> recorded;
  std::unique_ptr<plan::Program> program;
  std::unique_ptr<InputPipeline> pipeline;
  int entry = -1;
};

TEST_P(PreparedBatch, StrainIsDingos) {
  run(/*zeroNoise=*/true);
  const std::vector<double> strain = packed();
  const double fromDingo = relativeDifference(strain, recorded->reals("packed_zero_noise"));
  const double fromDouble = relativeDifference(strain, recorded->reals("float64/packed_zero_noise"));
  EXPECT_LT(fromDingo, 5e-6);
  EXPECT_LT(fromDouble, isDouble() ? 2e-7 : 1e-6); // stored coefficients and curves have float32 digits
  RecordProperty("from_dingo", std::to_string(fromDingo * 1e6) + "e-6");
  RecordProperty("from_double", std::to_string(fromDouble * 1e6) + "e-6");
}

TEST_P(PreparedBatch, EveryChannelIsDingos) {
  run(/*zeroNoise=*/true);
  const std::vector<double> strain = packed(), expected = recorded->reals("float64/packed_zero_noise");
  const auto bins = static_cast<size_t>(recorded->dataset->domain().networkBins());
  for (size_t channel = 0; channel < strain.size() / bins; ++channel) {
    const std::vector<double> a(strain.begin() + channel * bins, strain.begin() + (channel + 1) * bins);
    const std::vector<double> b(expected.begin() + channel * bins, expected.begin() + (channel + 1) * bins);
    // The inverse ASD is a rounding of the file's; the strain of a channel of its own is smaller than the
    // batch's.
    EXPECT_LT(relativeDifference(a, b), channel % 3 == 2 ? 2e-7 : 3e-6) << "channel " << channel;
  }
}

TEST_P(PreparedBatch, ParametersAreDingos) {
  run(/*zeroNoise=*/true);
  const std::vector<double> found = output(theta, static_cast<int64_t>(recorded->parameters.size()));
  EXPECT_LT(relativeDifference(found, recorded->reals("inference_parameters")), 1e-6);
  EXPECT_LT(relativeDifference(found, recorded->reals("float64/inference_parameters")),
            isDouble() ? 1e-9 : 2e-7);
}

TEST_P(PreparedBatch, NoiseIsAddedToTheStrainAlone) {
  run(/*zeroNoise=*/true);
  const std::vector<double> quiet = packed();
  run(/*zeroNoise=*/false);
  const std::vector<double> noisy = packed();
  const auto bins = static_cast<size_t>(recorded->dataset->domain().networkBins());
  double sum = 0, squares = 0;
  size_t count = 0;
  for (size_t k = 0; k < quiet.size(); ++k) {
    const double noise = noisy[k] - quiet[k];
    if (k / bins % 3 == 2) {
      ASSERT_EQ(noise, 0.0);
      continue;
    }
    sum += noise;
    squares += noise * noise;
    ++count;
  }
  const double error = 1 / std::sqrt(static_cast<double>(count));
  EXPECT_NEAR(sum / count, 0.0, 5 * error);
  EXPECT_NEAR(squares / count, 1.0, 5 * std::sqrt(2.0) * error);
}

INSTANTIATE_TEST_SUITE_P(Cases, PreparedBatch,
                         ::testing::Combine(::testing::Values("fd", "fd_domain_update",
                                                              "fd_in_memory_single_sample", "detector_times",
                                                              "cropping_three_detectors", "svd",
                                                              "svd_domain_update_size_update"),
                                            ::testing::Values(ElementType::F32, ElementType::F64)),
                         nameOf);

TEST(PreparedContext, HoldsTheLastParameters) {
  RecordedBatch recorded("detector_times");
  constexpr int64_t maxRows = 9, inference = 3, given = 2;
  ASSERT_EQ(recorded.parameters.size(), static_cast<size_t>(inference + given));
  ProgramSpec spec = smallSpec(recorded.dataSpec(true), inference, maxRows, ElementType::F32);
  spec.contextParameters = given;
  auto program = loadProgram(spec);
  auto pipeline = expectValue(InputPipeline::create(*program, *recorded.dataset, recorded.options()));
  expectOk(pipeline->startStage(*recorded.asds, maxRows));
  expectOk(pipeline->load(recorded.index));
  recorded.writeDraws(*program);
  expectOk(pipeline->prepare(recorded.rows()));
  const int entry = program->findEntry("prepare");
  std::vector<double> first(static_cast<size_t>(recorded.rows() * inference)),
      last(static_cast<size_t>(recorded.rows() * given)), found;
  expectOk(program->readOutput(entry, theta, std::span<double>(first), recorded.rows()));
  expectOk(program->readOutput(entry, context, std::span<double>(last), recorded.rows()));
  for (int64_t r = 0; r < recorded.rows(); ++r) {
    found.insert(found.end(), first.begin() + r * inference, first.begin() + (r + 1) * inference);
    found.insert(found.end(), last.begin() + r * given, last.begin() + (r + 1) * given);
  }
  EXPECT_LT(relativeDifference(found, recorded.reals("inference_parameters")), 1e-6);
}

TEST(InputPipelineErrors, SayWhatDoesNotFit) {
  RecordedBatch recorded("svd_domain_update_size_update");
  const auto parameters = static_cast<int64_t>(recorded.parameters.size());
  const ProgramSpec spec = smallSpec(recorded.dataSpec(true), parameters, 9, ElementType::F32);
  auto program = loadProgram(spec);
  InputPipelineOptions options = recorded.options();
  auto message = [&](const InputPipelineOptions &changed, const data::WaveformDataset &dataset) {
    return InputPipeline::create(*program, dataset, changed).status().message();
  };
  InputPipelineOptions changed = options;
  changed.standardization.erase("chi_1");
  EXPECT_THAT(message(changed, *recorded.dataset), HasSubstr("chi_1 has no mean"));
  changed = options;
  changed.detectors.pop_back();
  EXPECT_THAT(message(changed, *recorded.dataset), HasSubstr("compiled for 2 detectors, the data have 1"));
  changed = options;
  changed.parameters.pop_back();
  EXPECT_THAT(message(changed, *recorded.dataset), HasSubstr("11 inference and context parameters"));
  EXPECT_THAT(message(options, *RecordedBatch("svd").dataset),
              HasSubstr("1953 frequency bins, the data have 4017"));

  auto pipeline = expectValue(InputPipeline::create(*program, *recorded.dataset, options));
  EXPECT_THAT(pipeline->startEpoch({0, 1}, 1).message(), HasSubstr("before its stage"));
  EXPECT_THAT(pipeline->next().status().message(), HasSubstr("before its stage"));
  EXPECT_THAT(pipeline->startStage(*recorded.asds, 10).message(), HasSubstr("compiled for 1 to 9"));
  ProgramSpec narrow = spec;
  narrow.data.asdRows = 4;
  program = loadProgram(narrow);
  pipeline = expectValue(InputPipeline::create(*program, *recorded.dataset, options));
  EXPECT_THAT(pipeline->startStage(*recorded.asds, 4).message(),
              HasSubstr("4 noise curves a detector at most"));
}

TEST(InputPipelineErrors, AnIndexOutsideTheNoiseCurvesEndsTheRun) {
  RecordedBatch recorded("svd_domain_update_size_update");
  auto program = loadProgram(smallSpec(
      recorded.dataSpec(true), static_cast<int64_t>(recorded.parameters.size()), 9, ElementType::F32));
  auto pipeline = expectValue(InputPipeline::create(*program, *recorded.dataset, recorded.options()));
  expectOk(pipeline->startStage(*recorded.asds, 9));
  expectOk(pipeline->load(recorded.index));
  recorded.writeDraws(*program);
  const std::vector<int64_t> wrong(static_cast<size_t>(recorded.rows()), 8);
  expectOk(program->writeInput(program->findEntry("prepare"), asdIndex(0), std::span<const int64_t>(wrong),
                               recorded.rows()));
  EXPECT_THAT(pipeline->prepare(recorded.rows()).message(), HasSubstr("asks for row 8 of a table of 8"));
}

} // namespace
} // namespace kowari::pipeline
