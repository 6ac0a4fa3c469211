// RUN: kowari-opt %s --autodiff --fuse --lower-to-plan --split-input-file | FileCheck %s
// RUN: kowari-opt %s --autodiff --fuse --lower-to-plan --plan-memory --split-input-file --validate-each -o /dev/null
//
// Gates of one flow step read one context: their weights lie side by side, so that lower-to-plan makes one product of theirs,
// forward and backward. Thirteen products become ten.

// CHECK-LABEL: plan.program @train_step_0
// CHECK:         %[[X:.*]] = plan.persistent {{.*}} : <[-1, 32], [32, 1], f32>
// CHECK:         %[[C:.*]] = plan.persistent {{.*}} : <[-1, 24], [32, 1], f32>
// Both gates in one matrix, both gates' gradients in another.
// CHECK:         %[[GATES:.*]] = plan.buffer : <[-1, 64], [80, 1], f32>
// CHECK-NEXT:    %[[G0:.*]] = plan.subview %[[GATES]] {offset = 0 : i64} : {{.*}} -> <[-1, 32], [80, 1], f32>
// CHECK-NEXT:    %[[G1:.*]] = plan.subview %[[GATES]] {offset = 32 : i64} : {{.*}} -> <[-1, 32], [80, 1], f32>
// CHECK-NEXT:    %[[DGATES:.*]] = plan.buffer : <[-1, 64], [80, 1], f32>
// CHECK-NEXT:    %[[DG0:.*]] = plan.subview %[[DGATES]] {offset = 0 : i64} : {{.*}} -> <[-1, 32], [80, 1], f32>
// CHECK-NEXT:    %[[DG1:.*]] = plan.subview %[[DGATES]] {offset = 32 : i64} : {{.*}} -> <[-1, 32], [80, 1], f32>
// CHECK:         plan.gemm %[[C]], %{{.*}}, %[[D:.*]] :
// CHECK:         plan.gemm %[[X]], %{{.*}}, %[[H0:.*]] :
// CHECK:         plan.gemm %[[D]], %{{.*}}, %{{.*}} : <[-1, 20], [32, 1], f32>, <[20, 64], [1, 32], f32>, <[-1, 64], [80, 1], f32>
// CHECK:         plan.kernel @{{.*}}_glu reads(%[[H0]], %[[G0]]) writes(%[[Y0:[0-9]*]])
// CHECK:         plan.gemm %[[Y0]], %{{.*}}, %[[H1:.*]] :
// CHECK:         plan.kernel @{{.*}}_glu_base_log_prob{{.*}} reads(%[[H1]], %[[G1]], %{{.*}}) writes(%{{.*}}, %[[DH1:.*]], %[[DG1]])
// CHECK:         plan.gemm %[[DH1]], %{{.*}}, %{{.*}} :
// CHECK:         plan.gemm %{{.*}}, %[[Y0]], %{{.*}} :
// CHECK:         plan.kernel @{{.*}}_glu_grad reads({{.*}}) writes(%{{.*}}, %[[DG0]])
// The gradient of the context, then of both weights.
// CHECK:         plan.gemm %{{.*}}, %{{.*}}, %{{.*}} : <[-1, 64], [80, 1], f32>, <[64, 20], [32, 1], f32>, <[-1, 20], [32, 1], f32>
// CHECK:         plan.gemm %{{.*}}, %[[D]], %{{.*}} : <[64, -1], [1, 80], f32>, <[-1, 20], [32, 1], f32>, <[64, 20], [32, 1], f32>
// CHECK:         plan.gemm %{{.*}}, %[[X]], %{{.*}} :
// CHECK:         plan.gemm %{{.*}}, %[[C]], %{{.*}} :
// CHECK-NOT:     plan.gemm
// CHECK:         plan.output

module attributes {flow.stages = [
  {optimizer = "adam", freeze_rb_layer = false, beta1 = 0.9 : f64, beta2 = 0.75 : f64, epsilon = 1.0e-8 : f64, weight_decay = 0.0 : f64, amsgrad = false, maximize = false}]} {
func.func @loss(%x: tensor<?x32xf32> {flow.batch = "x"}, %c: tensor<?x24xf32> {flow.batch = "c"},
    %e: tensor<20x24xf32> {flow.parameter = "embedding.weight"},
    %w0: tensor<32x32xf32> {flow.parameter = "flow._transform._transforms.0.linear_0.weight"}, %g0: tensor<32x20xf32> {flow.parameter = "flow._transform._transforms.0.context_layer.weight"},
    %w1: tensor<32x32xf32> {flow.parameter = "flow._transform._transforms.0.linear_1.weight"}, %g1: tensor<32x20xf32> {flow.parameter = "flow._transform._transforms.0.b.context_layer.weight"})
    -> (tensor<f32> {flow.output = "loss"}) attributes {flow.max_rows = 40 : i64} {
  %d = flow.linear ins(%c : tensor<?x24xf32>) weight(%e : tensor<20x24xf32>) -> tensor<?x20xf32>
  %h0 = flow.linear ins(%x : tensor<?x32xf32>) weight(%w0 : tensor<32x32xf32>) -> tensor<?x32xf32>
  %s0 = flow.linear ins(%d : tensor<?x20xf32>) weight(%g0 : tensor<32x20xf32>) -> tensor<?x32xf32>
  %y0 = flow.glu %h0, %s0 : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
  %h1 = flow.linear ins(%y0 : tensor<?x32xf32>) weight(%w1 : tensor<32x32xf32>) -> tensor<?x32xf32>
  %s1 = flow.linear ins(%d : tensor<?x20xf32>) weight(%g1 : tensor<32x20xf32>) -> tensor<?x32xf32>
  %y1 = flow.glu %h1, %s1 : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
  %l = flow.base_log_prob %y1 : (tensor<?x32xf32>) -> tensor<?xf32>
  %loss = flow.negative_mean %l : (tensor<?xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
}

// -----

// Weights whose rows do not fill vectors stay apart: a kernel would write over its neighbor's columns.
// CHECK-LABEL: plan.program @train_step_0
// CHECK-COUNT-13: plan.gemm
// CHECK-NOT:      plan.gemm
// CHECK:          plan.output

module attributes {flow.stages = [
  {optimizer = "adam", freeze_rb_layer = false, beta1 = 0.9 : f64, beta2 = 0.75 : f64, epsilon = 1.0e-8 : f64, weight_decay = 0.0 : f64, amsgrad = false, maximize = false}]} {
func.func @loss(%x: tensor<?x24xf32> {flow.batch = "x"}, %c: tensor<?x24xf32> {flow.batch = "c"},
    %e: tensor<20x24xf32> {flow.parameter = "embedding.weight"},
    %w0: tensor<24x24xf32> {flow.parameter = "flow._transform._transforms.0.linear_0.weight"}, %g0: tensor<24x20xf32> {flow.parameter = "flow._transform._transforms.0.context_layer.weight"},
    %w1: tensor<24x24xf32> {flow.parameter = "flow._transform._transforms.0.linear_1.weight"}, %g1: tensor<24x20xf32> {flow.parameter = "flow._transform._transforms.0.b.context_layer.weight"})
    -> (tensor<f32> {flow.output = "loss"}) attributes {flow.max_rows = 40 : i64} {
  %d = flow.linear ins(%c : tensor<?x24xf32>) weight(%e : tensor<20x24xf32>) -> tensor<?x20xf32>
  %h0 = flow.linear ins(%x : tensor<?x24xf32>) weight(%w0 : tensor<24x24xf32>) -> tensor<?x24xf32>
  %s0 = flow.linear ins(%d : tensor<?x20xf32>) weight(%g0 : tensor<24x20xf32>) -> tensor<?x24xf32>
  %y0 = flow.glu %h0, %s0 : (tensor<?x24xf32>, tensor<?x24xf32>) -> tensor<?x24xf32>
  %h1 = flow.linear ins(%y0 : tensor<?x24xf32>) weight(%w1 : tensor<24x24xf32>) -> tensor<?x24xf32>
  %s1 = flow.linear ins(%d : tensor<?x20xf32>) weight(%g1 : tensor<24x20xf32>) -> tensor<?x24xf32>
  %y1 = flow.glu %h1, %s1 : (tensor<?x24xf32>, tensor<?x24xf32>) -> tensor<?x24xf32>
  %l = flow.base_log_prob %y1 : (tensor<?x24xf32>) -> tensor<?xf32>
  %loss = flow.negative_mean %l : (tensor<?xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
}
