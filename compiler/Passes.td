//===- Passes.td - the compiler's passes ------------------------*- tablegen -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#ifndef KOWARI_PASSES
#define KOWARI_PASSES

include "mlir/Pass/PassBase.td"

def Autodiff : Pass<"autodiff", "::mlir::ModuleOp"> {
  let summary = "Makes the train step of every stage from @loss";
  let description = [{
    Expects: a function @loss with a scalar result `flow.output = "loss"` and a module attribute `flow.stages`.

    Does: for stage i copies @loss to @train_step_i, walks it backwards asking each operation's AdjointOpInterface for
    the gradients of its operands, adds up gradients that meet (a product of linear_grad_input adds in place), and ends
    with the stage's optimizer for every trainable parameter. With `flow.gradient_entry` it also makes @gradient, which
    returns the gradients themselves.

    Guarantees: frozen parameters (names containing layers_rb in a stage with freeze_rb_layer) have no gradient and no
    update; nothing is updated when it is not finite.

    Example: `kowari-opt --autodiff network.mlir`
  }];
  let dependentDialects = ["::kowari::flow::FlowDialect"];
}

def Fuse : Pass<"fuse", "::mlir::ModuleOp"> {
  let summary = "Gathers what lies between matrix products into kernels";
  let description = [{
    Expects: functions of flow operations.

    Does: takes norms apart, moves biases from products into the kernels behind them, and outlines connected rowwise
    operations into functions with `flow.kernel`, called by flow.fused. A group reduces along rows (layer norm, spline) or
    along columns (batch norm), never both, so that a kernel can be cut across the other dimension without partial
    sums. Equal groups, up to column counts, share one function. Small LU matrices become kernels of their own.

    Guarantees: no operation that Fuse can place is left outside a kernel; kernels read and write whole tensors.

    Example: `kowari-opt --fuse train_step.mlir`
  }];
  let dependentDialects = ["::kowari::flow::FlowDialect"];
}

def LowerToPlan : Pass<"lower-to-plan", "::mlir::ModuleOp"> {
  let summary = "Turns functions into ordered plans over buffers";
  let description = [{
    Expects: the result of fuse.

    Does: lays parameters, optimizer state, constants, scalars and inputs out in the persistent part of the arena
    (row strides off powers of two, one flat region a bucket), chooses for every matrix whether it is row-major or
    feature-major, and writes each function as a plan.program of kernels, products, copies and fills. Gradients of a
    bucket share one flat buffer; its optimizer runs as one kernel as soon as the bucket's parameters are read for the
    last time.

    Guarantees: one plan.program for each function; scratch buffers have no offset yet.

    Example: `kowari-opt --fuse --lower-to-plan train_step.mlir`
  }];
  let dependentDialects = ["::kowari::flow::FlowDialect", "::kowari::plan::PlanDialect"];
}

def PlanMemory : Pass<"plan-memory", "::mlir::ModuleOp"> {
  let summary = "Gives every scratch buffer its place in the arena";
  let description = [{
    Expects: plan programs without offsets.

    Does: takes live ranges over the order of the plan and places buffers, largest first, at the lowest offset where no
    live buffer lies.

    Guarantees: no two buffers that live at the same time overlap; the module's `plan.arena_bytes` is the peak.

    Example: `kowari-opt --plan-memory step.mlir`
  }];
  let dependentDialects = ["::kowari::plan::PlanDialect"];
}

def CompileStages : Pass<"compile-stages", "::mlir::ModuleOp"> {
  let summary = "Goes on with a compilation that was stopped";
  let description = [{
    Expects: a module that `kowari compile --stop-after STAGE` wrote, or what passes up to a stage made of it.

    Does: runs the passes of the stages that the module has not reached (`flow.reached`), up to `stop-after`. The
    options --stop-after and --artifact of kowari-opt put it behind the passes of the command line.

    Guarantees: the same module that a compilation without a stop has at that stage.

    Example: `kowari-opt --compile-stages=stop-after=fused graph.mlir`
  }];
  let options = [Option<"stopAfter", "stop-after", "std::string", /*default=*/"\"planned\"",
                        "Last stage: graph, grad, fused or planned">];
  let dependentDialects = ["::kowari::flow::FlowDialect", "::kowari::plan::PlanDialect"];
}

def EmitArtifact : Pass<"emit-artifact", "::mlir::ModuleOp"> {
  let summary = "Compiles the kernels of a planned module and writes the artifact";
  let description = [{
    Expects: the result of plan-memory, with the spec it is of in `flow.spec`.

    Does: compiles every kernel to machine code, links them, and writes them with the plan into the artifact `output`.
    The module stays as it is.

    Guarantees: the file that `kowari compile` writes for the same spec and target, byte for byte.

    Example: `kowari-opt --emit-artifact=output=step.kwa planned.mlir`
  }];
  let options = [Option<"output", "output", "std::string", /*default=*/"", "File to write">,
                 Option<"target", "target", "std::string", /*default=*/"", "Processor; default: the spec's">];
  let dependentDialects = ["::kowari::flow::FlowDialect", "::kowari::plan::PlanDialect"];
}

def KernelLoops : Pass<"kernel-loops", "::mlir::ModuleOp"> {
  let summary = "Shows kernels as the loops that are compiled";
  let description = [{
    Expects: a module with kernels, the result of fuse or of a later pass.

    Does: replaces every function with `flow.kernel` by its loop nest for vectors of `lanes` float32, as the code generator
    builds it, and erases everything else. For looking: nothing goes on from here.

    Guarantees: what it leaves is what LLVM gets, but for the conversion to its dialect.

    Example: `kowari-opt --kernel-loops planned.mlir`
  }];
  let options = [Option<"lanes", "lanes", "unsigned", /*default=*/"8",
                        "float32 of a vector register: 8 for x86-64-v3, 16 for x86-64-v4">];
  let dependentDialects = ["::kowari::flow::FlowDialect", "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif
