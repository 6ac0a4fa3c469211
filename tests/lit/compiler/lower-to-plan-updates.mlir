// RUN: kowari-opt %s --autodiff --fuse --lower-to-plan | FileCheck %s
// RUN: kowari-opt %s --autodiff --fuse --lower-to-plan --validate-each -o /dev/null
//
// What lower-to-plan promises about training: gradients laid out like their parameters, one optimizer launch a bucket, in
// place, and nothing for what is frozen.

// Row strides are multiples of 16 but not of 64, so that rows do not compete for the same lines of a cache. Parameters come
// first, those that a stage may freeze behind the others; each optimizer state is laid out as they are, 9856 bytes on.
// CHECK-LABEL: module attributes {{.*}}plan.max_rows = 40 : i64, plan.persistent_bytes = 34944 : i64}
// CHECK-DAG: plan.tensor @x {kind = "input", offset = 29568 : i64, shape = array<i64: -1, 20>, view = !plan.view<[-1, 20], [32, 1], f32>}
// CHECK-DAG: plan.tensor @w {init = "uniform", init_value = 1.250000e-01 : f64, kind = "parameter", offset = 0 : i64, shape = array<i64: 5, 64>, trainable = array<i1: true>, view = !plan.view<[5, 64], [80, 1], f32>}
// CHECK-DAG: plan.tensor @b {kind = "parameter", offset = 1600 : i64, {{.*}}trainable = array<i1: true>
// CHECK-DAG: plan.tensor @layers_rb.weight {kind = "parameter", offset = 1664 : i64, {{.*}}trainable = array<i1: false>
// CHECK-DAG: plan.tensor @"exp_avg/w" {kind = "optimizer", offset = 9856 : i64, {{.*}}view = !plan.view<[5, 64], [80, 1], f32>}
// CHECK-DAG: plan.tensor @"exp_avg/b" {kind = "optimizer", offset = 11456 : i64
// CHECK-DAG: plan.tensor @"exp_avg_sq/w" {kind = "optimizer", offset = 19712 : i64
// CHECK-DAG: plan.tensor @learning_rate {kind = "scalar", {{.*}}view = !plan.view<[1, 1], [1, 1], f64>}

// CHECK-LABEL: plan.program @train_step_0 {
// CHECK:         %[[X:.*]] = plan.persistent {offset = 29568 : i64}
// CHECK-NEXT:    plan.input @x
// The gradients of w and b: windows of one vector as long as the bucket, at the distances that w and b have.
// CHECK:         %[[FLAT:.*]] = plan.buffer : <[416, 1], [1, 1], f32>
// CHECK-NEXT:    %[[DW:.*]] = plan.subview %[[FLAT]] {offset = 0 : i64} : {{.*}} -> <[5, 64], [80, 1], f32>
// CHECK-NEXT:    %[[DB:.*]] = plan.subview %[[FLAT]] {offset = 400 : i64} : {{.*}} -> <[5, 1], [1, 1], f32>
// Between two products a matrix stays row-major; one that kernels read along rows is feature-major.
// CHECK:         %[[H:.*]] = plan.buffer : <[-1, 64], [80, 1], f32>
// CHECK:         plan.gemm %[[X]], %{{.*}}, %[[H]] :
// CHECK:         %[[Y:.*]] = plan.buffer : <[-1, 5], [1, 48], f32>
// CHECK:         plan.gemm %[[H]], %{{.*}}, %[[Y]] bias %{{.*}} :
// CHECK:         plan.gemm %{{.*}}, %[[H]], %[[DW]] :
// CHECK:         plan.kernel @{{.*}}_sum_rows reads(%{{.*}}) writes(%[[DB]])
// CHECK:         %[[W:.*]] = plan.persistent {offset = 0 : i64} : <[416, 1], [1, 1], f32>
// CHECK-NEXT:    %[[M:.*]] = plan.persistent {offset = 9856 : i64} : <[416, 1], [1, 1], f32>
// CHECK-NEXT:    %[[V:.*]] = plan.persistent {offset = 19712 : i64} : <[416, 1], [1, 1], f32>
// CHECK-NEXT:    plan.kernel @[[ADAM:k_adam0]] reads(%[[W]], %[[FLAT]], %[[M]], %[[V]], {{.*}}) writes(%[[W]], %[[M]], %[[V]]) {columns = 416 : i64, group = "optimizer", rows = 1 : i64}
// CHECK-NEXT:    plan.output %{{.*}} "loss" shape [] :
// CHECK-NEXT:    plan.output %[[Y]] "y" shape [-1, 5] :
// CHECK-NEXT:  }
// CHECK-NOT:   plan.program
// CHECK:       func.func private @[[ADAM]]({{.*}}) -> (tensor<16xf32> {flow.tied = 0 : i64}, tensor<16xf32> {flow.tied = 2 : i64}, tensor<16xf32> {flow.tied = 3 : i64})

module attributes {flow.stages = [
  {optimizer = "adam", freeze_rb_layer = true, beta1 = 0.9 : f64, beta2 = 0.75 : f64, epsilon = 1.0e-8 : f64, weight_decay = 0.0 : f64, amsgrad = false, maximize = false}]} {
func.func @loss(%x: tensor<?x20xf32> {flow.batch = "x"}, %r: tensor<64x20xf32> {flow.parameter = "layers_rb.weight"},
    %w: tensor<5x64xf32> {flow.parameter = "w", flow.init = "uniform", flow.init_value = 0.125 : f64}, %b: tensor<5xf32> {flow.parameter = "b"})
    -> (tensor<f32> {flow.output = "loss"}, tensor<?x5xf32> {flow.output = "y"}) attributes {flow.max_rows = 40 : i64} {
  %h = flow.linear ins(%x : tensor<?x20xf32>) weight(%r : tensor<64x20xf32>) -> tensor<?x64xf32>
  %y = flow.linear ins(%h : tensor<?x64xf32>) weight(%w : tensor<5x64xf32>) bias(%b : tensor<5xf32>) -> tensor<?x5xf32>
  %l = flow.base_log_prob %y : (tensor<?x5xf32>) -> tensor<?xf32>
  %loss = flow.negative_mean %l : (tensor<?xf32>) -> tensor<f32>
  return %loss, %y : tensor<f32>, tensor<?x5xf32>
}
}
