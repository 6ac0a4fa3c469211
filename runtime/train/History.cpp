//===- History.cpp - history.txt -------------------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/History.h"

#include "runtime/support/Value.h"
#include "runtime/train/AtomicFile.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

namespace kowari::train {

namespace {

Status systemError(const std::string &path, const char *action) {
  return Status::error(path + ": " + action + ": " + std::strerror(errno));
}

template <class T> bool parseNumber(std::string_view text, T &value) {
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

/// The whole file; empty if there is none.
Result<std::string> readAll(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return std::filesystem::exists(path) ? systemError(path, "cannot be read")
                                         : Status::error(path + ": no such file");
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

/// Takes the next line, without its end, off `rest`; `complete` says whether it had one.
std::string_view nextLine(std::string_view &rest, bool &complete) {
  size_t end = rest.find('\n');
  complete = end != std::string_view::npos;
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(complete ? end + 1 : rest.size());
  if (!line.empty() && line.back() == '\r')
    line.remove_suffix(1);
  return line;
}

bool parseLine(std::string_view line, HistoryEntry &entry) {
  std::vector<std::string_view> fields;
  for (size_t begin = 0; begin <= line.size();) {
    size_t end = std::min(line.find('\t', begin), line.size());
    fields.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  if (fields.size() < 3 || !parseNumber(fields[0], entry.epoch) || !parseNumber(fields[1], entry.trainLoss) ||
      !parseNumber(fields[2], entry.testLoss))
    return false;
  for (size_t i = 3; i < fields.size(); ++i) {
    double rate = 0.0;
    if (!parseNumber(fields[i], rate))
      return false;
    entry.learningRates.push_back(rate);
  }
  return true;
}

} // namespace

std::string historyLine(const HistoryEntry &entry) {
  std::string line = std::to_string(entry.epoch) + '\t' + pythonFloatRepr(entry.trainLoss) + '\t' +
                     pythonFloatRepr(entry.testLoss);
  for (double rate : entry.learningRates)
    line += '\t' + pythonFloatRepr(rate);
  return line + "\r\n";
}

Status appendHistory(const std::string &path, const HistoryEntry &entry) {
  int flags = O_WRONLY | O_CLOEXEC | O_CREAT | (entry.epoch == 1 ? O_EXCL : O_APPEND);
  int file = ::open(path.c_str(), flags, 0666);
  if (file < 0 && errno == EEXIST)
    return Status::error(
        path + ": exists already and is not overwritten; resume that run with --checkpoint or choose "
               "another --train_dir");
  if (file < 0)
    return systemError(path, "cannot be written");
  std::string line = historyLine(entry);
  ssize_t count = ::write(file, line.data(), line.size());
  Status status = Status::ok();
  if (count != static_cast<ssize_t>(line.size()) || ::fsync(file) != 0)
    status = systemError(path, "writing failed");
  ::close(file);
  return status;
}

Result<std::vector<HistoryEntry>> readHistory(const std::string &path) {
  KOWARI_ASSIGN(std::string content, readAll(path));
  std::vector<HistoryEntry> entries;
  std::string_view rest = content;
  for (int number = 1; !rest.empty(); ++number) {
    bool complete = false;
    std::string_view line = nextLine(rest, complete);
    HistoryEntry entry;
    if (!parseLine(line, entry))
      return Status::error(path + ", line " + std::to_string(number) +
                           ": not \"epoch, train loss, test loss, learning rates\" separated by tabs");
    entries.push_back(std::move(entry));
  }
  return entries;
}

Status truncateHistory(const std::string &path, int64_t epoch) {
  if (!std::filesystem::exists(path))
    return Status::ok();
  KOWARI_ASSIGN(std::string content, readAll(path));
  std::string kept;
  std::string_view rest = content;
  while (!rest.empty()) {
    std::string_view before = rest;
    bool complete = false;
    HistoryEntry entry;
    bool isEntry = parseLine(nextLine(rest, complete), entry);
    if (!complete && !isEntry) // a line cut off when the machine stopped
      break;
    if (isEntry && entry.epoch > epoch)
      break;
    kept += before.substr(0, before.size() - rest.size());
    if (!complete)
      kept += "\r\n";
  }
  return kept == content ? Status::ok() : writeFileAtomically(path, kept);
}

} // namespace kowari::train
