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

    plan.tensor and plan.program stand in the module, everything else in a program. What depends on the row count (bytes
    that nobody wrote, buffers over each other, a wait for what nobody recorded) no verifier sees: `kowari-opt
    --validate-each` runs the plan and watches.

    Constraints: (C1) `plan.max_rows`, `plan.persistent_bytes` and `plan.arena_bytes` are i64 numbers of the module, not
    negative.
  }];
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}

def ViewType : TypeDef<PlanDialect, "View"> {
  let mnemonic = "view";
  let summary = "a strided two-dimensional window of the arena";
  let description = [{
    Element (i, j) of `!plan.view<[d0, d1], [s0, s1], T>` lies i s0 + j s1 elements behind the first. A matrix of one row
    a sample, rows 80 numbers apart, is row-major: its second stride is 1. Feature-major ones have the first stride 1.
    A row vector is [-1, 1], a column vector [n, 1], a scalar [1, 1].

    Constraints: (C1) a dimension is -1, which one of them may be, or not negative; (C2) strides are positive; (C3) T is
    f32, f64 or i64.

    Example: `!plan.view<[-1, 64], [80, 1], f32>`
  }];
  let parameters = (ins "int64_t":$dim0, "int64_t":$dim1, "int64_t":$stride0, "int64_t":$stride1, "::mlir::Type":$elementType);
  let assemblyFormat = "`<` `[` $dim0 `,` $dim1 `]` `,` `[` $stride0 `,` $stride1 `]` `,` $elementType `>`";
  let genVerifyDecl = 1;
}

class PlanOp<string mnemonic, list<Trait> traits = []> : Op<PlanDialect, mnemonic, traits>;
class InProgram<string mnemonic, list<Trait> traits = []>
    : PlanOp<mnemonic, !listconcat(traits, [HasParent<"ProgramOp">])>;
class Step<string mnemonic, list<Trait> traits = []>
    : InProgram<mnemonic, !listconcat(traits, [DeclareOpInterfaceMethods<StepOpInterface>])>;
def UsesSymbols : DeclareOpInterfaceMethods<SymbolUserOpInterface>;

def TensorOp : PlanOp<"tensor", [Symbol]> {
  let summary = "a named tensor in the persistent part of the arena";
  let description = [{
    Does: names the bytes that the host reads and writes under this name. `kind` is parameter, state, constant, optimizer,
    scalar or input; `shape` that of the state dict (-1: rows). `init` is none, uniform (with the bound), fill (with the
    value) or permutation. `trainable` has one flag a stage.

    Constraints: (C1) kind and init are known; (C2) the offset is a multiple of 64, not negative; (C3) the view has the
    shape's dimensions, and 1 for those that the shape lacks; (C4) parameters alone have `trainable`.

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
  let description = [{
    Does: runs its steps in order. Values are views.

    Constraints: (C1) it holds views, inputs, outputs and steps of this dialect alone.

    Example: `plan.program @loss { %l = plan.buffer : !plan.view<[1, 1], [1, 1], f32> plan.fill %l, 0.0 : !plan.view<[1, 1], [1, 1], f32> plan.output %l "loss" shape [] : !plan.view<[1, 1], [1, 1], f32> }`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{ ::mlir::Block &getBlock() { return getBody().front(); } }];
}

def PersistentOp : InProgram<"persistent", [Pure]> {
  let summary = "a window of the persistent part";
  let description = [{
    Does: gives the view that starts `offset` bytes into the arena, in its persistent part.

    Constraints: (C1) the offset is a multiple of the element's size, not negative.

    Example: `%w = plan.persistent {offset = 0 : i64} : !plan.view<[8, 4], [16, 1], f32>`
  }];
  let arguments = (ins I64Attr:$offset);
  let results = (outs ViewType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def BufferOp : InProgram<"buffer", [Pure]> {
  let summary = "scratch memory";
  let description = [{
    Does: gives memory that is big enough for max_rows rows with the lane dimension rounded up to 16, from the first step
    that touches it to the last. What it holds before it is written is anybody's. `offset` is set by plan-memory.

    Constraints: (C1) the offset, if there, is a multiple of 64, not negative.

    Example: `%h = plan.buffer : !plan.view<[-1, 64], [80, 1], f32>`
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs ViewType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def SubviewOp : InProgram<"subview", [Pure]> {
  let summary = "part of a view";
  let description = [{
    Does: gives the window that starts `offset` elements into the source, with its own dimensions and strides. Neighbors in
    the persistent part may be seen as one (weights side by side), so a window may be larger than its source.

    Constraints: (C1) source and result have the same element type; (C2) the offset is not negative.

    Example: `%c = plan.subview %h {offset = 4 : i64} : !plan.view<[-1, 64], [80, 1], f32> -> !plan.view<[-1, 8], [80, 1], f32>`
  }];
  let arguments = (ins ViewType:$source, I64Attr:$offset);
  let results = (outs ViewType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def OutputOp : InProgram<"output"> {
  let summary = "names a view as an output of the entry";
  let description = [{
    Does: keeps the view's buffer alive to the end of the plan, for the host to read under this name.

    Constraints: (C1) the view has the shape's dimensions, and 1 for those that the shape lacks.

    Example: `plan.output %l "loss" shape [] : !plan.view<[1, 1], [1, 1], f32>`
  }];
  let arguments = (ins ViewType:$view, StrAttr:$name, DenseI64ArrayAttr:$shape);
  let assemblyFormat = "$view $name `shape` $shape attr-dict `:` type($view)";
  let hasVerifier = 1;
}

def InputOp : InProgram<"input", [UsesSymbols]> {
  let summary = "says that the entry reads a persistent tensor as its input";
  let description = [{
    Does: asks the host to write the tensor before the entry runs.

    Constraints: (C1) the module has a plan.tensor of this name, of kind input.

    Example: `plan.input @theta`
  }];
  let arguments = (ins FlatSymbolRefAttr:$tensor);
  let assemblyFormat = "$tensor attr-dict";
}

def KernelOp : Step<"kernel", [AttrSizedOperandSegments, UsesSymbols]> {
  let summary = "runs a kernel over rows x columns";
  let description = [{
    Does: runs the kernel at every point (row, column). `reads` then `writes` are its operands. An output may stand at the
    same bytes as an input only if the kernel ties them. Without inputs the colon is left out. Rows are those of the call
    for -1. `group` is what `kowari bench step` counts the time under.

    Constraints: (C1) rows is -1 or positive, columns positive; (C2) if the module holds a function of this name (a plan
    from an artifact does not), it is a kernel (flow.kernel) with an argument for each view read and a result for each
    written; (C3) the views have the element types of that function; (C4) matrices have the kernel's rows, and columns in
    proportion to its own.

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
    Does: c = a b, plus the bias on every row, plus what c held with `accumulate`; a is m x k, b k x n, c m x n, the bias
    (n, 1). Transposed operands are views with exchanged strides.

    Constraints: (C1) the dimensions agree; (C2) of a, b and c each has a stride of 1; (C3) all have one element type, f32
    or f64.

    Example: `plan.gemm %x, %w, %y : !plan.view<[-1, 4], [16, 1], f32>, !plan.view<[4, 8], [1, 16], f32>, !plan.view<[-1, 8], [16, 1], f32>`
  }];
  let arguments = (ins ViewType:$a, ViewType:$b, ViewType:$c, Optional<ViewType>:$bias, UnitAttr:$accumulate);
  let assemblyFormat = "$a `,` $b `,` $c (`bias` $bias^)? attr-dict `:` type($a) `,` type($b) `,` type($c) (`,` type($bias)^)?";
  let hasVerifier = 1;
}

def CopyOp : Step<"copy"> {
  let summary = "copies a view to another of the same dimensions";
  let description = [{
    Does: target[i, j] = source[i, j].

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
    Does: target[r, :] = table[index[r], :]. An index outside the table ends the run with an error.

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
  let description = [{
    Does: target[i, j] = value.

    Constraints: (C1) a view of i64 gets a whole number.

    Example: `plan.fill %y, 0.0 : !plan.view<[-1, 4], [16, 1], f32>`
  }];
  let arguments = (ins ViewType:$target, F64Attr:$value);
  let assemblyFormat = "$target `,` $value attr-dict `:` type($target)";
  let hasVerifier = 1;
}

def AllReduceOp : Step<"all_reduce"> {
  let summary = "adds a buffer up over all devices";
  let description = [{
    Does: target[i, j] = sum over devices of target[i, j], on a stream beside the plan's own, which is 0.

    Constraints: (C1) the stream is not negative; (C2) the element type is f32 or f64.

    Example: `plan.all_reduce %g on 1 : !plan.view<[64, 1], [1, 1], f32>`
  }];
  let arguments = (ins ViewType:$target, I64Attr:$stream);
  let assemblyFormat = "$target `on` $stream attr-dict `:` type($target)";
  let hasVerifier = 1;
}

def RecordOp : Step<"record"> {
  let summary = "marks a point of a stream";
  let description = [{
    Does: marks what the stream has been given so far; plan.wait on another stream waits for it.

    Constraints: (C1) event and stream are not negative.

    Example: `plan.record 0 on 1`
  }];
  let arguments = (ins I64Attr:$event, I64Attr:$stream);
  let assemblyFormat = "$event `on` $stream attr-dict";
  let hasVerifier = 1;
}

def WaitOp : Step<"wait"> {
  let summary = "makes a stream wait for a mark";
  let description = [{
    Does: holds up what the stream is given from here on until the event's mark is reached.

    Constraints: (C1) event and stream are not negative.

    Example: `plan.wait 0 on 0`
  }];
  let arguments = (ins I64Attr:$event, I64Attr:$stream);
  let assemblyFormat = "$event `on` $stream attr-dict";
  let hasVerifier = 1;
}

#endif
