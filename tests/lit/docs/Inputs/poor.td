def BareOp : FlowOp<"bare", [Rowwise]> {
  let summary = "no sections";
}
def DisorderOp : FlowOp<"disorder"> {
  let description = [{
    Formula: y = x.

    Constraints: (C1) none.

    Adjoint: none; nobody asks.

    Example: `%y = flow.disorder`
  }];
}
def EmptyOp : FlowOp<"empty"> {
  let description = [{
    Formula: y = x.

    Adjoint: none; nobody asks.

    Constraints: -

    Example: `%y = flow.empty`
  }];
}
def WrongOp : FlowOp<"wrong", [Rowwise, Adjoint]> {
  let description = [{
    Formula: y = x.

    Adjoint: none; nobody asks.

    Constraints: (C1) none.

    Example: `%y = flow.wrong`
  }];
}
def BoastOp : FlowOp<"boast", [Rowwise]> {
  let description = [{
    Formula: y = x.

    Adjoint: dx = dy.

    Constraints: (C1) none.

    Example: `%y = flow.boast`
  }];
}
def StillOp : Step<"still"> {
  let description = [{ Example: `plan.still` }];
}
def ShapeType : TypeDef<PlanDialect, "Shape"> {
  let mnemonic = "shape";
  let description = [{
    Example: `!plan.shape`
  }];
}
def ShortPass : Pass<"short-pass", "::mlir::ModuleOp"> {
  let description = [{
    Expects: a module.

    Does: little.

    Example: `kowari-opt --short-pass network.mlir`
  }];
}
