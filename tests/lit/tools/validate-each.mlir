// The pass that changes a number is named, with function, output and difference, and the tool fails.
// RUN: not kowari-opt %s --load-pass-plugin=%plugin_dir/BreakBias.so --pass-pipeline="builtin.module(func.func(cse),func.func(break-bias),func.func(canonicalize))" --validate-each --validate-output= 2>&1 | FileCheck %s

// Without the option nobody notices, and without the pass there is nothing to notice.
// RUN: kowari-opt %s --load-pass-plugin=%plugin_dir/BreakBias.so --pass-pipeline="builtin.module(func.func(break-bias))"
// RUN: kowari-opt %s --cse --canonicalize --validate-each

// CHECK: error: pass 'break-bias' changes numbers: @shifted with 2 rows: output flow.output shifted: entry
// CHECK-SAME: largest difference
// CHECK-NOT: changes numbers

func.func @twice(%x: tensor<?x8xf32> {flow.batch = "x"}) -> (tensor<?x8xf32> {flow.output = "twice"}) {
  %y = flow.add %x, %x : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

func.func @shifted(%x: tensor<?x8xf32> {flow.batch = "x"}, %b: tensor<8xf32> {flow.parameter = "bias"})
    -> (tensor<?x8xf32> {flow.output = "shifted"}) {
  %y = flow.add_bias %x, %b : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
