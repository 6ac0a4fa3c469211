// RUN: rm -rf %t && mkdir %t
// RUN: kowari-opt %s --cse --canonicalize --dump-ir=%t -o /dev/null
// RUN: find %t -name "*.mlir" | sed 's/.*[/]//' | sort | FileCheck %s --check-prefix=FILES
// RUN: cat %t/*/*_cse.mlir | FileCheck %s

// canonicalize has nothing left to do, so it leaves no file.
// FILES: cse.mlir
// FILES-NOT: canonicalize

// CHECK: func.func @same_twice
// CHECK: flow.negate
// CHECK-NOT: flow.negate
func.func @same_twice(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = flow.negate %x : (tensor<?xf32>) -> tensor<?xf32>
  %z = flow.negate %x : (tensor<?xf32>) -> tensor<?xf32>
  %s = flow.sub %y, %z : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %s : tensor<?xf32>
}
