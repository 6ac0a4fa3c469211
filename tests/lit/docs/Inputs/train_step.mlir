// network.mlir behind autodiff.
module attributes {flow.stages = [{amsgrad = false, beta1 = 9.000000e-01 : f64, beta2 = 0.99899999999999999 : f64, epsilon = 1.000000e-08 : f64, freeze_rb_layer = false, maximize = false, optimizer = "adam", weight_decay = 0.000000e+00 : f64}]} {
  func.func @train_step_0(%arg0: tensor<?x12xf32> {flow.batch = "x"}, %arg1: tensor<24x12xf32> {flow.parameter = "w"}, %arg2: tensor<24xf32> {flow.parameter = "b"}, %arg3: tensor<4x24xf32> {flow.parameter = "v"}, %arg4: tensor<f64> {flow.scalar = "learning_rate"}, %arg5: tensor<f64> {flow.scalar = "step"}, %arg6: tensor<24x12xf32> {flow.optimizer = "exp_avg/w"}, %arg7: tensor<24x12xf32> {flow.optimizer = "exp_avg_sq/w"}, %arg8: tensor<24xf32> {flow.optimizer = "exp_avg/b"}, %arg9: tensor<24xf32> {flow.optimizer = "exp_avg_sq/b"}, %arg10: tensor<4x24xf32> {flow.optimizer = "exp_avg/v"}, %arg11: tensor<4x24xf32> {flow.optimizer = "exp_avg_sq/v"}) -> (tensor<f32> {flow.output = "loss"}, tensor<24x12xf32> {flow.parameter = "w"}, tensor<24x12xf32> {flow.optimizer = "exp_avg/w"}, tensor<24x12xf32> {flow.optimizer = "exp_avg_sq/w"}, tensor<24xf32> {flow.parameter = "b"}, tensor<24xf32> {flow.optimizer = "exp_avg/b"}, tensor<24xf32> {flow.optimizer = "exp_avg_sq/b"}, tensor<4x24xf32> {flow.parameter = "v"}, tensor<4x24xf32> {flow.optimizer = "exp_avg/v"}, tensor<4x24xf32> {flow.optimizer = "exp_avg_sq/v"}) attributes {flow.max_rows = 16 : i64} {
    %0 = flow.linear ins(%arg0 : tensor<?x12xf32>) weight(%arg1 : tensor<24x12xf32>) bias(%arg2 : tensor<24xf32>) -> tensor<?x24xf32>
    %1 = flow.activation %0 {kind = #flow.activation<elu>} : (tensor<?x24xf32>) -> tensor<?x24xf32>
    %2 = flow.linear ins(%1 : tensor<?x24xf32>) weight(%arg3 : tensor<4x24xf32>) -> tensor<?x4xf32>
    %3 = flow.base_log_prob %2 : (tensor<?x4xf32>) -> tensor<?xf32>
    %4 = flow.negative_mean %3 : (tensor<?xf32>) -> tensor<f32>
    %5 = flow.is_finite %4 : (tensor<f32>) -> tensor<f32>
    %6 = flow.convert %arg4 : (tensor<f64>) -> tensor<f32>
    %step_size, %root = flow.adam_correction %arg4, %arg5 {beta1 = 9.000000e-01 : f64, beta2 = 0.99899999999999999 : f64} : (tensor<f64>, tensor<f64>) -> (tensor<f32>, tensor<f32>)
    %7 = flow.one  : () -> tensor<f32>
    %8 = flow.negative_mean_grad %3, %7 : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
    %9 = flow.base_log_prob_grad %2, %8 : (tensor<?x4xf32>, tensor<?xf32>) -> tensor<?x4xf32>
    %10 = flow.linear_grad_input dy(%9 : tensor<?x4xf32>) weight(%arg3 : tensor<4x24xf32>) {start = 0 : i64} -> tensor<?x24xf32>
    %11 = flow.linear_grad_weight dy(%9 : tensor<?x4xf32>) ins(%1 : tensor<?x24xf32>) -> tensor<4x24xf32>
    %12 = flow.activation_grad %10, %1 {kind = #flow.activation<elu>} : (tensor<?x24xf32>, tensor<?x24xf32>) -> tensor<?x24xf32>
    %13 = flow.linear_grad_weight dy(%12 : tensor<?x24xf32>) ins(%arg0 : tensor<?x12xf32>) -> tensor<24x12xf32>
    %14 = flow.sum_rows %12 : (tensor<?x24xf32>) -> tensor<24xf32>
    %new_parameter, %new_mean, %new_square = flow.adam state(%arg1, %13, %arg6, %arg7 : tensor<24x12xf32>, tensor<24x12xf32>, tensor<24x12xf32>, tensor<24x12xf32>) scalars(%step_size, %root, %6, %5 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {beta1 = 9.000000e-01 : f64, beta2 = 0.99899999999999999 : f64, epsilon = 1.000000e-08 : f64, weight_decay = 0.000000e+00 : f64} -> tensor<24x12xf32>, tensor<24x12xf32>, tensor<24x12xf32>
    %new_parameter_0, %new_mean_1, %new_square_2 = flow.adam state(%arg2, %14, %arg8, %arg9 : tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>) scalars(%step_size, %root, %6, %5 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {beta1 = 9.000000e-01 : f64, beta2 = 0.99899999999999999 : f64, epsilon = 1.000000e-08 : f64, weight_decay = 0.000000e+00 : f64} -> tensor<24xf32>, tensor<24xf32>, tensor<24xf32>
    %new_parameter_3, %new_mean_4, %new_square_5 = flow.adam state(%arg3, %11, %arg10, %arg11 : tensor<4x24xf32>, tensor<4x24xf32>, tensor<4x24xf32>, tensor<4x24xf32>) scalars(%step_size, %root, %6, %5 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {beta1 = 9.000000e-01 : f64, beta2 = 0.99899999999999999 : f64, epsilon = 1.000000e-08 : f64, weight_decay = 0.000000e+00 : f64} -> tensor<4x24xf32>, tensor<4x24xf32>, tensor<4x24xf32>
    return %4, %new_parameter, %new_mean, %new_square, %new_parameter_0, %new_mean_1, %new_square_2, %new_parameter_3, %new_mean_4, %new_square_5 : tensor<f32>, tensor<24x12xf32>, tensor<24x12xf32>, tensor<24x12xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<4x24xf32>, tensor<4x24xf32>, tensor<4x24xf32>
  }
}

