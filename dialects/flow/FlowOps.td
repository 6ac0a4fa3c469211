//===- FlowOps.td - operations of the flow dialect --------------*- tablegen -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// One file for each family: products, norms and activations, splines and densities, optimizers, data.
//
//===----------------------------------------------------------------------===//
#ifndef KOWARI_FLOW_OPS
#define KOWARI_FLOW_OPS

include "FlowDialect.td"
include "FlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/OpAsmInterface.td"

class FlowOp<string mnemonic, list<Trait> traits = []> : Op<FlowDialect, mnemonic, !listconcat([Pure], traits)> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def Rowwise : DeclareOpInterfaceMethods<RowwiseOpInterface>;
class RowwiseWith<list<string> methods> : DeclareOpInterfaceMethods<RowwiseOpInterface, methods>;
def Adjoint : DeclareOpInterfaceMethods<AdjointOpInterface>;
def Decomposable : DeclareOpInterfaceMethods<DecomposableOpInterface>;
def SmallMatrix : DeclareOpInterfaceMethods<SmallMatrixOpInterface>;
def PlanLowering : DeclareOpInterfaceMethods<PlanLoweringOpInterface>;

include "ProductOps.td"
include "NormOps.td"
include "DensityOps.td"
include "OptimizerOps.td"
include "DataOps.td"

#endif
