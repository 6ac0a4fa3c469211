//===- HostBatchSource.h - batches made on the host, in double --*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The plain way from the data set to a program's inputs, by the formulas of data::Preparation. It serves
// programs that were compiled without an input pipeline.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/cli/CleanStrains.h"
#include "runtime/plan/Program.h"
#include "runtime/train/BatchSource.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kowari::cli {

class HostBatchSource : public train::BatchSource {
public:
  /// Everything referred to must outlive the source.
  static Result<std::unique_ptr<train::BatchSource>> create(plan::Program &program, const Settings &settings,
                                                            const TrainingData &data, int stage,
                                                            const Standardization &standardization,
                                                            uint64_t seed);

  Status startEpoch(std::vector<int64_t> newOrder, int64_t newEpoch) override;
  Result<int64_t> next() override;

private:
  HostBatchSource(plan::Program &program, const Settings &settings, const TrainingData &data,
                  CleanStrains strains)
      : program(program), settings(settings), data(data), strains(std::move(strains)) {}
  Status fillRow(int64_t row, int64_t sample, std::span<const std::complex<double>> plus,
                 std::span<const std::complex<double>> cross);
  Status writeBatch(int64_t rows, std::span<const int64_t> samples);
  int entryWith(const std::string &input) const;

  plan::Program &program;
  const Settings &settings;
  const TrainingData &data;
  CleanStrains strains;
  std::map<std::string, data::MeanStd> statistics;
  uint64_t seed = 0;
  int64_t batchSize = 0, epoch = 0;
  size_t position = 0;
  std::vector<int64_t> order;
  std::vector<double> theta;               // (batch x parameters)
  std::vector<std::vector<double>> packed; // a detector: (batch x 3 bins)
};

} // namespace kowari::cli
