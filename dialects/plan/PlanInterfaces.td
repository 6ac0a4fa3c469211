//===- PlanInterfaces.td - what a step of a plan reads and writes -*- tablegen -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#ifndef KOWARI_PLAN_INTERFACES
#define KOWARI_PLAN_INTERFACES

include "mlir/IR/OpBase.td"

def StepOpInterface : OpInterface<"StepOpInterface"> {
  let cppNamespace = "::kowari::plan";
  let description = [{ One step of a plan: runs after all before it, reads some views and writes others. }];
  let methods = [
    InterfaceMethod<"Views whose bytes the step needs.", "::llvm::SmallVector<::mlir::Value>", "getReads">,
    InterfaceMethod<"Views the step writes.", "::llvm::SmallVector<::mlir::Value>", "getWrites">
  ];
}

#endif
