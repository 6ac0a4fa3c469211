//===- ModelProgram.cpp - a saved model, ready to evaluate ----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/ModelProgram.h"

#include "frontend/settings/MakeProgramSpec.h"
#include "runtime/data/Hdf5File.h"
#include "runtime/train/TrainState.h"

#include <algorithm>

namespace kowari::cli {

namespace {

/// The path of a data set at the root or in `inputs`; "" if it is in neither.
std::string locate(const data::Hdf5File &file, const std::string &name) {
  for (const std::string &path : {"inputs/" + name, name})
    if (file.has(path))
      return path;
  return "";
}

/// A data set of rows x `tail`; `rows` is taken from the first one read and must be equal in the others.
Result<std::vector<double>> readRows(const data::Hdf5File &file, const std::string &name,
                                     const std::vector<int64_t> &tail, int64_t &rows) {
  const std::string path = locate(file, name);
  if (path.empty())
    return Status::error(file.path() + ": has no data set " + name + " (nor inputs/" + name +
                         "), which this model needs");
  KOWARI_ASSIGN(const data::DatasetInfo info, file.info(path));
  std::vector<int64_t> wanted = {rows > 0 || info.shape.empty() ? rows : info.shape[0]};
  wanted.insert(wanted.end(), tail.begin(), tail.end());
  if (info.shape != wanted || wanted[0] < 1)
    return Status::error(file.path() + ": " + path + " has shape " + train::shapeToString(info.shape) +
                         ", the model needs " + train::shapeToString(wanted));
  rows = wanted[0];
  return file.readDoubles(path);
}

} // namespace

Result<ModelProgram> loadModel(const std::string &path, ElementType elementType,
                               const CompileOptions &options) {
  ModelProgram model;
  KOWARI_ASSIGN(model.file, train::ModelFile::read(path, train::ModelFile::Content::Inference));
  KOWARI_ASSIGN(const ModelSettings settings, readModelSettings(model.file.modelKwargs, path));
  KOWARI_ASSIGN(model.spec,
                makeModelSpec(settings, options.artifact.empty() ? modelRows : 1, elementType, path));
  KOWARI_ASSIGN(model.compiled, obtainProgram(model.spec, options));
  train::TrainState state(model.program());
  KOWARI_TRY(state.loadWeights(model.file, path));
  return model;
}

Result<ModelInputs> readModelInputs(const std::string &path, const ProgramSpec &spec, bool needTheta) {
  KOWARI_ASSIGN(const data::Hdf5File file, data::Hdf5File::open(path));
  ModelInputs inputs;
  if (needTheta) {
    KOWARI_ASSIGN(inputs.theta, readRows(file, "theta", {spec.flow.inputDim}, inputs.rows));
  }
  if (spec.hasEmbedding) {
    const int64_t detectors = spec.embedding.detectors, width = 3 * spec.embedding.bins;
    using Doubles = std::vector<double>;
    KOWARI_ASSIGN(const Doubles all,
                  readRows(file, "strain", {detectors, 3, spec.embedding.bins}, inputs.rows));
    for (int64_t d = 0; d < detectors; ++d) {
      Doubles &strain = inputs.strain.emplace_back();
      for (int64_t row = 0; row < inputs.rows; ++row) {
        const auto begin = all.begin() + (row * detectors + d) * width;
        strain.insert(strain.end(), begin, begin + width);
      }
    }
  }
  if (spec.contextParameters > 0) {
    const std::string name = locate(file, "context").empty() ? "z" : "context";
    KOWARI_ASSIGN(inputs.z, readRows(file, name, {spec.contextParameters}, inputs.rows));
  }
  if (inputs.rows == 0)
    inputs.rows = 1; // a density without context
  return inputs;
}

Status writeContext(plan::Program &program, int entry, const ModelInputs &inputs,
                    const std::vector<int64_t> &rows) {
  const auto gather = [&](const std::vector<double> &from) {
    const auto width = static_cast<int64_t>(from.size()) / inputs.rows;
    std::vector<double> values;
    for (const int64_t row : rows)
      values.insert(values.end(), from.begin() + row * width, from.begin() + (row + 1) * width);
    return values;
  };
  const auto count = static_cast<int64_t>(rows.size());
  for (size_t d = 0; d < inputs.strain.size(); ++d)
    KOWARI_TRY(program.writeInput(entry, "strain/" + std::to_string(d),
                                  std::span<const double>(gather(inputs.strain[d])), count));
  if (!inputs.z.empty())
    KOWARI_TRY(program.writeInput(entry, "context", std::span<const double>(gather(inputs.z)), count));
  return Status::ok();
}

} // namespace kowari::cli
