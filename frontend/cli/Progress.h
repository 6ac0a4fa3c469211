//===- Progress.h - how far a loop has come ---------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace kowari::cli {

/// A line on standard error.
void printToUser(const std::string &text);

/// Says how far a loop has come to somebody who waits: a line every two seconds, none for a shorter loop.
class Progress {
public:
  using Clock = std::chrono::steady_clock;

  /// "NOUN 3 of COUNT" goes to `sink`.
  Progress(std::string noun, int64_t count, std::function<void(const std::string &)> sink,
           Clock::time_point now = Clock::now());
  void reached(int64_t done, Clock::time_point now = Clock::now());

private:
  std::string what;
  int64_t total;
  std::function<void(const std::string &)> report;
  Clock::time_point said;
};

} // namespace kowari::cli
