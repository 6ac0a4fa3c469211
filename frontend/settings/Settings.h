//===- Settings.h - a Dingo train_settings.yaml, checked --------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Reads a Dingo user's train_settings.yaml. Every key is checked against the schema (Schema.h): unknown keys,
// wrong types and values out of range are errors with file, line, value and the nearest known key; keys that
// would change numbers and are not served are refused by name; keys that change no number are accepted with
// one notice each. Old spellings are converted as Dingo converts them. Defaults are Dingo's; docs/settings.md
// lists all of it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/settings/ProgramSpec.h"
#include "runtime/support/Status.h"
#include "runtime/support/Value.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kowari {

/// data.domain_update: both ends must be grid values of the data set's domain (checked where the data are
/// known).
struct DomainUpdate {
  std::optional<double> fMin, fMax; // Hz
  std::optional<double> deltaF;     // Hz; if given it must equal the data set's
  std::string type;                 // "" when not given
};

/// data.standardization, present in the settings that a checkpoint holds (Dingo then uses it instead of new
/// values).
struct Standardization {
  std::vector<std::string> names; // inference parameters, then context parameters
  std::vector<double> mean, std;  // one a name, in the parameter's own unit
};

struct DataSettings {
  std::string waveformDatasetPath;    // as written: relative to the folder the program was started in
  double trainFraction = 0.0;         // inside (0, 1)
  std::vector<std::string> detectors; // as written, unique; "ET" still stands for its three detectors
  /// All five extrinsic parameters in Dingo's order dec, ra, geocent_time, psi, luminosity_distance,
  /// "default" replaced by the default's expression; each expression has been parsed once (data::parsePrior).
  std::vector<std::pair<std::string, std::string>> extrinsicPrior;
  double refTime = 0.0;                         // GPS seconds
  std::vector<std::string> inferenceParameters; // "default" expanded; unique
  std::vector<std::string> contextParameters;   // empty: not served yet
  std::optional<DomainUpdate> domainUpdate;
  std::optional<int64_t> svdSizeUpdate;
  bool zeroNoise = false;
  std::optional<Standardization> standardization;
};

struct SvdSettings {
  int64_t size = 0; // n_rb, columns of V used for the first layer
  int64_t numTrainingSamples = 0, numValidationSamples = 0;
  bool noInit = false; // no SVD at all: layers_rb starts as any linear layer
};

struct EmbeddingSettings {
  int64_t outputDim = 0;
  std::vector<int64_t> hiddenDims;
  Activation activation = Activation::Elu;
  double dropout = 0.0;
  Norm norm = Norm::BatchNorm;
  SvdSettings svd;
  bool addedContext = false;      // from completed settings only
  std::vector<int64_t> inputDims; // [detectors, channels, bins] of completed settings, else empty
};

struct ModelSettings {
  std::string posteriorModelType = "normalizing_flow";
  FlowSpec flow; // flow.inputDim is 0 unless the settings are completed
  bool hasEmbedding = true;
  EmbeddingSettings embedding;
  std::optional<int64_t> contextDim; // posterior_kwargs.context_dim of completed settings
};

struct OptimizerSettings {
  OptimizerSpec spec; // what shapes the program
  double learningRate = 0.0;
  /// Options as Dingo hands them to torch, `type` in lower case; for optimizer_kwargs of the model file.
  Value kwargs;
};

enum class SchedulerKind { Step, Cosine, ReduceOnPlateau };

struct SchedulerSettings {
  SchedulerKind kind = SchedulerKind::Cosine;
  int64_t stepSize = 0; // step, epochs
  double gamma = 0.1;   // step
  double tMax = 0.0;    // cosine, epochs
  double etaMin = 0.0;  // cosine
  bool modeMax = false; // reduce_on_plateau: mode max instead of min
  double factor = 0.1;
  int64_t patience = 10, cooldown = 0; // epochs
  double threshold = 1e-4;
  bool thresholdRelative = true;
  double minLearningRate = 0.0, epsilon = 1e-8;
  Value kwargs; // as OptimizerSettings::kwargs
};

struct StageSettings {
  int64_t epochs = 0;
  std::string asdDatasetPath;
  OptimizerSettings optimizer;
  SchedulerSettings scheduler;
  int64_t batchSize = 0;
  /// An absent freeze_rb_layer keeps what the stage before had (false at the start), as in Dingo.
  bool freezeRbLayer = false;
};

struct LocalSettings {
  std::string device; // "cpu", "cuda" or "cuda:N"; the command refuses what it cannot run on
  int64_t numWorkers = 0;
  std::optional<double> maxTimePerRun; // seconds; checked after each epoch
  std::optional<int64_t> maxEpochsPerRun;
  int64_t checkpointEpochs = 0;
  bool leaveWaveformsOnDisk = true;
  std::string localCachePath; // "": the waveform file is read where it is
  bool testOnly = false;
  std::string torchCompileCacheDir; // "" when absent; a hint for the cache's folder
  // Kowari's own, all optional.
  std::optional<uint64_t> seed;
  std::string compileCacheDir;              // "" when absent
  ElementType precision = ElementType::F32; // "32-true" or "64-true"
  int64_t numThreads = 0;                   // 0: every core this process may use
};

struct Settings {
  std::string file; // where they came from, for messages
  DataSettings data;
  ModelSettings model;
  std::vector<StageSettings> stages;
  LocalSettings local;

  /// train_settings (data, model, training) as Dingo carries it in a model's metadata: old spellings
  /// converted, optimizer and scheduler types in lower case, inference_parameters expanded,
  /// context_parameters present. What only the data tell is added by completeTrainSettings.
  Value trainSettings;
  /// The `local` part as given, for train_dir/local_settings.yaml.
  Value localSettings;
  /// One line for each accepted key that changes no number, each converted spelling and each lenient reading.
  std::vector<std::string> notices;

  /// "train_settings.yaml:12" for the value under a dotted path such as "training.stage_0.batch_size", or of
  /// its nearest enclosing key that stands in the file.
  std::string where(const std::string &path) const;
  std::map<std::string, int> lines; // line of each key by dotted path, from 1
};

/// Reads and checks a train_settings.yaml. An error lists every problem found, one a line, in the order of
/// the file.
Result<Settings> loadSettings(const std::string &path);

/// The same for text already in memory; `origin` is the name for messages.
Result<Settings> parseSettings(const std::string &yamlText, const std::string &origin);

/// Settings of a run that goes on: train_settings from a checkpoint's metadata (completed keys such as
/// input_dim and standardization are expected there) and the local settings from
/// train_dir/local_settings.yaml.
Result<Settings> resumeSettings(const Value &trainSettings, const std::string &checkpointPath,
                                const std::string &localSettingsPath);

/// The `model` part alone, as a model file's metadata or a reference case holds it: completed or not, in any
/// spelling, with or without an embedding.
Result<ModelSettings> readModelSettings(const Value &model, const std::string &origin);

/// What Dingo fills in from the first training sample, put into a Settings::trainSettings:
/// model.posterior_kwargs input_dim and context_dim, model.embedding_kwargs input_dims [detectors, 3, bins]
/// and added_context, model.embedding_type, and data.standardization.
void completeTrainSettings(Value &trainSettings, int64_t detectors, int64_t bins,
                           const Standardization &standardization);

} // namespace kowari
