//===- CleanStrainsTest.cpp - strains for the embedding's SVD -------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/CleanStrains.h"
#include "frontend/cli/EmbeddingSvd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace fs = std::filesystem;

namespace kowari::cli {

namespace {

class CleanStrainsTest : public testing::Test {
protected:
  void SetUp() override {
    std::ifstream file(fs::path(KOWARI_TEST_DATA) / "settings/e2e_tiny.yaml");
    std::stringstream text;
    text << file.rdbuf();
    std::string yaml = text.str();
    const std::string folder = std::string(KOWARI_TEST_DATA) + "/reference/datasets/";
    for (size_t at = 0; (at = yaml.find("data/tiny", at)) != std::string::npos; at += folder.size())
      yaml.replace(at, 5, folder);
    Result<Settings> parsed = parseSettings(yaml, "e2e_tiny.yaml");
    ASSERT_TRUE(parsed) << parsed.status().message();
    settings = parsed.take();
    Result<TrainingData> opened = openTrainingData(settings, [](const std::string &) {});
    ASSERT_TRUE(opened) << opened.status().message();
    data = opened.take();
  }

  Settings settings;
  TrainingData data;
};

} // namespace

TEST_F(CleanStrainsTest, DrawsLieInTheirPriorsAndDependOnTheSampleAlone) {
  Result<CleanStrains> strains = CleanStrains::create(data, *data.asds[0], settings.data.refTime);
  ASSERT_TRUE(strains);
  const auto drawn = [&](uint64_t sample, double distance) {
    data::CounterRandom random(5, data::RandomPurpose::SvdSamples, sample);
    return strains->draw(random, distance);
  };
  for (uint64_t sample = 0; sample < 200; ++sample) {
    const CleanStrains::Draw draw = drawn(sample, 0.0);
    EXPECT_LE(std::abs(draw.extrinsic.dec), 1.5708);
    EXPECT_LE(std::abs(draw.extrinsic.geocentTime), 0.1001);
    EXPECT_GE(draw.extrinsic.luminosityDistance, 100.0);
    EXPECT_LE(draw.extrinsic.luminosityDistance, 1000.0);
    ASSERT_EQ(draw.asdRow.size(), 2u);
    EXPECT_LT(draw.asdRow[0], 3);
    EXPECT_LT(draw.asdRow[1], 2);
    EXPECT_EQ(draw.extrinsic.ra, drawn(sample, 0.0).extrinsic.ra);
    EXPECT_EQ(drawn(sample, 100.0).extrinsic.luminosityDistance, 100.0);
    EXPECT_EQ(drawn(sample, 100.0).extrinsic.ra, draw.extrinsic.ra);
  }
}

TEST_F(CleanStrainsTest, StrainsScaleWithDistanceAndNoiseCurve) {
  Result<CleanStrains> strains = CleanStrains::create(data, *data.asds[0], settings.data.refTime);
  ASSERT_TRUE(strains);
  std::vector<std::complex<double>> plus, cross;
  const std::vector<int64_t> sample = {3};
  ASSERT_TRUE(strains->readPolarizations(sample, plus, cross));
  ASSERT_EQ(plus.size(), 129u);
  data::CounterRandom random(5, data::RandomPurpose::SvdSamples, 3);
  CleanStrains::Draw draw = strains->draw(random, 100.0);
  const data::Strain near = strains->whitened(0, draw, plus, cross);
  draw.extrinsic.luminosityDistance = 200.0;
  const data::Strain far = strains->whitened(0, draw, plus, cross);
  const data::Strain projected = strains->preparation().project(0, draw.extrinsic, plus, cross);
  double power = 0.0;
  for (size_t k = 20; k < near.size(); ++k) {
    EXPECT_NEAR(std::abs(near[k] - 2.0 * far[k]), 0.0, 1e-12 * std::abs(near[k]));
    const std::complex<double> expected =
        projected[k] / (static_cast<double>(strains->asd(0, draw)[k]) * data.waveforms->domain().noiseStd());
    EXPECT_NEAR(std::abs(far[k] - expected), 0.0, 1e-12 * std::abs(expected));
    power += std::norm(near[k]);
  }
  EXPECT_GT(power, 0.0);
}

TEST_F(CleanStrainsTest, BasisSpansTheTrainingStrains) {
  std::string folder = (fs::temp_directory_path() / "kowari-svd-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  settings.model.embedding.svd.size = 8; // as many as training samples: the basis spans them
  std::vector<std::string> reports;
  Result<std::vector<data::SvdBasis>> bases =
      makeEmbeddingSvd(settings, data, 5, folder, [&](const std::string &text) { reports.push_back(text); });
  ASSERT_TRUE(bases) << bases.status().message();
  ASSERT_EQ(bases->size(), 2u);
  Result<CleanStrains> strains = CleanStrains::create(data, *data.asds[0], settings.data.refTime);
  std::vector<std::complex<double>> plus, cross;
  const std::vector<int64_t> samples = {0, 7};
  ASSERT_TRUE(strains->readPolarizations(samples, plus, cross));
  for (int64_t i = 0; i < 2; ++i) {
    data::CounterRandom random(5, data::RandomPurpose::SvdSamples, static_cast<uint64_t>(samples[i]));
    const CleanStrains::Draw draw = strains->draw(random, 100.0);
    const std::span<const std::complex<double>> all(plus), crosses(cross);
    data::Strain strain =
        strains->whitened(1, draw, all.subspan(i * 129, 129), crosses.subspan(i * 129, 129));
    std::fill_n(strain.begin(), 20, 0.0);
    EXPECT_NEAR(data::mismatches((*bases)[1], 8, strain.data(), 1)[0], 0.0, 1e-9);
  }
  EXPECT_TRUE(fs::exists(folder + "/svd_H1.hdf5"));
  EXPECT_THAT(reports, testing::Contains("...L1 done."));
  fs::remove_all(folder);
}

} // namespace kowari::cli
