//===- ProgressLog.cpp - what a training prints ----------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/ProgressLog.h"

#include "runtime/train/PythonFormat.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>

#include <sys/ioctl.h>
#include <unistd.h>

namespace kowari::train {

namespace {

double seconds(ProgressLog::Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

std::string valueAndMean(const RunningMean &mean) {
  return pythonFixed(mean.last(), 3) + " (" + pythonFixed(mean.mean(), 3) + ")";
}

/// "45 s", "12 min", "3 h 20 min", "2 d 4 h".
std::string duration(double amount) {
  auto total = static_cast<int64_t>(std::llround(std::clamp(amount, 0.0, 1e10)));
  if (total < 60)
    return std::to_string(total) + " s";
  int64_t minutes = (total + 30) / 60;
  if (minutes < 60)
    return std::to_string(minutes) + " min";
  if (minutes < 24 * 60)
    return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
  return std::to_string(minutes / (24 * 60)) + " d " + std::to_string(minutes / 60 % 24) + " h";
}

/// "14:05", with the date when it is more than half a day away.
std::string clockTime(double secondsFromNow) {
  std::time_t when = std::time(nullptr) + static_cast<std::time_t>(std::clamp(secondsFromNow, 0.0, 1e10));
  std::tm local{};
  localtime_r(&when, &local);
  char text[32];
  size_t length =
      std::strftime(text, sizeof text, secondsFromNow > 12 * 3600 ? "%Y-%m-%d %H:%M" : "%H:%M", &local);
  return std::string(text, length);
}

/// Cuts a line to the terminal's width: one that wraps could not be rewritten.
std::string fitted(std::string text, FILE *stream) {
  winsize window{};
  bool known = ::ioctl(::fileno(stream), TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
  if (known && text.size() >= window.ws_col)
    text.resize(window.ws_col - 1u);
  return text;
}

} // namespace

void RunningMean::add(double value, double weight) {
  sum += value * weight;
  total += weight;
  latest = value;
}

void RunningMean::restore(double earlierSum, double earlierWeight) {
  sum = earlierSum;
  total = earlierWeight;
}

double RunningMean::mean() const {
  return total == 0.0 ? std::numeric_limits<double>::quiet_NaN() : sum / total;
}

ProgressLog::Mode ProgressLog::modeFor(FILE *stream) {
  return ::isatty(::fileno(stream)) != 0 ? Mode::Live : Mode::Lines;
}

ProgressLog::ProgressLog(FILE *stream, Mode mode, int64_t totalEpochs)
    : out(stream), mode(mode), totalEpochs(totalEpochs) {}

void ProgressLog::start(Pass newPass, int64_t newEpoch, int64_t samples, int64_t effectiveBatch) {
  pass = newPass;
  epoch = newEpoch;
  size = samples;
  batch = effectiveBatch;
  stepCount = lastBatchIndex = 0;
  loss = dataTime = networkTime = aggregationTime = RunningMean();
  hasAggregation = false;
  windowLoss = 0.0;
  windowRows = windowBatches = rowsSeen = 0;
  passStart = lastShown = Clock::now();
}

void ProgressLog::startTraining(int64_t newEpoch, const std::vector<double> &learningRates, int64_t samples,
                                int64_t effectiveBatch) {
  line("\nStart training epoch " + std::to_string(newEpoch) + " with lr " + pythonRepr(learningRates));
  start(Pass::Train, newEpoch, samples, effectiveBatch);
}

void ProgressLog::startTesting(int64_t newEpoch, int64_t samples, int64_t effectiveBatch) {
  line("Start testing epoch " + std::to_string(newEpoch));
  if (samples < effectiveBatch) {
    line("Warning: test dataset (len " + std::to_string(samples) +
         ") is smaller than effective_batch_size=" + std::to_string(effectiveBatch) +
         ". Test loss computed over full dataset; may not be comparable to train loss.");
    effectiveBatch = samples;
  }
  start(Pass::Test, newEpoch, samples, effectiveBatch);
}

void ProgressLog::addMicroBatch(double microLoss, int64_t rows, double dataSeconds, double networkSeconds) {
  windowLoss += microLoss;
  windowRows += rows;
  ++windowBatches;
  rowsSeen += rows;
  dataTime.add(dataSeconds);
  networkTime.add(networkSeconds);
}

void ProgressLog::finishStep(int64_t batchIndex, std::optional<double> aggregationSeconds) {
  if (windowBatches == 0)
    return;
  auto rounded = static_cast<float>(windowLoss / static_cast<double>(windowBatches));
  loss.add(static_cast<double>(rounded), static_cast<double>(windowRows));
  if (aggregationSeconds) {
    aggregationTime.add(*aggregationSeconds);
    hasAggregation = true;
  }
  windowLoss = 0.0;
  windowRows = windowBatches = 0;
  ++stepCount;
  lastBatchIndex = batchIndex;
  if (mode == Mode::Lines)
    line(stepLine());
  else
    showLive();
}

std::string ProgressLog::stepLine() const {
  int64_t reached = (lastBatchIndex + 1) * batch;
  double percent =
      size > 0 ? std::min(100.0 * static_cast<double>(reached) / static_cast<double>(size), 100.0) : 100.0;
  std::string text = std::string(pass == Pass::Train ? "Train" : "Test") +
                     " Epoch: " + std::to_string(epoch) + " [" + std::to_string(std::min(reached, size)) +
                     "/" + std::to_string(size) + " (" + pythonFixed(percent, 0) +
                     "%)]\t\tLoss: " + valueAndMean(loss) + "\t\tTime Dataloader: " + valueAndMean(dataTime) +
                     "\t\tTime Network: " + valueAndMean(networkTime);
  if (hasAggregation)
    text += "\t\tTime Loss Aggregation: " + valueAndMean(aggregationTime);
  return text;
}

std::string ProgressLog::liveLine() const {
  double elapsed = std::max(seconds(Clock::now() - passStart), 1e-9);
  double rate = static_cast<double>(rowsSeen) / elapsed;
  std::string text = "Epoch " + std::to_string(epoch);
  if (totalEpochs > 0)
    text += "/" + std::to_string(totalEpochs);
  text += std::string(pass == Pass::Train ? " train " : " test ") + std::to_string(std::min(rowsSeen, size)) +
          "/" + std::to_string(size) + "  loss " + valueAndMean(loss) + "  " + pythonFixed(rate, 0) +
          " samples/s";
  if (totalEpochs <= 0 || rate <= 0.0)
    return text;
  double left = static_cast<double>(size - std::min(rowsSeen, size)) / rate;
  double epochSeconds = lastTrainSeconds + lastTestSeconds;
  if (pass == Pass::Train && lastTrainSeconds == 0.0) // the first epoch: its own rate is all that is known
    epochSeconds = static_cast<double>(size) / rate;
  if (pass == Pass::Train)
    left += lastTestSeconds;
  left += static_cast<double>(std::max<int64_t>(totalEpochs - epoch, 0)) * epochSeconds;
  return text + "  ends " + clockTime(left) + " (in " + duration(left) + ")";
}

void ProgressLog::clearLive() {
  if (liveShown)
    std::fputs("\r\033[K", out);
  liveShown = false;
}

/// Shows the live line, at most ten times a second.
void ProgressLog::showLive() {
  Clock::time_point now = Clock::now();
  if (liveShown && seconds(now - lastShown) < 0.1)
    return;
  lastShown = now;
  std::fputs(("\r" + fitted(liveLine(), out) + "\033[K").c_str(), out);
  std::fflush(out);
  liveShown = true;
}

double ProgressLog::finishPass() {
  double elapsed = seconds(Clock::now() - passStart);
  (pass == Pass::Train ? lastTrainSeconds : lastTestSeconds) = elapsed;
  if (pass == Pass::Train)
    trainRate = static_cast<double>(rowsSeen) / std::max(elapsed, 1e-9);
  if (mode == Mode::Live && stepCount > 0) { // leave the pass's last state standing
    std::fputs(("\r" + fitted(liveLine(), out) + "\033[K\n").c_str(), out);
    liveShown = false;
  }
  line("Done. This took " + minutesAndSeconds(elapsed) + " min.");
  return loss.mean();
}

void ProgressLog::finishEpoch() { line("Finished training epoch " + std::to_string(epoch) + ".\n"); }

void ProgressLog::line(const std::string &text) {
  clearLive();
  std::fputs((text + "\n").c_str(), out);
  std::fflush(out);
}

void ProgressLog::text(const std::string &text) {
  clearLive();
  std::fputs(text.c_str(), out);
  std::fflush(out);
}

} // namespace kowari::train
