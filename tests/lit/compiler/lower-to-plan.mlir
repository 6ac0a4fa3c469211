// RUN: kowari-opt %s --fuse --lower-to-plan --split-input-file | FileCheck %s
// RUN: kowari-opt %s --fuse --lower-to-plan --split-input-file --validate-each -o /dev/null
//
// What lower-to-plan promises: a program for each function, every argument in the persistent part, copies only where the
// layout changes, and no offset for scratch yet. Updates are in lower-to-plan-updates.mlir, batches in batch-results.mlir.

// State goes out where it came in, and the kernel that does it knows.
// CHECK:       plan.tensor @running_mean {kind = "state", offset = [[MEAN:[0-9]+]] : i64
// CHECK:       plan.tensor @running_variance {kind = "state", offset = [[VARIANCE:[0-9]+]] : i64
// CHECK-LABEL: plan.program @state {
// CHECK:         plan.persistent {offset = [[MEAN]] : i64}
// CHECK-NEXT:    plan.persistent {offset = [[VARIANCE]] : i64}
// CHECK-NEXT:    %[[M:.*]] = plan.persistent {offset = [[MEAN]] : i64}
// CHECK-NEXT:    %[[V:.*]] = plan.persistent {offset = [[VARIANCE]] : i64}
// CHECK-NEXT:    %[[Y:.*]] = plan.buffer :
// CHECK-NEXT:    plan.kernel @[[NORM:.*]] reads({{.*}}) writes(%[[M]], %[[V]], %[[Y]]) {columns = 64 : i64, group = "norm", rows = -1 : i64}
// CHECK-NEXT:    plan.output %[[Y]] "y" shape [-1, 64]
// CHECK:       func.func private @[[NORM]]({{.*}}) -> (tensor<64xf32> {flow.tied = 1 : i64}, tensor<64xf32> {flow.tied = 2 : i64}, tensor<?x64xf32>)

func.func @state(%x: tensor<?x64xf32> {flow.batch = "x"}, %g: tensor<64xf32> {flow.parameter = "g"}, %e: tensor<64xf32> {flow.parameter = "e"},
    %rm: tensor<64xf32> {flow.state = "running_mean"}, %rv: tensor<64xf32> {flow.state = "running_variance"})
    -> (tensor<?x64xf32> {flow.output = "y"}, tensor<64xf32> {flow.state = "running_mean"}, tensor<64xf32> {flow.state = "running_variance"})
    attributes {flow.max_rows = 40 : i64} {
  %m, %v = flow.batch_norm_statistics %x : (tensor<?x64xf32>) -> (tensor<64xf32>, tensor<64xf32>)
  %nm, %nv = flow.batch_norm_running %rm, %rv, %m, %v {momentum = 0.1 : f64} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>)
  %y = flow.batch_norm %x, %m, %v, %g, %e {epsilon = 1.0e-5 : f64, training} : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  return %y, %nm, %nv : tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

// A row-major input is copied once for the kernels that read it along rows; columns that are split off are copied
// feature-major, go through kernels and products like that, and are put together again.
// CHECK-LABEL: plan.program @layouts {
// CHECK-NEXT:    %[[Z:.*]] = plan.persistent {{.*}} : <[-1, 6], [16, 1], f32>
// CHECK:         plan.copy %[[Z]], %[[FEATURES:.*]] : <[-1, 6], [16, 1], f32>, <[-1, 6], [1, 48], f32>
// CHECK:         plan.kernel @[[DENSITY:.*]] reads(%[[FEATURES]])
// CHECK:         plan.copy %{{.*}}, %[[T:.*]] : <[-1, 3], [16, 2], f32>, <[-1, 3], [1, 48], f32>
// CHECK:         plan.copy %{{.*}}, %[[I:.*]] : <[-1, 3], [16, 2], f32>, <[-1, 3], [1, 48], f32>
// CHECK:         plan.kernel @{{.*}}_activation reads(%[[T]]) writes(%[[A:[0-9]+]])
// CHECK:         plan.gemm %[[A]], %{{.*}}, %[[Y:.*]] : <[-1, 3], [1, 48], f32>, {{.*}}, <[-1, 6], [1, 48], f32>
// CHECK:         plan.kernel @[[DENSITY]] reads(%[[Y]])
// CHECK:         plan.copy %[[A]], %{{.*}} : <[-1, 3], [1, 48], f32>, <[-1, 3], [1, 96], f32>
// CHECK:         plan.copy %[[I]], %{{.*}} : <[-1, 3], [1, 48], f32>, <[-1, 3], [1, 96], f32>
// CHECK-NOT:     plan.copy
// CHECK:         plan.output

func.func @layouts(%z: tensor<?x6xf32> {flow.batch = "z"}, %w: tensor<6x3xf32> {flow.parameter = "w"})
    -> (tensor<?xf32> {flow.output = "l"}, tensor<?xf32> {flow.output = "k"}, tensor<?x6xf32> {flow.output = "back"}) attributes {flow.max_rows = 40 : i64} {
  %l = flow.base_log_prob %z : (tensor<?x6xf32>) -> tensor<?xf32>
  %t, %i = flow.split_columns %z {start = 0 : i64} : (tensor<?x6xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>)
  %a = flow.activation %t {kind = #flow.activation<elu>} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %y = flow.linear ins(%a : tensor<?x3xf32>) weight(%w : tensor<6x3xf32>) -> tensor<?x6xf32>
  %k = flow.base_log_prob %y : (tensor<?x6xf32>) -> tensor<?xf32>
  %back = flow.interleave_columns %a, %i {start = 0 : i64} : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x6xf32>
  return %l, %k, %back : tensor<?xf32>, tensor<?xf32>, tensor<?x6xf32>
}

// -----

// What is no entry stays as it is, with or without roles.
// CHECK-LABEL: module attributes {plan.max_rows = 0 : i64, plan.persistent_bytes = 0 : i64}
// CHECK-NOT:     plan.program
// CHECK:         func.func @helper
func.func @helper(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %y = flow.negate %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
