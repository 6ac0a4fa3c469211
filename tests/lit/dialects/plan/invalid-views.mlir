// RUN: kowari-opt %s --split-input-file --verify-diagnostics
//
// What the verifiers of views and of the operations that make them refuse.
// @<name>_c<n> breaks constraint (Cn) of the description of that operation or type.

plan.program @view_c1 {
  // expected-error @below {{(C1) a dimension is negative, and not the one that is the row count}}
  %x = plan.buffer : !plan.view<[-2, 4], [16, 1], f32>
}

// -----

plan.program @view_c1 {
  // expected-error @below {{(C1) a dimension is negative, and not the one that is the row count}}
  %x = plan.buffer : !plan.view<[-1, -1], [16, 1], f32>
}

// -----

plan.program @view_c1 {
  // expected-error @below {{(C1) a dimension is negative, and not the one that is the row count}}
  %x = plan.buffer : !plan.view<[4, -5], [16, 1], f32>
}

// -----

plan.program @view_c2 {
  // expected-error @below {{(C2) a stride is not positive}}
  %x = plan.buffer : !plan.view<[-1, 4], [0, 1], f32>
}

// -----

plan.program @view_c2 {
  // expected-error @below {{(C2) a stride is not positive}}
  %x = plan.buffer : !plan.view<[-1, 4], [16, -1], f32>
}

// -----

plan.program @view_c3 {
  // expected-error @below {{(C3) the element type 'f16' is none of f32, f64, i64}}
  %x = plan.buffer : !plan.view<[-1, 4], [16, 1], f16>
}

// -----

plan.program @view_c3 {
  // expected-error @below {{(C3) the element type 'i32' is none of f32, f64, i64}}
  %x = plan.buffer : !plan.view<[-1, 4], [16, 1], i32>
}

// -----

plan.program @view_c3 {
  // expected-error @below {{(C3) the element type 'index' is none of f32, f64, i64}}
  %x = plan.buffer : !plan.view<[-1, 4], [16, 1], index>
}

// -----

plan.program @view_c3 {
  // expected-error @below {{(C3) the element type 'ui64' is none of f32, f64, i64}}
  %x = plan.buffer : !plan.view<[-1, 4], [16, 1], ui64>
}

// -----

plan.program @persistent_c1 {
  // expected-error @below {{'plan.persistent' op (C1) the offset is negative or no multiple of the element's size}}
  %x = plan.persistent {offset = -4 : i64} : !plan.view<[-1, 4], [16, 1], f32>
}

// -----

plan.program @persistent_c1 {
  // expected-error @below {{'plan.persistent' op (C1) the offset is negative or no multiple of the element's size}}
  %x = plan.persistent {offset = 2 : i64} : !plan.view<[-1, 4], [16, 1], f32>
}

// -----

plan.program @persistent_c1 {
  // expected-error @below {{(C1) the offset is negative or no multiple of the element's size}}
  %x = plan.persistent {offset = 4 : i64} : !plan.view<[-1, 4], [16, 1], f64>
}

// -----

plan.program @buffer_c1 {
  // expected-error @below {{'plan.buffer' op (C1) the offset is negative or no multiple of 64}}
  %x = plan.buffer {offset = -64 : i64} : !plan.view<[-1, 4], [16, 1], f32>
}

// -----

plan.program @buffer_c1 {
  // expected-error @below {{'plan.buffer' op (C1) the offset is negative or no multiple of 64}}
  %x = plan.buffer {offset = 32 : i64} : !plan.view<[-1, 4], [16, 1], f32>
}

// -----

plan.program @subview_c1 {
  %x = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>
  // expected-error @below {{'plan.subview' op (C1) element types differ}}
  %y = plan.subview %x {offset = 0 : i64} : !plan.view<[-1, 4], [16, 1], f32> -> !plan.view<[-1, 2], [16, 1], f64>
}

// -----

plan.program @subview_c2 {
  %x = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>
  // expected-error @below {{'plan.subview' op (C2) the offset is negative}}
  %y = plan.subview %x {offset = -1 : i64} : !plan.view<[-1, 4], [16, 1], f32> -> !plan.view<[-1, 2], [16, 1], f32>
}
