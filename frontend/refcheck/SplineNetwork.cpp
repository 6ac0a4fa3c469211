//===- SplineNetwork.cpp - a network that is one spline -------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/refcheck/SplineNetwork.h"

#include <cmath>

namespace kowari::refcheck {

using Doubles = std::vector<double>;

static const std::string step = "flow._transform._transforms.0._transforms.";
static const std::string firstLinear = step + "0._transforms.1.", conditioner = step + "1.transform_net.";
static const std::string lastLinear = "flow._transform._transforms.1._transforms.1.";

/// The conditioner's width: a power of four, whose root divides widths and heights without rounding.
static int64_t hiddenWidth(int64_t parameters) {
  int64_t width = 4;
  while (width < parameters)
    width *= 4;
  return width;
}

ProgramSpec SplineNetwork::spec(int64_t numBins, double tailBound, int64_t rows, ElementType type) {
  ProgramSpec spec;
  spec.elementType = type;
  spec.maxRows = rows;
  spec.flow.inputDim = 1;
  spec.flow.numFlowSteps = 1;
  spec.flow.numTransformBlocks = 1;
  spec.flow.numBins = numBins;
  spec.flow.tailBound = tailBound;
  spec.flow.hiddenDim = hiddenWidth(3 * numBins - 1);
  spec.hasEmbedding = false;
  spec.contextParameters = 3 * numBins - 1;
  spec.gradientEntry = true;
  return spec;
}

SplineNetwork::SplineNetwork(plan::Program &program, int64_t numBins)
    : program(program), width(3 * numBins - 1), hidden(hiddenWidth(width)) {}

/// Above 20 softplus is the identity: the number that gives `scale` when 1e-3 is added in the element type.
double SplineNetwork::diagonalForScale() const {
  if (program.elementType() == plan::DType::F64)
    return scale - 1e-3;
  float value = static_cast<float>(scale) - 1e-3f;
  while (value + 1e-3f < static_cast<float>(scale))
    value = std::nextafter(value, 64.0f);
  while (value + 1e-3f > static_cast<float>(scale))
    value = std::nextafter(value, 0.0f);
  return value;
}

Status SplineNetwork::writeWeights() {
  const auto write = [&](const std::string &name, const Doubles &values) {
    return program.write(name, std::span<const double>(values));
  };
  for (const plan::TensorInfo &tensor : program.tensors()) {
    int64_t count = 1;
    for (const int64_t extent : tensor.shape)
      count *= extent;
    if (tensor.kind == plan::TensorKind::Parameter)
      KOWARI_TRY(write(tensor.name, Doubles(static_cast<size_t>(count))));
    else if (tensor.name.ends_with("_permutation"))
      KOWARI_TRY(program.write(tensor.name, std::span<const int64_t>(std::vector<int64_t>{0})));
  }
  Doubles initial(static_cast<size_t>(hidden * width)), final(initial.size());
  const int64_t divided = 2 * (width + 1) / 3; // widths and heights
  for (int64_t k = 0; k < width; ++k) {
    initial[static_cast<size_t>(k * width + k)] = 1.0;
    final[static_cast<size_t>(k * hidden + k)] = k < divided ? std::sqrt(static_cast<double>(hidden)) : 1.0;
  }
  KOWARI_TRY(write(conditioner + "initial_layer.weight", initial));
  KOWARI_TRY(write(conditioner + "final_layer.weight", final));
  KOWARI_TRY(write(firstLinear + "unconstrained_upper_diag", {diagonalForScale()}));
  return write(lastLinear + "unconstrained_upper_diag", {std::log(std::expm1(1.0 - 1e-3))});
}

Status SplineNetwork::setShift(double shift) {
  return program.write(lastLinear + "bias", std::span<const double>(&shift, 1));
}

Status SplineNetwork::runEntry(const std::string &entry, const char *input, const Doubles &values,
                               const Doubles &parameters) {
  const int index = program.findEntry(entry);
  if (index < 0)
    return Status::error("the program has no entry " + entry);
  const auto rows = static_cast<int64_t>(values.size());
  KOWARI_TRY(program.writeInput(index, input, std::span<const double>(values), rows));
  KOWARI_TRY(program.writeInput(index, "context", std::span<const double>(parameters), rows));
  return program.run(index, rows).withContext("entry " + entry);
}

Result<Doubles> SplineNetwork::output(const std::string &entry, const std::string &name, size_t count) const {
  Doubles values(count);
  KOWARI_TRY(program.readOutput(program.findEntry(entry), name, std::span<double>(values),
                                static_cast<int64_t>(count)));
  return values;
}

static Doubles scaled(const Doubles &values, double factor) {
  Doubles result;
  for (const double value : values)
    result.push_back(value * factor);
  return result;
}

Result<Doubles> SplineNetwork::logProb(const Doubles &x, const Doubles &parameters) {
  KOWARI_TRY(runEntry("log_prob", "theta", scaled(x, 1 / scale), parameters));
  return output("log_prob", "log_prob", x.size());
}

Result<SplineNetwork::Sample> SplineNetwork::sample(const Doubles &y, const Doubles &parameters) {
  KOWARI_TRY(setShift(0.0));
  KOWARI_TRY(runEntry("sample", "noise", y, parameters));
  Sample result;
  KOWARI_ASSIGN(result.x, output("sample", "theta", y.size()));
  KOWARI_ASSIGN(result.logProb, output("sample", "log_prob", y.size()));
  result.x = scaled(result.x, scale);
  return result;
}

Result<SplineNetwork::Gradient> SplineNetwork::gradient(double x, const Doubles &parameters) {
  KOWARI_TRY(runEntry("gradient", "theta", {x / scale}, parameters));
  const int entry = program.findEntry("gradient");
  Gradient result{0.0, Doubles(static_cast<size_t>(width))};
  KOWARI_TRY(
      program.readOutput(entry, "gradient/" + firstLinear + "bias", std::span<double>(&result.x, 1), 1));
  KOWARI_TRY(program.readOutput(entry, "gradient/" + conditioner + "final_layer.bias",
                                std::span<double>(result.parameters), 1));
  const int64_t divided = 2 * (width + 1) / 3;
  for (int64_t k = 0; k < divided; ++k)
    result.parameters[static_cast<size_t>(k)] *= std::sqrt(static_cast<double>(hidden));
  return result;
}

} // namespace kowari::refcheck
