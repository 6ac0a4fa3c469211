// train_step.mlir behind fuse and lower-to-plan.
module attributes {flow.stages = [{amsgrad = false, beta1 = 9.000000e-01 : f64, beta2 = 0.99899999999999999 : f64, epsilon = 1.000000e-08 : f64, freeze_rb_layer = false, maximize = false, optimizer = "adam", weight_decay = 0.000000e+00 : f64}], plan.max_rows = 16 : i64, plan.persistent_bytes = 7808 : i64} {
  plan.tensor @x {kind = "input", offset = 6528 : i64, shape = array<i64: -1, 12>, view = !plan.view<[-1, 12], [16, 1], f32>}
  plan.tensor @w {kind = "parameter", offset = 0 : i64, shape = array<i64: 24, 12>, trainable = array<i1: true>, view = !plan.view<[24, 12], [16, 1], f32>}
  plan.tensor @b {kind = "parameter", offset = 1536 : i64, shape = array<i64: 24>, trainable = array<i1: true>, view = !plan.view<[24, 1], [1, 1], f32>}
  plan.tensor @v {kind = "parameter", offset = 1664 : i64, shape = array<i64: 4, 24>, trainable = array<i1: true>, view = !plan.view<[4, 24], [32, 1], f32>}
  plan.tensor @learning_rate {kind = "scalar", offset = 7552 : i64, shape = array<i64>, view = !plan.view<[1, 1], [1, 1], f64>}
  plan.tensor @step {kind = "scalar", offset = 7680 : i64, shape = array<i64>, view = !plan.view<[1, 1], [1, 1], f64>}
  plan.tensor @"exp_avg/w" {kind = "optimizer", offset = 2176 : i64, shape = array<i64: 24, 12>, view = !plan.view<[24, 12], [16, 1], f32>}
  plan.tensor @"exp_avg_sq/w" {kind = "optimizer", offset = 4352 : i64, shape = array<i64: 24, 12>, view = !plan.view<[24, 12], [16, 1], f32>}
  plan.tensor @"exp_avg/b" {kind = "optimizer", offset = 3712 : i64, shape = array<i64: 24>, view = !plan.view<[24, 1], [1, 1], f32>}
  plan.tensor @"exp_avg_sq/b" {kind = "optimizer", offset = 5888 : i64, shape = array<i64: 24>, view = !plan.view<[24, 1], [1, 1], f32>}
  plan.tensor @"exp_avg/v" {kind = "optimizer", offset = 3840 : i64, shape = array<i64: 4, 24>, view = !plan.view<[4, 24], [32, 1], f32>}
  plan.tensor @"exp_avg_sq/v" {kind = "optimizer", offset = 6016 : i64, shape = array<i64: 4, 24>, view = !plan.view<[4, 24], [32, 1], f32>}
  plan.program @train_step_0 {
    %0 = plan.persistent {offset = 6528 : i64} : <[-1, 12], [16, 1], f32>
    plan.input @x
    %1 = plan.persistent {offset = 0 : i64} : <[24, 12], [16, 1], f32>
    %2 = plan.persistent {offset = 1536 : i64} : <[24, 1], [1, 1], f32>
    %3 = plan.persistent {offset = 1664 : i64} : <[4, 24], [32, 1], f32>
    %4 = plan.persistent {offset = 7552 : i64} : <[1, 1], [1, 1], f64>
    %5 = plan.persistent {offset = 7680 : i64} : <[1, 1], [1, 1], f64>
    %6 = plan.persistent {offset = 2176 : i64} : <[24, 12], [16, 1], f32>
    %7 = plan.persistent {offset = 4352 : i64} : <[24, 12], [16, 1], f32>
    %8 = plan.persistent {offset = 3712 : i64} : <[24, 1], [1, 1], f32>
    %9 = plan.persistent {offset = 5888 : i64} : <[24, 1], [1, 1], f32>
    %10 = plan.persistent {offset = 3840 : i64} : <[4, 24], [32, 1], f32>
    %11 = plan.persistent {offset = 6016 : i64} : <[4, 24], [32, 1], f32>
    %12 = plan.buffer : <[544, 1], [1, 1], f32>
    %13 = plan.subview %12 {offset = 0 : i64} : <[544, 1], [1, 1], f32> -> <[24, 12], [16, 1], f32>
    %14 = plan.subview %12 {offset = 384 : i64} : <[544, 1], [1, 1], f32> -> <[24, 1], [1, 1], f32>
    %15 = plan.subview %12 {offset = 416 : i64} : <[544, 1], [1, 1], f32> -> <[4, 24], [32, 1], f32>
    %16 = plan.buffer : <[-1, 24], [32, 1], f32>
    %17 = plan.subview %1 {offset = 0 : i64} : <[24, 12], [16, 1], f32> -> <[12, 24], [1, 16], f32>
    plan.gemm %0, %17, %16 : <[-1, 12], [16, 1], f32>, <[12, 24], [1, 16], f32>, <[-1, 24], [32, 1], f32>
    %18 = plan.buffer : <[-1, 24], [32, 1], f32>
    plan.kernel @k0_add_bias_activation reads(%16, %2) writes(%18) {columns = 24 : i64, group = "elementwise", rows = -1 : i64} : !plan.view<[-1, 24], [32, 1], f32>, !plan.view<[24, 1], [1, 1], f32> -> !plan.view<[-1, 24], [32, 1], f32>
    %19 = plan.buffer : <[-1, 4], [1, 16], f32>
    %20 = plan.subview %3 {offset = 0 : i64} : <[4, 24], [32, 1], f32> -> <[24, 4], [1, 32], f32>
    plan.gemm %18, %20, %19 : <[-1, 24], [32, 1], f32>, <[24, 4], [1, 32], f32>, <[-1, 4], [1, 16], f32>
    %21 = plan.buffer : <[1, 1], [1, 1], f32>
    plan.kernel @k4_convert reads(%4) writes(%21) {columns = 1 : i64, group = "elementwise", rows = -1 : i64} : !plan.view<[1, 1], [1, 1], f64> -> !plan.view<[1, 1], [1, 1], f32>
    %22 = plan.buffer : <[1, 1], [1, 1], f32>
    %23 = plan.buffer : <[1, 1], [1, 1], f32>
    plan.kernel @k5_adam_correction reads(%4, %5) writes(%22, %23) {columns = 1 : i64, group = "elementwise", rows = -1 : i64} : !plan.view<[1, 1], [1, 1], f64>, !plan.view<[1, 1], [1, 1], f64> -> !plan.view<[1, 1], [1, 1], f32>, !plan.view<[1, 1], [1, 1], f32>
    %24 = plan.buffer : <[1, 1], [1, 1], f32>
    plan.kernel @k6_one reads() writes(%24) {columns = 1 : i64, group = "elementwise", rows = -1 : i64} -> !plan.view<[1, 1], [1, 1], f32>
    %25 = plan.buffer : <[-1, 1], [1, 1], f32>
    %26 = plan.buffer : <[-1, 4], [1, 16], f32>
    plan.kernel @k1_base_log_prob_negative_mean_grad_base_log_prob_grad reads(%19, %24) writes(%25, %26) {columns = 4 : i64, group = "elementwise", rows = -1 : i64} : !plan.view<[-1, 4], [1, 16], f32>, !plan.view<[1, 1], [1, 1], f32> -> !plan.view<[-1, 1], [1, 1], f32>, !plan.view<[-1, 4], [1, 16], f32>
    %27 = plan.buffer : <[1, 1], [1, 1], f32>
    plan.kernel @k2_negative_mean reads(%25) writes(%27) {columns = 1 : i64, group = "elementwise", rows = -1 : i64} : !plan.view<[-1, 1], [1, 1], f32> -> !plan.view<[1, 1], [1, 1], f32>
    %28 = plan.buffer : <[1, 1], [1, 1], f32>
    plan.kernel @k3_is_finite reads(%27) writes(%28) {columns = 1 : i64, group = "elementwise", rows = -1 : i64} : !plan.view<[1, 1], [1, 1], f32> -> !plan.view<[1, 1], [1, 1], f32>
    %29 = plan.buffer : <[-1, 24], [32, 1], f32>
    plan.gemm %26, %3, %29 : <[-1, 4], [1, 16], f32>, <[4, 24], [32, 1], f32>, <[-1, 24], [32, 1], f32>
    %30 = plan.subview %26 {offset = 0 : i64} : <[-1, 4], [1, 16], f32> -> <[4, -1], [16, 1], f32>
    plan.gemm %30, %18, %15 : <[4, -1], [16, 1], f32>, <[-1, 24], [32, 1], f32>, <[4, 24], [32, 1], f32>
    %31 = plan.buffer : <[-1, 24], [32, 1], f32>
    plan.kernel @k7_activation_grad_sum_rows reads(%29, %18) writes(%31, %14) {columns = 24 : i64, group = "elementwise", rows = -1 : i64} : !plan.view<[-1, 24], [32, 1], f32>, !plan.view<[-1, 24], [32, 1], f32> -> !plan.view<[-1, 24], [32, 1], f32>, !plan.view<[24, 1], [1, 1], f32>
    %32 = plan.subview %31 {offset = 0 : i64} : <[-1, 24], [32, 1], f32> -> <[24, -1], [1, 32], f32>
    plan.gemm %32, %0, %13 : <[24, -1], [1, 32], f32>, <[-1, 12], [16, 1], f32>, <[24, 12], [16, 1], f32>
    %33 = plan.persistent {offset = 0 : i64} : <[544, 1], [1, 1], f32>
    %34 = plan.persistent {offset = 2176 : i64} : <[544, 1], [1, 1], f32>
    %35 = plan.persistent {offset = 4352 : i64} : <[544, 1], [1, 1], f32>
    plan.kernel @k_adam0 reads(%33, %12, %34, %35, %22, %23, %21, %28) writes(%33, %34, %35) {columns = 544 : i64, group = "optimizer", rows = 1 : i64} : !plan.view<[544, 1], [1, 1], f32>, !plan.view<[544, 1], [1, 1], f32>, !plan.view<[544, 1], [1, 1], f32>, !plan.view<[544, 1], [1, 1], f32>, !plan.view<[1, 1], [1, 1], f32>, !plan.view<[1, 1], [1, 1], f32>, !plan.view<[1, 1], [1, 1], f32>, !plan.view<[1, 1], [1, 1], f32> -> !plan.view<[544, 1], [1, 1], f32>, !plan.view<[544, 1], [1, 1], f32>, !plan.view<[544, 1], [1, 1], f32>
    plan.output %27 "loss" shape [] : <[1, 1], [1, 1], f32>
  }
  func.func private @k0_add_bias_activation(%arg0: tensor<?x24xf32>, %arg1: tensor<24xf32>) -> tensor<?x24xf32> attributes {flow.columns = 24 : i64, flow.kernel = {chunks = "rows", lanes = "columns"}} {
    %0 = flow.add_bias %arg0, %arg1 : (tensor<?x24xf32>, tensor<24xf32>) -> tensor<?x24xf32>
    %1 = flow.activation %0 {kind = #flow.activation<elu>} : (tensor<?x24xf32>) -> tensor<?x24xf32>
    return %1 : tensor<?x24xf32>
  }
  func.func private @k1_base_log_prob_negative_mean_grad_base_log_prob_grad(%arg0: tensor<?x4xf32>, %arg1: tensor<f32>) -> (tensor<?xf32>, tensor<?x4xf32>) attributes {flow.columns = 4 : i64, flow.kernel = {chunks = "rows", lanes = "rows"}} {
    %0 = flow.base_log_prob %arg0 : (tensor<?x4xf32>) -> tensor<?xf32>
    %1 = flow.negative_mean_grad %0, %arg1 : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
    %2 = flow.base_log_prob_grad %arg0, %1 : (tensor<?x4xf32>, tensor<?xf32>) -> tensor<?x4xf32>
    return %0, %2 : tensor<?xf32>, tensor<?x4xf32>
  }
  func.func private @k2_negative_mean(%arg0: tensor<?xf32>) -> tensor<f32> attributes {flow.columns = 0 : i64, flow.kernel = {chunks = "none", lanes = "rows"}} {
    %0 = flow.negative_mean %arg0 : (tensor<?xf32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @k3_is_finite(%arg0: tensor<f32>) -> tensor<f32> attributes {flow.columns = 0 : i64, flow.kernel = {chunks = "none", lanes = "rows"}} {
    %0 = flow.is_finite %arg0 : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @k4_convert(%arg0: tensor<f64>) -> tensor<f32> attributes {flow.columns = 0 : i64, flow.kernel = {chunks = "none", lanes = "rows"}} {
    %0 = flow.convert %arg0 : (tensor<f64>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @k5_adam_correction(%arg0: tensor<f64>, %arg1: tensor<f64>) -> (tensor<f32>, tensor<f32>) attributes {flow.columns = 0 : i64, flow.kernel = {chunks = "none", lanes = "rows"}} {
    %step_size, %root = flow.adam_correction %arg0, %arg1 {beta1 = 9.000000e-01 : f64, beta2 = 0.99899999999999999 : f64} : (tensor<f64>, tensor<f64>) -> (tensor<f32>, tensor<f32>)
    return %step_size, %root : tensor<f32>, tensor<f32>
  }
  func.func private @k6_one() -> tensor<f32> attributes {flow.columns = 0 : i64, flow.kernel = {chunks = "none", lanes = "rows"}} {
    %0 = flow.one  : () -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @k7_activation_grad_sum_rows(%arg0: tensor<?x24xf32>, %arg1: tensor<?x24xf32>) -> (tensor<?x24xf32>, tensor<24xf32>) attributes {flow.columns = 24 : i64, flow.kernel = {chunks = "columns", lanes = "columns"}} {
    %0 = flow.activation_grad %arg0, %arg1 {kind = #flow.activation<elu>} : (tensor<?x24xf32>, tensor<?x24xf32>) -> tensor<?x24xf32>
    %1 = flow.sum_rows %0 : (tensor<?x24xf32>) -> tensor<24xf32>
    return %0, %1 : tensor<?x24xf32>, tensor<24xf32>
  }
  func.func private @k_adam0(%arg0: tensor<16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>, %arg3: tensor<16xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>, %arg6: tensor<f32>, %arg7: tensor<f32>) -> (tensor<16xf32> {flow.tied = 0 : i64}, tensor<16xf32> {flow.tied = 2 : i64}, tensor<16xf32> {flow.tied = 3 : i64}) attributes {flow.columns = 16 : i64, flow.kernel = {chunks = "columns", lanes = "columns"}} {
    %new_parameter, %new_mean, %new_square = flow.adam state(%arg0, %arg1, %arg2, %arg3 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) scalars(%arg4, %arg5, %arg6, %arg7 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {beta1 = 9.000000e-01 : f64, beta2 = 0.99899999999999999 : f64, epsilon = 1.000000e-08 : f64, weight_decay = 0.000000e+00 : f64} -> tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
    return %new_parameter, %new_mean, %new_square : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
  }
}

