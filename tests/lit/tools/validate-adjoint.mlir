// The operation whose adjoint is wrong is named, although autodiff leaves train steps only and the loss is not the
// first result.
// RUN: rm -rf %t
// RUN: not kowari-opt %s --load-pass-plugin=%plugin_dir/WrongAdjoint.so --pass-pipeline="builtin.module(wrong-adjoint)" --validate-each --validate-output=%t 2>&1 | FileCheck %s
// RUN: kowari-opt %s --autodiff --validate-each -o /dev/null

// CHECK: error: pass 'wrong-adjoint' changes numbers: @gradient of {{w|b}}:
// CHECK: remark: in flow.linear, flow.activation, flow.base_log_prob, flow.negative_mean: 4 of 5 operations are left

module attributes {flow.stages = [{optimizer = "sgd", epsilon = 1.0e-8 : f64, beta1 = 0.9 : f64, beta2 = 0.99 : f64,
                                   weight_decay = 0.0 : f64, momentum = 0.0 : f64, dampening = 0.0 : f64, amsgrad = false,
                                   maximize = false, nesterov = false, freeze_rb_layer = false}]} {
  func.func @loss(%x: tensor<?x8xf64> {flow.batch = "x"}, %w: tensor<4x8xf64> {flow.parameter = "w"},
                  %b: tensor<4xf64> {flow.parameter = "b"}, %m: tensor<4xf64> {flow.state = "m"})
      -> (tensor<4xf64> {flow.state = "m"}, tensor<f64> {flow.output = "loss"}) {
    %n = flow.negate %x : (tensor<?x8xf64>) -> tensor<?x8xf64>
    %h = flow.linear ins(%n : tensor<?x8xf64>) weight(%w : tensor<4x8xf64>) bias(%b : tensor<4xf64>) -> tensor<?x4xf64>
    %a = flow.activation %h {kind = #flow.activation<gelu>} : (tensor<?x4xf64>) -> tensor<?x4xf64>
    %l = flow.base_log_prob %a : (tensor<?x4xf64>) -> tensor<?xf64>
    %loss = flow.negative_mean %l : (tensor<?xf64>) -> tensor<f64>
    return %m, %loss : tensor<4xf64>, tensor<f64>
  }
}
