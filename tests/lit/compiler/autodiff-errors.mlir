// RUN: kowari-opt %s --autodiff --split-input-file --verify-diagnostics
//
// What autodiff refuses.

// expected-error @below {{autodiff needs a function @loss with a scalar result flow.output = "loss" and the attribute flow.stages}}
module attributes {flow.stages = []} {
}

// -----

// expected-error @below {{autodiff needs a function @loss with a scalar result flow.output = "loss" and the attribute flow.stages}}
module {
func.func @loss(%x: tensor<f32> {flow.parameter = "x"}) -> (tensor<f32> {flow.output = "loss"}) {
  return %x : tensor<f32>
}
}

// -----

// expected-error @below {{autodiff needs a function @loss with a scalar result flow.output = "loss" and the attribute flow.stages}}
module attributes {flow.stages = []} {
func.func @loss(%x: tensor<f32> {flow.parameter = "x"}) -> (tensor<f32> {flow.output = "mean"}) {
  return %x : tensor<f32>
}
}

// -----

// expected-error @below {{autodiff needs a function @loss with a scalar result flow.output = "loss" and the attribute flow.stages}}
module attributes {flow.stages = []} {
func.func @loss(%x: tensor<?xf32> {flow.batch = "x"}) -> (tensor<?xf32> {flow.output = "loss"}) {
  return %x : tensor<?xf32>
}
}

// -----

// expected-error @below {{autodiff needs a function @loss with a scalar result flow.output = "loss" and the attribute flow.stages}}
module attributes {flow.stages = []} {
func.func private @loss(tensor<f32> {flow.parameter = "x"}) -> (tensor<f32> {flow.output = "loss"})
}

// -----

module attributes {flow.stages = [{optimizer = "sgd", freeze_rb_layer = false, momentum = 0.0 : f64, dampening = 0.0 : f64, weight_decay = 0.0 : f64, nesterov = false, maximize = false}]} {
func.func @loss(%x: tensor<?x3xf32> {flow.batch = "x"}, %b: tensor<3xf32> {flow.parameter = "b"}) -> (tensor<f32> {flow.output = "loss"}) {
  // expected-error @below {{'flow.add_bias' op stands between the loss and a parameter but has no adjoint}}
  %y = flow.add_bias %x, %b : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  %l = flow.base_log_prob %y : (tensor<?x3xf32>) -> tensor<?xf32>
  %loss = flow.negative_mean %l : (tensor<?xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
}
