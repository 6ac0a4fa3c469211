// A parameter that the loss does not depend on has no gradient; the update of its bucket leaves it alone.
// RUN: kowari-opt %s --autodiff --fuse --lower-to-plan --plan-memory --validate-each | FileCheck %s

// CHECK-LABEL: plan.program @train_step_0
// CHECK: plan.kernel @k_sgd0 {{.*}}columns = 16 : i64
// CHECK-NOT: plan.kernel @k_sgd0

module attributes {flow.stages = [{optimizer = "sgd", freeze_rb_layer = false, momentum = 0.0 : f64, dampening = 0.0 : f64, weight_decay = 0.0 : f64, nesterov = false, maximize = false, amsgrad = false}]} {
func.func @loss(%x: tensor<?x3xf32> {flow.batch = "x"}, %a: tensor<3xf32> {flow.parameter = "a"}, %b: tensor<3xf32> {flow.parameter = "b"},
    %m: tensor<3xf32> {flow.state = "m"}, %v: tensor<3xf32> {flow.state = "v"}, %c: tensor<3xf32> {flow.parameter = "c"})
    -> (tensor<f32> {flow.output = "loss"}, tensor<?x3xf32> {flow.output = "y"}) attributes {flow.max_rows = 8 : i64} {
  %n = flow.batch_norm %x, %m, %v, %a, %a {epsilon = 1.0e-3 : f64} : (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  %y = flow.add_bias %x, %b : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  %l = flow.base_log_prob %n : (tensor<?x3xf32>) -> tensor<?xf32>
  %loss = flow.negative_mean %l : (tensor<?xf32>) -> tensor<f32>
  return %loss, %y : tensor<f32>, tensor<?x3xf32>
}
}
