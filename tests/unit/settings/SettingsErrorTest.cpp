//===- SettingsErrorTest.cpp - what users are told about their mistakes ---===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "SettingsText.h"
#include "frontend/settings/Settings.h"

#include <gmock/gmock.h>

namespace kowari {
namespace {

using testing::HasSubstr;

struct Mistake {
  const char *from, *to, *message;
};

void expectMessages(std::initializer_list<Mistake> mistakes) {
  for (const Mistake &mistake : mistakes) {
    const Result<Settings> settings = parseSettings(replaced(mistake.from, mistake.to), "s.yaml");
    ASSERT_FALSE(settings.isOk()) << mistake.to;
    EXPECT_THAT(settings.status().message(), HasSubstr(mistake.message)) << mistake.to;
  }
}

TEST(SettingsErrors, unknownKeys) {
  expectMessages({
      {"batch_size", "batch_sise",
       "s.yaml:26: training.stage_0.batch_sise: unknown key; did you mean batch_size?"},
      {"num_flow_steps", "num_flow_stps",
       "s.yaml:13: model.posterior_kwargs.num_flow_stps: unknown key; did you mean num_flow_steps?"},
      {"  detectors", "  num_bins: 3\n  detectors",
       "s.yaml:4: data.num_bins: unknown key in this section; it belongs into "
       "model.posterior_kwargs.base_transform_kwargs"},
      {"local:", "extra: 1\nlocal:",
       "s.yaml:27: extra: unknown key; known here: data, model, training, local"},
      {"stage_0:", "stage_N:", "s.yaml:20: training.stage_N: unknown key; did you mean stage_0?"},
      {"stage_0:", "stage_00:", "s.yaml:20: training.stage_00: unknown key; did you mean stage_0?"},
      {"dec: default", "declination: default", "data.extrinsic_prior.declination: unknown key"},
      {"{type: adam, lr", "{type: adam, learning_rate: 1, lr",
       "training.stage_0.optimizer.learning_rate: unknown key"},
      {"{type: adam, ", "{type: adam, momentum: 0.9, ",
       "training.stage_0.optimizer.momentum: no option of type adam; known here: type, lr, betas"},
      {"{type: cosine, ", "{type: cosine, patience: 3, ", "scheduler.patience: no option of type cosine"},
      {"device: cpu", "device: cpu\n  condor: {num_cpu: 3}",
       "local.condor.num_cpu: unknown key; did you mean num_cpus?"},
  });
}

TEST(SettingsErrors, missingKeys) {
  expectMessages({
      {"    batch_size: 64\n", "",
       "s.yaml:20: training.stage_0: the key batch_size is missing: Samples an optimizer step."},
      {"  ref_time: 1126259462.391\n", "", "s.yaml:1: data: the key ref_time is missing"},
      {"    scheduler: {type: cosine, T_max: 20}\n", "",
       "s.yaml:20: training.stage_0: the section scheduler is missing"},
      {", T_max: 20", "", "s.yaml:25: training.stage_0.scheduler: the key T_max is missing"},
      {"{type: adam, lr: 0.0004}", "{lr: 0.1}", "training.stage_0.optimizer: the key type is missing"},
      {"  device: cpu\n", "", "local: the key device is missing: cpu or cuda."},
      {"stage_0:", "stage_1:", "s.yaml:20: training: stage_0 is missing"},
      {"num_training_samples: 100, ", "",
       "s.yaml:18: model.embedding_kwargs.svd: the key num_training_samples is missing"},
  });
}

TEST(SettingsErrors, wrongTypes) {
  expectMessages({
      {"batch_size: 64", "batch_size: abc",
       "s.yaml:26: training.stage_0.batch_size: expected an integer, found string 'abc'"},
      {"batch_size: 64", "batch_size: 64.0", "expected an integer, found float 64.0"},
      {"epochs: 20", "epochs: True",
       "s.yaml:21: training.stage_0.epochs: expected an integer, found bool True"},
      {"lr: 0.0004", "lr: '5e-5'", "training.stage_0.optimizer.lr: expected a number, found string '5e-5'"},
      {"freeze_rb_layer: True", "freeze_rb_layer: 1", "freeze_rb_layer: expected True or False, found int 1"},
      {"freeze_rb_layer: True", "freeze_rb_layer: 'yes'", "expected True or False, found string 'yes'"},
      {"[H1, L1]", "H1", "data.detectors: expected a list of names, found string 'H1'"},
      {"[H1, L1]", "[]", "data.detectors: must not be empty"},
      {"[H1, L1]", "[H1, 3]", "data.detectors: expected a list of names, found int 3 in it"},
      {"[H1, L1]", "[H1, H1]", "data.detectors: H1 is listed twice"},
      {"[chirp_mass, dec, H1_time]", "Default", "data.inference_parameters: expected a list of names"},
      {"[64, 32]", "64", "model.embedding_kwargs.hidden_dims: expected a list of integers, found int 64"},
      {"[64, 32]", "[64, 3.5]", "hidden_dims: expected an integer, found float 3.5"},
      {"data/w.hdf5", "3", "data.waveform_dataset_path: expected text, found int 3"},
      {"data/w.hdf5", "''", "data.waveform_dataset_path: must not be empty"},
      {"{type: adam, lr: 0.0004}", "adam",
       "training.stage_0.optimizer: expected a section of keys and values, found string 'adam'"},
      {"lr: 0.0004", "betas: 0.9", "optimizer.betas: expected a list of two numbers, found float 0.9"},
      {"activation: elu", "norm: None",
       "expected BatchNorm, LayerNorm or null, found string 'None'; YAML reads None as "
       "text, write null"},
      {"device: cpu", "device: cpu\n  local_cache_path: None",
       "local.local_cache_path: expected text or null, found string "
       "'None'; YAML reads None as text, write null"},
      {"dec: default", "dec: [1, 2]",
       "data.extrinsic_prior.dec: expected default, a number or a bilby expression"},
  });
  EXPECT_THAT(parseSettings("- a\n", "s.yaml").status().message(),
              HasSubstr("expected a section of keys and values"));
  EXPECT_THAT(parseSettings("", "s.yaml").status().message(),
              HasSubstr("s.yaml: the settings file is empty"));
}

TEST(SettingsErrors, outOfRange) {
  expectMessages({
      {"lr: 0.0004", "lr: -0.1",
       "s.yaml:24: training.stage_0.optimizer.lr: -0.1 is out of range; allowed is [0, inf)"},
      {"lr: 0.0004", "lr: .nan", "nan is out of range"},
      {"lr: 0.0004", "lr: .inf", "inf is out of range"},
      {"train_fraction: 0.95", "train_fraction: 1.5",
       "s.yaml:3: data.train_fraction: 1.5 is out of range; allowed is (0, 1)"},
      {"train_fraction: 0.95", "train_fraction: 1", "data.train_fraction: 1 is out of range"},
      {"batch_size: 64", "batch_size: 0",
       "training.stage_0.batch_size: 0 is out of range; allowed is [1, inf)"},
      {"lr: 0.0004", "betas: [0.9, 1.0]",
       "training.stage_0.optimizer.betas: 1.0 is out of range; allowed is [0, 1)"},
      {"activation: elu", "num_bins: 1001", "num_bins: 1001 is out of range; allowed is [1, 1000]"},
      {"activation: elu", "dropout_probability: 1.0", "dropout_probability: 1.0 is out of range"},
      {"[64, 32]", "[64, 0]", "hidden_dims: 0 is out of range"},
      {"max_time_per_run: 3600", "max_time_per_run: -1",
       "local.runtime_limits.max_time_per_run: -1 is out of range"},
      {"checkpoint_epochs: 10", "checkpoint_epochs: 0", "local.checkpoint_epochs: 0 is out of range"},
  });
}

TEST(SettingsErrors, unknownWords) {
  expectMessages({
      {"type: adam", "type: adm",
       "optimizer.type: expected adam, adamw or sgd, found string 'adm'; did you mean adam?"},
      {"type: cosine", "type: cosin", "did you mean cosine?"},
      {"activation: elu", "activation: tanh",
       "activation: expected elu, relu, leaky_relu or gelu, found string 'tanh'"},
      {"activation: elu", "norm: batchnorm", "found string 'batchnorm'; did you mean BatchNorm?"},
      {"device: cpu", "device: gpu", "s.yaml:28: local.device: expected cpu, cuda or cuda:N, found 'gpu'"},
      {"checkpoint_epochs: 10", "checkpoint_epochs: 10\n  precision: 16-mixed",
       "expected 32-true or 64-true"},
      {"device: cpu", "device: cpu\n  float32_matmul_precision: low",
       "expected highest, high, medium or null"},
      {"dec: default", "dec: Unifrom(0, 1)",
       "s.yaml:6: data.extrinsic_prior.dec: the prior of dec: the class Unifrom "
       "is not served; known: Uniform"},
      {"dec: default", "dec: Uniform(0, 1", "closing parenthesis"},
  });
}

TEST(SettingsErrors, notServedYet) {
  const auto inData = [](const char *line) { return std::string(line) + "\n  detectors"; };
  for (const auto &[line, message] :
       {std::pair("  gnpe_time_shifts: {kernel: x}",
                  "s.yaml:4: data.gnpe_time_shifts: GNPE is not served yet"),
        std::pair("  chirp_prior_conditioning: {}",
                  "data.chirp_prior_conditioning: conditioning on the chirp mass"),
        std::pair("  gnpe_chirp: {}", "data.gnpe_chirp: conditioning"),
        std::pair("  random_strain_cropping: {}", "data.random_strain_cropping: cropping is not served"),
        std::pair("  tokenization: {}", "data.tokenization: transformer embeddings"),
        std::pair("  context_parameters: [a]", "data.context_parameters: networks with context parameters")})
    expectMessages({{"  detectors", inData(line).c_str(), message}});
  expectMessages({
      {"activation: elu", "apply_unconditional_transform: True",
       "apply_unconditional_transform: True: unconditional"},
      {"activation: elu", "base_transform_type: rq-autoregressive",
       "rq-autoregressive: only rq-coupling is served yet"},
      {"normalizing_flow", "flow_matching",
       "model.posterior_model_type: flow_matching: only normalizing_flow"},
      {"normalizing_flow", "score_matching", "score_matching: only normalizing_flow is served yet"},
      {"  embedding_kwargs:", "  embedding_type: transformer\n  embedding_kwargs:",
       "embedding_type: transformer: "},
      {"type: adam", "type: lbfgs", "optimizer.type: lbfgs: only adam, adamw and sgd are served yet"},
      {"type: adam", "type: RMSprop", "optimizer.type: rmsprop: only adam, adamw and sgd are served yet"},
      {"type: adam", "type: adagrad", "adagrad: only adam"},
      {"epochs: 20", "epochs: 20\n    early_stopping: {patience: 5}",
       "early_stopping: early stopping is not served yet"},
      {"epochs: 20", "epochs: 20\n    gradient_updates_per_optimizer_step: 4",
       "4: accumulation is not served yet"},
      {"epochs: 20", "epochs: 20\n    automatic_mixed_precision: True",
       "True: mixed precision is not served yet"},
      {"device: cpu", "device: cuda\n  num_gpus: 4", "local.num_gpus: 4: training on several devices"},
      {"device: cpu", "device: cuda\n  condor: {num_gpus: 4}",
       "local.condor.num_gpus: 4: training on several"},
      {"{type: adam, ", "{type: adam, decoupled_weight_decay: True, ", "write type: adamw instead"},
      {"{type: cosine, ", "{type: cosine, last_epoch: 3, ", "scheduler.last_epoch: 3: a schedule starts"},
  });
}

TEST(SettingsErrors, aKindNotServedIsTheOnlyProblemNamed) {
  const std::string text =
      replaced("posterior_model_type: normalizing_flow", "posterior_model_type: Flow_Matching");
  std::string other = text;
  other.replace(other.find("num_flow_steps: 5"), 17, "sigma_min: 0.001");
  EXPECT_EQ(parseSettings(other, "s.yaml").status().message(),
            "s.yaml:11: model.posterior_model_type: flow_matching: only normalizing_flow is served yet");
}

TEST(SettingsErrors, neutralValuesOfKeysNotServedPass) {
  for (const auto &[from, to] :
       {std::pair("activation: elu",
                  "apply_unconditional_transform: False, base_transform_type: rq-coupling"),
        std::pair("epochs: 20",
                  "epochs: 20\n    early_stopping: null\n    gradient_updates_per_optimizer_step: 1\n"
                  "    automatic_mixed_precision: False"),
        std::pair("device: cpu", "device: cuda:1\n  num_gpus: 1"),
        std::pair("  detectors", "  context_parameters: []\n  detectors"),
        std::pair("{type: cosine, ", "{type: cosine, last_epoch: -1, ")}) {
    const Result<Settings> settings = parseSettings(replaced(from, to), "s.yaml");
    EXPECT_TRUE(settings.isOk()) << settings.status().message();
  }
}

TEST(SettingsErrors, conditionsBetweenKeys) {
  expectMessages({
      {"{type: adam, lr", "{type: sgd, nesterov: True, lr",
       "optimizer.nesterov: needs momentum > 0 and dampening 0"},
      {"  detectors", "  domain_update: {f_min: 30, f_max: 20}\n  detectors",
       "s.yaml:4: data.domain_update: f_min 30.0 must be below f_max 20.0"},
      {"local:",
       "  stage_2: {epochs: 1, asd_dataset_path: a, optimizer: {type: adam}, batch_size: 1, scheduler: "
       "{type: cosine, T_max: 1}}\nlocal:",
       "s.yaml:27: training.stage_2: stands behind a gap: stage_1 is missing"},
      {"activation: elu", "batch_norm: True, layer_norm: True", "batch_norm and layer_norm are both True"},
      {"activation: elu", "batch_norm: maybe",
       "base_transform_kwargs.batch_norm: expected True or False, found 'maybe'"},
      {"posterior_model_type: normalizing_flow", "type: nsf+embedding",
       "type: nsf+embedding needs the section nsf_kwargs"},
      {"  detectors", "  standardization: {mean: {dec: 1}, std: {dec: 1}}\n  detectors",
       "data.standardization: needs a number under mean and a positive one under std for chirp_mass"},
  });
}

TEST(SettingsErrors, everyProblemIsListedInTheOrderOfTheFile) {
  std::string text = replaced("train_fraction: 0.95", "train_fraction: 2");
  text.replace(text.find("batch_size: 64"), 14, "batch_size: -1");
  const Result<Settings> settings = parseSettings(text, "s.yaml");
  ASSERT_FALSE(settings.isOk());
  EXPECT_EQ(settings.status().message(),
            "s.yaml:3: data.train_fraction: 2 is out of range; allowed is (0, 1)\n"
            "s.yaml:26: training.stage_0.batch_size: -1 is out of range; allowed is [1, inf)");
}

TEST(SettingsErrors, filesThatCannotBeRead) {
  EXPECT_THAT(loadSettings("/nowhere.yaml").status().message(), HasSubstr("/nowhere.yaml: cannot open"));
  EXPECT_THAT(parseSettings("a: [", "s.yaml").status().message(), HasSubstr("malformed YAML"));
}

} // namespace
} // namespace kowari
