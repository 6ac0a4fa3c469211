//===- NetworkRun.h - a case's compiled network -----------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/refcheck/ModelCase.h"
#include "runtime/plan/Program.h"

#include <string>
#include <vector>

namespace kowari::refcheck {

/// Runs the entries of a compiled case on the recorded batch. Every error names entry or tensor.
class NetworkRun {
public:
  NetworkRun(const ModelCase &reference, plan::Program &program) : reference(reference), program(program) {}

  /// Recorded parameters, running statistics and permutations; optimizer state zero. Errors: a tensor of the
  /// program that the file lacks, and one of the file that the program lacks.
  Status reset();
  /// Writes the batch into an entry's inputs, with theta or, where given, base noise in its place.
  Status writeBatch(const std::string &entry, const std::vector<double> *noise = nullptr);
  Status run(const std::string &entry) { return runEntry(entry); }
  Status setScalar(const std::string &name, double value) { return program.writeScalar(name, value); }

  bool hasOutput(const std::string &entry, const std::string &name) const;
  /// An output with its columns (rows x columns, or no rows at all).
  Result<std::vector<double>> output(const std::string &entry, const std::string &name) const;
  bool hasTensor(const std::string &name) const { return program.findTensor(name) != nullptr; }
  /// A parameter, statistic or optimizer state.
  Result<std::vector<double>> tensor(const std::string &name) const;

private:
  Status runEntry(const std::string &entry);
  Result<int> entryIndex(const std::string &entry) const;

  const ModelCase &reference;
  plan::Program &program;
};

/// True for what Dingo saves and no program holds: counters and index buffers.
bool isHostBuffer(const std::string &parameter);

} // namespace kowari::refcheck
