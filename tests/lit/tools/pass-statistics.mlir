// RUN: kowari-opt %s --cse --canonicalize --pass-statistics -o /dev/null 2>&1 | FileCheck %s

// CHECK: pass cse: 6 -> 5 operations
// CHECK-NEXT: flow.negate 2 -> 1
// CHECK-NOT: pass canonicalize
func.func @same_twice(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = flow.negate %x : (tensor<?xf32>) -> tensor<?xf32>
  %z = flow.negate %x : (tensor<?xf32>) -> tensor<?xf32>
  %s = flow.sub %y, %z : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %s : tensor<?xf32>
}
