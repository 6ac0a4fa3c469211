//===- SettingsText.h - a small valid settings file for tests ---*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace kowari {

inline const char *const smallSettings = R"(data:
  waveform_dataset_path: data/w.hdf5
  train_fraction: 0.95
  detectors: [H1, L1]
  extrinsic_prior:
    dec: default
    luminosity_distance: bilby.core.prior.Uniform(minimum=100.0, maximum=1000.0)
  ref_time: 1126259462.391
  inference_parameters: [chirp_mass, dec, H1_time]
model:
  posterior_model_type: normalizing_flow
  posterior_kwargs:
    num_flow_steps: 5
    base_transform_kwargs: {hidden_dim: 64, activation: elu}
  embedding_kwargs:
    output_dim: 128
    hidden_dims: [64, 32]
    svd: {num_training_samples: 100, num_validation_samples: 10, size: 50}
training:
  stage_0:
    epochs: 20
    asd_dataset_path: data/a.hdf5
    freeze_rb_layer: True
    optimizer: {type: adam, lr: 0.0004}
    scheduler: {type: cosine, T_max: 20}
    batch_size: 64
local:
  device: cpu
  num_workers: 0
  runtime_limits: {max_time_per_run: 3600}
  checkpoint_epochs: 10
)";

/// The small file with one piece of text replaced.
inline std::string replaced(const std::string &from, const std::string &to) {
  std::string text = smallSettings;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// A file of tests/data/settings.
inline std::string testFile(const std::string &name) {
  return std::string(KOWARI_TEST_DATA) + "/settings/" + name;
}

} // namespace kowari
