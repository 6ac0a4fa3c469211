//===- CompiledRun.cpp - compiled code against the interpreter ------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/fuzz/CompiledRun.h"
#include "compiler/fuzz/StepCheck.h"
#include "compiler/interpreter/PlanNumbers.h"
#include "runtime/plan/Program.h"

#include <algorithm>
#include <sstream>

using namespace mlir;
using kowari::interpreter::ElementKind;
using kowari::interpreter::ModuleNumbers;
using kowari::interpreter::NamedTensors;
using kowari::interpreter::Tensor;

namespace kowari::fuzz {

namespace {

constexpr double toleranceF64 = 1e-9, toleranceF32 = 1e-3, roundingFactor = 300;

const char *getRole(plan::TensorKind kind) {
  switch (kind) {
  case plan::TensorKind::Parameter:
    return "flow.parameter ";
  case plan::TensorKind::State:
    return "flow.state ";
  case plan::TensorKind::Constant:
    return "flow.constant ";
  case plan::TensorKind::OptimizerState:
    return "flow.optimizer ";
  case plan::TensorKind::Scalar:
    return "flow.scalar ";
  case plan::TensorKind::Input:
    return "flow.batch ";
  case plan::TensorKind::Output:
    return "flow.output ";
  }
  return "";
}

class CompiledEntry {
public:
  CompiledEntry(plan::Program &runProgram, std::string entryName, int64_t rowCount)
      : program(runProgram), name(std::move(entryName)), entry(program.findEntry(name)), rows(rowCount) {}

  Status writeInputs(const NamedTensors &tensors) {
    for (const plan::TensorInfo &info : program.tensors())
      if (auto found = tensors.find(getRole(info.kind) + info.name);
          found != tensors.end() && info.kind != plan::TensorKind::Input)
        KOWARI_TRY(write(found->second, [&](auto values) {
                     return program.write(info.name, values);
                   }).withContext(info.name));
    for (const plan::TensorInfo &info : program.entryTensors(entry))
      if (auto found = tensors.find(getRole(info.kind) + info.name);
          found != tensors.end() && info.kind == plan::TensorKind::Input)
        KOWARI_TRY(write(found->second, [&](auto values) {
                     return program.writeInput(entry, info.name, values, rows);
                   }).withContext(info.name));
    return Status::ok();
  }

  Status run() { return program.run(entry, rows); }

  /// The tensor that goes by `key` after a run; `expected` gives its size.
  Result<Tensor> read(const std::string &key, const Tensor &expected) const {
    std::vector<double> values(expected.getSize());
    std::string role = key.substr(0, key.find(' ') + 1), tensor = key.substr(role.size());
    KOWARI_TRY(role == "flow.output " ? program.readOutput(entry, tensor, std::span<double>(values), rows)
                                      : program.read(tensor, std::span<double>(values)));
    return Tensor::fromReals(ElementKind::F64, expected.getShape(), values);
  }

private:
  template <class Write> static Status write(const Tensor &tensor, Write writeValues) {
    if (!tensor.isReal())
      return writeValues(std::span<const int64_t>(tensor.getIndices()));
    std::vector<double> values = tensor.getReals<double>();
    return writeValues(std::span<const double>(values));
  }

  plan::Program &program;
  std::string name;
  int entry;
  int64_t rows;
};

/// What the outputs of a float32 run may be away from those in double. Where one loses digits, others that
/// lose none by chance may lose as many in another order of additions.
double getTolerance(const ModuleNumbers::Outputs &exact, const ModuleNumbers::Outputs *rounded) {
  if (!rounded)
    return toleranceF64;
  double error = 0;
  for (const auto &[key, tensor] : exact)
    if (auto found = rounded->find(key); found != rounded->end() && tensor.isReal())
      error = std::max(error, findLargestDifference(tensor.convertedTo(ElementKind::F64),
                                                    found->second.convertedTo(ElementKind::F64))
                                  .relative);
  return toleranceF32 + roundingFactor * error;
}

std::optional<std::string> compareOutputs(const CompiledEntry &entry, const ModuleNumbers::Outputs &expected,
                                          const ModuleNumbers::Outputs *rounded) {
  const double tolerance = getTolerance(expected, rounded);
  for (const auto &[key, tensor] : expected) {
    if (!tensor.isReal() || key.starts_with("flow.batch "))
      continue;
    Result<Tensor> actual = entry.read(key, tensor);
    if (!actual)
      return "output " + key + ": " + actual.status().message();
    Tensor exact = tensor.convertedTo(ElementKind::F64);
    interpreter::Difference difference = findLargestDifference(exact, *actual);
    if (difference.relative <= tolerance)
      continue;
    std::ostringstream text;
    text.precision(9);
    text << "output " << key << ": entry " << difference.position << " is "
         << exact.getReal(difference.position) << " interpreted and " << actual->getReal(difference.position)
         << " compiled, a difference of " << difference.relative << " where " << tolerance << " is accepted";
    return text.str();
  }
  return std::nullopt;
}

} // namespace

std::optional<std::string> compareCompiled(ModuleOp planned, const std::string &artifact,
                                           const ModuleNumbers &reference,
                                           const interpreter::NumbersOptions &options) {
  Result<std::unique_ptr<plan::Program>> program = plan::Program::load(artifact, {.threads = 2});
  if (!program)
    return "the artifact cannot be loaded: " + program.status().message();
  for (auto planProgram : planned.getOps<plan::ProgramOp>())
    for (int64_t rows : options.rowCounts) {
      std::string name = planProgram.getSymName().str();
      const ModuleNumbers::Outputs *exact = reference.find(name, rows, true);
      const ModuleNumbers::Outputs *own = reference.find(name, rows, false);
      std::string where = "compiled @" + name + " with " + std::to_string(rows) + " rows: ";
      if (!own)
        return where + "the interpreter has no numbers of it to compare with";
      CompiledEntry entry(**program, name, rows);
      const NamedTensors inputs = interpreter::makeRandomTensors(planProgram, rows, options.seed);
      if (Status status = entry.writeInputs(inputs); !status)
        return where + status.message();
      if (auto difference = findWrongStep(**program, planProgram, rows, inputs, options.seed))
        return where + *difference;
      Status status = entry.writeInputs(inputs); // the steps have changed parameters
      if (status)
        status = entry.run();
      if (!status)
        return where + status.message();
      if (auto difference = compareOutputs(entry, exact ? *exact : *own, exact ? own : nullptr))
        return where + *difference;
    }
  return std::nullopt;
}

} // namespace kowari::fuzz
