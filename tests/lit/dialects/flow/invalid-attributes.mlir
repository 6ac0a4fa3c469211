// RUN: kowari-opt %s --split-input-file --verify-diagnostics
//
// What the dialect refuses of its attributes on functions and modules.
// @flow_c<n> breaks constraint (Cn) of the dialect's description.

// expected-error @below {{'func.func' op (C1) "flow.batch" of argument 0 is no name}}
func.func @flow_c1(%x: tensor<?x3xf32> {flow.batch = 1 : i64}) {
  return
}

// -----

// expected-error @below {{'func.func' op (C1) "flow.parameter" of argument 0 is no name}}
func.func @flow_c1(%x: tensor<4x3xf32> {flow.parameter = ""}) {
  return
}

// -----

// expected-error @below {{'func.func' op (C1) "flow.batch" of argument 0 is not its only role}}
func.func @flow_c1(%x: tensor<?x3xf32> {flow.batch = "x", flow.scalar = "x"}) {
  return
}

// -----

// expected-error @below {{'func.func' op (C1) "flow.output" of result 0 is no name}}
func.func @flow_c1(%x: tensor<?x3xf32>) -> (tensor<?x3xf32> {flow.output}) {
  return %x : tensor<?x3xf32>
}

// -----

// expected-error @below {{'func.func' op (C1) "flow.batch" of result 0 is not its only role}}
func.func @flow_c1(%x: tensor<?x3xf32>) -> (tensor<?x3xf32> {flow.batch = "x", flow.output = "x"}) {
  return %x : tensor<?x3xf32>
}

// -----

// expected-error @below {{'func.func' op (C2) "flow.batch" of argument 0 is a 'i32', not a matrix, vector or scalar of f32, f64 or i64 with rows alone unknown}}
func.func @flow_c2(%x: i32 {flow.batch = "x"}) {
  return
}

// -----

// expected-error @below {{'func.func' op (C2) "flow.batch" of argument 0 is a 'tensor<?x3xf16>', not a matrix, vector or scalar of f32, f64 or i64 with rows alone unknown}}
func.func @flow_c2(%x: tensor<?x3xf16> {flow.batch = "x"}) {
  return
}

// -----

// expected-error @below {{'func.func' op (C2) "flow.batch" of argument 0 is a 'tensor<?x3x4xf32>', not a matrix, vector or scalar of f32, f64 or i64 with rows alone unknown}}
func.func @flow_c2(%x: tensor<?x3x4xf32> {flow.batch = "x"}) {
  return
}

// -----

// expected-error @below {{'func.func' op (C2) "flow.batch" of argument 0 is a 'tensor<3x?xf32>', not a matrix, vector or scalar of f32, f64 or i64 with rows alone unknown}}
func.func @flow_c2(%x: tensor<3x?xf32> {flow.batch = "x"}) {
  return
}

// -----

// expected-error @below {{'func.func' op (C2) "flow.batch" of argument 0 is a 'tensor<*xf32>', not a matrix, vector or scalar of f32, f64 or i64 with rows alone unknown}}
func.func @flow_c2(%x: tensor<*xf32> {flow.batch = "x"}) {
  return
}

// -----

// expected-error @below {{'func.func' op (C2) "flow.output" of result 0 is a 'tensor<?x3xi32>', not a matrix, vector or scalar of f32, f64 or i64 with rows alone unknown}}
func.func @flow_c2(%x: tensor<?x3xi32>) -> (tensor<?x3xi32> {flow.output = "x"}) {
  return %x : tensor<?x3xi32>
}

// -----

// expected-error @below {{'builtin.module' op (C3) flow.stages is a list of stages on a module}}
module attributes {flow.stages = 1 : i64} {
func.func @flow_c3() {
  return
}
}

// -----

// expected-error @below {{'builtin.module' op (C3) flow.stages: stage 0 needs an optimizer: adam, adamw or sgd}}
module attributes {flow.stages = [1]} {
func.func @flow_c3() {
  return
}
}

// -----

// expected-error @below {{'builtin.module' op (C3) flow.stages: stage 0 needs an optimizer: adam, adamw or sgd}}
module attributes {flow.stages = [{}]} {
func.func @flow_c3() {
  return
}
}

// -----

// expected-error @below {{'builtin.module' op (C3) flow.stages: stage 0 needs an optimizer: adam, adamw or sgd}}
module attributes {flow.stages = [{optimizer = "lion"}]} {
func.func @flow_c3() {
  return
}
}

// -----

// expected-error @below {{'builtin.module' op (C3) flow.stages: stage 1 needs beta1, an f64}}
module attributes {flow.stages = [{optimizer = "sgd", freeze_rb_layer = false, momentum = 0.0 : f64, dampening = 0.0 : f64, weight_decay = 0.0 : f64, nesterov = false, maximize = false}, {optimizer = "adam", freeze_rb_layer = false, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64, weight_decay = 0.0 : f64, amsgrad = false, maximize = false}]} {
func.func @flow_c3() {
  return
}
}

// -----

// expected-error @below {{'builtin.module' op (C3) flow.stages: stage 0 needs epsilon, an f64}}
module attributes {flow.stages = [{optimizer = "adam", freeze_rb_layer = false, beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f32, weight_decay = 0.0 : f64, amsgrad = false, maximize = false}]} {
func.func @flow_c3() {
  return
}
}

// -----

// expected-error @below {{'builtin.module' op (C3) flow.stages: stage 0 needs momentum, an f64}}
module attributes {flow.stages = [{optimizer = "sgd", freeze_rb_layer = false, momentum = "much", dampening = 0.0 : f64, weight_decay = 0.0 : f64, nesterov = false, maximize = false}]} {
func.func @flow_c3() {
  return
}
}

// -----

// expected-error @below {{'builtin.module' op (C3) flow.stages: stage 0 needs freeze_rb_layer, true or false}}
module attributes {flow.stages = [{optimizer = "adam", beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64, weight_decay = 0.0 : f64, amsgrad = false, maximize = false}]} {
func.func @flow_c3() {
  return
}
}

// -----

// expected-error @below {{'builtin.module' op (C3) flow.stages: stage 0 needs amsgrad, true or false}}
module attributes {flow.stages = [{optimizer = "adam", freeze_rb_layer = false, beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64, weight_decay = 0.0 : f64, amsgrad, maximize = false}]} {
func.func @flow_c3() {
  return
}
}

// -----

// expected-error @below {{'builtin.module' op (C3) flow.stages: stage 0 needs nesterov, true or false}}
module attributes {flow.stages = [{optimizer = "sgd", freeze_rb_layer = false, momentum = 0.0 : f64, dampening = 0.0 : f64, weight_decay = 0.0 : f64, nesterov = 1 : i64, maximize = false}]} {
func.func @flow_c3() {
  return
}
}

// -----

// expected-error @below {{'func.func' op (C3) flow.stages is a list of stages on a module}}
func.func @flow_c3() attributes {flow.stages = []} {
  return
}

// -----

// expected-error @below {{'func.func' op (C4) flow.max_rows is a positive i64 on a function of one block}}
func.func @flow_c4(%x: tensor<?x3xf32> {flow.batch = "x"}) attributes {flow.max_rows = 0 : i64} {
  return
}

// -----

// expected-error @below {{'func.func' op (C4) flow.max_rows is a positive i64 on a function of one block}}
func.func @flow_c4(%x: tensor<?x3xf32> {flow.batch = "x"}) attributes {flow.max_rows = -8 : i64} {
  return
}

// -----

// expected-error @below {{'func.func' op (C4) flow.max_rows is a positive i64 on a function of one block}}
func.func @flow_c4(%x: tensor<?x3xf32> {flow.batch = "x"}) attributes {flow.max_rows = 8 : i32} {
  return
}

// -----

// expected-error @below {{'func.func' op (C4) flow.max_rows is a positive i64 on a function of one block}}
func.func @flow_c4(%x: tensor<?x3xf32> {flow.batch = "x"}) attributes {flow.max_rows = "8"} {
  return
}

// -----

// expected-error @below {{'func.func' op (C4) flow.max_rows is a positive i64 on a function of one block}}
func.func private @flow_c4(tensor<?x3xf32> {flow.batch = "x"}) attributes {flow.max_rows = 8 : i64}

// -----

// expected-error @below {{'func.func' op (C4) flow.max_rows is a positive i64 on a function of one block}}
func.func @flow_c4() attributes {flow.max_rows = 8 : i64} {
  cf.br ^end
^end:
  return
}

// -----

// expected-error @below {{'builtin.module' op (C4) flow.max_rows is a positive i64 on a function of one block}}
module attributes {flow.max_rows = 8 : i64} {
func.func @flow_c4() {
  return
}
}

// -----

// expected-error @below {{'func.func' op (C4) argument 1 of an entry has no role}}
func.func @flow_c4(%x: tensor<?x3xf32> {flow.batch = "x"}, %y: tensor<?x3xf32>) -> (tensor<?x3xf32> {flow.output = "y"}) attributes {flow.max_rows = 8 : i64} {
  return %y : tensor<?x3xf32>
}
