//===- RandomPlan.h - plans of several streams at random --------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// A list of steps over a few buffers, each on one of several streams, with a record and a wait wherever a
// step needs another stream's, and nowhere else. A statement names its operands by numbers that are taken
// modulo how many buffers hold something, so that any statement can be left out and a valid plan remains.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace kowari::fuzz {

enum class PlanStatementKind {
  Copy,
  Fill,
  Negate,
  Add,
  Product,
  Accumulate,
  Gather,
  AllReduce,
  last = AllReduce
};

struct PlanStatement {
  PlanStatementKind kind = PlanStatementKind::Copy;
  int64_t stream = 0;
  std::array<uint32_t, 3> picks{}; ///< target, operands
};

struct RandomPlan {
  bool isF64 = false;
  int64_t maxRows = 5, columns = 1, streams = 1, buffers = 1;
  std::vector<PlanStatement> statements;

  /// The module, with the program @plan, as text.
  std::string print() const;
};

RandomPlan makeRandomPlan(std::mt19937_64 &generator);

/// Simpler plans that differ in one thing.
std::vector<RandomPlan> simplify(const RandomPlan &plan);

} // namespace kowari::fuzz
