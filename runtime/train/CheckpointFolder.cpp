//===- CheckpointFolder.cpp - the files of a train directory ---------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/CheckpointFolder.h"

#include "runtime/train/AtomicFile.h"
#include "runtime/train/History.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace kowari::train {

namespace fs = std::filesystem;

CheckpointFolder::CheckpointFolder(CheckpointFolder &&other) noexcept
    : folder(std::move(other.folder)), lockFile(std::exchange(other.lockFile, -1)) {}

CheckpointFolder &CheckpointFolder::operator=(CheckpointFolder &&other) noexcept {
  std::swap(folder, other.folder);
  std::swap(lockFile, other.lockFile);
  return *this;
}

CheckpointFolder::~CheckpointFolder() {
  if (lockFile >= 0)
    ::close(lockFile); // releases the lock
}

Result<CheckpointFolder> CheckpointFolder::open(const std::string &path) {
  CheckpointFolder result;
  result.folder = path;
  result.lockFile = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (result.lockFile < 0)
    return Status::error("train directory " + path + ": cannot be opened: " + std::strerror(errno));
  // Where locks are not served (some network file systems) the run goes on without this guard.
  if (::flock(result.lockFile, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return Status::error("train directory " + path +
                         ": another training is running in it; wait for it or choose another --train_dir");
  if (Result<AtomicFile> probe = AtomicFile::create(path + "/probe"); !probe) {
    std::string message = probe.status().message();
    return Status::error("train directory " + path + ": cannot be written (" +
                         message.substr(message.rfind(": ") + 2) +
                         "); choose another --train_dir or change its permissions");
  }
  return result;
}

Status CheckpointFolder::removeLeftovers() const {
  std::error_code code;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, code))
    if (std::error_code ignored; AtomicFile::isLeftover(entry.path().filename().string()))
      fs::remove(entry.path(), ignored);
  if (code)
    return Status::error("train directory " + folder + ": cannot be listed: " + code.message());
  return Status::ok();
}

/// One line of history and no model: a run was killed between the two, and nothing can be resumed.
bool CheckpointFolder::diedInItsFirstSave() const {
  std::error_code code;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, code))
    if (entry.path().extension() == ".pt")
      return false;
  const Result<std::vector<HistoryEntry>> history = readHistory(historyPath());
  return !code && history && history->size() == 1 && history->front().epoch == 1;
}

Result<CheckpointFolder> CheckpointFolder::openNew(const std::string &path) {
  std::error_code code;
  fs::create_directories(path, code);
  if (code)
    return Status::error("train directory " + path + ": cannot be made: " + code.message());
  KOWARI_ASSIGN(CheckpointFolder result, open(path));
  if (result.diedInItsFirstSave())
    fs::remove(result.historyPath(), code);
  for (const std::string &file : {result.historyPath(), result.latestPath()})
    if (fs::exists(file, code))
      return Status::error("train directory " + path + ": holds another run (" +
                           fs::path(file).filename().string() +
                           "), which is not overwritten; resume it with --checkpoint " + result.latestPath() +
                           " or choose another --train_dir");
  KOWARI_TRY(result.removeLeftovers());
  return result;
}

Result<CheckpointFolder> CheckpointFolder::openResumed(const std::string &path) {
  std::error_code code;
  if (!fs::is_directory(path, code))
    return Status::error("train directory " + path +
                         ": does not exist; a run is resumed in its own --train_dir");
  KOWARI_ASSIGN(CheckpointFolder result, open(path));
  if (!fs::exists(result.localSettingsPath(), code))
    return Status::error(
        "train directory " + path +
        ": has no local_settings.yaml, which a resumed run needs; resume in the --train_dir of the "
        "first run, or copy the `local:` part of its settings there");
  KOWARI_TRY(result.removeLeftovers());
  return result;
}

std::string CheckpointFolder::historyPath() const { return folder + "/history.txt"; }
std::string CheckpointFolder::localSettingsPath() const { return folder + "/local_settings.yaml"; }
std::string CheckpointFolder::latestPath() const { return folder + "/model_latest.pt"; }
std::string CheckpointFolder::bestPath() const { return folder + "/best_model.pt"; }

std::string CheckpointFolder::epochPath(int64_t epoch) const {
  char name[48];
  std::snprintf(name, sizeof name, "/model_%03lld.pt", static_cast<long long>(epoch));
  return folder + name;
}

std::string CheckpointFolder::stagePath(int64_t stage) const {
  return folder + "/model_stage_" + std::to_string(stage) + ".pt";
}

Status CheckpointFolder::writeLocalSettings(const std::string &yaml) const {
  return writeFileAtomically(localSettingsPath(), yaml);
}

Status CheckpointFolder::copyLatestToEpoch(int64_t epoch) const {
  return copyFileAtomically(latestPath(), epochPath(epoch));
}

} // namespace kowari::train
