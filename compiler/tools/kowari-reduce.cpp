//===- kowari-reduce.cpp - the smallest module that a script finds interesting ----===//
//
// Part of Kowari, under the Apache License 2.0.
//
// mlir-reduce with Kowari's dialects and its own way to take things away (ModuleReducer.h):
//
//   kowari-reduce big.mlir --reduce-module='test=script.sh' -o small.mlir
//
// The script gets the name of an IR file as its last argument and ends with a code other than 0 if what is
// looked for is still there. scripts/changes_numbers.sh is one for passes that change numbers.
//
//===----------------------------------------------------------------------===//
#include "compiler/Passes.h"
#include "compiler/Stages.h"
#include "compiler/reduce/ReduceModulePass.h"
#include "compiler/tools/KowariDialects.h"

#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "llvm/Support/InitLLVM.h"

int main(int argc, char **argv) {
  llvm::InitLLVM initializer(argc, argv);
  mlir::registerAllPasses();
  kowari::registerKowariPasses();
  kowari::registerStagePipelines();
  kowari::reduce::registerReduceModulePass();
  mlir::DialectRegistry registry;
  kowari::registerDialects(registry);
  mlir::MLIRContext context(registry);
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}
