//===- FlowDialect.td - the flow dialect, its enums and types ---*- tablegen -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#ifndef KOWARI_FLOW_DIALECT
#define KOWARI_FLOW_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"

def FlowDialect : Dialect {
  let name = "flow";
  let cppNamespace = "::kowari::flow";
  let summary = "Normalizing flows and what trains them, as pure operations on tensors";
  let description = [{
    Tensors come in four shapes, told apart by their type alone, where `?` is the row count of the batch:

    | type | name | holds |
    |---|---|---|
    | `tensor<?xCxT>` | matrix | one row a sample, C features |
    | `tensor<?xT>` | row vector | one number a sample |
    | `tensor<CxT>` | column vector | one number a feature |
    | `tensor<T>` | scalar | learning rate, loss |

    T is f32 or f64. Weights are `tensor<OxIxT>`, index tables `tensor<Nxi64>`. `?` stands for rows and for nothing
    else. All operations are pure; state comes in as arguments and goes out as results.

    Function arguments and results carry their role as an attribute: `flow.batch = "theta"`, `flow.parameter`,
    `flow.state`, `flow.constant`, `flow.optimizer`, `flow.scalar`, and for results also `flow.output`.
    Functions with `flow.kernel` are fused kernels; the column count in their types is that of their first use, the
    machine code takes it as an argument.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::func::FuncDialect"];
}

def RealTensor : RankedTensorOf<[F32, F64]>;
def IntegerTensor : RankedTensorOf<[I64]>;

def ActivationKind : I32EnumAttr<"ActivationKind", "pointwise nonlinearity", [
  I32EnumAttrCase<"Elu", 0, "elu">, I32EnumAttrCase<"Relu", 1, "relu">,
  I32EnumAttrCase<"LeakyRelu", 2, "leaky_relu">, I32EnumAttrCase<"Gelu", 3, "gelu">]> {
  let cppNamespace = "::kowari::flow";
  let genSpecializedAttr = 0;
}
def ActivationAttr : EnumAttr<FlowDialect, ActivationKind, "activation"> {
  let assemblyFormat = "`<` $value `>`";
}

#endif
