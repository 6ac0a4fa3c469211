//===- History.h - history.txt ---------------------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// One line an epoch: epoch, train loss, test loss and the learning rate used in that epoch for each parameter
// group, separated by tabs, each line ended by CR LF, floats as Python's repr. The format is Dingo's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kowari::train {

struct HistoryEntry {
  int64_t epoch = 0; // from 1
  double trainLoss = 0.0, testLoss = 0.0;
  std::vector<double> learningRates;
};

/// The line with its line end.
std::string historyLine(const HistoryEntry &entry);
/// Appends the line to `path` and syncs it. Epoch 1 creates the file and refuses to overwrite one.
Status appendHistory(const std::string &path, const HistoryEntry &entry);
/// Reads a history back; accepts LF line ends too. Errors name file and line.
Result<std::vector<HistoryEntry>> readHistory(const std::string &path);
/// Removes lines of epochs after `epoch`, left by a run that died between history and checkpoint, so that a
/// resumed run does not list them twice. Atomic; a missing file is no error.
Status truncateHistory(const std::string &path, int64_t epoch);

} // namespace kowari::train
