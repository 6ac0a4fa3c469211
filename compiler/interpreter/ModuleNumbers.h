//===- ModuleNumbers.h - what a module computes -----------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The results of every public, interpretable function, and of every plan.program, of a module for random
// inputs: what a pass must not change. An f32 function runs twice, in its own precision and in double
// throughout; the second shows faults that rounding hides.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <optional>
#include <set>

namespace kowari::interpreter {

struct NumbersOptions {
  std::vector<int64_t> rowCounts = {2, 7, 17};
  uint64_t seed = 1;
  /// A function whose matrix products need more multiply-adds is left out.
  double multiplyAddBudget = 2e9;
  /// A function that needs no more than this for as many rows as it takes runs with these too.
  double maximumBudget = 3e8;
  /// A function whose arguments have more entries than this is left out.
  double entryBudget = 2e8;
  /// Reals of the inputs are off by up to this, relative.
  double perturbation = 0;
  /// Largest accepted difference, relative to the output's largest entry or to 1, whatever is more.
  double tolerance = 1e-9;
  double toleranceF32 = 1e-3;
};

/// Multiply-adds of a function's matrix products with one row.
double countMultiplyAdds(mlir::func::FuncOp function);

class ModuleNumbers {
public:
  static ModuleNumbers compute(mlir::ModuleOp module, const NumbersOptions &options);

  /// What differs first in a later version, in words, and in which run.
  struct OutputDifference {
    std::string text, function;
    int64_t rows;
  };
  /// Nothing if all agree. Functions, outputs and runs that only one of the two versions has are not
  /// compared. `perturbed`, if given, are this version's numbers for slightly perturbed inputs: a hundred
  /// times what that does to an output in double is accepted too.
  std::optional<OutputDifference> findDifference(const ModuleNumbers &later, const NumbersOptions &options,
                                                 const ModuleNumbers *perturbed = nullptr) const;

  using Outputs = std::map<std::string, Tensor>; ///< by getResultKey
  /// What the function @name computed with `rows` rows; null where it has not run so. `inDouble` asks for the
  /// run of an f32 function in double.
  const Outputs *find(const std::string &name, int64_t rows, bool inDouble) const;

  /// "@name: why", for each public function and program that cannot be interpreted or is beyond the budget.
  const std::set<std::string> &getLeftOut() const { return leftOut; }

  /// The first fault of a plan program that came up, in words (PlanInterpreter.h).
  const std::optional<std::string> &getPlanFault() const { return planFault; }

  /// Whether it holds numbers of the function @name.
  bool has(const std::string &name) const { return functions.count(name) > 0; }

private:
  struct Run {
    int64_t rows;
    bool inDouble; ///< computed in double although the function is not
    bool operator<(const Run &other) const {
      return std::pair(rows, inDouble) < std::pair(other.rows, other.inDouble);
    }
  };
  /// `other`, if there, is another run that `before` differs from by its rounding errors: that difference,
  /// times `factor`, is accepted too.
  static std::optional<std::string> compare(const Outputs &before, const Outputs &after, double tolerance,
                                            const Outputs *other, double factor);

  void addFunction(mlir::func::FuncOp function, const NumbersOptions &options);
  void addPrograms(mlir::ModuleOp module, const NumbersOptions &options);
  std::vector<int64_t> chooseRows(llvm::StringRef name, const NumbersOptions &options, double multiplyAdds,
                                  mlir::IntegerAttr maximum);

  std::map<std::string, std::map<Run, Outputs>> functions;
  std::set<std::string> leftOut;
  std::optional<std::string> planFault;
};

} // namespace kowari::interpreter
