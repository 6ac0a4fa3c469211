// Plans are reduced by their steps.
// RUN: rm -rf %t
// RUN: not kowari-opt %s --load-pass-plugin=%plugin_dir/OverlapBuffers.so --pass-pipeline="builtin.module(overlap-buffers)" --validate-each --validate-output=%t 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=FILE < %t/overlap-buffers.mlir

// CHECK: error: pass 'overlap-buffers' leaves a plan at fault: @step with 2 rows: the buffer at
// CHECK: remark: in plan.{{.*}}: 4 of 6 operations are left, see

// What the others compute is not looked at any more.
// FILE-NOT: plan.output %{{.*}} "y"
// FILE-NOT: plan.output %{{.*}} "z"
// FILE: plan.output %{{.*}} "w"

module attributes {plan.max_rows = 8 : i64, plan.persistent_bytes = 1024 : i64, plan.arena_bytes = 4096 : i64} {
  plan.tensor @x {kind = "input", shape = array<i64: -1, 4>, view = !plan.view<[-1, 4], [16, 1], f32>, offset = 0 : i64}
  plan.program @step {
    %x = plan.persistent {offset = 0 : i64} : !plan.view<[-1, 4], [16, 1], f32>
    plan.input @x
    %a = plan.buffer {offset = 1024 : i64} : !plan.view<[-1, 4], [16, 1], f32>
    %b = plan.buffer {offset = 1536 : i64} : !plan.view<[-1, 4], [16, 1], f32>
    %c = plan.buffer {offset = 2048 : i64} : !plan.view<[-1, 4], [16, 1], f32>
    plan.copy %x, %a : !plan.view<[-1, 4], [16, 1], f32>, !plan.view<[-1, 4], [16, 1], f32>
    plan.fill %c, 1.0 : !plan.view<[-1, 4], [16, 1], f32>
    plan.copy %a, %b : !plan.view<[-1, 4], [16, 1], f32>, !plan.view<[-1, 4], [16, 1], f32>
    plan.output %a "y" shape [-1, 4] : !plan.view<[-1, 4], [16, 1], f32>
    plan.output %b "z" shape [-1, 4] : !plan.view<[-1, 4], [16, 1], f32>
    plan.output %c "w" shape [-1, 4] : !plan.view<[-1, 4], [16, 1], f32>
  }
}
