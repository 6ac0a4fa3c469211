//===- ModelCheck.cpp - compiled networks against Dingo's numbers ---------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/refcheck/ModelCheck.h"

#include "frontend/cli/EmbeddingSvd.h"
#include "frontend/refcheck/ModelCase.h"
#include "frontend/refcheck/NetworkRun.h"

#include <filesystem>
#include <future>

namespace kowari::refcheck {

namespace {

using Doubles = std::vector<double>;

/// The checks of one case in one element type. Float32 programs are compared with the float64 numbers.
class ModelCheck {
public:
  ModelCheck(const ModelCase &reference, plan::Program &program, bool isDouble)
      : reference(reference), program(program), network(reference, program), isDouble(isDouble) {}

  Status run();
  std::vector<Measure> measures;

private:
  Status checkEvaluation();
  Status checkTraining();
  Status checkGradients(const std::vector<std::string> &names);
  Status checkStatistics();
  Status checkOptimizer(int stage);
  Status checkOptimizerResult(const OptimizerRun &run, const std::string &label);
  Status checkSamples();
  /// The first layer of the embedding as it starts from recorded SVD bases.
  Status checkSvdStart();

  Result<Doubles> recorded(const std::string &name) const { return reference.file.readDoubles(name); }
  /// `figure` is PyTorch's own float32 difference in this case.
  double tolerance(double exact, double general, double figure) const {
    return isDouble ? exact : std::max(general, 5 * figure);
  }
  void add(const std::string &name, double difference, double tolerance, const std::string &worst = "") {
    measures.push_back({(isDouble ? "f64 " : "f32 ") + name, difference, tolerance, worst});
  }

  const ModelCase &reference;
  plan::Program &program;
  NetworkRun network;
  bool isDouble;
};

Status ModelCheck::run() {
  KOWARI_TRY(checkEvaluation());
  if (reference.file.has("train_float64"))
    KOWARI_TRY(checkTraining());
  for (size_t stage = 0; stage < reference.optimizers.size(); ++stage)
    KOWARI_TRY(checkOptimizer(static_cast<int>(stage)));
  if (reference.file.has("sample_float64"))
    KOWARI_TRY(checkSamples());
  return reference.file.has("svd") && reference.file.has("initial_parameters") ? checkSvdStart()
                                                                               : Status::ok();
}

Status ModelCheck::checkEvaluation() {
  KOWARI_TRY(network.reset());
  KOWARI_TRY(network.writeBatch("log_prob"));
  KOWARI_TRY(network.run("log_prob"));
  KOWARI_ASSIGN(const Doubles expected, recorded("eval_float64/log_prob"));
  KOWARI_ASSIGN(const Doubles logProb, network.output("log_prob", "log_prob"));
  add("log_prob", mixedDifference(logProb, expected), tolerance(1e-12, 3e-5, reference.float32.output));
  if (!reference.file.has("eval_float64/embedding"))
    return Status::ok();
  KOWARI_ASSIGN(const Doubles expectedContext, recorded("eval_float64/embedding"));
  KOWARI_ASSIGN(const Doubles context, network.output("log_prob", "embedding"));
  add("embedding", scaledDifference(context, expectedContext),
      tolerance(1e-12, 3e-6, reference.float32.embedding));
  return Status::ok();
}

Status ModelCheck::checkTraining() {
  KOWARI_TRY(network.reset());
  KOWARI_TRY(network.writeBatch("gradient"));
  KOWARI_TRY(network.run("gradient"));
  KOWARI_ASSIGN(const Doubles expected, recorded("train_float64/loss"));
  KOWARI_ASSIGN(const Doubles loss, network.output("gradient", "loss"));
  add("loss", mixedDifference(loss, expected), tolerance(1e-12, 3e-6, reference.float32.loss));
  KOWARI_ASSIGN(const std::vector<std::string> names, reference.file.children("train_float64/gradients"));
  KOWARI_TRY(checkGradients(names));
  return checkStatistics();
}

Status ModelCheck::checkGradients(const std::vector<std::string> &names) {
  std::vector<double> differences, scales;
  for (const std::string &name : names) {
    KOWARI_ASSIGN(const Doubles expected, recorded("train_float64/gradients/" + name));
    Doubles found;
    if (!expected.empty()) {
      KOWARI_ASSIGN(found, network.output("gradient", "gradient/" + name));
    }
    differences.push_back(absoluteDifference(found, expected));
    scales.push_back(largestMagnitude(expected));
  }
  const double largest = largestMagnitude(scales);
  // In float64, |a - b| <= 1e-10 of the tensor + 1e-12 of all; in float32 the two are asked for one by one.
  Largest ofTensor, ofAll;
  for (size_t i = 0; i < names.size(); ++i) {
    if (differences[i] == 0.0)
      continue;
    ofAll.offer(differences[i] / largest, names[i]);
    ofTensor.offer(differences[i] /
                       (isDouble ? scales[i] + 0.01 * largest : std::max(scales[i], 1e-4 * largest)),
                   names[i]);
  }
  add("gradients", ofTensor.value(), tolerance(1e-10, 1e-3, reference.float32.gradientOfTensor),
      ofTensor.where());
  if (!isDouble)
    add("gradients/all", ofAll.value(), tolerance(0.0, 5e-5, reference.float32.gradientOfAll), ofAll.where());
  return Status::ok();
}

Status ModelCheck::checkStatistics() {
  const std::string group = "train_float64/buffers";
  if (!reference.file.has(group))
    return Status::ok();
  KOWARI_ASSIGN(const std::vector<std::string> names, reference.file.children(group));
  Largest worst;
  bool any = false;
  for (const std::string &name : names) {
    if (isHostBuffer(name) || name.ends_with("_permutation"))
      continue;
    KOWARI_ASSIGN(const Doubles expected, recorded(group + "/" + name));
    KOWARI_ASSIGN(const Doubles found, network.tensor(name));
    worst.offer(mixedDifference(found, expected), name);
    any = true;
  }
  if (any)
    add("statistics", worst.value(), tolerance(1e-12, 3e-6, 0.0), worst.where());
  return Status::ok();
}

Status ModelCheck::checkOptimizer(int stage) {
  const OptimizerRun &run = reference.optimizers[stage];
  const std::string entry = "train_step_" + std::to_string(stage);
  const std::string label = run.group.substr(0, run.group.size() - std::string("_float64").size());
  KOWARI_TRY(network.reset());
  KOWARI_ASSIGN(const Doubles expected, recorded(run.group + "/losses"));
  Largest losses;
  for (size_t step = 0; step < expected.size(); ++step) {
    KOWARI_TRY(network.setScalar("learning_rate", run.learningRate));
    if (network.hasTensor("step")) // not read by every optimizer
      KOWARI_TRY(network.setScalar("step", static_cast<double>(step + 1)));
    KOWARI_TRY(network.writeBatch(entry));
    KOWARI_TRY(network.run(entry));
    KOWARI_ASSIGN(const Doubles loss, network.output(entry, "loss"));
    losses.offer(scaledDifference(loss, Doubles{expected[step]}), "step " + std::to_string(step + 1));
  }
  add(label + " losses", losses.value(), tolerance(1e-11, 3e-6, reference.float32.optimizerLoss),
      losses.where());
  return isDouble ? checkOptimizerResult(run, label) : Status::ok();
}

Status ModelCheck::checkOptimizerResult(const OptimizerRun &run, const std::string &label) {
  KOWARI_ASSIGN(const std::vector<std::string> names, reference.file.children(run.group + "/parameters"));
  Largest parameters, state;
  for (const std::string &name : names) {
    KOWARI_ASSIGN(const Doubles expected, recorded(run.group + "/parameters/" + name));
    if (isHostBuffer(name) || name.ends_with("_permutation") || expected.empty())
      continue;
    KOWARI_ASSIGN(const Doubles found, network.tensor(name));
    parameters.offer(absoluteDifference(found, expected), name);
  }
  add(label + " parameters", parameters.value(), 1e-8, parameters.where());
  const std::string group = run.group + "/state";
  if (!reference.file.has(group))
    return Status::ok();
  KOWARI_ASSIGN(const std::vector<std::string> stateful, reference.file.children(group));
  for (const std::string &name : stateful) {
    KOWARI_ASSIGN(const std::vector<std::string> keys, reference.file.children(group + "/" + name));
    for (const std::string &key : keys) {
      KOWARI_ASSIGN(const Doubles expected, recorded(group + "/" + name + "/" + key));
      if (key == "step" || expected.empty())
        continue;
      KOWARI_ASSIGN(const Doubles found, network.tensor(key + "/" + name));
      state.offer(mixedDifference(found, expected), key + "/" + name);
    }
  }
  add(label + " state", state.value(), 1e-8, state.where());
  return Status::ok();
}

Status ModelCheck::checkSamples() {
  KOWARI_TRY(network.reset());
  KOWARI_ASSIGN(const Doubles noise, recorded("sample_float64/u"));
  KOWARI_ASSIGN(const Doubles theta, recorded("sample_float64/theta"));
  KOWARI_ASSIGN(const Doubles logProb, recorded("sample_float64/log_prob"));
  const size_t rows = reference.rows, width = reference.spec.flow.inputDim, draws = logProb.size() / rows;
  Doubles foundTheta(theta.size()), foundLogProb(logProb.size());
  for (size_t draw = 0; draw < draws; ++draw) {
    Doubles one;
    for (size_t row = 0; row < rows; ++row) {
      const auto begin = noise.begin() + (row * draws + draw) * width;
      one.insert(one.end(), begin, begin + width);
    }
    KOWARI_TRY(network.writeBatch("sample", &one));
    KOWARI_TRY(network.run("sample"));
    KOWARI_ASSIGN(const Doubles drawn, network.output("sample", "theta"));
    KOWARI_ASSIGN(const Doubles density, network.output("sample", "log_prob"));
    for (size_t row = 0; row < rows; ++row) {
      std::copy_n(drawn.begin() + row * width, width, foundTheta.begin() + (row * draws + draw) * width);
      foundLogProb[row * draws + draw] = density[row];
    }
  }
  add("samples", mixedDifference(foundTheta, theta), tolerance(1e-9, 1e-4, 0.0));
  add("samples log_prob", mixedDifference(foundLogProb, logProb), tolerance(1e-9, 1e-4, 0.0));
  return Status::ok();
}

Status ModelCheck::checkSvdStart() {
  std::vector<data::SvdBasis> bases;
  for (int64_t d = 0; d < reference.spec.embedding.detectors; ++d) {
    const std::string name = "svd/V_" + std::to_string(d);
    KOWARI_ASSIGN(const data::DatasetInfo info, reference.file.info(name));
    if (info.shape.size() != 2)
      return Status::error(reference.file.path() + ": " + name + " is no matrix");
    data::SvdBasis &basis = bases.emplace_back();
    basis.bins = info.shape[0];
    basis.size = info.shape[1];
    KOWARI_ASSIGN(basis.v, reference.file.readComplex(name));
  }
  KOWARI_TRY(network.reset());
  KOWARI_TRY(cli::writeSvdWeights(program, bases, 0));
  KOWARI_ASSIGN(const std::vector<std::string> names, reference.file.children("initial_parameters"));
  Largest worst;
  for (const std::string &name : names) {
    KOWARI_ASSIGN(const Doubles expected, recorded("initial_parameters/" + name));
    KOWARI_ASSIGN(const Doubles found, network.tensor(name));
    worst.offer(absoluteDifference(found, expected), name);
  }
  add("start from SVD", worst.value(), 0.0, worst.where());
  return Status::ok();
}

Result<std::vector<Measure>> checkElementType(const Compiler &compiler, const ModelCase &reference,
                                              ElementType type, const std::string &name) {
  ProgramSpec spec = reference.spec;
  spec.elementType = type;
  KOWARI_ASSIGN(const std::unique_ptr<plan::Program> program, compiler.compile(spec, name));
  ModelCheck check(reference, *program, type == ElementType::F64);
  KOWARI_TRY(check.run());
  return std::move(check.measures);
}

} // namespace

Result<CaseResult> checkModel(const Compiler &compiler, const std::string &path) {
  KOWARI_ASSIGN(const ModelCase reference, ModelCase::read(path));
  CaseResult result;
  result.skipped = reference.unsupported;
  result.leftOut = reference.leftOut;
  if (!result.skipped.empty())
    return result;
  const std::string name = std::filesystem::path(path).stem().string();
  auto single = std::async(std::launch::async, [&] {
    return checkElementType(compiler, reference, ElementType::F32, name + "-f32");
  });
  Result<std::vector<Measure>> exact = checkElementType(compiler, reference, ElementType::F64, name + "-f64");
  Result<std::vector<Measure>> rounded = single.get();
  if (!exact)
    return exact.status().withContext("f64");
  if (!rounded)
    return rounded.status().withContext("f32");
  result.measures = exact.take();
  result.measures.insert(result.measures.end(), rounded->begin(), rounded->end());
  return result;
}

} // namespace kowari::refcheck
