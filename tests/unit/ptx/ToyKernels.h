//===- ToyKernels.h - the toy network's kernels -----------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/cuda/PtxEmitter.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace kowari::test {

/// The network of tests/data/ptx/toy.json with its train steps and data entries, planned. Built once.
mlir::ModuleOp getToyModule();

/// All its kernels, lowered once; the test must stop if it is null (the reason is reported).
const cuda::PtxEmitter *getToyEmitter();

/// A module from text, with the dialects of flow.
mlir::OwningOpRef<mlir::ModuleOp> parseKernels(mlir::MLIRContext &context, const std::string &text);

} // namespace kowari::test
