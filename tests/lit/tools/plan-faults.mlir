// Plans are watched: a pass that drops a wait is named, and so is one that moves a buffer onto its neighbor.
// RUN: kowari-opt %s --cse --validate-each -o /dev/null
// RUN: not kowari-opt %s --load-pass-plugin=%plugin_dir/DropWait.so --pass-pipeline="builtin.module(drop-wait)" --validate-each --validate-output= 2>&1 | FileCheck %s --check-prefix=WAIT
// RUN: not kowari-opt %s --load-pass-plugin=%plugin_dir/OverlapBuffers.so --pass-pipeline="builtin.module(overlap-buffers)" --validate-each --validate-output= 2>&1 | FileCheck %s --check-prefix=OVERLAP

// WAIT: error: pass 'drop-wait' leaves a plan at fault: @step with 2 rows: step 2 (plan.all_reduce): reads element (0, 0) of a view at byte 1024 without a wait for step 0 of another stream
// OVERLAP: error: pass 'overlap-buffers' leaves a plan at fault: @step with 2 rows: the buffer at bytes 1472 to 1984, live from step 6 to 7, overlaps the one at bytes 1024 to 1536

module attributes {plan.max_rows = 8 : i64, plan.persistent_bytes = 1024 : i64, plan.arena_bytes = 2048 : i64} {
  plan.tensor @x {kind = "input", shape = array<i64: -1, 4>, view = !plan.view<[-1, 4], [16, 1], f32>, offset = 0 : i64}
  plan.program @step {
    %x = plan.persistent {offset = 0 : i64} : !plan.view<[-1, 4], [16, 1], f32>
    plan.input @x
    %a = plan.buffer {offset = 1024 : i64} : !plan.view<[-1, 4], [16, 1], f32>
    %b = plan.buffer {offset = 1536 : i64} : !plan.view<[-1, 4], [16, 1], f32>
    plan.copy %x, %a : !plan.view<[-1, 4], [16, 1], f32>, !plan.view<[-1, 4], [16, 1], f32>
    plan.record 0 on 0
    plan.wait 0 on 1
    plan.all_reduce %a on 1 : !plan.view<[-1, 4], [16, 1], f32>
    plan.record 1 on 1
    plan.wait 1 on 0
    plan.copy %a, %b : !plan.view<[-1, 4], [16, 1], f32>, !plan.view<[-1, 4], [16, 1], f32>
    plan.output %b "y" shape [-1, 4] : !plan.view<[-1, 4], [16, 1], f32>
  }
}
