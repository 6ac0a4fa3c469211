//===- PlanOps.td - the plan dialect ----------------------------*- tablegen -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#ifndef KOWARI_PLAN_OPS
#define KOWARI_PLAN_OPS

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "PlanInterfaces.td"

def PlanDialect : Dialect {
  let name = "plan";
  let cppNamespace = "::kowari::plan";
  let summary = "Ordered steps over buffers of one arena";
  let description = [{
    What an artifact holds, as IR: buffers with offsets and strides, and steps that read and write them in order. Views
    are two-dimensional and strided; a dimension of -1 is the row count of the call, at most the module's
    `plan.max_rows`. Strides are in elements, offsets in bytes of the arena. The arena's first part is persistent
    (plan.tensor), the rest is scratch that entries share (plan.buffer).
  }];
  let useDefaultTypePrinterParser = 1;
}

def ViewType : TypeDef<PlanDialect, "View"> {
  let mnemonic = "view";
  let summary = "a strided two-dimensional window of the arena";
  let description = [{
    `!plan.view<[-1, 64], [80, 1], f32>`: one row of 64 numbers a sample, rows 80 numbers apart. Row-major views have the
    second stride 1, feature-major ones the first.
  }];
  let parameters = (ins "int64_t":$dim0, "int64_t":$dim1, "int64_t":$stride0, "int64_t":$stride1, "::mlir::Type":$elementType);
  let assemblyFormat = "`<` `[` $dim0 `,` $dim1 `]` `,` `[` $stride0 `,` $stride1 `]` `,` $elementType `>`";
}

class PlanOp<string mnemonic, list<Trait> traits = []> : Op<PlanDialect, mnemonic, traits>;
class Step<string mnemonic, list<Trait> traits = []>
    : PlanOp<mnemonic, !listconcat(traits, [DeclareOpInterfaceMethods<StepOpInterface>])>;

def TensorOp : PlanOp<"tensor", [Symbol]> {
  let summary = "a named tensor in the persistent part of the arena";
  let description = [{
    `kind` is parameter, state, constant, optimizer, scalar or input; `shape` that of the state dict (-1: rows). `init` is
    none, uniform (with the bound), fill (with the value) or permutation. `trainable` has one flag a stage.

    Constraints: (C1) kind and init are known; (C2) the offset is a multiple of 64.

    Example: `plan.tensor @"net.weight" {kind = "parameter", shape = array<i64: 8, 4>, view = !plan.view<[8, 4], [16, 1], f32>, offset = 0 : i64, init = "uniform", init_value = 0.5 : f64, trainable = array<i1: true>}`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$kind, DenseI64ArrayAttr:$shape, TypeAttrOf<ViewType>:$view,
                       I64Attr:$offset, DefaultValuedAttr<StrAttr, "\"none\"">:$init,
                       DefaultValuedAttr<F64Attr, "0.0">:$init_value, DefaultValuedAttr<DenseBoolArrayAttr, "{}">:$trainable);
  let assemblyFormat = "$sym_name attr-dict";
  let hasVerifier = 1;
}

def ProgramOp : PlanOp<"program", [Symbol, NoTerminator, SingleBlock]> {
  let summary = "the plan of one entry";
  let description = [{ Steps run in order; values are views. }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let extraClassDeclaration = [{ ::mlir::Block &getBlock() { return getBody().front(); } }];
}

def PersistentOp : PlanOp<"persistent", [Pure]> {
  let summary = "a window of the persistent part";
  let description = [{ Example: `%w = plan.persistent {offset = 0 : i64} : !plan.view<[8, 4], [16, 1], f32>` }];
  let arguments = (ins I64Attr:$offset);
  let results = (outs ViewType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def BufferOp : PlanOp<"buffer", [Pure]> {
  let summary = "scratch memory";
  let description = [{
    Big enough for max_rows rows with the lane dimension rounded up to 16. `offset` is set by plan-memory; `zeroed` buffers
    are cleared by a fill the plan holds itself.

    Constraints: (C1) the offset, if there, is a multiple of 64.

    Example: `%h = plan.buffer : !plan.view<[-1, 64], [80, 1], f32>`
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs ViewType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def SubviewOp : PlanOp<"subview", [Pure]> {
  let summary = "part of a view";
  let description = [{
    The window that starts `offset` elements into the source, with its own dimensions and strides.

    Constraints: (C1) source and result have the same element type.

    Example: `%c = plan.subview %h {offset = 4 : i64} : !plan.view<[-1, 64], [80, 1], f32> -> !plan.view<[-1, 8], [80, 1], f32>`
  }];
  let arguments = (ins ViewType:$source, I64Attr:$offset);
  let results = (outs ViewType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def OutputOp : PlanOp<"output"> {
  let summary = "names a view as an output of the entry";
  let description = [{
    Keeps its buffer alive to the end of the plan.

    Example: `plan.output %l "loss" shape [] : !plan.view<[1, 1], [1, 1], f32>`
  }];
  let arguments = (ins ViewType:$view, StrAttr:$name, DenseI64ArrayAttr:$shape);
  let assemblyFormat = "$view $name `shape` $shape attr-dict `:` type($view)";
}

def InputOp : PlanOp<"input"> {
  let summary = "says that the entry reads a persistent tensor as its input";
  let description = [{ Example: `plan.input @theta` }];
  let arguments = (ins FlatSymbolRefAttr:$tensor);
  let assemblyFormat = "$tensor attr-dict";
}

def KernelOp : Step<"kernel", [AttrSizedOperandSegments]> {
  let summary = "runs a kernel over rows x columns";
  let description = [{
    `reads` then `writes` are the kernel's operands. An output may stand at the same bytes as an input only if the kernel
    ties them. Without inputs the colon is left out.

    Constraints: (C1) rows is -1 or positive, columns positive.

    Example: `plan.kernel @elu reads(%x) writes(%y) {rows = -1 : i64, columns = 64 : i64, group = "norm"} : !plan.view<[-1, 64], [80, 1], f32> -> !plan.view<[-1, 64], [80, 1], f32>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<ViewType>:$inputs, Variadic<ViewType>:$outputs, I64Attr:$rows,
                       I64Attr:$columns, StrAttr:$group);
  let assemblyFormat = "$kernel `reads` `(` $inputs `)` `writes` `(` $outputs `)` attr-dict (`:` type($inputs)^)? `->` type($outputs)";
  let hasVerifier = 1;
}

def GemmOp : Step<"gemm"> {
  let summary = "matrix product";
  let description = [{
    c (+)= a b (+ bias on every row); a is m x k, b k x n, c m x n, bias (n, 1). Transposed operands are views with
    exchanged strides.

    Constraints: (C1) the dimensions agree; (C2) of each view one stride is 1; (C3) element types agree.

    Example: `plan.gemm %x, %w, %y : !plan.view<[-1, 4], [16, 1], f32>, !plan.view<[4, 8], [1, 16], f32>, !plan.view<[-1, 8], [16, 1], f32>`
  }];
  let arguments = (ins ViewType:$a, ViewType:$b, ViewType:$c, Optional<ViewType>:$bias, UnitAttr:$accumulate);
  let assemblyFormat = "$a `,` $b `,` $c (`bias` $bias^)? attr-dict `:` type($a) `,` type($b) `,` type($c) (`,` type($bias)^)?";
  let hasVerifier = 1;
}

def CopyOp : Step<"copy"> {
  let summary = "copies a view to another of the same dimensions";
  let description = [{
    Constraints: (C1) dimensions and element type agree.

    Example: `plan.copy %x, %y : !plan.view<[-1, 4], [16, 1], f32>, !plan.view<[-1, 4], [1, 64], f32>`
  }];
  let arguments = (ins ViewType:$source, ViewType:$target);
  let assemblyFormat = "$source `,` $target attr-dict `:` type($source) `,` type($target)";
  let hasVerifier = 1;
}

def GatherOp : Step<"gather"> {
  let summary = "copies rows of a table by index";
  let description = [{
    target[r, :] = table[index[r], :]. An index outside the table ends the run with an error.

    Constraints: (C1) table and target have one element type and the same columns, the table as many rows at every call;
    (C2) index holds one i64 a row of the target.

    Example: `plan.gather %t, %i, %y : !plan.view<[6, 8], [16, 1], f32>, !plan.view<[-1, 1], [1, 1], i64>, !plan.view<[-1, 8], [16, 1], f32>`
  }];
  let arguments = (ins ViewType:$table, ViewType:$index, ViewType:$target);
  let assemblyFormat = "$table `,` $index `,` $target attr-dict `:` type($table) `,` type($index) `,` type($target)";
  let hasVerifier = 1;
}

def FillOp : Step<"fill"> {
  let summary = "fills a view with one value";
  let description = [{ Example: `plan.fill %y, 0.0 : !plan.view<[-1, 4], [16, 1], f32>` }];
  let arguments = (ins ViewType:$target, F64Attr:$value);
  let assemblyFormat = "$target `,` $value attr-dict `:` type($target)";
}

def AllReduceOp : Step<"all_reduce"> {
  let summary = "adds a buffer up over all devices";
  let description = [{ Example: `plan.all_reduce %g on 1 : !plan.view<[64, 1], [1, 1], f32>` }];
  let arguments = (ins ViewType:$target, I64Attr:$stream);
  let assemblyFormat = "$target `on` $stream attr-dict `:` type($target)";
}

def RecordOp : Step<"record"> {
  let summary = "marks a point of a stream";
  let description = [{ Example: `plan.record 0 on 1` }];
  let arguments = (ins I64Attr:$event, I64Attr:$stream);
  let assemblyFormat = "$event `on` $stream attr-dict";
}

def WaitOp : Step<"wait"> {
  let summary = "makes a stream wait for a mark";
  let description = [{ Example: `plan.wait 0 on 0` }];
  let arguments = (ins I64Attr:$event, I64Attr:$stream);
  let assemblyFormat = "$event `on` $stream attr-dict";
}

#endif
