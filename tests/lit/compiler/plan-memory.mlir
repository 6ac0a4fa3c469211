// RUN: kowari-opt %s --plan-memory | FileCheck %s
// RUN: kowari-opt %s --plan-memory --validate-each -o /dev/null
//
// What plan-memory promises: buffers behind the persistent part, none over another that lives at the same time, the same
// bytes again where nothing lives any more, and the peak.

// The peak is that of @outputs: 4096 + 10176 + 2 x 2048.
// CHECK: module attributes {plan.arena_bytes = 18368 : i64

module attributes {plan.max_rows = 32 : i64, plan.persistent_bytes = 1000 : i64} {
  plan.tensor @x {kind = "input", shape = array<i64: -1, 8>, view = !plan.view<[-1, 8], [16, 1], f32>, offset = 0 : i64}

  // The third buffer takes the place of the first, which nobody reads any more; the fourth is touched by nothing. The
  // first offset is the persistent part's size rounded up to a page.
  // CHECK-LABEL: plan.program @chain
  // CHECK:         %[[X:.*]] = plan.persistent
  // CHECK:         %[[A:.*]] = plan.buffer {offset = 4096 : i64} : <[-1, 8], [16, 1], f32>
  // CHECK-NEXT:    %[[B:.*]] = plan.buffer {offset = 6144 : i64} : <[-1, 8], [16, 1], f32>
  // CHECK-NEXT:    %[[C:.*]] = plan.buffer {offset = 4096 : i64} : <[-1, 8], [16, 1], f32>
  // CHECK-NEXT:    plan.copy %[[X]], %[[A]]
  // CHECK-NEXT:    plan.copy %[[A]], %[[B]]
  // CHECK-NEXT:    plan.copy %[[B]], %[[C]]
  // CHECK-NEXT:    plan.output %[[C]]
  plan.program @chain {
    %x = plan.persistent {offset = 0 : i64} : !plan.view<[-1, 8], [16, 1], f32>
    plan.input @x
    %a = plan.buffer : !plan.view<[-1, 8], [16, 1], f32>
    %b = plan.buffer : !plan.view<[-1, 8], [16, 1], f32>
    %c = plan.buffer : !plan.view<[-1, 8], [16, 1], f32>
    %unused = plan.buffer : !plan.view<[-1, 64], [80, 1], f32>
    plan.copy %x, %a : !plan.view<[-1, 8], [16, 1], f32>, !plan.view<[-1, 8], [16, 1], f32>
    plan.copy %a, %b : !plan.view<[-1, 8], [16, 1], f32>, !plan.view<[-1, 8], [16, 1], f32>
    plan.copy %b, %c : !plan.view<[-1, 8], [16, 1], f32>, !plan.view<[-1, 8], [16, 1], f32>
    plan.output %c "y" shape [-1, 8] : !plan.view<[-1, 8], [16, 1], f32>
  }

  // The largest is placed first. An output lives to the end of the plan, so %c cannot have its place; a buffer lives as
  // long as any part of it is read.
  // CHECK-LABEL: plan.program @outputs
  // CHECK:         %[[X:.*]] = plan.persistent
  // CHECK:         %[[A:.*]] = plan.buffer {offset = 14272 : i64} : <[-1, 8], [16, 1], f32>
  // CHECK-NEXT:    %[[B:.*]] = plan.buffer {offset = 16320 : i64} : <[-1, 8], [16, 1], f32>
  // CHECK-NEXT:    %[[C:.*]] = plan.buffer {offset = 16320 : i64} : <[-1, 8], [16, 1], f32>
  // CHECK-NEXT:    plan.buffer {offset = 4096 : i64} : <[-1, 64], [80, 1], f32>
  // CHECK:         plan.output %[[A]]
  // CHECK:         plan.copy %[[B]]
  // CHECK:         plan.output %[[C]]
  plan.program @outputs {
    %x = plan.persistent {offset = 0 : i64} : !plan.view<[-1, 8], [16, 1], f32>
    plan.input @x
    %a = plan.buffer : !plan.view<[-1, 8], [16, 1], f32>
    %b = plan.buffer : !plan.view<[-1, 8], [16, 1], f32>
    %c = plan.buffer : !plan.view<[-1, 8], [16, 1], f32>
    %big = plan.buffer : !plan.view<[-1, 64], [80, 1], f32>
    %part = plan.subview %big {offset = 8 : i64} : !plan.view<[-1, 64], [80, 1], f32> -> !plan.view<[-1, 8], [80, 1], f32>
    plan.copy %x, %a : !plan.view<[-1, 8], [16, 1], f32>, !plan.view<[-1, 8], [16, 1], f32>
    plan.output %a "first" shape [-1, 8] : !plan.view<[-1, 8], [16, 1], f32>
    plan.copy %x, %b : !plan.view<[-1, 8], [16, 1], f32>, !plan.view<[-1, 8], [16, 1], f32>
    plan.copy %b, %part : !plan.view<[-1, 8], [16, 1], f32>, !plan.view<[-1, 8], [80, 1], f32>
    plan.copy %part, %c : !plan.view<[-1, 8], [80, 1], f32>, !plan.view<[-1, 8], [16, 1], f32>
    plan.output %c "second" shape [-1, 8] : !plan.view<[-1, 8], [16, 1], f32>
  }
}
