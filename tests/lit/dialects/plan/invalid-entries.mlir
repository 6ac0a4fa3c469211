// RUN: kowari-opt %s --split-input-file --verify-diagnostics
//
// What the verifiers of tensors, programs, inputs and outputs refuse.
// @<name>_c<n> breaks constraint (Cn) of the description of that operation or type.

// expected-error @below {{'plan.tensor' op (C1) unknown kind or init}}
plan.tensor @t {kind = "weight", shape = array<i64: 8, 4>, view = !plan.view<[8, 4], [16, 1], f32>, offset = 0 : i64}

plan.program @tensor_c1 {
}

// -----

// expected-error @below {{'plan.tensor' op (C1) unknown kind or init}}
plan.tensor @t {kind = "parameter", shape = array<i64: 8, 4>, view = !plan.view<[8, 4], [16, 1], f32>, offset = 0 : i64, init = "normal"}

plan.program @tensor_c1 {
}

// -----

// expected-error @below {{'plan.tensor' op (C2) the offset is negative or no multiple of 64}}
plan.tensor @t {kind = "parameter", shape = array<i64: 8, 4>, view = !plan.view<[8, 4], [16, 1], f32>, offset = 32 : i64}

plan.program @tensor_c2 {
}

// -----

// expected-error @below {{'plan.tensor' op (C2) the offset is negative or no multiple of 64}}
plan.tensor @t {kind = "parameter", shape = array<i64: 8, 4>, view = !plan.view<[8, 4], [16, 1], f32>, offset = -64 : i64}

plan.program @tensor_c2 {
}

// -----

// expected-error @below {{'plan.tensor' op (C3) the view does not have the shape's dimensions}}
plan.tensor @t {kind = "parameter", shape = array<i64: 4, 8>, view = !plan.view<[8, 4], [16, 1], f32>, offset = 0 : i64}

plan.program @tensor_c3 {
}

// -----

// expected-error @below {{'plan.tensor' op (C3) the view does not have the shape's dimensions}}
plan.tensor @t {kind = "parameter", shape = array<i64: 8>, view = !plan.view<[8, 4], [16, 1], f32>, offset = 0 : i64}

plan.program @tensor_c3 {
}

// -----

// expected-error @below {{'plan.tensor' op (C3) the view does not have the shape's dimensions}}
plan.tensor @t {kind = "parameter", shape = array<i64: 8, 4, 1>, view = !plan.view<[8, 4], [16, 1], f32>, offset = 0 : i64}

plan.program @tensor_c3 {
}

// -----

// expected-error @below {{'plan.tensor' op (C4) what is no parameter is not trained}}
plan.tensor @t {kind = "state", shape = array<i64: 8, 4>, view = !plan.view<[8, 4], [16, 1], f32>, offset = 0 : i64, trainable = array<i1: true>}

plan.program @tensor_c4 {
}

// -----

// expected-error @below {{'plan.program' op (C1) holds 'flow.one', which is no view, input, output or step}}
plan.program @program_c1 {
  %one = flow.one : () -> tensor<f32>
}

// -----

// expected-error @below {{'plan.program' op (C1) holds 'builtin.unrealized_conversion_cast', which is no view, input, output or step}}
plan.program @program_c1 {
  %x = plan.buffer : !plan.view<[1, 1], [1, 1], f32>
  %y = builtin.unrealized_conversion_cast %x : !plan.view<[1, 1], [1, 1], f32> to tensor<f32>
}

// -----

plan.program @output_c1 {
  %x = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>
  // expected-error @below {{'plan.output' op (C1) the view does not have the shape's dimensions}}
  plan.output %x "y" shape [-1, 8] : !plan.view<[-1, 4], [16, 1], f32>
}

// -----

plan.program @output_c1 {
  %x = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>
  // expected-error @below {{'plan.output' op (C1) the view does not have the shape's dimensions}}
  plan.output %x "y" shape [] : !plan.view<[-1, 4], [16, 1], f32>
}

// -----

plan.program @input_c1 {
  // expected-error @below {{'plan.input' op (C1) names no plan.tensor of kind input}}
  plan.input @theta
}

// -----

plan.tensor @t {kind = "parameter", shape = array<i64: 8, 4>, view = !plan.view<[8, 4], [16, 1], f32>, offset = 0 : i64}

plan.program @input_c1 {
  // expected-error @below {{'plan.input' op (C1) names no plan.tensor of kind input}}
  plan.input @t
}

// -----

plan.program @other {
}

plan.program @input_c1 {
  // expected-error @below {{'plan.input' op (C1) names no plan.tensor of kind input}}
  plan.input @other
}

// -----

// expected-error @below {{'builtin.module' op (C1) plan.max_rows is an i64 of the module, not negative}}
module attributes {plan.max_rows = -8 : i64} {
plan.program @plan_c1 {
}
}

// -----

// expected-error @below {{'builtin.module' op (C1) plan.persistent_bytes is an i64 of the module, not negative}}
module attributes {plan.persistent_bytes = 64 : i32} {
plan.program @plan_c1 {
}
}

// -----

// expected-error @below {{'builtin.module' op (C1) plan.arena_bytes is an i64 of the module, not negative}}
module attributes {plan.arena_bytes = "much"} {
plan.program @plan_c1 {
}
}

// -----

// expected-error @below {{'plan.program' op (C1) plan.max_rows is an i64 of the module, not negative}}
plan.program @plan_c1 attributes {plan.max_rows = 8 : i64} {
}
