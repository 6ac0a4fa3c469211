// Operations are counted for people and, as JSON, for scripts.
// RUN: kowari-opt %s --print-op-stats -o /dev/null 2>&1 | FileCheck %s
// RUN: kowari-opt %s --pass-pipeline="builtin.module(print-op-stats{json=true})" -o /dev/null 2>&1 | FileCheck %s --check-prefix=JSON

// CHECK:      Operations encountered:
// CHECK:      flow.add , 1
// CHECK-NEXT: flow.negate , 2

// JSON:      "flow.add" : 1,
// JSON-NEXT: "flow.negate" : 2,

func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = flow.negate %x : (tensor<?xf32>) -> tensor<?xf32>
  %z = flow.negate %y : (tensor<?xf32>) -> tensor<?xf32>
  %s = flow.add %y, %z : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %s : tensor<?xf32>
}
