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
    A function with `flow.max_rows` is an entry, which becomes a plan. `flow.stages` of the module says for each stage of
    a training which optimizer it has and whether it freezes the first layer.
    Functions with `flow.kernel` are fused kernels; the column count in their types is that of their first use, the
    machine code takes it as an argument.

    Constraints on these attributes: (C1) a role is a name, and the only one of its argument or result; (C2) what has a
    role is a tensor of one of the four shapes or a static matrix, of f32, f64 or i64; (C3) `flow.stages` is a list on the
    module, each stage with `optimizer` adam, adamw or sgd and the numbers and flags of flow.adam or flow.sgd, and
    `freeze_rb_layer`; (C4) `flow.max_rows` is a positive i64 on a function of one block, all of whose arguments that are
    used have a role.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
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
