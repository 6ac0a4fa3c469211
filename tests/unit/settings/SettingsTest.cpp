//===- SettingsTest.cpp - settings files that load, and what they mean ----===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/settings/Settings.h"
#include "SettingsText.h"
#include "frontend/settings/Yaml.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

namespace kowari {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Settings parsed(const std::string &text) {
  Result<Settings> settings = parseSettings(text, "s.yaml");
  EXPECT_TRUE(settings.isOk()) << settings.status().message();
  return settings ? settings.take() : Settings();
}

TEST(Settings, realFilesLoad) {
  for (const char *name :
       {"toy.yaml", "peer_toy_npe.yaml", "peer_npe_512.yaml", "peer_npe_1024.yaml", "train_toy_npe.yaml"}) {
    Result<Settings> settings = loadSettings(testFile(name));
    EXPECT_TRUE(settings.isOk()) << settings.status().message();
  }
}

TEST(Settings, realFilesWithKeysNotServedAreRefusedByName) {
  const std::pair<const char *, std::vector<const char *>> cases[] = {
      {"train_gnpe_time_shifts.yaml",
       {"gnpe_time_shifts.yaml:19: data.gnpe_time_shifts: GNPE is not served yet"}},
      {"train_layernorm.yaml",
       {":39: training.stage_0.gradient_updates_per_optimizer_step: 2: accumulation is not served yet",
        ":40: training.stage_0.early_stopping: early stopping is not served yet",
        ":45: local.num_gpus: 2: training on several devices is not served yet"}},
      {"train_three_detectors_cropping.yaml",
       {":14: data.random_strain_cropping: cropping is not served yet"}}};
  for (const auto &[name, expected] : cases) {
    Result<Settings> settings = loadSettings(testFile(name));
    ASSERT_FALSE(settings.isOk()) << name;
    for (const char *text : expected)
      EXPECT_THAT(settings.status().message(), HasSubstr(text));
    const std::string message = settings.status().message();
    EXPECT_EQ(static_cast<std::size_t>(std::count(message.begin(), message.end(), '\n')), expected.size() - 1)
        << message;
  }
}

TEST(Settings, theirServedPartsAreFine) {
  for (const auto &[name, cut] :
       {std::pair("train_three_detectors_cropping.yaml",
                  "  random_strain_cropping:\n    f_min_upper: 32\n    f_max_lower: 128\n    "
                  "cropping_probability: 0.8\n"),
        std::pair("train_gnpe_time_shifts.yaml",
                  "  gnpe_time_shifts:\n    kernel: bilby.core.prior.Uniform(minimum=-0.001, "
                  "maximum=0.001)\n    exact_equiv: True\n")}) {
    std::ifstream stream(testFile(name));
    std::string text((std::istreambuf_iterator<char>(stream)), {});
    const std::size_t at = text.find(cut);
    ASSERT_NE(at, std::string::npos);
    text.erase(at, std::string(cut).size());
    const Settings settings = parsed(text);
    EXPECT_FALSE(settings.stages.empty());
  }
}

TEST(Settings, dataSetSettingsAreNoTrainSettings) {
  int refused = 0;
  for (const auto &entry : std::filesystem::directory_iterator(testFile(""))) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("dataset_") && name != "toy_waveform_dataset_settings.yaml")
      continue;
    const Result<Settings> settings = loadSettings(entry.path());
    ASSERT_FALSE(settings.isOk());
    EXPECT_THAT(settings.status().message(), HasSubstr("the section data is missing"));
    EXPECT_THAT(settings.status().message(), HasSubstr("unknown key"));
    ++refused;
  }
  EXPECT_EQ(refused, 10);
}

TEST(Settings, toyValues) {
  Result<Settings> loaded = loadSettings(testFile("toy.yaml"));
  ASSERT_TRUE(loaded.isOk());
  const Settings &s = *loaded;
  EXPECT_EQ(s.data.waveformDatasetPath, "data/waveform_dataset.hdf5");
  EXPECT_EQ(s.data.trainFraction, 0.95);
  EXPECT_THAT(s.data.detectors, ElementsAre("H1", "L1"));
  EXPECT_EQ(s.data.refTime, 1126259462.391);
  EXPECT_EQ(s.data.inferenceParameters.size(), 11U);
  ASSERT_EQ(s.data.extrinsicPrior.size(), 5U);
  EXPECT_EQ(s.data.extrinsicPrior[3].first, "psi");
  EXPECT_THAT(s.data.extrinsicPrior[3].second, HasSubstr("maximum=np.pi"));
  EXPECT_EQ(s.model.flow.norm, Norm::BatchNorm);
  EXPECT_EQ(s.model.flow.hiddenDim, 64);
  EXPECT_EQ(s.model.flow.numTransformBlocks, 5);
  EXPECT_EQ(s.model.embedding.norm, Norm::BatchNorm);
  EXPECT_THAT(s.model.embedding.hiddenDims, ElementsAre(1024, 512, 256, 128));
  EXPECT_EQ(s.model.embedding.svd.size, 50);
  ASSERT_EQ(s.stages.size(), 2U);
  EXPECT_TRUE(s.stages[0].freezeRbLayer);
  EXPECT_FALSE(s.stages[1].freezeRbLayer);
  EXPECT_EQ(s.stages[1].optimizer.learningRate, 0.00005);
  EXPECT_EQ(s.stages[0].scheduler.kind, SchedulerKind::Cosine);
  EXPECT_EQ(s.stages[0].scheduler.tMax, 20);
  EXPECT_EQ(s.local.maxEpochsPerRun, 30);
  EXPECT_EQ(s.where("training.stage_0.batch_size"), testFile("toy.yaml") + ":45");
  EXPECT_EQ(s.where("training.stage_0.optimizer.betas"), testFile("toy.yaml") + ":43");
}

TEST(Settings, dingosDefaults) {
  const Settings s = parsed(smallSettings);
  EXPECT_EQ(s.model.flow.numTransformBlocks, 2);
  EXPECT_EQ(s.model.flow.norm, Norm::None);
  EXPECT_EQ(s.model.flow.numBins, 8);
  EXPECT_EQ(s.model.flow.tailBound, 1.0);
  EXPECT_EQ(s.model.embedding.norm, Norm::BatchNorm);
  EXPECT_EQ(s.model.embedding.activation, Activation::Elu);
  EXPECT_FALSE(s.data.zeroNoise);
  EXPECT_FALSE(s.data.domainUpdate.has_value());
  const OptimizerSpec &o = s.stages[0].optimizer.spec;
  EXPECT_EQ(o.beta1, 0.9);
  EXPECT_EQ(o.beta2, 0.999);
  EXPECT_EQ(o.epsilon, 1e-8);
  EXPECT_EQ(o.weightDecay, 0);
  EXPECT_EQ(s.stages[0].scheduler.etaMin, 0);
  EXPECT_TRUE(s.local.leaveWaveformsOnDisk);
  EXPECT_EQ(s.local.precision, ElementType::F32);
  EXPECT_FALSE(s.local.maxEpochsPerRun.has_value());
  EXPECT_FALSE(s.local.seed.has_value());
  EXPECT_EQ(parsed(replaced("activation: elu", "num_bins: 5")).model.flow.activation, Activation::Relu);
}

TEST(Settings, optimizersAndSchedulers) {
  const auto stage = [](const std::string &optimizer, const std::string &scheduler) {
    std::string text = replaced("{type: adam, lr: 0.0004}", optimizer);
    const std::string old = "{type: cosine, T_max: 20}";
    text.replace(text.find(old), old.size(), scheduler);
    return parsed(text).stages.at(0);
  };
  StageSettings a =
      stage("{type: AdamW, lr: 5e-5, betas: [0.8, 0.9], eps: 1.0e-6, amsgrad: yes, maximize: True}",
            "{type: Step, step_size: 3, gamma: 0.5}");
  EXPECT_EQ(a.optimizer.spec.kind, OptimizerKind::AdamW);
  EXPECT_EQ(a.optimizer.learningRate, 5e-5);
  EXPECT_EQ(a.optimizer.spec.weightDecay, 0.01);
  EXPECT_EQ(a.optimizer.spec.beta1, 0.8);
  EXPECT_TRUE(a.optimizer.spec.amsgrad);
  EXPECT_TRUE(a.optimizer.spec.maximize);
  EXPECT_EQ(a.optimizer.kwargs.find("type")->asString(), "adamw");
  EXPECT_EQ(a.optimizer.kwargs.find("lr")->asDouble(), 5e-5);
  EXPECT_EQ(a.scheduler.kind, SchedulerKind::Step);
  EXPECT_EQ(a.scheduler.stepSize, 3);
  EXPECT_EQ(a.scheduler.gamma, 0.5);
  StageSettings b =
      stage("{type: sgd, lr: 1, momentum: 0.9, nesterov: True, weight_decay: 0.1}",
            "{type: reduce_on_plateau, mode: max, patience: 2, threshold_mode: abs, min_lr: 1.0e-7}");
  EXPECT_EQ(b.optimizer.spec.kind, OptimizerKind::Sgd);
  EXPECT_EQ(b.optimizer.learningRate, 1);
  EXPECT_EQ(b.optimizer.spec.momentum, 0.9);
  EXPECT_TRUE(b.optimizer.spec.nesterov);
  EXPECT_EQ(b.optimizer.spec.weightDecay, 0.1);
  EXPECT_TRUE(b.scheduler.modeMax);
  EXPECT_EQ(b.scheduler.patience, 2);
  EXPECT_FALSE(b.scheduler.thresholdRelative);
  EXPECT_EQ(b.scheduler.minLearningRate, 1e-7);
  EXPECT_EQ(b.scheduler.factor, 0.1);
}

TEST(Settings, freezeStaysUntilItIsSaid) {
  const std::string second =
      "  stage_1:\n    epochs: 1\n    asd_dataset_path: a\n    optimizer: {type: adam}\n"
      "    scheduler: {type: step, step_size: 1}\n    batch_size: 8\nlocal:";
  EXPECT_TRUE(parsed(replaced("local:", second)).stages.at(1).freezeRbLayer);
}

TEST(Settings, mergeKeysAndYamlBooleans) {
  const std::string text =
      replaced("local:", "  stage_1:\n    <<: *first\n    epochs: 3\n    freeze_rb_layer: no\nlocal:");
  std::string anchored = text;
  anchored.replace(anchored.find("stage_0:"), 8, "stage_0: &first");
  const Settings s = parsed(anchored);
  ASSERT_EQ(s.stages.size(), 2U);
  EXPECT_EQ(s.stages[1].epochs, 3);
  EXPECT_EQ(s.stages[1].batchSize, 64);
  EXPECT_FALSE(s.stages[1].freezeRbLayer);
}

TEST(Settings, numbersWithoutADotAreReadWithANotice) {
  const Settings s = parsed(replaced("lr: 0.0004", "lr: 5e-5"));
  EXPECT_EQ(s.stages[0].optimizer.learningRate, 5e-5);
  EXPECT_THAT(s.notices,
              Contains(HasSubstr("s.yaml:24: training.stage_0.optimizer.lr: read 5e-5 as the number 5e-05")));
  EXPECT_EQ(s.trainSettings.findPath("training.stage_0.optimizer.lr")->asDouble(), 5e-5);
}

TEST(Settings, keysWithoutEffectGiveOneNoticeEach) {
  const Settings s = parsed(replaced(
      "  checkpoint_epochs: 10\n",
      "  checkpoint_epochs: 10\n  torch_compile: True\n  torch_compile_cache_dir: /c\n  ddp_port: 12377\n"
      "  float32_matmul_precision: high\n  wandb: {project: p}\n  condor: {num_cpus: 4, num_gpus: 1, bid: "
      "30}\n"
      "  num_gpus: 1\n"));
  EXPECT_THAT(s.notices,
              ElementsAre(HasSubstr("s.yaml:29: local.num_workers: Kowari prepares data on its own threads"),
                          HasSubstr("s.yaml:32: local.torch_compile: Kowari always compiles"),
                          HasSubstr("local.torch_compile_cache_dir: taken as the folder"),
                          HasSubstr("local.ddp_port: no torch process group"),
                          HasSubstr("local.float32_matmul_precision: products are computed in full"),
                          HasSubstr("local.wandb: nothing is sent"),
                          HasSubstr("local.condor: kept for dingo_train_condor")));
  EXPECT_EQ(s.local.torchCompileCacheDir, "/c");
  EXPECT_EQ(s.localSettings.findPath("condor.bid")->asInt(), 30);
}

TEST(Settings, windowIsCarriedIntoTheMetadata) {
  const Settings s = parsed(
      replaced("  detectors:", "  window: {type: tukey, f_s: 4096, T: 8.0, roll_off: 0.4}\n  detectors:"));
  EXPECT_THAT(s.notices, Contains(HasSubstr("data.window: not used in training; kept in the model")));
  EXPECT_EQ(s.trainSettings.findPath("data.window.f_s")->asInt(), 4096);
}

TEST(Settings, kowarisOwnKeys) {
  const Settings s = parsed(std::string(smallSettings) +
                            "  seed: 7\n  compile_cache_dir: /c\n  precision: 64-true\n  num_threads: 2\n");
  EXPECT_EQ(s.local.seed, 7U);
  EXPECT_EQ(s.local.compileCacheDir, "/c");
  EXPECT_EQ(s.local.precision, ElementType::F64);
  EXPECT_EQ(s.local.numThreads, 2);
}

TEST(Settings, domainUpdateAndDefaultParameters) {
  const Settings s = parsed(replaced(
      "[chirp_mass, dec, H1_time]",
      "default\n  domain_update: {f_min: 20, f_max: 512.0}\n  svd_size_update: 10\n  zero_noise: True"));
  EXPECT_EQ(s.data.domainUpdate->fMin, 20.0);
  EXPECT_EQ(s.data.domainUpdate->fMax, 512.0);
  EXPECT_FALSE(s.data.domainUpdate->deltaF.has_value());
  EXPECT_EQ(s.data.svdSizeUpdate, 10);
  EXPECT_TRUE(s.data.zeroNoise);
  EXPECT_EQ(s.data.inferenceParameters.size(), 15U);
  EXPECT_EQ(s.trainSettings.findPath("data.inference_parameters")->asList().size(), 15U);
}

TEST(Settings, oldSpellings) {
  Result<YamlNode> original = readYamlFile(testFile("legacy_model.yaml"));
  Result<YamlNode> converted = readYamlFile(testFile("legacy_model_converted.yaml"));
  ASSERT_TRUE(original.isOk() && converted.isOk());
  Result<ModelSettings> a = readModelSettings(original->toValue(), "old.pt");
  Result<ModelSettings> b = readModelSettings(converted->toValue(), "new.pt");
  ASSERT_TRUE(a.isOk()) << a.status().message();
  ASSERT_TRUE(b.isOk()) << b.status().message();
  for (const ModelSettings &m : {*a, *b}) {
    EXPECT_EQ(m.posteriorModelType, "normalizing_flow");
    EXPECT_EQ(m.flow.norm, Norm::BatchNorm);
    EXPECT_EQ(m.flow.inputDim, 5);
    EXPECT_EQ(m.contextDim, 6);
    EXPECT_EQ(m.embedding.norm, Norm::BatchNorm);
    EXPECT_THAT(m.embedding.inputDims, ElementsAre(2, 3, 20));
  }
}

TEST(Settings, normFlagsBecomeNorm) {
  const auto norm = [](const std::string &flags) {
    const Settings s = parsed(replaced("activation: elu", flags));
    EXPECT_THAT(s.notices, Contains(HasSubstr("s.yaml:14: model.posterior_kwargs.base_transform_kwargs: ")));
    EXPECT_EQ(s.trainSettings.findPath("model.posterior_kwargs.base_transform_kwargs.batch_norm"), nullptr);
    EXPECT_NE(s.trainSettings.findPath("model.posterior_kwargs.base_transform_kwargs.norm"), nullptr);
    return s.model.flow.norm;
  };
  EXPECT_EQ(norm("batch_norm: True"), Norm::BatchNorm);
  EXPECT_EQ(norm("batch_norm: 'true'"), Norm::BatchNorm);
  EXPECT_EQ(norm("layer_norm: True, batch_norm: False"), Norm::LayerNorm);
  EXPECT_EQ(norm("batch_norm: False, norm: LayerNorm"), Norm::None);
}

TEST(Settings, completedTrainSettingsLookLikeDingos) {
  Settings s = parsed(smallSettings);
  EXPECT_EQ(s.trainSettings.find("local"), nullptr);
  EXPECT_TRUE(s.trainSettings.findPath("data.context_parameters")->asList().empty());
  completeTrainSettings(s.trainSettings, 2, 100,
                        {{"chirp_mass", "dec", "H1_time"}, {30, 0, 0.5}, {5, 0.7, 0.25}});
  const Value &v = s.trainSettings;
  EXPECT_EQ(v.findPath("model.posterior_kwargs.input_dim")->asInt(), 3);
  EXPECT_EQ(v.findPath("model.posterior_kwargs.context_dim")->asInt(), 128);
  EXPECT_EQ(v.findPath("model.embedding_kwargs.input_dims")->toJson(), "[2, 3, 100]");
  EXPECT_FALSE(v.findPath("model.embedding_kwargs.added_context")->asBool());
  EXPECT_EQ(v.findPath("model.embedding_type")->asString(), "resnet");
  EXPECT_EQ(v.findPath("data.standardization.std.H1_time")->asDouble(), 0.25);
}

TEST(Settings, aResumedRunGetsTheSameSettings) {
  Settings s = parsed(smallSettings);
  completeTrainSettings(s.trainSettings, 2, 100,
                        {{"chirp_mass", "dec", "H1_time"}, {30, 0, 0.5}, {5, 0.7, 0.25}});
  const std::string local = testing::TempDir() + "local_settings.yaml";
  std::ofstream(local) << s.localSettings.toYaml();
  Result<Settings> resumed = resumeSettings(s.trainSettings, "model_latest.pt", local);
  ASSERT_TRUE(resumed.isOk()) << resumed.status().message();
  EXPECT_EQ(resumed->trainSettings, s.trainSettings);
  EXPECT_EQ(resumed->localSettings, s.localSettings);
  ASSERT_TRUE(resumed->data.standardization.has_value());
  EXPECT_THAT(resumed->data.standardization->mean, ElementsAre(30, 0, 0.5));
  EXPECT_THAT(resumed->model.embedding.inputDims, ElementsAre(2, 3, 100));
  EXPECT_THAT(resumed->notices, ElementsAre(HasSubstr("local_settings.yaml:2: local.num_workers")));
  EXPECT_TRUE(resumeSettings(s.trainSettings, "m.pt", testFile("local_settings.yaml")).isOk());
}

} // namespace
} // namespace kowari
