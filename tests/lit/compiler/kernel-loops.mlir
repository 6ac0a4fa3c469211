// RUN: kowari-opt %s --fuse --kernel-loops | FileCheck %s --check-prefixes=CHECK,EIGHT
// RUN: kowari-opt %s --fuse --kernel-loops=lanes=16 | FileCheck %s --check-prefixes=CHECK,SIXTEEN
// RUN: not kowari-opt %s --fuse --kernel-loops=lanes=3 2>&1 | FileCheck %s --check-prefix=LANES

// LANES: error: kernel-loops: lanes must be 4, 8 or 16

// One kernel of one loop over rows and one over vectors of columns; exp is arithmetic.
// CHECK-NOT: @network
// CHECK: func.func @k0_{{.*}}(%{{.*}}: !llvm.ptr)
// CHECK: scf.for
// EIGHT: vector<8xf32>
// SIXTEEN: vector<16xf32>
// CHECK: math.fma
// CHECK-NOT: flow.
// CHECK-NOT: math.exp
func.func @network(%x: tensor<?x40xf32> {flow.batch = "x"}, %b: tensor<40xf32> {flow.parameter = "b"})
    -> (tensor<?x40xf32> {flow.output = "y"}) attributes {flow.max_rows = 16 : i64} {
  %s = flow.add_bias %x, %b : (tensor<?x40xf32>, tensor<40xf32>) -> tensor<?x40xf32>
  %y = flow.activation %s {kind = #flow.activation<elu>} : (tensor<?x40xf32>) -> tensor<?x40xf32>
  return %y : tensor<?x40xf32>
}
