// The passes up to the plan keep every number, and the gradients are those of the loss.
// RUN: kowari-opt %s --autodiff --fuse --validate-each | FileCheck %s
// RUN: kowari-opt %s --autodiff --fuse --lower-to-plan --plan-memory --validate-each | FileCheck %s --check-prefix=PLAN
// A wrong pass behind them is noticed, kernels and all.
// RUN: not kowari-opt %s --load-pass-plugin=%plugin_dir/BreakBias.so --pass-pipeline="builtin.module(autodiff,fuse,func.func(break-bias))" --validate-each 2>&1 | FileCheck %s --check-prefix=BROKEN

// CHECK-NOT: func.func @loss
// CHECK-DAG: func.func @train_step_0
// CHECK-DAG: func.func @gradient
// CHECK-DAG: flow.fused
// PLAN: plan.arena_bytes = {{[1-9]}}
// PLAN: plan.tensor @w
// BROKEN: error: pass 'break-bias' changes numbers: @gradient

module attributes {flow.gradient_entry, flow.stages = [{optimizer = "adam", freeze_rb_layer = false, beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64, weight_decay = 0.0 : f64, amsgrad = false, maximize = false}]} {
func.func @loss(%theta: tensor<?x4xf32> {flow.batch = "theta"}, %c: tensor<?x3xf32> {flow.batch = "context"},
    %w: tensor<8x5xf32> {flow.parameter = "w"}, %b: tensor<8xf32> {flow.parameter = "b"},
    %g: tensor<8xf32> {flow.parameter = "g"}, %be: tensor<8xf32> {flow.parameter = "be"},
    %wf: tensor<10x8xf32> {flow.parameter = "wf"}, %bf: tensor<10xf32> {flow.parameter = "bf"})
    -> (tensor<f32> {flow.output = "loss"}) {
  %t, %i = flow.split_columns %theta {start = 0 : i64} : (tensor<?x4xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>)
  %h = flow.linear ins(%i, %c : tensor<?x2xf32>, tensor<?x3xf32>) weight(%w : tensor<8x5xf32>) bias(%b : tensor<8xf32>) -> tensor<?x8xf32>
  %n, %m, %v = flow.layer_norm %h, %g, %be {epsilon = 1.0e-5 : f64} : (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>)
  %a = flow.activation %n {kind = #flow.activation<elu>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %u = flow.linear ins(%a : tensor<?x8xf32>) weight(%wf : tensor<10x8xf32>) bias(%bf : tensor<10xf32>) -> tensor<?x10xf32>
  %y, %l = flow.rq_spline %t, %u {num_bins = 2 : i64, tail_bound = 1.0 : f64, divisor = 2.0 : f64} : (tensor<?x2xf32>, tensor<?x10xf32>) -> (tensor<?x2xf32>, tensor<?xf32>)
  %z = flow.interleave_columns %y, %i {start = 0 : i64} : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x4xf32>
  %p = flow.base_log_prob %z : (tensor<?x4xf32>) -> tensor<?xf32>
  %s = flow.add %p, %l : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %loss = flow.negative_mean %s : (tensor<?xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
}
