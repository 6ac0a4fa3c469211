// RUN: kowari-opt %s --cse --canonicalize --pass-statistics -o /dev/null 2>&1 | FileCheck %s

// What has gone altogether is no difference to the pass after it.
// CHECK: pass cse: 7 -> 5 operations
// CHECK-NEXT: flow.add 1 -> 0
// CHECK-NEXT: flow.negate 2 -> 1
// CHECK-NOT: pass canonicalize
func.func @same_twice(%x: tensor<?xf32>) -> tensor<?xf32> {
  %unused = flow.add %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %y = flow.negate %x : (tensor<?xf32>) -> tensor<?xf32>
  %z = flow.negate %x : (tensor<?xf32>) -> tensor<?xf32>
  %s = flow.sub %y, %z : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %s : tensor<?xf32>
}
