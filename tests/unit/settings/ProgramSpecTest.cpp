//===- ProgramSpecTest.cpp - specs, their JSON, and shapes that clash -----===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "SettingsText.h"
#include "frontend/settings/MakeProgramSpec.h"
#include "frontend/settings/ShrinkSpec.h"
#include "frontend/settings/Yaml.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace kowari {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Settings settingsOf(const std::string &text) {
  Result<Settings> settings = parseSettings(text, "s.yaml");
  EXPECT_TRUE(settings.isOk()) << settings.status().message();
  return settings ? settings.take() : Settings();
}

const DataShape shape = {1000, 40, 48, 10000, 2};

ProgramSpec smallSpec() {
  Result<ProgramSpec> spec = makeProgramSpec(settingsOf(smallSettings), shape);
  EXPECT_TRUE(spec.isOk()) << spec.status().message();
  return spec ? spec.take() : ProgramSpec();
}

TEST(ProgramSpec, roomForNoiseCurvesIsAPowerOfTwo) {
  DataShape withCurves = shape;
  for (const auto &[curves, room] : {std::pair{0, 1}, {1, 1}, {5, 8}, {8, 8}, {1000, 1024}}) {
    withCurves.asdRows = curves;
    const Result<ProgramSpec> spec = makeProgramSpec(settingsOf(smallSettings), withCurves);
    ASSERT_TRUE(spec.isOk()) << spec.status().message();
    EXPECT_EQ(spec->data.asdRows, room);
  }
}

TEST(ProgramSpec, fromSettings) {
  const ProgramSpec spec = smallSpec();
  EXPECT_EQ(spec.maxRows, 64);
  EXPECT_EQ(spec.flow.inputDim, 3);
  EXPECT_EQ(spec.flow.numFlowSteps, 5);
  EXPECT_EQ(spec.embedding.bins, 960);
  EXPECT_EQ(spec.embedding.detectors, 2);
  EXPECT_EQ(spec.embedding.svdSize, 50);
  EXPECT_EQ(spec.contextDim(), 128);
  ASSERT_EQ(spec.stages.size(), 1U);
  EXPECT_TRUE(spec.stages[0].freezeRbLayer);
  EXPECT_EQ(spec.data.bins, 1000);
  EXPECT_EQ(spec.data.minIndex, 40);
  EXPECT_THAT(spec.data.extrinsicPriors, ElementsAre("Cosine", "Uniform", "Uniform", "Uniform", "Uniform"));
  EXPECT_THAT(spec.data.parameterSources, ElementsAre("", "dec", "H1_time"));
}

TEST(ProgramSpec, jsonRoundTripIsCanonical) {
  const std::string json = smallSpec().toCanonicalJson();
  Result<ProgramSpec> again = ProgramSpec::fromJson(json);
  ASSERT_TRUE(again.isOk()) << again.status().message();
  EXPECT_EQ(again->toCanonicalJson(), json);
  EXPECT_EQ(nlohmann::json::parse(json).dump(), json);
  EXPECT_EQ(json.find(' '), std::string::npos);
  const auto parsed = nlohmann::json::parse(json);
  EXPECT_EQ(parsed["flow"]["activation"], "elu");
  EXPECT_EQ(parsed["embedding"]["norm"], "BatchNorm");
  EXPECT_EQ(parsed["stages"][0]["optimizer"]["epsilon"], 1e-8);
}

TEST(ProgramSpec, whatOnlyTheRunKnowsIsNotInIt) {
  const std::string json = smallSpec().toCanonicalJson();
  for (const auto &[from, to] :
       {std::pair("lr: 0.0004", "lr: 0.1"), std::pair("epochs: 20", "epochs: 3"),
        std::pair("data/a.hdf5", "b.hdf5"), std::pair("T_max: 20", "T_max: 2"),
        std::pair("maximum=1000.0", "maximum=2000.0"), std::pair("1126259462.391", "1.5")}) {
    Result<ProgramSpec> spec = makeProgramSpec(settingsOf(replaced(from, to)), shape);
    ASSERT_TRUE(spec.isOk());
    EXPECT_EQ(spec->toCanonicalJson(), json) << to;
  }
  Result<ProgramSpec> other =
      makeProgramSpec(settingsOf(replaced("hidden_dim: 64", "hidden_dim: 65")), shape);
  EXPECT_NE(other->toCanonicalJson(), json);
}

TEST(ProgramSpec, shrunkKeepsTheStructure) {
  ProgramSpec whole = smallSpec();
  const ProgramSpec narrow = shrinkWidths(whole, 16);
  EXPECT_TRUE(ProgramSpec::fromJson(narrow.toCanonicalJson()).isOk());
  for (const int64_t width : {narrow.flow.hiddenDim, narrow.embedding.bins, narrow.embedding.svdSize,
                              narrow.embedding.outputDim, narrow.data.svdSize, narrow.data.asdRows})
    EXPECT_LE(width, 16);
  EXPECT_THAT(narrow.embedding.hiddenDims, testing::Each(testing::Le(16)));
  EXPECT_EQ(narrow.embedding.hiddenDims.size(), whole.embedding.hiddenDims.size());
  EXPECT_EQ(narrow.data.bins - narrow.data.minIndex, narrow.embedding.bins);
  EXPECT_EQ(narrow.flow.numFlowSteps, whole.flow.numFlowSteps);
  EXPECT_EQ(narrow.maxRows, whole.maxRows);
  EXPECT_EQ(narrow.stages.size(), whole.stages.size());
  // What is narrow already stays.
  EXPECT_EQ(shrinkWidths(whole, 100000).embedding.bins, whole.embedding.bins);
  EXPECT_EQ(shrinkWidths(narrow, 16).toCanonicalJson(), narrow.toCanonicalJson());
}

TEST(ProgramSpec, badJsonNamesTheKey) {
  const auto changed = [](const std::string &pointer, const nlohmann::json &value) {
    nlohmann::json json = nlohmann::json::parse(smallSpec().toCanonicalJson());
    json[nlohmann::json::json_pointer(pointer)] = value;
    const Result<ProgramSpec> spec = ProgramSpec::fromJson(json.dump());
    EXPECT_FALSE(spec.isOk()) << pointer;
    return spec.status().message();
  };
  EXPECT_THAT(changed("/max_rows", 0), HasSubstr("max_rows must be an integer of at least 1"));
  EXPECT_THAT(changed("/max_rows", 1.5), HasSubstr("max_rows must be an integer"));
  EXPECT_THAT(changed("/flow/activation", "tanh"),
              HasSubstr("flow.activation must be one of elu, relu, leaky_relu, gelu"));
  EXPECT_THAT(changed("/flow/dropout", 1.0), HasSubstr("flow.dropout is out of range"));
  EXPECT_THAT(changed("/flow/tail_bound", "x"), HasSubstr("flow.tail_bound is out of range or no number"));
  EXPECT_THAT(changed("/stages/0/optimizer/kind", 3),
              HasSubstr("stages[0].optimizer.kind must be one of adam"));
  EXPECT_THAT(changed("/stages/0/extra", 3), HasSubstr("stages[0].extra is unknown"));
  EXPECT_THAT(changed("/stages/0", 3), HasSubstr("stages[0] must be an object"));
  EXPECT_THAT(changed("/embedding/hidden_dims/0", -3),
              HasSubstr("embedding.hidden_dims must hold integers of at least 1"));
  EXPECT_THAT(changed("/embedding/bins", 0), HasSubstr("embedding needs"));
  EXPECT_THAT(changed("/data/min_index", 5000), HasSubstr("data.min_index must be below data.bins"));
  EXPECT_THAT(changed("/flow/input_dim", 4), HasSubstr("one of parameter_sources for each"));
  EXPECT_THAT(changed("/data/zero_noise", 1), HasSubstr("data.zero_noise must be true or false"));
  EXPECT_THAT(changed("/target", ""), HasSubstr("target must not be empty"));
  nlohmann::json missing = nlohmann::json::parse(smallSpec().toCanonicalJson());
  missing["flow"].erase("num_bins");
  EXPECT_THAT(ProgramSpec::fromJson(missing.dump()).status().message(),
              HasSubstr("flow.num_bins is missing"));
  EXPECT_THAT(ProgramSpec::fromJson("{").status().message(), HasSubstr("no valid JSON"));
  EXPECT_THAT(ProgramSpec::fromJson("[]").status().message(), HasSubstr("the whole text must be an object"));
}

TEST(ProgramSpec, clashesWithTheDataAreRefused) {
  const auto message = [](const std::string &text, DataShape other) {
    return makeProgramSpec(settingsOf(text), other).status().message();
  };
  EXPECT_THAT(message(replaced("batch_size: 64", "batch_size: 9501"), shape),
              HasSubstr("s.yaml:26: training.stage_0.batch_size: 9501 is more than the 9500 training samples "
                        "(train_fraction 0.95 of 10000)"));
  EXPECT_THAT(message(replaced("batch_size: 64", "batch_size: 9499"), shape),
              HasSubstr("training batch of one row"));
  EXPECT_THAT(message(replaced("batch_size: 64", "batch_size: 1"), shape),
              HasSubstr("training batch of one row"));
  EXPECT_THAT(
      message(replaced("size: 50", "size: 961"), shape),
      HasSubstr("s.yaml:18: model.embedding_kwargs.svd.size: 961 is more than the 960 frequency bins"));
  EXPECT_THAT(message(replaced("size: 50", "size: 101"), shape), HasSubstr("fewer than the 101 elements"));
  EXPECT_THAT(message(smallSettings, {1000, 40, 48, 109, 2}),
              HasSubstr("together are 110, the data set has only 109"));
  EXPECT_THAT(message(smallSettings, {1000, 40, 48, 1, 2}),
              HasSubstr("data.train_fraction: leaves 0 training samples"));
  EXPECT_THAT(message(smallSettings, {40, 40, 48, 1000, 2}), HasSubstr("shape makes no sense"));
  const std::string noNorm = replaced("output_dim: 128", "output_dim: 128\n    norm: LayerNorm");
  std::string oneRow = noNorm;
  oneRow.replace(oneRow.find("batch_size: 64"), 14, "batch_size: 1");
  EXPECT_TRUE(makeProgramSpec(settingsOf(oneRow), shape).isOk());
  EXPECT_TRUE(makeProgramSpec(settingsOf(replaced("size: 50", "size: 5000, no_init: True")), shape).isOk());
}

TEST(ProgramSpec, shapesFromFlagsNeedNoSampleCount) {
  EXPECT_TRUE(
      makeProgramSpec(settingsOf(replaced("batch_size: 64", "batch_size: 1")), {1000, 40, 0, 0, 3}).isOk());
}

TEST(ProgramSpec, trainingRowsTruncateAsDingo) {
  EXPECT_EQ(trainingRows(0.57, 100), 56);
  EXPECT_EQ(trainingRows(0.95, 10000), 9500);
}

TEST(ProgramSpec, ofATrainedModel) {
  Result<YamlNode> node = readYamlFile(testFile("legacy_model.yaml"));
  Result<ModelSettings> model = readModelSettings(node->toValue(), "m.pt");
  ASSERT_TRUE(model.isOk());
  Result<ProgramSpec> spec = makeModelSpec(*model, 13, ElementType::F64, "m.pt");
  ASSERT_TRUE(spec.isOk()) << spec.status().message();
  EXPECT_EQ(spec->embedding.bins, 20);
  EXPECT_EQ(spec->contextParameters, 0);
  EXPECT_TRUE(ProgramSpec::fromJson(spec->toCanonicalJson()).isOk());
  model->contextDim = 8;
  EXPECT_THAT(makeModelSpec(*model, 13, ElementType::F64, "m.pt").status().message(),
              HasSubstr("m.pt: model: posterior_kwargs.context_dim 8 does not fit"));
  model->embedding.addedContext = true;
  EXPECT_EQ(makeModelSpec(*model, 13, ElementType::F64, "m.pt")->contextParameters, 2);
  model->hasEmbedding = false;
  model->contextDim.reset();
  EXPECT_EQ(makeModelSpec(*model, 13, ElementType::F64, "m.pt")->contextDim(), 0);
}

} // namespace
} // namespace kowari
