//===- RuntimeLimits.cpp - when a run ends ---------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/RuntimeLimits.h"

#include "runtime/support/Value.h"

#include <cassert>
#include <cmath>
#include <csignal>

namespace kowari::train {

RuntimeLimits::RuntimeLimits(std::optional<double> maxSecondsPerRun, std::optional<int64_t> maxEpochsPerRun,
                             int64_t startEpoch, Clock::time_point now)
    : maxSeconds(maxSecondsPerRun), maxEpochs(maxEpochsPerRun), startEpoch(startEpoch), start(now) {}

std::vector<std::string> RuntimeLimits::reached(int64_t epoch, int64_t totalEpochs,
                                                Clock::time_point now) const {
  std::vector<std::string> reasons;
  if (maxSeconds && std::chrono::duration<double>(now - start).count() >= *maxSeconds) {
    bool isWhole = *maxSeconds == std::floor(*maxSeconds) && *maxSeconds < 1e15;
    std::string amount =
        isWhole ? std::to_string(static_cast<int64_t>(*maxSeconds)) : pythonFloatRepr(*maxSeconds);
    reasons.push_back("Stop run: Time limit of " + amount + " s exceeded.");
  }
  if (maxEpochs && epoch - startEpoch >= *maxEpochs)
    reasons.push_back("Stop run: Epoch limit of " + std::to_string(*maxEpochs) + " per run reached.");
  if (epoch >= totalEpochs)
    reasons.push_back("Stop run: Total epoch limit of " + std::to_string(totalEpochs) + " reached.");
  return reasons;
}

bool RuntimeLimits::runEnded(int64_t epoch, Clock::time_point now) const {
  return (maxSeconds && std::chrono::duration<double>(now - start).count() >= *maxSeconds) ||
         (maxEpochs && epoch - startEpoch >= *maxEpochs);
}

namespace {

constexpr int caught[] = {SIGINT, SIGTERM, SIGUSR1};
volatile std::sig_atomic_t received = 0;
struct sigaction previous[std::size(caught)];
bool installed = false;

void remember(int signal) { received = signal; }

} // namespace

StopSignal::StopSignal() {
  assert(!installed && "one StopSignal at a time");
  installed = true;
  received = 0;
  for (size_t i = 0; i < std::size(caught); ++i) {
    struct sigaction action = {};
    action.sa_handler = remember;
    // After the first SIGINT or SIGTERM the default is back: the second one ends the process.
    action.sa_flags = SA_RESTART | (caught[i] == SIGUSR1 ? 0 : static_cast<int>(SA_RESETHAND));
    sigemptyset(&action.sa_mask);
    sigaction(caught[i], &action, &previous[i]);
  }
}

StopSignal::~StopSignal() {
  for (size_t i = 0; i < std::size(caught); ++i)
    sigaction(caught[i], &previous[i], nullptr);
  received = 0;
  installed = false;
}

bool StopSignal::requested() { return received != 0; }
int StopSignal::signalNumber() { return received; }

std::string StopSignal::signalName() {
  switch (received) {
  case SIGINT:
    return "SIGINT";
  case SIGTERM:
    return "SIGTERM";
  case SIGUSR1:
    return "SIGUSR1";
  default:
    return "";
  }
}

} // namespace kowari::train
