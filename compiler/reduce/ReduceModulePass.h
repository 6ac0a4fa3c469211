//===- ReduceModulePass.h - reduction by a script, as a pass ----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace kowari::reduce {

/// `reduce-module{test=SCRIPT seconds=S}`: reduceModule with a script as the test, in the manner of
/// mlir-reduce: it runs with an IR file as its argument and finds it interesting with an exit code other than
/// 0. The pass fails if the module is not interesting to begin with.
void registerReduceModulePass();

} // namespace kowari::reduce
