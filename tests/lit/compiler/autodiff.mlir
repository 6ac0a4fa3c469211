// RUN: kowari-opt %s --autodiff --split-input-file | FileCheck %s --implicit-check-not="func.func"
// RUN: kowari-opt %s --autodiff --split-input-file --validate-each -o /dev/null
//
// What autodiff promises: a train step for each stage instead of @loss, a gradient for each trainable parameter that the
// loss depends on, none for frozen ones, sums in place where a product can add, updates that a loss out of range stops.

// Stage 0 freezes what is named layers_rb: no gradient, no update, no state, and no product that only they would need.
// CHECK-LABEL: func.func @train_step_0(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x3xf32> {flow.batch = "x"}, %[[R:[a-z0-9]+]]: tensor<4x3xf32> {flow.parameter = "layers_rb.weight"},
// CHECK-SAME:    %{{.*}}: tensor<4xf32> {flow.parameter = "layers_rb.bias"}, %[[V:[a-z0-9]+]]: tensor<4x4xf32> {flow.parameter = "v"}
// CHECK-SAME:    %[[RATE:[a-z0-9]+]]: tensor<f64> {flow.scalar = "learning_rate"}, %[[STEP:[a-z0-9]+]]: tensor<f64> {flow.scalar = "step"},
// CHECK-SAME:    %[[M:[a-z0-9]+]]: tensor<4x4xf32> {flow.optimizer = "exp_avg/v"}, %[[S:[a-z0-9]+]]: tensor<4x4xf32> {flow.optimizer = "exp_avg_sq/v"})
// CHECK-SAME:    -> (tensor<f32> {flow.output = "loss"}, tensor<?x4xf32> {flow.output = "y"}, tensor<4x4xf32> {flow.parameter = "v"},
// CHECK-SAME:    tensor<4x4xf32> {flow.optimizer = "exp_avg/v"}, tensor<4x4xf32> {flow.optimizer = "exp_avg_sq/v"})
// CHECK-NEXT:    %[[H:.*]] = flow.linear
// CHECK-NEXT:    %[[P:.*]] = flow.linear
// CHECK-NEXT:    %[[Y:.*]] = flow.activation
// CHECK-NEXT:    %[[L:.*]] = flow.base_log_prob
// CHECK-NEXT:    %[[LOSS:.*]] = flow.negative_mean
// CHECK-NEXT:    %[[OK:.*]] = flow.is_finite %[[LOSS]]
// CHECK-NEXT:    %[[TYPED:.*]] = flow.convert %[[RATE]]
// CHECK-NEXT:    %[[SIZE:.*]], %[[ROOT:.*]] = flow.adam_correction %[[RATE]], %[[STEP]] {beta1 = 9.000000e-01 : f64, beta2 = 0.99{{[0-9]+}} : f64}
// CHECK-NEXT:    %[[ONE:.*]] = flow.one
// CHECK-NEXT:    %[[DL:.*]] = flow.negative_mean_grad %[[L]], %[[ONE]]
// CHECK-NEXT:    %[[DY:.*]] = flow.base_log_prob_grad %[[Y]], %[[DL]]
// CHECK-NEXT:    %[[DP:.*]] = flow.activation_grad %[[DY]], %[[Y]]
// CHECK-NEXT:    %[[DV:.*]] = flow.linear_grad_weight dy(%[[DP]] : {{.*}}) ins(%[[H]] :
// CHECK-NEXT:    flow.adam state(%[[V]], %[[DV]], %[[M]], %[[S]] : {{.*}}) scalars(%[[SIZE]], %[[ROOT]], %[[TYPED]], %[[OK]] :
// CHECK-NEXT:    return

// Stage 1 trains all that the loss reaches, here by gradient descent with momentum: @unused has no update there either.
// CHECK-LABEL: func.func @train_step_1(
// CHECK-SAME:    {flow.optimizer = "momentum_buffer/layers_rb.weight"}
// CHECK-SAME:    {flow.optimizer = "momentum_buffer/layers_rb.bias"}
// CHECK-SAME:    {flow.optimizer = "momentum_buffer/v"}) ->
// CHECK:         %[[OK:.*]] = flow.is_finite
// CHECK:         %[[DP:.*]] = flow.activation_grad
// CHECK-NEXT:    %[[DH:.*]] = flow.linear_grad_input dy(%[[DP]]
// CHECK-NEXT:    %[[DV:.*]] = flow.linear_grad_weight dy(%[[DP]]
// CHECK-NEXT:    %[[DR:.*]] = flow.linear_grad_weight dy(%[[DH]]
// CHECK-NEXT:    %[[DB:.*]] = flow.sum_rows %[[DH]]
// CHECK-NEXT:    flow.sgd state(%{{.*}}, %[[DR]] : {{.*}}) scalars(%{{.*}}, %{{.*}}, %[[OK]] : {{.*}}) buffer({{.*}}) {{{.*}}maximize, momentum = 5.000000e-01
// CHECK-NEXT:    flow.sgd state(%{{.*}}, %[[DB]] : {{.*}}) scalars(%{{.*}}, %{{.*}}, %[[OK]] :
// CHECK-NEXT:    flow.sgd state(%{{.*}}, %[[DV]] : {{.*}}) scalars(%{{.*}}, %{{.*}}, %[[OK]] :
// CHECK-NEXT:    return

// flow.gradient_entry asks for the gradients themselves, of frozen parameters too.
// CHECK-LABEL: func.func @gradient(
// CHECK-SAME:    -> (tensor<f32> {flow.output = "loss"}, tensor<?x4xf32> {flow.output = "y"},
// CHECK-SAME:    tensor<4x3xf32> {flow.output = "gradient/layers_rb.weight"}, tensor<4xf32> {flow.output = "gradient/layers_rb.bias"}, tensor<4x4xf32> {flow.output = "gradient/v"})
// CHECK-NOT:     flow.sgd
// CHECK:         return

module attributes {flow.gradient_entry, flow.stages = [
  {optimizer = "adam", freeze_rb_layer = true, beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64, weight_decay = 0.0 : f64, amsgrad = false, maximize = false},
  {optimizer = "sgd", freeze_rb_layer = false, momentum = 0.5 : f64, dampening = 0.0 : f64, weight_decay = 0.0 : f64, nesterov = false, maximize = true}]} {
func.func @loss(%x: tensor<?x3xf32> {flow.batch = "x"}, %r: tensor<4x3xf32> {flow.parameter = "layers_rb.weight"},
    %b: tensor<4xf32> {flow.parameter = "layers_rb.bias"}, %v: tensor<4x4xf32> {flow.parameter = "v"},
    %unused: tensor<4xf32> {flow.parameter = "unused"})
    -> (tensor<f32> {flow.output = "loss"}, tensor<?x4xf32> {flow.output = "y"}) attributes {flow.max_rows = 8 : i64} {
  %h = flow.linear ins(%x : tensor<?x3xf32>) weight(%r : tensor<4x3xf32>) bias(%b : tensor<4xf32>) -> tensor<?x4xf32>
  %p = flow.linear ins(%h : tensor<?x4xf32>) weight(%v : tensor<4x4xf32>) -> tensor<?x4xf32>
  %y = flow.activation %p {kind = #flow.activation<elu>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %l = flow.base_log_prob %y : (tensor<?x4xf32>) -> tensor<?xf32>
  %loss = flow.negative_mean %l : (tensor<?xf32>) -> tensor<f32>
  return %loss, %y : tensor<f32>, tensor<?x4xf32>
}
}

// -----

// Gradients that meet: the second product adds to the first in place; what is no product, or shared, is added apart.
// CHECK-LABEL: func.func @train_step_0(
// CHECK:         %[[DS:.*]] = flow.base_log_prob_grad
// CHECK:         %[[D1:.*]] = flow.linear_grad_input dy(%[[DS]] : {{.*}}) weight({{.*}}) {start = 0 : i64}
// CHECK:         %[[D2:.*]] = flow.linear_grad_input dy(%[[DS]] : {{.*}}) weight({{.*}}) into(%[[D1]] : tensor<?x4xf32>)
// CHECK:         %[[SUM:.*]] = flow.add %[[D2]], %{{.*}} : (tensor<?x4xf32>, tensor<?x4xf32>)
// CHECK:         flow.linear_grad_weight dy(%[[SUM]] :
// amsgrad keeps the largest second moment.
// CHECK:         flow.adam state({{.*}}) scalars({{.*}}) maximum({{.*}}) {{{.*}}decoupled
// CHECK-LABEL: module

module attributes {flow.stages = [
  {optimizer = "adamw", freeze_rb_layer = false, beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64, weight_decay = 0.01 : f64, amsgrad = true, maximize = false}]} {
func.func @loss(%x: tensor<?x3xf32> {flow.batch = "x"}, %r: tensor<4x3xf32> {flow.parameter = "r"},
    %v: tensor<4x4xf32> {flow.parameter = "v"}, %w: tensor<4x4xf32> {flow.parameter = "w"})
    -> (tensor<f32> {flow.output = "loss"}) attributes {flow.max_rows = 8 : i64} {
  %h = flow.linear ins(%x : tensor<?x3xf32>) weight(%r : tensor<4x3xf32>) -> tensor<?x4xf32>
  %e = flow.activation %h {kind = #flow.activation<elu>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %p = flow.linear ins(%h : tensor<?x4xf32>) weight(%v : tensor<4x4xf32>) -> tensor<?x4xf32>
  %q = flow.linear ins(%h : tensor<?x4xf32>) weight(%w : tensor<4x4xf32>) -> tensor<?x4xf32>
  %s = flow.add %p, %q : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = flow.add %s, %e : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %l = flow.base_log_prob %y : (tensor<?x4xf32>) -> tensor<?xf32>
  %loss = flow.negative_mean %l : (tensor<?xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
}

// -----

// What only the other outputs depend on gets no gradient; a part that nothing depends on counts as zero.
// CHECK-LABEL: func.func @train_step_0(
// CHECK:         %[[OTHERS:.*]] = flow.zeros : () -> tensor<?x2xf32>
// CHECK:         flow.interleave_columns %{{.*}}, %[[OTHERS]] {start = 1 : i64}
// CHECK-NOT:     flow.glu_grad
// CHECK-COUNT-1: flow.adam state
// CHECK-NOT:     flow.adam state
// CHECK:         return

module attributes {flow.stages = [
  {optimizer = "adam", freeze_rb_layer = false, beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64, weight_decay = 0.0 : f64, amsgrad = false, maximize = false}]} {
func.func @loss(%x: tensor<?x4xf32> {flow.batch = "x"}, %v: tensor<4x4xf32> {flow.parameter = "v"}, %b: tensor<4xf32> {flow.parameter = "b"})
    -> (tensor<f32> {flow.output = "loss"}, tensor<?x4xf32> {flow.output = "gated"}) attributes {flow.max_rows = 8 : i64} {
  %h = flow.linear ins(%x : tensor<?x4xf32>) weight(%v : tensor<4x4xf32>) -> tensor<?x4xf32>
  %z = flow.linear ins(%h : tensor<?x4xf32>) weight(%v : tensor<4x4xf32>) bias(%b : tensor<4xf32>) -> tensor<?x4xf32>
  %gated = flow.glu %h, %z : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %t, %i = flow.split_columns %h {start = 1 : i64} : (tensor<?x4xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>)
  %l = flow.base_log_prob %t : (tensor<?x2xf32>) -> tensor<?xf32>
  %loss = flow.negative_mean %l : (tensor<?xf32>) -> tensor<f32>
  return %loss, %gated : tensor<f32>, tensor<?x4xf32>
}
}
