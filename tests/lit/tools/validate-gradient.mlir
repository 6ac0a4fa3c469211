// A gradient that is wrong when it appears is named by its parameter.
// RUN: not kowari-opt %s --load-pass-plugin=%plugin_dir/WrongGradient.so --pass-pipeline="builtin.module(wrong-gradient)" --validate-each --validate-output= 2>&1 | FileCheck %s

// CHECK: error: pass 'wrong-gradient' changes numbers: @gradient of bias:

func.func @loss(%x: tensor<?x8xf32> {flow.batch = "x"}, %b: tensor<8xf32> {flow.parameter = "bias"})
    -> (tensor<f32> {flow.output = "loss"}) {
  %y = flow.add_bias %x, %b : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %l = flow.base_log_prob %y : (tensor<?x8xf32>) -> tensor<?xf32>
  %loss = flow.negative_mean %l : (tensor<?xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
