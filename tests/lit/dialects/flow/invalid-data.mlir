// RUN: kowari-opt %s --split-input-file --verify-diagnostics
//
// What the verifiers of the input pipeline's operations refuse.
// @<operation>_c<n> breaks constraint (Cn) of the operation's description.

func.func @uniform_draw_c1(%a: tensor<8xi64>, %b: tensor<i64>, %c: tensor<i64>) {
  // expected-error-re @+1 {{(C1) {{.*}}sample is not one index a row}}
  %r = flow.uniform_draw %a, %b, %c {site = 3 : i64} : (tensor<8xi64>, tensor<i64>, tensor<i64>) -> tensor<?xf64>
  return
}

// -----

func.func @uniform_draw_c2(%a: tensor<?xi64>, %b: tensor<i64>, %c: tensor<i64>) {
  // expected-error-re @+1 {{(C2) {{.*}}the result is no f64 row vector}}
  %r = flow.uniform_draw %a, %b, %c {site = 3 : i64} : (tensor<?xi64>, tensor<i64>, tensor<i64>) -> tensor<?xf32>
  return
}

// -----

func.func @random_index_c1(%a: tensor<?xi64>, %b: tensor<8xi64>, %c: tensor<i64>, %d: tensor<i64>) {
  // expected-error-re @+1 {{(C1) {{.*}}seed and epoch are no scalars}}
  %r = flow.random_index %a, %b, %c, %d {site = 3 : i64} : (tensor<?xi64>, tensor<8xi64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return
}

// -----

func.func @random_index_c2(%a: tensor<?xi64>, %b: tensor<i64>, %c: tensor<i64>, %d: tensor<?xi64>) {
  // expected-error-re @+1 {{(C2) {{.*}}count is no scalar}}
  %r = flow.random_index %a, %b, %c, %d {site = 3 : i64} : (tensor<?xi64>, tensor<i64>, tensor<i64>, tensor<?xi64>) -> tensor<?xi64>
  return
}

// -----

func.func @table_draw_c1(%a: tensor<?xi64>, %b: tensor<i64>, %c: tensor<8xi64>) {
  // expected-error-re @+1 {{(C1) {{.*}}seed and epoch are no scalars}}
  %r:2 = flow.table_draw %a, %b, %c {site = 3 : i64, cells = 4 : i64} : (tensor<?xi64>, tensor<i64>, tensor<8xi64>) -> (tensor<?xi64>, tensor<?xf64>)
  return
}

// -----

func.func @table_draw_c2(%a: tensor<?xi64>, %b: tensor<i64>, %c: tensor<i64>) {
  // expected-error-re @+1 {{(C2) {{.*}}a table needs a cell}}
  %r:2 = flow.table_draw %a, %b, %c {site = 3 : i64, cells = 0 : i64} : (tensor<?xi64>, tensor<i64>, tensor<i64>) -> (tensor<?xi64>, tensor<?xf64>)
  return
}

// -----

func.func @table_draw_c3(%a: tensor<?xi64>, %b: tensor<i64>, %c: tensor<i64>) {
  // expected-error-re @+1 {{(C3) {{.*}}fraction none of f64}}
  %r:2 = flow.table_draw %a, %b, %c {site = 3 : i64, cells = 4 : i64} : (tensor<?xi64>, tensor<i64>, tensor<i64>) -> (tensor<?xi64>, tensor<?xf32>)
  return
}

// -----

func.func @interpolate_c1(%a: tensor<?xf64>, %b: tensor<?xf64>, %c: tensor<?xf32>) {
  // expected-error-re @+1 {{(C1) {{.*}}needs equal types}}
  %r = flow.interpolate %a, %b, %c : (tensor<?xf64>, tensor<?xf64>, tensor<?xf32>) -> tensor<?xf64>
  return
}

// -----

func.func @prior_rescale_c1(%a: tensor<?xf64>, %b: tensor<f64>) {
  // expected-error-re @+1 {{(C1) {{.*}}no closed quantile function of Cauchy}}
  %r = flow.prior_rescale %a, %b {family = "Cauchy"} : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  return
}

// -----

func.func @prior_rescale_c2(%a: tensor<?xf64>, %b: tensor<f64>) {
  // expected-error-re @+1 {{(C2) {{.*}}Uniform takes 2 f64 scalars}}
  %r = flow.prior_rescale %a, %b {family = "Uniform"} : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  return
}

// -----

func.func @prior_rescale_c2(%a: tensor<?xf64>, %b: tensor<f32>, %c: tensor<f64>) {
  // expected-error-re @+1 {{(C2) {{.*}}Uniform takes 2 f64 scalars}}
  %r = flow.prior_rescale %a, %b, %c {family = "Uniform"} : (tensor<?xf64>, tensor<f32>, tensor<f64>) -> tensor<?xf64>
  return
}

// -----

func.func @prior_rescale_c3(%a: tensor<?xf32>, %b: tensor<f64>, %c: tensor<f64>) {
  // expected-error-re @+1 {{(C3) {{.*}}u is no f64 row vector}}
  %r = flow.prior_rescale %a, %b, %c {family = "Sine"} : (tensor<?xf32>, tensor<f64>, tensor<f64>) -> tensor<?xf64>
  return
}

// -----

func.func @gather_rows_c1(%a: tensor<6x4xf32>, %b: tensor<?xi64>) {
  // expected-error-re @+1 {{(C1) {{.*}}do not fit}}
  %r = flow.gather_rows %a, %b : (tensor<6x4xf32>, tensor<?xi64>) -> tensor<?x8xf32>
  return
}

// -----

func.func @gather_rows_c1(%a: tensor<6x8xf64>, %b: tensor<?xi64>) {
  // expected-error-re @+1 {{(C1) {{.*}}do not fit}}
  %r = flow.gather_rows %a, %b : (tensor<6x8xf64>, tensor<?xi64>) -> tensor<?x8xf32>
  return
}

// -----

func.func @slice_columns_c1(%a: tensor<?x8xf32>) {
  // expected-error-re @+1 {{(C1) {{.*}}columns outside the matrix}}
  %r = flow.slice_columns %a {start = 6 : i64} : (tensor<?x8xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @slice_columns_c1(%a: tensor<?x8xf32>) {
  // expected-error-re @+1 {{(C1) {{.*}}columns outside the matrix}}
  %r = flow.slice_columns %a {start = -1 : i64} : (tensor<?x8xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @column_c1(%a: tensor<?x8xf32>) {
  // expected-error-re @+1 {{(C1) {{.*}}no such column}}
  %r = flow.column %a {index = 8 : i64} : (tensor<?x8xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @stack_columns_c1(%a: tensor<?xf32>, %b: tensor<?xf64>) {
  // expected-error-re @+1 {{(C1) {{.*}}one row vector}}
  %r = flow.stack_columns %a, %b : (tensor<?xf32>, tensor<?xf64>) -> tensor<?x2xf32>
  return
}

// -----

func.func @stack_columns_c1(%a: tensor<?xf32>) {
  // expected-error-re @+1 {{(C1) {{.*}}one row vector}}
  %r = flow.stack_columns %a : (tensor<?xf32>) -> tensor<?x2xf32>
  return
}

// -----

func.func @arrival_time_c1(%a: tensor<?xf32>, %b: tensor<?x8xf32>, %c: tensor<?xf32>, %d: tensor<f64>, %e: tensor<f64>, %f: tensor<f64>, %g: tensor<f64>) {
  // expected-error-re @+1 {{(C1) {{.*}}needs row vectors}}
  %r = flow.arrival_time %a, %b, %c, %d, %e, %f, %g : (tensor<?xf32>, tensor<?x8xf32>, tensor<?xf32>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<?xf64>
  return
}

// -----

func.func @arrival_time_c2(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>, %d: tensor<f32>, %e: tensor<f64>, %f: tensor<f64>, %g: tensor<f64>) {
  // expected-error-re @+1 {{(C2) {{.*}}needs f64 scalars}}
  %r = flow.arrival_time %a, %b, %c, %d, %e, %f, %g : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<f32>, tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<?xf64>
  return
}

// -----

func.func @arrival_time_c3(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>, %d: tensor<f64>, %e: tensor<f64>, %f: tensor<f64>, %g: tensor<f64>) {
  // expected-error-re @+1 {{(C3) {{.*}}needs f64 row vectors}}
  %r = flow.arrival_time %a, %b, %c, %d, %e, %f, %g : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<?xf32>
  return
}

// -----

func.func @antenna_pattern_c1(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<f32>, %d: tensor<f64>, %e: tensor<f64>, %f: tensor<f64>, %g: tensor<f64>, %h: tensor<f64>, %i: tensor<f64>, %j: tensor<f64>) {
  // expected-error-re @+1 {{(C1) {{.*}}needs row vectors}}
  %r:2 = flow.antenna_pattern %a, %b, %c, %d, %e, %f, %g, %h, %i, %j : (tensor<?xf32>, tensor<?xf32>, tensor<f32>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<?xf64>, tensor<?xf64>)
  return
}

// -----

func.func @antenna_pattern_c2(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>, %d: tensor<f64>, %e: tensor<f64>, %f: tensor<f64>, %g: tensor<f64>, %h: tensor<f64>, %i: tensor<f64>) {
  // expected-error-re @+1 {{(C2) {{.*}}six numbers}}
  %r:2 = flow.antenna_pattern %a, %b, %c, %d, %e, %f, %g, %h, %i : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<?xf64>, tensor<?xf64>)
  return
}

// -----

func.func @antenna_pattern_c2(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>, %d: tensor<f64>, %e: tensor<f64>, %f: tensor<f64>, %g: tensor<f64>, %h: tensor<f64>, %i: tensor<f64>, %j: tensor<f32>) {
  // expected-error-re @+1 {{(C2) {{.*}}needs f64 scalars}}
  %r:2 = flow.antenna_pattern %a, %b, %c, %d, %e, %f, %g, %h, %i, %j : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>) -> (tensor<?xf64>, tensor<?xf64>)
  return
}

// -----

func.func @antenna_pattern_c3(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>, %d: tensor<f64>, %e: tensor<f64>, %f: tensor<f64>, %g: tensor<f64>, %h: tensor<f64>, %i: tensor<f64>, %j: tensor<f64>) {
  // expected-error-re @+1 {{(C3) {{.*}}needs f64 row vectors}}
  %r:2 = flow.antenna_pattern %a, %b, %c, %d, %e, %f, %g, %h, %i, %j : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<?xf64>, tensor<?xf32>)
  return
}

// -----

func.func @scale_by_distance_c1(%a: tensor<?xf64>, %b: tensor<?xf32>, %c: tensor<?xf32>, %d: tensor<f64>) {
  // expected-error-re @+1 {{(C1) {{.*}}needs f64 row vectors}}
  %r:2 = flow.scale_by_distance %a, %b, %c, %d : (tensor<?xf64>, tensor<?xf32>, tensor<?xf32>, tensor<f64>) -> (tensor<?xf32>, tensor<?xf32>)
  return
}

// -----

func.func @scale_by_distance_c2(%a: tensor<?xf64>, %b: tensor<?xf64>, %c: tensor<?xf32>, %d: tensor<f32>) {
  // expected-error-re @+1 {{(C2) {{.*}}needs f64 scalars}}
  %r:2 = flow.scale_by_distance %a, %b, %c, %d : (tensor<?xf64>, tensor<?xf64>, tensor<?xf32>, tensor<f32>) -> (tensor<?xf32>, tensor<?xf32>)
  return
}

// -----

func.func @scale_by_distance_c3(%a: tensor<?xf64>, %b: tensor<?xf64>, %c: tensor<?xf32>, %d: tensor<f64>) {
  // expected-error-re @+1 {{(C3) {{.*}}needs equal types}}
  %r:2 = flow.scale_by_distance %a, %b, %c, %d : (tensor<?xf64>, tensor<?xf64>, tensor<?xf32>, tensor<f64>) -> (tensor<?xf32>, tensor<?xf64>)
  return
}

// -----

func.func @project_c1(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>, %c: tensor<?x8xf32>, %d: tensor<?x4xf32>, %e: tensor<?xf32>, %f: tensor<?xf32>, %g: tensor<?xf64>, %h: tensor<8xf32>) {
  // expected-error-re @+1 {{(C1) {{.*}}needs equal types}}
  %r:2 = flow.project %a, %b, %c, %d, %e, %f, %g, %h : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x4xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf64>, tensor<8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>)
  return
}

// -----

func.func @project_c2(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>, %c: tensor<?x8xf32>, %d: tensor<?x8xf32>, %e: tensor<?xf32>, %f: tensor<?xf64>, %g: tensor<?xf64>, %h: tensor<8xf32>) {
  // expected-error-re @+1 {{(C2) {{.*}}does not fit}}
  %r:2 = flow.project %a, %b, %c, %d, %e, %f, %g, %h : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xf32>, tensor<?xf64>, tensor<?xf64>, tensor<8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>)
  return
}

// -----

func.func @project_c2(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>, %c: tensor<?x8xf32>, %d: tensor<?x8xf32>, %e: tensor<?xf32>, %f: tensor<?xf32>, %g: tensor<?xf64>, %h: tensor<4xf32>) {
  // expected-error-re @+1 {{(C2) {{.*}}does not fit}}
  %r:2 = flow.project %a, %b, %c, %d, %e, %f, %g, %h : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf64>, tensor<4xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>)
  return
}

// -----

func.func @project_c3(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>, %c: tensor<?x8xf32>, %d: tensor<?x8xf32>, %e: tensor<?xf32>, %f: tensor<?xf32>, %g: tensor<?xf32>, %h: tensor<8xf32>) {
  // expected-error-re @+1 {{(C3) {{.*}}needs f64 row vectors}}
  %r:2 = flow.project %a, %b, %c, %d, %e, %f, %g, %h : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>)
  return
}

// -----

func.func @whiten_c1(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>, %c: tensor<?x4xf32>, %d: tensor<f32>) {
  // expected-error-re @+1 {{(C1) {{.*}}needs equal types}}
  %r:2 = flow.whiten %a, %b, %c, %d : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x4xf32>, tensor<f32>) -> (tensor<?x8xf32>, tensor<?x8xf32>)
  return
}

// -----

func.func @whiten_c2(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>, %c: tensor<?x8xf32>, %d: tensor<f64>) {
  // expected-error-re @+1 {{(C2) {{.*}}does not fit}}
  %r:2 = flow.whiten %a, %b, %c, %d : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<f64>) -> (tensor<?x8xf32>, tensor<?x8xf32>)
  return
}

// -----

func.func @add_white_noise_c1(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>, %c: tensor<?xi64>, %d: tensor<i64>, %e: tensor<i64>) {
  // expected-error-re @+1 {{(C1) {{.*}}needs equal types}}
  %r:2 = flow.add_white_noise %a, %b, %c, %d, %e {site = 3 : i64} : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xi64>, tensor<i64>, tensor<i64>) -> (tensor<?x8xf32>, tensor<?x4xf32>)
  return
}

// -----

func.func @add_white_noise_c2(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>, %c: tensor<8xi64>, %d: tensor<i64>, %e: tensor<i64>) {
  // expected-error-re @+1 {{(C2) {{.*}}sample is not one index a row}}
  %r:2 = flow.add_white_noise %a, %b, %c, %d, %e {site = 3 : i64} : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<8xi64>, tensor<i64>, tensor<i64>) -> (tensor<?x8xf32>, tensor<?x8xf32>)
  return
}

// -----

func.func @standardize_c1(%a: tensor<f32>, %b: tensor<f64>, %c: tensor<f64>) {
  // expected-error-re @+1 {{(C1) {{.*}}needs row vectors}}
  %r = flow.standardize %a, %b, %c : (tensor<f32>, tensor<f64>, tensor<f64>) -> tensor<?xf32>
  return
}

// -----

func.func @standardize_c2(%a: tensor<?xf32>, %b: tensor<f64>, %c: tensor<f32>) {
  // expected-error-re @+1 {{(C2) {{.*}}no f64 scalar}}
  %r = flow.standardize %a, %b, %c : (tensor<?xf32>, tensor<f64>, tensor<f32>) -> tensor<?xf32>
  return
}
