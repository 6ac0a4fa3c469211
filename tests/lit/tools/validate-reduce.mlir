// --validate-each reduces what the pass was given, names the operation, and leaves a file that fails by itself.
// RUN: rm -rf %t
// RUN: not kowari-opt %s --load-pass-plugin=%plugin_dir/BreakBias.so --pass-pipeline="builtin.module(func.func(break-bias))" --validate-each --validate-output=%t 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=FILE < %t/break-bias.mlir
// RUN: sed -n '1s/^...//p' %t/break-bias.mlir > %t/again.sh
// RUN: not sh %t/again.sh 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: not kowari-opt %s --load-pass-plugin=%t/absent.so --cse 2>&1 | FileCheck %s --check-prefix=ABSENT

// CHECK: error: pass 'break-bias' changes numbers: @network with 2 rows
// CHECK: remark: in flow.add_bias: 1 of 6 operations are left, see {{.*}}break-bias.mlir: @network with 2 rows

// FILE: // kowari-opt {{.*}}break-bias.mlir --load-pass-plugin={{.*}}BreakBias.so --pass-pipeline='builtin.module(func.func(break-bias
// FILE-NOT: flow.linear
// FILE: flow.add_bias
// FILE-NOT: flow.

// AGAIN: error: pass 'break-bias' changes numbers
// ABSENT: --load-pass-plugin={{.*}}absent.so: there is no such file

func.func @network(%x: tensor<?x8xf32> {flow.batch = "x"}, %w: tensor<4x8xf32> {flow.parameter = "w"},
                   %b: tensor<4xf32> {flow.parameter = "b"})
    -> (tensor<?x4xf32> {flow.output = "y"}, tensor<?x8xf32> {flow.output = "z"}) {
  %p = flow.activation %x {kind = #flow.activation<elu>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %h = flow.linear ins(%p : tensor<?x8xf32>) weight(%w : tensor<4x8xf32>) -> tensor<?x4xf32>
  %s = flow.add_bias %h, %b : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %a = flow.activation %s {kind = #flow.activation<relu>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = flow.add %a, %s : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %z = flow.negate %x : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y, %z : tensor<?x4xf32>, tensor<?x8xf32>
}
