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
  if (generator() % 2)
    return FuzzCase(makeRandomSpec(generator));
  return FuzzCase(makeRandomFunction(generator));
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
  return simpler;
}

Result<std::string> FuzzCase::writeTo(const std::string &folder) const {
  std::string path = folder + (isNetwork() ? "/spec.json" : "/module.mlir");
  std::ofstream file(path);
  if (auto *spec = std::get_if<ProgramSpec>(&content))
    file << spec->toCanonicalJson() << "\n";
  else if (auto *function = std::get_if<RandomFunction>(&content))
    file << function->print();
  else
    file << std::get<std::string>(content);
  file.close();
  if (!file)
    return Status::error("cannot write " + path + "; is the disk full?");
  return path;
}

OwningOpRef<ModuleOp> FuzzCase::build(MLIRContext &context) const {
  if (auto *spec = std::get_if<ProgramSpec>(&content))
    return graph::buildGraph(context, *spec);
  auto *function = std::get_if<RandomFunction>(&content);
  return parseSourceString<ModuleOp>(function ? function->print() : std::get<std::string>(content), &context);
}

ProgramSpec FuzzCase::getSpec() const {
  if (auto *spec = std::get_if<ProgramSpec>(&content))
    return *spec;
  ProgramSpec spec;
  spec.hasEmbedding = false;
  spec.maxRows = 1;
  auto *function = std::get_if<RandomFunction>(&content);
  bool isF64 = function ? function->isF64 : std::get<std::string>(content).find("f32>") == std::string::npos;
  spec.elementType = isF64 ? ElementType::F64 : ElementType::F32;
  return spec;
}

} // namespace kowari::fuzz
