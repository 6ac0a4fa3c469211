//===- FuzzCase.cpp - one program to try -----------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/fuzz/FuzzCase.h"
#include "compiler/fuzz/RandomSpec.h"
#include "frontend/graph/BuildGraph.h"

#include "mlir/Parser/Parser.h"

#include <fstream>
#include <sstream>

using namespace mlir;

namespace kowari::fuzz {

FuzzCase FuzzCase::make(uint64_t seed, uint64_t index) {
  std::mt19937_64 generator(seed * 0x9e3779b97f4a7c15 + index);
  generator.discard(8);
  switch (generator() % 8) {
  case 0:
  case 1:
    return FuzzCase(makeRandomPlan(generator));
  case 2:
  case 3:
    return FuzzCase(makeRandomFunction(generator));
  default:
    return FuzzCase(makeRandomSpec(generator));
  }
}

Result<FuzzCase> FuzzCase::read(const std::string &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file)
    return Status::error("cannot read " + path);
  if (!path.ends_with(".json"))
    return FuzzCase(text.str());
  Result<ProgramSpec> spec = ProgramSpec::fromJson(text.str());
  if (!spec)
    return spec.status().withContext(path);
  return FuzzCase(spec.take());
}

std::string FuzzCase::describe() const {
  if (auto *spec = std::get_if<ProgramSpec>(&content))
    return "network " + spec->toCanonicalJson();
  if (auto *function = std::get_if<RandomFunction>(&content))
    return "function of " + std::to_string(function->statements.size()) + " statements";
  if (auto *plan = std::get_if<RandomPlan>(&content))
    return "plan of " + std::to_string(plan->statements.size()) + " steps";
  return "module";
}

std::vector<FuzzCase> FuzzCase::simplify() const {
  std::vector<FuzzCase> simpler;
  if (auto *spec = std::get_if<ProgramSpec>(&content))
    for (ProgramSpec &changed : fuzz::simplify(*spec))
      simpler.emplace_back(std::move(changed));
  if (auto *function = std::get_if<RandomFunction>(&content))
    for (RandomFunction &changed : fuzz::simplify(*function))
      simpler.emplace_back(std::move(changed));
  if (auto *plan = std::get_if<RandomPlan>(&content))
    for (RandomPlan &changed : fuzz::simplify(*plan))
      simpler.emplace_back(std::move(changed));
  return simpler;
}

Result<std::string> FuzzCase::writeTo(const std::string &folder) const {
  std::string path = folder + (isNetwork() ? "/spec.json" : "/module.mlir");
  std::ofstream file(path);
  file << print();
  file.close();
  if (!file)
    return Status::error("cannot write " + path + "; is the disk full?");
  return path;
}

OwningOpRef<ModuleOp> FuzzCase::build(MLIRContext &context) const {
  if (auto *spec = std::get_if<ProgramSpec>(&content))
    return graph::buildGraph(context, *spec);
  return parseSourceString<ModuleOp>(print(), &context);
}

std::string FuzzCase::print() const {
  if (auto *spec = std::get_if<ProgramSpec>(&content))
    return spec->toCanonicalJson() + "\n";
  if (auto *function = std::get_if<RandomFunction>(&content))
    return function->print();
  if (auto *plan = std::get_if<RandomPlan>(&content))
    return plan->print();
  return std::get<std::string>(content);
}

ProgramSpec FuzzCase::getSpec() const {
  if (auto *spec = std::get_if<ProgramSpec>(&content))
    return *spec;
  ProgramSpec spec;
  spec.hasEmbedding = false;
  spec.maxRows = 1;
  bool isF64 = print().find("f32>") == std::string::npos;
  spec.elementType = isF64 ? ElementType::F64 : ElementType::F32;
  return spec;
}

} // namespace kowari::fuzz
