//===- CheckpointFolder.h - the files of a train directory -----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The train directory as dingo_train lays it out: local_settings.yaml, history.txt, model_latest.pt after
// every epoch, model_003.pt every checkpoint_epochs, model_stage_0.pt at each stage's end, best_model.pt with
// early stopping. Everything is written under a temporary name and renamed, so an interruption leaves whole
// files only.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/train/ModelFile.h"

#include <string>

namespace kowari::train {

class CheckpointFolder {
public:
  /// Opens the folder of a new run: creates it if needed and refuses one that cannot be written or that holds
  /// a history.txt, model_latest.pt or a running training. Nothing of a run in it is changed then; what a run
  /// left that was killed before its first checkpoint was whole is removed.
  static Result<CheckpointFolder> openNew(const std::string &path);
  /// Opens the folder of a run that is to be resumed: it must be writable, hold local_settings.yaml and no
  /// running training. Temporary files of an interrupted save are removed.
  static Result<CheckpointFolder> openResumed(const std::string &path);
  CheckpointFolder(CheckpointFolder &&other) noexcept;
  CheckpointFolder &operator=(CheckpointFolder &&other) noexcept;
  ~CheckpointFolder();

  const std::string &path() const { return folder; }
  std::string historyPath() const;
  std::string localSettingsPath() const;
  std::string latestPath() const;
  std::string epochPath(int64_t epoch) const;
  std::string stagePath(int64_t stage) const;
  std::string bestPath() const;

  Status writeLocalSettings(const std::string &yaml) const;
  /// A copy of model_latest.pt under the epoch's name; where the file system can share blocks it takes no
  /// space.
  Status copyLatestToEpoch(int64_t epoch) const;

private:
  static Result<CheckpointFolder> open(const std::string &path);
  Status removeLeftovers() const;
  bool diedInItsFirstSave() const;

  CheckpointFolder() = default;
  std::string folder;
  int lockFile = -1; // descriptor of the folder, locked while this object lives
};

} // namespace kowari::train
