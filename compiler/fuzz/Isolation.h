//===- Isolation.h - work in a process of its own ---------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace kowari::fuzz {

/// Runs `work` in a forked child and returns what it returns. A child that crashes, computes for longer than
/// `limitSeconds`, or takes five times as long by the clock, is a result too: the signal and what it wrote to
/// the error output. The caller must have one thread.
std::optional<std::string> runIsolated(const std::function<std::optional<std::string>()> &work,
                                       int limitSeconds);

} // namespace kowari::fuzz
