//===- PreparationCheck.cpp - input preparation against Dingo's -----------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/refcheck/PreparationCheck.h"

#include "frontend/refcheck/RecordedBatch.h"
#include "runtime/data/Preparation.h"
#include "runtime/data/Standardization.h"
#include "runtime/pipeline/TensorNames.h"

#include <filesystem>

namespace kowari::refcheck {

namespace {

using Doubles = std::vector<double>;
using Complex = std::complex<double>;

/// Tolerances against Dingo's float32 arrays, and against the independent computation in float64.
constexpr double strainTolerance = 5e-6, exactStrainTolerance = 1e-6, parameterTolerance = 1e-6,
                 timeTolerance = 2e-8; // s

class PreparationCheck {
public:
  explicit PreparationCheck(const RecordedBatch &recorded)
      : recorded(recorded), gmst(data::greenwichMeanSiderealTime(recorded.refTime)) {}

  Status readDraws();
  /// Detector times and antenna patterns.
  Status checkGeometry();
  /// Projection, whitening, packing and standardization in plain double.
  Status checkFormulas();
  Status checkStandardizedParameters(const data::Preparation &preparation);
  Status checkStatistics(const data::WaveformDataset &dataset);
  Status checkCompiled(const Compiler &compiler, const data::WaveformDataset &dataset, ElementType type,
                       const std::string &name);
  CaseResult result;

private:
  Result<Doubles> reals(const std::string &name) const { return recorded.file.readDoubles(name); }
  void add(const std::string &name, double difference, double tolerance, const std::string &worst = "") {
    result.measures.push_back({name, difference, tolerance, worst});
  }
  Status addScaled(const std::string &name, const Doubles &found, const std::string &dataset,
                   double tolerance) {
    KOWARI_ASSIGN(const Doubles expected, reals(dataset));
    add(name + " " + dataset, scaledDifference(found, expected), tolerance);
    return Status::ok();
  }
  Status addDetectorStrain(int64_t d, const data::Preparation &preparation, const std::vector<Complex> &plus,
                           const std::vector<Complex> &cross, Doubles &quiet, Doubles &noisy);
  Result<Doubles> packedOutput(const plan::Program &program, int entry) const;

  const RecordedBatch &recorded;
  double gmst;
  std::vector<data::ExtrinsicDraw> draws;
};

Status PreparationCheck::readDraws() {
  Doubles columns[5];
  const char *names[] = {"ra", "dec", "psi", "geocent_time", "luminosity_distance"};
  for (int k = 0; k < 5; ++k) {
    KOWARI_ASSIGN(columns[k], reals(std::string("extrinsic/") + names[k]));
    if (columns[k].size() != recorded.index.size())
      return Status::error(recorded.file.path() + ": extrinsic/" + names[k] +
                           " has another length than index");
  }
  for (int64_t r = 0; r < recorded.rows(); ++r)
    draws.push_back({columns[0][r], columns[1][r], columns[2][r], columns[3][r], columns[4][r]});
  return Status::ok();
}

Status PreparationCheck::checkGeometry() {
  Largest dingo, exact, antenna;
  for (const data::Detector &detector : recorded.detectors) {
    KOWARI_ASSIGN(const Doubles times, reals("detector_times/" + detector.name));
    KOWARI_ASSIGN(const Doubles exactTimes, reals("float64/detector_times/" + detector.name));
    KOWARI_ASSIGN(const Doubles plus, reals("antenna/" + detector.name + "/plus"));
    KOWARI_ASSIGN(const Doubles cross, reals("antenna/" + detector.name + "/cross"));
    Doubles found, foundPlus, foundCross;
    for (const data::ExtrinsicDraw &draw : draws) {
      found.push_back(draw.geocentTime + data::timeDelay(detector, draw.ra, draw.dec, gmst));
      const data::AntennaPattern pattern = data::antennaPattern(detector, draw.ra, draw.dec, draw.psi, gmst);
      foundPlus.push_back(pattern.plus);
      foundCross.push_back(pattern.cross);
    }
    dingo.offer(absoluteDifference(found, times), detector.name);
    exact.offer(absoluteDifference(found, exactTimes), detector.name);
    antenna.offer(absoluteDifference(foundPlus, plus), detector.name);
    antenna.offer(absoluteDifference(foundCross, cross), detector.name);
  }
  add("detector times", dingo.value(), timeTolerance, dingo.where());
  add("detector times float64", exact.value(), 1e-12, exact.where());
  add("antenna patterns", antenna.value(), 1e-12, antenna.where());
  return Status::ok();
}

Status PreparationCheck::addDetectorStrain(int64_t d, const data::Preparation &preparation,
                                           const std::vector<Complex> &plus,
                                           const std::vector<Complex> &cross, Doubles &quiet,
                                           Doubles &noisy) {
  const std::string &name = recorded.detectors[d].name;
  const size_t bins = preparation.bins(), channels = 3 * preparation.networkBins();
  KOWARI_ASSIGN(const std::vector<int64_t> curves, recorded.file.readIntegers("asd_index/" + name));
  KOWARI_ASSIGN(const std::vector<Complex> noise, recorded.file.readComplex("noise/" + name));
  if (plus.size() != draws.size() * bins || cross.size() != plus.size() || noise.size() != plus.size() ||
      curves.size() != draws.size())
    return Status::error(recorded.file.path() + ": polarizations, noise or asd_index of " + name +
                         " have a wrong shape");
  std::vector<Complex> projected, whitened;
  for (size_t r = 0; r < draws.size(); ++r) {
    if (curves[r] < 0 || curves[r] >= recorded.asds->count(d))
      return Status::error(recorded.file.path() + ": asd_index/" + name + " is outside the ASD data set");
    data::Strain strain = preparation.project(d, draws[r], {&plus[r * bins], bins}, {&cross[r * bins], bins});
    projected.insert(projected.end(), strain.begin(), strain.end());
    const std::span<const float> asd(&recorded.asds->asd()[(recorded.asds->firstRow()[d] + curves[r]) * bins],
                                     bins);
    preparation.whiten(strain, asd);
    whitened.insert(whitened.end(), strain.begin(), strain.end());
    const size_t at = (r * recorded.detectors.size() + d) * channels;
    preparation.pack(strain, {}, asd, {&quiet[at], channels});
    preparation.pack(strain, {&noise[r * bins], bins}, asd, {&noisy[at], channels});
  }
  for (const auto &[group, found] : {std::pair{"projected/", &projected}, {"whitened/", &whitened}}) {
    KOWARI_ASSIGN(const std::vector<Complex> expected, recorded.file.readComplex(group + name));
    add("formulas " + (group + name), scaledDifference(*found, expected), strainTolerance);
  }
  return Status::ok();
}

Status PreparationCheck::checkFormulas() {
  KOWARI_ASSIGN(const Doubles distance, reals("parameters/luminosity_distance"));
  if (distance.empty())
    return Status::error(recorded.file.path() + ": parameters/luminosity_distance is empty");
  const data::Preparation preparation(*recorded.domain, recorded.detectors, recorded.refTime, distance[0]);
  KOWARI_TRY(checkStandardizedParameters(preparation));
  if (!recorded.file.has("polarizations/h_plus")) {
    result.leftOut.push_back("formulas of the strain: the file lacks polarizations/h_plus");
    return Status::ok();
  }
  KOWARI_ASSIGN(const std::vector<Complex> plus, recorded.file.readComplex("polarizations/h_plus"));
  KOWARI_ASSIGN(const std::vector<Complex> cross, recorded.file.readComplex("polarizations/h_cross"));
  Doubles quiet(draws.size() * recorded.detectors.size() * 3 * preparation.networkBins()),
      noisy(quiet.size());
  for (int64_t d = 0; d < recorded.detectorCount(); ++d)
    KOWARI_TRY(addDetectorStrain(d, preparation, plus, cross, quiet, noisy));
  KOWARI_TRY(addScaled("formulas", quiet, "packed_zero_noise", strainTolerance));
  KOWARI_TRY(addScaled("formulas", quiet, "float64/packed_zero_noise", exactStrainTolerance));
  return addScaled("formulas", noisy, "packed", strainTolerance);
}

Status PreparationCheck::checkStandardizedParameters(const data::Preparation &preparation) {
  std::map<std::string, Doubles> columns;
  KOWARI_ASSIGN(const std::vector<std::string> names, recorded.file.children("parameters"));
  for (const std::string &name : names) {
    KOWARI_ASSIGN(columns[name], reals("parameters/" + name));
  }
  Doubles found;
  for (size_t r = 0; r < draws.size(); ++r) {
    std::map<std::string, double> intrinsic;
    for (const auto &[name, values] : columns)
      intrinsic[name] = values.at(std::min(r, values.size() - 1));
    KOWARI_ASSIGN(const Doubles row,
                  data::standardizedParameters(recorded.parameters, recorded.standardization, intrinsic,
                                               draws[r], preparation));
    found.insert(found.end(), row.begin(), row.end());
  }
  KOWARI_TRY(addScaled("formulas", found, "inference_parameters", parameterTolerance));
  return addScaled("formulas", found, "float64/inference_parameters", 1e-9);
}

Status PreparationCheck::checkStatistics(const data::WaveformDataset &dataset) {
  data::StandardizationRequest request;
  request.parameters = recorded.parameters;
  for (size_t k = 0; k < recorded.priors.size(); ++k) {
    const data::Prior &prior = recorded.priors[k];
    request.extrinsic.push_back({pipeline::extrinsicNames[k], prior.className(), prior.minimum(),
                                 prior.maximum(), [prior](double u) { return prior.rescale(u); }});
  }
  request.detectors = recorded.detectors;
  request.refTime = recorded.refTime;
  request.seed = 1;
  KOWARI_ASSIGN(const auto found, data::standardize(dataset, request));
  Largest exact, sampled;
  for (const std::string &name : recorded.parameters) {
    const data::MeanStd &a = found.at(name), &b = recorded.standardization.at(name);
    const auto drawn = std::find_if(request.extrinsic.begin(), request.extrinsic.end(),
                                    [&](const data::ExtrinsicPrior &prior) { return prior.name == name; });
    const bool isSampled = drawn == request.extrinsic.end()
                               ? dataset.column(name) == nullptr
                               : !recorded.priors[drawn - request.extrinsic.begin()].isAnalyticInDingo();
    // Means and deviations of n draws differ by some standard errors, std / sqrt(n) and less.
    const double n = drawn == request.extrinsic.end() ? double(dataset.samples()) : double(data::priorDraws);
    const double unit = isSampled ? b.std / std::sqrt(n) : b.std;
    Largest &worst = isSampled ? sampled : exact;
    worst.offer(std::abs(a.mean - b.mean) / unit, "mean of " + name);
    worst.offer(std::abs(a.std - b.std) / unit, "std of " + name);
  }
  add("standardization (std)", exact.value(), 2e-6, exact.where());
  if (!sampled.where().empty())
    add("sampled (standard errors)", sampled.value(), 7.0, sampled.where()); // of a difference of two
  return Status::ok();
}

/// The smallest network around the data entries.
ProgramSpec networkAround(const DataSpec &data, int64_t parameters, int64_t rows, ElementType type) {
  ProgramSpec spec;
  spec.elementType = type;
  spec.maxRows = rows;
  spec.flow.inputDim = parameters;
  spec.flow.numFlowSteps = 1;
  spec.flow.hiddenDim = 4;
  spec.flow.numTransformBlocks = 1;
  spec.flow.numBins = 4;
  spec.embedding.detectors = data.detectors;
  spec.embedding.bins = data.bins - data.minIndex;
  spec.embedding.svdSize = 2;
  spec.embedding.outputDim = 2;
  spec.embedding.hiddenDims = {4};
  spec.embedding.norm = Norm::None;
  spec.data = data;
  return spec;
}

Result<Doubles> PreparationCheck::packedOutput(const plan::Program &program, int entry) const {
  const int64_t columns = 3 * recorded.domain->networkBins(), count = recorded.detectorCount(),
                rows = recorded.rows();
  Doubles all(static_cast<size_t>(rows * count * columns)), one(static_cast<size_t>(rows * columns));
  for (int64_t d = 0; d < count; ++d) {
    KOWARI_TRY(program.readOutput(entry, pipeline::strain(d), std::span<double>(one), rows));
    for (int64_t r = 0; r < rows; ++r)
      std::copy_n(one.begin() + r * columns, columns, all.begin() + (r * count + d) * columns);
  }
  return all;
}

Status PreparationCheck::checkCompiled(const Compiler &compiler, const data::WaveformDataset &dataset,
                                       ElementType type, const std::string &name) {
  const auto parameters = static_cast<int64_t>(recorded.parameters.size());
  const int64_t rows = recorded.rows();
  KOWARI_ASSIGN(const std::unique_ptr<plan::Program> program,
                compiler.compile(networkAround(recorded.dataSpec(dataset), parameters, rows, type), name));
  KOWARI_ASSIGN(const std::unique_ptr<pipeline::InputPipeline> pipe,
                pipeline::InputPipeline::create(*program, dataset, recorded.pipelineOptions()));
  KOWARI_TRY(pipe->startStage(*recorded.asds, rows));
  KOWARI_TRY(pipe->load(recorded.index));
  const int entry = program->findEntry("prepare");
  for (const std::string extrinsic : pipeline::extrinsicNames) {
    KOWARI_ASSIGN(const Doubles values, reals("extrinsic/" + extrinsic));
    KOWARI_TRY(
        program->writeInput(entry, pipeline::extrinsic(extrinsic), std::span<const double>(values), rows));
  }
  for (int64_t d = 0; d < recorded.detectorCount(); ++d) {
    KOWARI_ASSIGN(const std::vector<int64_t> curves,
                  recorded.file.readIntegers("asd_index/" + recorded.detectors[d].name));
    KOWARI_TRY(program->writeInput(entry, pipeline::asdIndex(d), std::span<const int64_t>(curves), rows));
  }
  KOWARI_TRY(pipe->prepare(rows));
  KOWARI_ASSIGN(const Doubles packed, packedOutput(*program, entry));
  Doubles theta(static_cast<size_t>(rows * parameters));
  KOWARI_TRY(program->readOutput(entry, pipeline::theta, std::span<double>(theta), rows));
  const std::string label = type == ElementType::F64 ? "f64" : "f32";
  KOWARI_TRY(addScaled(label, packed, "packed_zero_noise", strainTolerance));
  KOWARI_TRY(addScaled(label, packed, "float64/packed_zero_noise", exactStrainTolerance));
  KOWARI_TRY(addScaled(label, theta, "inference_parameters", parameterTolerance));
  return addScaled(label, theta, "float64/inference_parameters", type == ElementType::F64 ? 1e-9 : 2e-7);
}

} // namespace

Result<CaseResult> checkPreparation(const Compiler &compiler, const std::string &path) {
  KOWARI_ASSIGN(const RecordedBatch recorded, RecordedBatch::read(path));
  PreparationCheck check(recorded);
  if (!recorded.unsupported.empty()) {
    check.result.skipped = recorded.unsupported;
    return check.result;
  }
  if (recorded.settings.find("random_strain_cropping"))
    check.result.leftOut.push_back("cropped: random_strain_cropping is not served yet");
  KOWARI_TRY(check.readDraws());
  KOWARI_TRY(check.checkGeometry());
  KOWARI_TRY(check.checkFormulas());
  KOWARI_ASSIGN(const std::optional<data::WaveformDataset> dataset, recorded.openWaveforms());
  if (!dataset) {
    check.result.leftOut.push_back("compiled preparation: the waveform data set is not there");
    return check.result;
  }
  KOWARI_TRY(check.checkStatistics(*dataset));
  const std::string name = std::filesystem::path(path).stem().string();
  KOWARI_TRY(check.checkCompiled(compiler, *dataset, ElementType::F64, name + "-f64"));
  KOWARI_TRY(check.checkCompiled(compiler, *dataset, ElementType::F32, name + "-f32"));
  return check.result;
}

} // namespace kowari::refcheck
