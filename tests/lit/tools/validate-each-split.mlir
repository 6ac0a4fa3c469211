// Every part of a split file is compared, whatever was wrong in the one before.
// RUN: not kowari-opt %s --split-input-file --load-pass-plugin=%plugin_dir/BreakBias.so --pass-pipeline="builtin.module(func.func(break-bias))" --validate-each --validate-output= 2>&1 | FileCheck %s

// CHECK: error: pass 'break-bias' changes numbers: @first with
// CHECK: error: pass 'break-bias' changes numbers: @second with

func.func @first(%x: tensor<?x8xf32> {flow.batch = "x"}, %b: tensor<8xf32> {flow.parameter = "bias"})
    -> (tensor<?x8xf32> {flow.output = "y"}) {
  %y = flow.add_bias %x, %b : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

func.func @second(%x: tensor<?x8xf32> {flow.batch = "x"}, %b: tensor<8xf32> {flow.parameter = "bias"})
    -> (tensor<?x8xf32> {flow.output = "y"}) {
  %y = flow.add_bias %x, %b : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
