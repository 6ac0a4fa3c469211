//===- Progress.cpp - how far a loop has come -----------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/Progress.h"

#include <cstdio>

namespace kowari::cli {

void printToUser(const std::string &text) { std::fprintf(stderr, "%s\n", text.c_str()); }

Progress::Progress(std::string noun, int64_t count, std::function<void(const std::string &)> sink,
                   Clock::time_point now)
    : what(std::move(noun)), total(count), report(std::move(sink)), said(now) {}

void Progress::reached(int64_t done, Clock::time_point now) {
  if (done >= total || now - said < std::chrono::seconds(2))
    return;
  report("  " + what + " " + std::to_string(done) + " of " + std::to_string(total));
  said = now;
}

} // namespace kowari::cli
