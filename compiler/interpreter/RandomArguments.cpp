//===- RandomArguments.cpp - inputs for comparing two versions ------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/interpreter/RandomArguments.h"

#include "dialects/flow/FlowOps.h"

#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace mlir;

namespace kowari::interpreter {

static const char *const roles[] = {"flow.batch",     "flow.parameter", "flow.state", "flow.constant",
                                    "flow.optimizer", "flow.scalar",    "flow.output"};

static std::string getKey(DictionaryAttr attributes, unsigned index) {
  for (const char *role : roles)
    if (auto name = attributes ? attributes.getAs<StringAttr>(role) : StringAttr())
      return (Twine(role) + " " + name.getValue()).str();
  return "#" + std::to_string(index);
}

std::string getArgumentKey(func::FuncOp function, unsigned index) {
  return getKey(function.getArgAttrDict(index), index);
}

std::string getResultKey(func::FuncOp function, unsigned index) {
  return getKey(function.getResultAttrDict(index), index);
}

/// The row count of the smallest table that rows are taken from by this index.
static int64_t getIndexBound(Value index) {
  int64_t bound = int64_t(1) << 20;
  for (Operation *user : index.getUsers())
    if (auto gather = dyn_cast<flow::GatherRowsOp>(user))
      bound = std::min(bound, cast<RankedTensorType>(gather.getTable().getType()).getDimSize(0));
  return bound;
}

static Tensor makeIndices(std::vector<int64_t> shape, bool isPermutation, int64_t bound,
                          std::mt19937_64 &generator) {
  int64_t count = Tensor(ElementKind::I64, shape).getSize();
  std::vector<int64_t> indices(count);
  if (isPermutation) {
    std::iota(indices.begin(), indices.end(), 0);
    std::shuffle(indices.begin(), indices.end(), generator);
  } else {
    for (int64_t &index : indices)
      index = shape.empty() ? 1 + generator() % 4 : generator() % bound;
  }
  return Tensor::fromIndices(std::move(shape), std::move(indices));
}

static Tensor makeReals(std::vector<int64_t> shape, bool isPositive, double scale,
                        std::mt19937_64 &generator) {
  Tensor tensor(ElementKind::F64, std::move(shape));
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0.5, 1.5);
  for (int64_t i = 0; i < tensor.getSize(); ++i)
    tensor.setReal(i, isPositive ? uniform(generator) : scale * normal(generator));
  return tensor;
}

static void perturb(Tensor &tensor, double relative, std::mt19937_64 &generator) {
  std::uniform_real_distribution<double> uniform(-relative, relative);
  for (int64_t i = 0; i < tensor.getSize(); ++i)
    tensor.setReal(i, tensor.getReal(i) * (1 + uniform(generator)));
}

Tensor makeRandomTensor(const std::string &key, Type elementType, std::vector<int64_t> shape,
                        int64_t indexBound, int64_t rows, uint64_t seed, double perturbation) {
  bool isStatic = !llvm::is_contained(shape, -1);
  for (int64_t &extent : shape)
    extent = extent == -1 ? rows : extent;
  std::mt19937_64 generator(llvm::xxh3_64bits(key) ^ (seed * 0x9e3779b97f4a7c15 + rows));
  StringRef role = StringRef(key).split(' ').first;
  bool isWeight = isStatic && shape.size() == 2;
  double scale = isWeight ? 1 / std::sqrt(std::max<double>(1, shape[1])) : 1;
  bool isPositive = role == "flow.state" || role == "flow.optimizer" || role == "flow.scalar";
  if (elementType.isInteger())
    return makeIndices(shape, isStatic && shape.size() == 1, indexBound, generator);
  if (key == "flow.scalar step")
    return Tensor::fromReals(ElementKind::F64, shape, {static_cast<double>(1 + generator() % 3)});
  Tensor tensor = makeReals(shape, isPositive, scale, generator);
  if (perturbation != 0)
    perturb(tensor, perturbation, generator);
  return tensor;
}

std::vector<Tensor> makeRandomArguments(func::FuncOp function, int64_t rows, uint64_t seed,
                                        double perturbation) {
  std::vector<Tensor> arguments;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto type = cast<RankedTensorType>(function.getArgumentTypes()[i]);
    std::vector<int64_t> shape;
    for (int64_t extent : type.getShape())
      shape.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
    arguments.push_back(makeRandomTensor(getArgumentKey(function, i), type.getElementType(), shape,
                                         getIndexBound(function.getArgument(i)), rows, seed, perturbation));
  }
  return arguments;
}

} // namespace kowari::interpreter
