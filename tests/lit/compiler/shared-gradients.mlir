// Gradients that several values share: sums in place and flat buckets must keep them apart.
// RUN: kowari-opt %s --autodiff --validate-each --cse --fuse --lower-to-plan --plan-memory -o /dev/null
// RUN: kowari-opt %s --autodiff --cse --fuse --lower-to-plan | FileCheck %s

// The biases of c and f have the gradient sum_rows(g), merged into one value: one slot of the bucket gets a copy.
// CHECK: plan.program @train_step_0
// CHECK: plan.copy
module attributes {flow.gradient_entry, flow.stages = [{optimizer = "adam", beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64, weight_decay = 0.0 : f64, momentum = 0.0 : f64, dampening = 0.0 : f64, amsgrad = true, maximize = false, nesterov = false, freeze_rb_layer = false}, {optimizer = "adam", beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64, weight_decay = 0.0 : f64, momentum = 0.0 : f64, dampening = 0.0 : f64, amsgrad = false, maximize = false, nesterov = false, freeze_rb_layer = false}]} {
  func.func @loss(%x: tensor<?x3xf64> {flow.batch = "x"}, %z: tensor<?x3xf64> {flow.batch = "z"},
                  %w: tensor<4x3xf64> {flow.parameter = "a.weight"}, %b: tensor<4xf64> {flow.parameter = "a.bias"},
                  %v: tensor<4x3xf64> {flow.parameter = "c.weight"}, %c: tensor<4xf64> {flow.parameter = "c.bias"},
                  %g: tensor<4x3xf64> {flow.parameter = "f.weight"}, %h: tensor<4xf64> {flow.parameter = "f.bias"},
                  %u: tensor<4x4xf64> {flow.parameter = "d.weight"}, %t: tensor<4x4xf64> {flow.parameter = "e.weight"})
      -> (tensor<f64> {flow.output = "loss"}) attributes {flow.max_rows = 8 : i64} {
    %p = flow.linear ins(%x : tensor<?x3xf64>) weight(%w : tensor<4x3xf64>) bias(%b : tensor<4xf64>) -> tensor<?x4xf64>
    %q = flow.linear ins(%z : tensor<?x3xf64>) weight(%v : tensor<4x3xf64>) bias(%c : tensor<4xf64>) -> tensor<?x4xf64>
    %l = flow.linear ins(%p : tensor<?x4xf64>) weight(%u : tensor<4x4xf64>) -> tensor<?x4xf64>
    %m = flow.linear ins(%x : tensor<?x3xf64>) weight(%g : tensor<4x3xf64>) bias(%h : tensor<4xf64>) -> tensor<?x4xf64>
    %n = flow.add %q, %m : (tensor<?x4xf64>, tensor<?x4xf64>) -> tensor<?x4xf64>
    %s = flow.add %p, %n : (tensor<?x4xf64>, tensor<?x4xf64>) -> tensor<?x4xf64>
    %d = flow.linear ins(%s : tensor<?x4xf64>) weight(%t : tensor<4x4xf64>) -> tensor<?x4xf64>
    %e = flow.add %l, %d : (tensor<?x4xf64>, tensor<?x4xf64>) -> tensor<?x4xf64>
    %r = flow.base_log_prob %e : (tensor<?x4xf64>) -> tensor<?xf64>
    %loss = flow.negative_mean %r : (tensor<?xf64>) -> tensor<f64>
    return %loss : tensor<f64>
  }
}
