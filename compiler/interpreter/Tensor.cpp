//===- Tensor.cpp - the values an interpreted function computes -----------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/interpreter/Tensor.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kowari::interpreter {

static int64_t countEntries(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

Tensor::Tensor(ElementKind kind, std::vector<int64_t> shape) : shape(std::move(shape)) {
  size_t count = countEntries(this->shape);
  switch (kind) {
  case ElementKind::F32:
    content = std::vector<float>(count);
    break;
  case ElementKind::F64:
    content = std::vector<double>(count);
    break;
  case ElementKind::I64:
    content = std::vector<int64_t>(count);
    break;
  }
}

Tensor Tensor::fromReals(ElementKind kind, std::vector<int64_t> shape, const std::vector<double> &entries) {
  assert(kind != ElementKind::I64);
  Tensor tensor(kind, std::move(shape));
  assert(tensor.getSize() == static_cast<int64_t>(entries.size()));
  for (size_t i = 0; i < entries.size(); ++i)
    tensor.setReal(i, entries[i]);
  return tensor;
}

Tensor Tensor::fromIndices(std::vector<int64_t> shape, std::vector<int64_t> entries) {
  Tensor tensor(ElementKind::I64, std::move(shape));
  assert(tensor.getSize() == static_cast<int64_t>(entries.size()));
  tensor.content = std::move(entries);
  return tensor;
}

int64_t Tensor::getSize() const { return countEntries(shape); }

Tensor Tensor::convertedTo(ElementKind kind) const {
  if (!isReal() || kind == getKind())
    return *this;
  return fromReals(kind, shape, getReals<double>());
}

double Tensor::getReal(int64_t position) const {
  if (auto *floats = std::get_if<std::vector<float>>(&content))
    return (*floats)[position];
  return std::get<std::vector<double>>(content)[position];
}

void Tensor::setReal(int64_t position, double value) {
  if (auto *floats = std::get_if<std::vector<float>>(&content))
    (*floats)[position] = static_cast<float>(value);
  else
    std::get<std::vector<double>>(content)[position] = value;
}

std::string Tensor::describe() const {
  static const char *const names[] = {"f32", "f64", "i64"};
  std::string text = names[content.index()];
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i == 0 ? " " : "x") + std::to_string(shape[i]);
  return text;
}

static double getDistance(double expected, double actual) {
  if (expected == actual || (std::isnan(expected) && std::isnan(actual)))
    return 0;
  double distance = std::fabs(expected - actual);
  return std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance;
}

Difference findLargestDifference(const Tensor &expected, const Tensor &actual) {
  assert(expected.getKind() == actual.getKind() && expected.getShape() == actual.getShape());
  Difference largest;
  if (!expected.isReal()) {
    auto [e, a] = std::mismatch(expected.getIndices().begin(), expected.getIndices().end(),
                                actual.getIndices().begin());
    if (e != expected.getIndices().end())
      largest = {std::numeric_limits<double>::infinity(), e - expected.getIndices().begin()};
    return largest;
  }
  double scale = 1;
  for (int64_t i = 0; i < expected.getSize(); ++i)
    if (std::isfinite(expected.getReal(i)))
      scale = std::max(scale, std::fabs(expected.getReal(i)));
  for (int64_t i = 0; i < expected.getSize(); ++i) {
    double relative = getDistance(expected.getReal(i), actual.getReal(i)) / scale;
    if (relative > largest.relative)
      largest = {relative, i};
  }
  return largest;
}

} // namespace kowari::interpreter
