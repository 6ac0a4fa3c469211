//===- PipelineTesting.cpp - recorded batches and compiled pipelines ------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "PipelineTesting.h"

#include "compiler/Pipeline.h"
#include "runtime/support/PythonLiteral.h"

#include <bit>
#include <filesystem>
#include <set>
#include <unistd.h>

namespace kowari::pipeline {

ProgramSpec smallSpec(const DataSpec &data, int64_t parameters, int64_t maxRows, ElementType element) {
  ProgramSpec spec;
  spec.elementType = element;
  spec.maxRows = maxRows;
  spec.flow = {
      .inputDim = parameters, .numFlowSteps = 1, .hiddenDim = 4, .numTransformBlocks = 1, .numBins = 4};
  spec.embedding = {.detectors = data.detectors,
                    .bins = data.bins - data.minIndex,
                    .svdSize = 2,
                    .outputDim = 2,
                    .hiddenDims = {4},
                    .norm = Norm::None};
  spec.data = data;
  return spec;
}

std::unique_ptr<plan::Program> loadProgram(const ProgramSpec &spec, int threads) {
  static std::map<std::string, std::string> artifacts;
  std::string &path = artifacts[spec.toCanonicalJson()];
  if (path.empty()) {
    path = ::testing::TempDir() + "kowari-pipeline-" + std::to_string(getpid()) + "-" +
           std::to_string(artifacts.size()) + ".kwa";
    expectOk(compileProgram(spec, CompileOptions(), path));
  }
  return expectValue(plan::Program::load(path, {.threads = threads}));
}

namespace {

/// Numbers that another document holds as 24.0 and the like.
std::optional<double> findNumber(const Value &settings, const char *section, const char *key) {
  const Value *dictionary = settings.find(section), *value = dictionary ? dictionary->find(key) : nullptr;
  return value ? std::optional<double>(value->asDouble()) : std::nullopt;
}

std::vector<std::string> textsOf(const Value &settings, const char *key) {
  std::vector<std::string> texts;
  for (const Value &item : settings.find(key)->asList())
    texts.push_back(item.asString());
  return texts;
}

std::string extrinsicExpression(const Value &settings, const std::string &name) {
  const Value *expression = settings.find("extrinsic_prior")->find(name);
  return data::expandDefaultPrior(name, expression ? expression->asString() : "default");
}

} // namespace

std::vector<data::Prior> makePriors(const std::vector<std::string> &expressions) {
  std::vector<data::Prior> priors;
  for (size_t i = 0; i < expressions.size(); ++i)
    priors.push_back(expectValue(data::parsePrior(extrinsicNames[i], expressions[i])));
  return priors;
}

RecordedBatch::RecordedBatch(const std::string &name, bool leaveOnDisk)
    : file(expectValue(data::Hdf5File::open(referenceFile("preprocessing_" + name + ".hdf5")))) {
  // JSON of text, numbers and lists is a Python literal as well.
  settings = expectValue(parsePythonLiteral(expectValue(file.readStringAttribute("/", "data_settings"))));
  detectorNames = textsOf(settings, "detectors");
  parameters = textsOf(settings, "inference_parameters");
  index = integers("index");
  data::WaveformOptions options;
  // Of toy_fd only the rows that recorded batches use are kept.
  std::string path = settings.find("waveform_dataset_path")->asString();
  options.path = referenceFile(path == "datasets/toy_fd.hdf5" ? "datasets/toy_fd_rows.hdf5" : path);
  options.leaveOnDisk = leaveOnDisk;
  if (settings.find("domain_update"))
    options.domainUpdate = data::DomainUpdate{.fMin = findNumber(settings, "domain_update", "f_min"),
                                              .fMax = findNumber(settings, "domain_update", "f_max")};
  if (const Value *size = settings.find("svd_size_update"))
    options.svdSizeUpdate = static_cast<int64_t>(size->asDouble());
  dataset.emplace(expectValue(data::WaveformDataset::open(options)));
  std::vector<std::string> expanded;
  for (const data::Detector &detector : expectValue(data::expandDetectors(detectorNames)))
    expanded.push_back(detector.name);
  detectorNames = expanded;
  asds.emplace(expectValue(
      data::AsdDataset::open(referenceFile(expectValue(file.readStringAttribute("/", "asd_dataset_path"))),
                             detectorNames, dataset->domain())));
}

DataSpec RecordedBatch::dataSpec(bool zeroNoise) const {
  DataSpec spec;
  spec.bins = dataset->domain().bins();
  spec.minIndex = dataset->domain().minIndex();
  spec.svdSize = dataset->schema().svdSize;
  spec.detectors = detectors();
  for (int64_t d = 0; d < detectors(); ++d)
    spec.asdRows =
        std::max(spec.asdRows, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(asds->count(d)))));
  spec.zeroNoise = zeroNoise;
  for (const data::Prior &prior : options().extrinsicPriors)
    spec.extrinsicPriors.push_back(prior.className());
  const std::set<std::string> drawn(std::begin(extrinsicNames), std::end(extrinsicNames));
  for (const std::string &name : parameters)
    spec.parameterSources.push_back(drawn.count(name) || name.ends_with("_time") ? name : "");
  return spec;
}

InputPipelineOptions RecordedBatch::options() const {
  InputPipelineOptions options;
  options.detectors = expectValue(data::expandDetectors(detectorNames));
  options.refTime = settings.find("ref_time")->asDouble();
  options.parameters = parameters;
  const std::vector<std::string> names = expectValue(file.readStrings("standardization/names"));
  const std::vector<double> means = reals("standardization/mean"), deviations = reals("standardization/std");
  for (size_t k = 0; k < names.size(); ++k)
    options.standardization[names[k]] = {means[k], deviations[k]};
  std::vector<std::string> expressions;
  for (const char *name : extrinsicNames)
    expressions.push_back(extrinsicExpression(settings, name));
  options.extrinsicPriors = makePriors(expressions);
  options.seed = 20150914;
  return options;
}

void RecordedBatch::writeDraws(plan::Program &program) const {
  const int entry = program.findEntry("prepare");
  for (const std::string name : extrinsicNames)
    expectOk(program.writeInput(entry, extrinsic(name), std::span<const double>(reals("extrinsic/" + name)),
                                rows()));
  for (int64_t d = 0; d < detectors(); ++d)
    expectOk(program.writeInput(entry, asdIndex(d),
                                std::span<const int64_t>(integers("asd_index/" + detectorNames[d])), rows()));
}

} // namespace kowari::pipeline
