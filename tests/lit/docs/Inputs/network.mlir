// A loss of two layers, and the stage that trains it.
module attributes {flow.stages = [{optimizer = "adam", freeze_rb_layer = false, beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64, weight_decay = 0.0 : f64, amsgrad = false, maximize = false}]} {
  func.func @loss(%x: tensor<?x12xf32> {flow.batch = "x"}, %w: tensor<24x12xf32> {flow.parameter = "w"}, %b: tensor<24xf32> {flow.parameter = "b"},
                  %v: tensor<4x24xf32> {flow.parameter = "v"}) -> (tensor<f32> {flow.output = "loss"}) attributes {flow.max_rows = 16 : i64} {
    %h = flow.linear ins(%x : tensor<?x12xf32>) weight(%w : tensor<24x12xf32>) bias(%b : tensor<24xf32>) -> tensor<?x24xf32>
    %a = flow.activation %h {kind = #flow.activation<elu>} : (tensor<?x24xf32>) -> tensor<?x24xf32>
    %z = flow.linear ins(%a : tensor<?x24xf32>) weight(%v : tensor<4x24xf32>) -> tensor<?x4xf32>
    %l = flow.base_log_prob %z : (tensor<?x4xf32>) -> tensor<?xf32>
    %loss = flow.negative_mean %l : (tensor<?xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
