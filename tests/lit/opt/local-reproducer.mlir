// With the local reproducer the file holds what the failing pass got, and that pass alone.
// RUN: rm -f %t.mlir
// RUN: not kowari-opt %s --cse --lower-to-plan --plan-memory --mlir-disable-threading --mlir-pass-pipeline-local-reproducer --mlir-pass-pipeline-crash-reproducer=%t.mlir 2> /dev/null
// RUN: FileCheck %s < %t.mlir
// RUN: not kowari-opt --run-reproducer %t.mlir 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK:      flow.negate
// CHECK-NOT:  flow.negate
// CHECK:      pipeline: "builtin.module(lower-to-plan)"
// ERROR: error: 'flow.negate' op has no place in a plan: run fuse first

func.func @same_twice(%x: tensor<?xf32> {flow.batch = "x"}) -> (tensor<?xf32> {flow.output = "y"}, tensor<?xf32> {flow.output = "z"}) attributes {flow.max_rows = 8 : i64} {
  %y = flow.negate %x : (tensor<?xf32>) -> tensor<?xf32>
  %z = flow.negate %x : (tensor<?xf32>) -> tensor<?xf32>
  return %y, %z : tensor<?xf32>, tensor<?xf32>
}
