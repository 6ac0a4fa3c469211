//===- RandomArguments.h - inputs for comparing two versions ----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kowari::interpreter {

/// The name by which an argument is known in every version of a function: its role and the name that goes
/// with it
/// ("flow.parameter flow._transform..."), without a role its position ("#2").
std::string getArgumentKey(mlir::func::FuncOp function, unsigned index);
/// The same for a result.
std::string getResultKey(mlir::func::FuncOp function, unsigned index);

/// The tensor of one argument, from its key, role included. An extent of -1 is the row count; indices lie
/// below `indexBound`, reals are off by up to `perturbation`, relative.
Tensor makeRandomTensor(const std::string &key, mlir::Type elementType, std::vector<int64_t> shape,
                        int64_t indexBound, int64_t rows, uint64_t seed, double perturbation = 0);

/// Tensors for all arguments of an interpretable function. They depend on the arguments' keys, `rows`,
/// `seed` and `perturbation` alone: reals are normal numbers (weights over the root of their columns, so that
/// sums keep their size); state, optimizer state and scalars (variances, rates, step counts among them) are
/// uniform on [0.5, 1.5); index tables of one static dimension are permutations, index scalars 1 to 4, the
/// scalar `step` is 1, 2 or 3, and an index a row lies inside the tables it selects from.
std::vector<Tensor> makeRandomArguments(mlir::func::FuncOp function, int64_t rows, uint64_t seed,
                                        double perturbation = 0);

} // namespace kowari::interpreter
