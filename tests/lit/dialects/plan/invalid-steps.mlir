// RUN: kowari-opt %s --split-input-file --verify-diagnostics
//
// What the verifiers of a plan's steps refuse.
// @<name>_c<n> breaks constraint (Cn) of the description of that operation or type.

plan.program @kernel_c1 {
  %x = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>
  // expected-error @below {{'plan.kernel' op (C1) no points to run over}}
  plan.kernel @k reads(%x) writes(%x) {rows = 0 : i64, columns = 4 : i64, group = "norm"} : !plan.view<[-1, 4], [16, 1], f32> -> !plan.view<[-1, 4], [16, 1], f32>
}

// -----

plan.program @kernel_c1 {
  %x = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>
  // expected-error @below {{'plan.kernel' op (C1) no points to run over}}
  plan.kernel @k reads(%x) writes(%x) {rows = -2 : i64, columns = 4 : i64, group = "norm"} : !plan.view<[-1, 4], [16, 1], f32> -> !plan.view<[-1, 4], [16, 1], f32>
}

// -----

plan.program @kernel_c1 {
  %x = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>
  // expected-error @below {{'plan.kernel' op (C1) no points to run over}}
  plan.kernel @k reads(%x) writes(%x) {rows = -1 : i64, columns = 0 : i64, group = "norm"} : !plan.view<[-1, 4], [16, 1], f32> -> !plan.view<[-1, 4], [16, 1], f32>
}

// -----

func.func private @k(tensor<?x4xf32>) -> (tensor<?x4xf32>)

plan.program @kernel_c2 {
  %x = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>
  // expected-error @below {{'plan.kernel' op (C2) the callee is no kernel with an argument a read and a result a write}}
  plan.kernel @k reads(%x) writes(%x) {rows = -1 : i64, columns = 4 : i64, group = "norm"} : !plan.view<[-1, 4], [16, 1], f32> -> !plan.view<[-1, 4], [16, 1], f32>
}

// -----

func.func private @k(tensor<?x4xf32>, tensor<?x4xf32>) -> (tensor<?x4xf32>) attributes {flow.kernel}

plan.program @kernel_c2 {
  %x = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>
  // expected-error @below {{'plan.kernel' op (C2) the callee is no kernel with an argument a read and a result a write}}
  plan.kernel @k reads(%x) writes(%x) {rows = -1 : i64, columns = 4 : i64, group = "norm"} : !plan.view<[-1, 4], [16, 1], f32> -> !plan.view<[-1, 4], [16, 1], f32>
}

// -----

func.func private @k(tensor<?x4xf32>) -> () attributes {flow.kernel}

plan.program @kernel_c2 {
  %x = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>
  // expected-error @below {{'plan.kernel' op (C2) the callee is no kernel with an argument a read and a result a write}}
  plan.kernel @k reads(%x) writes(%x) {rows = -1 : i64, columns = 4 : i64, group = "norm"} : !plan.view<[-1, 4], [16, 1], f32> -> !plan.view<[-1, 4], [16, 1], f32>
}

// -----

plan.program @k {
}

plan.program @kernel_c2 {
  %x = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>
  // expected-error @below {{'plan.kernel' op (C2) the callee is no kernel with an argument a read and a result a write}}
  plan.kernel @k reads(%x) writes(%x) {rows = -1 : i64, columns = 4 : i64, group = "norm"} : !plan.view<[-1, 4], [16, 1], f32> -> !plan.view<[-1, 4], [16, 1], f32>
}

// -----

func.func private @k(tensor<?x4xf64>) -> (tensor<?x4xf32>) attributes {flow.kernel}

plan.program @kernel_c3 {
  %x = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>
  // expected-error @below {{'plan.kernel' op (C3) views and kernel differ in element types}}
  plan.kernel @k reads(%x) writes(%x) {rows = -1 : i64, columns = 4 : i64, group = "norm"} : !plan.view<[-1, 4], [16, 1], f32> -> !plan.view<[-1, 4], [16, 1], f32>
}

// -----

func.func private @k(tensor<?x4xf32>) -> (tensor<?x4xf64>) attributes {flow.kernel}

plan.program @kernel_c3 {
  %x = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>
  // expected-error @below {{'plan.kernel' op (C3) views and kernel differ in element types}}
  plan.kernel @k reads(%x) writes(%x) {rows = -1 : i64, columns = 4 : i64, group = "norm"} : !plan.view<[-1, 4], [16, 1], f32> -> !plan.view<[-1, 4], [16, 1], f32>
}

// -----

func.func private @k(tensor<?x4xf32>) -> (tensor<?x8xf32>, tensor<4xf32>) attributes {flow.kernel, flow.columns = 4 : i64}

// Twice as many columns as it was declared with, in both.
plan.program @kernel_fits {
  %x = plan.buffer : !plan.view<[-1, 8], [16, 1], f32>
  %y = plan.buffer : !plan.view<[-1, 16], [16, 1], f32>
  %s = plan.buffer : !plan.view<[8, 1], [1, 1], f32>
  plan.kernel @k reads(%x) writes(%y, %s) {rows = -1 : i64, columns = 8 : i64, group = "norm"} : !plan.view<[-1, 8], [16, 1], f32> -> !plan.view<[-1, 16], [16, 1], f32>, !plan.view<[8, 1], [1, 1], f32>
}

plan.program @kernel_c4 {
  %x = plan.buffer : !plan.view<[-1, 8], [16, 1], f32>
  %y = plan.buffer : !plan.view<[-1, 16], [16, 1], f32>
  %s = plan.buffer : !plan.view<[4, 1], [1, 1], f32>
  // expected-error @below {{'plan.kernel' op (C4) views do not have the rows and columns that the kernel runs over}}
  plan.kernel @k reads(%x) writes(%y, %s) {rows = -1 : i64, columns = 8 : i64, group = "norm"} : !plan.view<[-1, 8], [16, 1], f32> -> !plan.view<[-1, 16], [16, 1], f32>, !plan.view<[4, 1], [1, 1], f32>
}

// -----

func.func private @k(tensor<?x4xf32>) -> (tensor<?x4xf32>) attributes {flow.kernel, flow.columns = 4 : i64}

plan.program @kernel_c4 {
  %x = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>
  // expected-error @below {{'plan.kernel' op (C4) views do not have the rows and columns that the kernel runs over}}
  plan.kernel @k reads(%x) writes(%x) {rows = -1 : i64, columns = 5 : i64, group = "norm"} : !plan.view<[-1, 4], [16, 1], f32> -> !plan.view<[-1, 4], [16, 1], f32>
}

// -----

func.func private @k(tensor<?x4xf32>) -> (tensor<?x4xf32>) attributes {flow.kernel, flow.columns = 4 : i64}

plan.program @kernel_c4 {
  %x = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>
  // expected-error @below {{'plan.kernel' op (C4) views do not have the rows and columns that the kernel runs over}}
  plan.kernel @k reads(%x) writes(%x) {rows = 100000 : i64, columns = 4 : i64, group = "norm"} : !plan.view<[-1, 4], [16, 1], f32> -> !plan.view<[-1, 4], [16, 1], f32>
}

// -----

plan.program @gemm_c1 {
  %a = plan.buffer : !plan.view<[-1, 5], [16, 1], f32>
  %b = plan.buffer : !plan.view<[4, 8], [1, 16], f32>
  %c = plan.buffer : !plan.view<[-1, 8], [16, 1], f32>
  // expected-error @below {{'plan.gemm' op (C1) dimensions do not agree}}
  plan.gemm %a, %b, %c : !plan.view<[-1, 5], [16, 1], f32>, !plan.view<[4, 8], [1, 16], f32>, !plan.view<[-1, 8], [16, 1], f32>
}

// -----

plan.program @gemm_c1 {
  %a = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>
  %b = plan.buffer : !plan.view<[4, 8], [1, 16], f32>
  %c = plan.buffer : !plan.view<[-1, 7], [16, 1], f32>
  // expected-error @below {{'plan.gemm' op (C1) dimensions do not agree}}
  plan.gemm %a, %b, %c : !plan.view<[-1, 4], [16, 1], f32>, !plan.view<[4, 8], [1, 16], f32>, !plan.view<[-1, 7], [16, 1], f32>
}

// -----

plan.program @gemm_c1 {
  %a = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>
  %b = plan.buffer : !plan.view<[4, 8], [1, 16], f32>
  %c = plan.buffer : !plan.view<[6, 8], [16, 1], f32>
  // expected-error @below {{'plan.gemm' op (C1) dimensions do not agree}}
  plan.gemm %a, %b, %c : !plan.view<[-1, 4], [16, 1], f32>, !plan.view<[4, 8], [1, 16], f32>, !plan.view<[6, 8], [16, 1], f32>
}

// -----

plan.program @gemm_c1 {
  %a = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>
  %b = plan.buffer : !plan.view<[4, 8], [1, 16], f32>
  %c = plan.buffer : !plan.view<[-1, 8], [16, 1], f32>
  %d = plan.buffer : !plan.view<[4, 1], [1, 1], f32>
  // expected-error @below {{'plan.gemm' op (C1) dimensions do not agree}}
  plan.gemm %a, %b, %c bias %d : !plan.view<[-1, 4], [16, 1], f32>, !plan.view<[4, 8], [1, 16], f32>, !plan.view<[-1, 8], [16, 1], f32>, !plan.view<[4, 1], [1, 1], f32>
}

// -----

plan.program @gemm_c1 {
  %a = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>
  %b = plan.buffer : !plan.view<[4, 8], [1, 16], f32>
  %c = plan.buffer : !plan.view<[-1, 8], [16, 1], f32>
  %d = plan.buffer : !plan.view<[8, 2], [1, 8], f32>
  // expected-error @below {{'plan.gemm' op (C1) dimensions do not agree}}
  plan.gemm %a, %b, %c bias %d : !plan.view<[-1, 4], [16, 1], f32>, !plan.view<[4, 8], [1, 16], f32>, !plan.view<[-1, 8], [16, 1], f32>, !plan.view<[8, 2], [1, 8], f32>
}

// -----

plan.program @gemm_c2 {
  %a = plan.buffer : !plan.view<[-1, 4], [16, 2], f32>
  %b = plan.buffer : !plan.view<[4, 8], [1, 16], f32>
  %c = plan.buffer : !plan.view<[-1, 8], [16, 1], f32>
  // expected-error @below {{'plan.gemm' op (C2) neither stride is 1}}
  plan.gemm %a, %b, %c : !plan.view<[-1, 4], [16, 2], f32>, !plan.view<[4, 8], [1, 16], f32>, !plan.view<[-1, 8], [16, 1], f32>
}

// -----

plan.program @gemm_c2 {
  %a = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>
  %b = plan.buffer : !plan.view<[4, 8], [2, 16], f32>
  %c = plan.buffer : !plan.view<[-1, 8], [16, 1], f32>
  // expected-error @below {{'plan.gemm' op (C2) neither stride is 1}}
  plan.gemm %a, %b, %c : !plan.view<[-1, 4], [16, 1], f32>, !plan.view<[4, 8], [2, 16], f32>, !plan.view<[-1, 8], [16, 1], f32>
}

// -----

plan.program @gemm_c2 {
  %a = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>
  %b = plan.buffer : !plan.view<[4, 8], [1, 16], f32>
  %c = plan.buffer : !plan.view<[-1, 8], [16, 2], f32>
  // expected-error @below {{'plan.gemm' op (C2) neither stride is 1}}
  plan.gemm %a, %b, %c : !plan.view<[-1, 4], [16, 1], f32>, !plan.view<[4, 8], [1, 16], f32>, !plan.view<[-1, 8], [16, 2], f32>
}

// -----

plan.program @gemm_c3 {
  %a = plan.buffer : !plan.view<[-1, 4], [16, 1], f64>
  %b = plan.buffer : !plan.view<[4, 8], [1, 16], f32>
  %c = plan.buffer : !plan.view<[-1, 8], [16, 1], f32>
  // expected-error @below {{'plan.gemm' op (C3) element types differ or are not real}}
  plan.gemm %a, %b, %c : !plan.view<[-1, 4], [16, 1], f64>, !plan.view<[4, 8], [1, 16], f32>, !plan.view<[-1, 8], [16, 1], f32>
}

// -----

plan.program @gemm_c3 {
  %a = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>
  %b = plan.buffer : !plan.view<[4, 8], [1, 16], f64>
  %c = plan.buffer : !plan.view<[-1, 8], [16, 1], f32>
  // expected-error @below {{'plan.gemm' op (C3) element types differ or are not real}}
  plan.gemm %a, %b, %c : !plan.view<[-1, 4], [16, 1], f32>, !plan.view<[4, 8], [1, 16], f64>, !plan.view<[-1, 8], [16, 1], f32>
}

// -----

plan.program @gemm_c3 {
  %a = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>
  %b = plan.buffer : !plan.view<[4, 8], [1, 16], f32>
  %c = plan.buffer : !plan.view<[-1, 8], [16, 1], f32>
  %d = plan.buffer : !plan.view<[8, 1], [1, 1], f64>
  // expected-error @below {{'plan.gemm' op (C3) element types differ or are not real}}
  plan.gemm %a, %b, %c bias %d : !plan.view<[-1, 4], [16, 1], f32>, !plan.view<[4, 8], [1, 16], f32>, !plan.view<[-1, 8], [16, 1], f32>, !plan.view<[8, 1], [1, 1], f64>
}

// -----

plan.program @gemm_c3 {
  %a = plan.buffer : !plan.view<[-1, 4], [16, 1], i64>
  %b = plan.buffer : !plan.view<[4, 8], [1, 16], i64>
  %c = plan.buffer : !plan.view<[-1, 8], [16, 1], i64>
  // expected-error @below {{'plan.gemm' op (C3) element types differ or are not real}}
  plan.gemm %a, %b, %c : !plan.view<[-1, 4], [16, 1], i64>, !plan.view<[4, 8], [1, 16], i64>, !plan.view<[-1, 8], [16, 1], i64>
}

// -----

plan.program @copy_c1 {
  %x = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>
  %y = plan.buffer : !plan.view<[-1, 5], [16, 1], f32>
  // expected-error @below {{'plan.copy' op (C1) dimensions or element types differ}}
  plan.copy %x, %y : !plan.view<[-1, 4], [16, 1], f32>, !plan.view<[-1, 5], [16, 1], f32>
}

// -----

plan.program @copy_c1 {
  %x = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>
  %y = plan.buffer : !plan.view<[8, 4], [16, 1], f32>
  // expected-error @below {{'plan.copy' op (C1) dimensions or element types differ}}
  plan.copy %x, %y : !plan.view<[-1, 4], [16, 1], f32>, !plan.view<[8, 4], [16, 1], f32>
}

// -----

plan.program @copy_c1 {
  %x = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>
  %y = plan.buffer : !plan.view<[-1, 4], [16, 1], f64>
  // expected-error @below {{'plan.copy' op (C1) dimensions or element types differ}}
  plan.copy %x, %y : !plan.view<[-1, 4], [16, 1], f32>, !plan.view<[-1, 4], [16, 1], f64>
}

// -----

plan.program @gather_c1 {
  %t = plan.buffer : !plan.view<[6, 7], [16, 1], f32>
  %i = plan.buffer : !plan.view<[-1, 1], [1, 1], i64>
  %y = plan.buffer : !plan.view<[-1, 8], [16, 1], f32>
  // expected-error @below {{'plan.gather' op (C1) table and target do not fit}}
  plan.gather %t, %i, %y : !plan.view<[6, 7], [16, 1], f32>, !plan.view<[-1, 1], [1, 1], i64>, !plan.view<[-1, 8], [16, 1], f32>
}

// -----

plan.program @gather_c1 {
  %t = plan.buffer : !plan.view<[6, 8], [16, 1], f64>
  %i = plan.buffer : !plan.view<[-1, 1], [1, 1], i64>
  %y = plan.buffer : !plan.view<[-1, 8], [16, 1], f32>
  // expected-error @below {{'plan.gather' op (C1) table and target do not fit}}
  plan.gather %t, %i, %y : !plan.view<[6, 8], [16, 1], f64>, !plan.view<[-1, 1], [1, 1], i64>, !plan.view<[-1, 8], [16, 1], f32>
}

// -----

plan.program @gather_c1 {
  %t = plan.buffer : !plan.view<[-1, 8], [16, 1], f32>
  %i = plan.buffer : !plan.view<[-1, 1], [1, 1], i64>
  %y = plan.buffer : !plan.view<[-1, 8], [16, 1], f32>
  // expected-error @below {{'plan.gather' op (C1) table and target do not fit}}
  plan.gather %t, %i, %y : !plan.view<[-1, 8], [16, 1], f32>, !plan.view<[-1, 1], [1, 1], i64>, !plan.view<[-1, 8], [16, 1], f32>
}

// -----

plan.program @gather_c2 {
  %t = plan.buffer : !plan.view<[6, 8], [16, 1], f32>
  %i = plan.buffer : !plan.view<[5, 1], [1, 1], i64>
  %y = plan.buffer : !plan.view<[-1, 8], [16, 1], f32>
  // expected-error @below {{'plan.gather' op (C2) the index does not fit the target}}
  plan.gather %t, %i, %y : !plan.view<[6, 8], [16, 1], f32>, !plan.view<[5, 1], [1, 1], i64>, !plan.view<[-1, 8], [16, 1], f32>
}

// -----

plan.program @gather_c2 {
  %t = plan.buffer : !plan.view<[6, 8], [16, 1], f32>
  %i = plan.buffer : !plan.view<[-1, 2], [1, 16], i64>
  %y = plan.buffer : !plan.view<[-1, 8], [16, 1], f32>
  // expected-error @below {{'plan.gather' op (C2) the index does not fit the target}}
  plan.gather %t, %i, %y : !plan.view<[6, 8], [16, 1], f32>, !plan.view<[-1, 2], [1, 16], i64>, !plan.view<[-1, 8], [16, 1], f32>
}

// -----

plan.program @gather_c2 {
  %t = plan.buffer : !plan.view<[6, 8], [16, 1], f32>
  %i = plan.buffer : !plan.view<[-1, 1], [1, 1], f64>
  %y = plan.buffer : !plan.view<[-1, 8], [16, 1], f32>
  // expected-error @below {{'plan.gather' op (C2) the index does not fit the target}}
  plan.gather %t, %i, %y : !plan.view<[6, 8], [16, 1], f32>, !plan.view<[-1, 1], [1, 1], f64>, !plan.view<[-1, 8], [16, 1], f32>
}

// -----

plan.program @fill_c1 {
  %x = plan.buffer : !plan.view<[-1, 1], [1, 1], i64>
  // expected-error @below {{'plan.fill' op (C1) an integer view gets a fraction}}
  plan.fill %x, 0.5 : !plan.view<[-1, 1], [1, 1], i64>
}

// -----

plan.program @all_reduce_c1 {
  %x = plan.buffer : !plan.view<[64, 1], [1, 1], f32>
  // expected-error @below {{'plan.all_reduce' op (C1) the stream is negative}}
  plan.all_reduce %x on -1 : !plan.view<[64, 1], [1, 1], f32>
}

// -----

plan.program @all_reduce_c2 {
  %x = plan.buffer : !plan.view<[-1, 1], [1, 1], i64>
  // expected-error @below {{'plan.all_reduce' op (C2) the element type is not real}}
  plan.all_reduce %x on 1 : !plan.view<[-1, 1], [1, 1], i64>
}

// -----

plan.program @record_c1 {
  // expected-error @below {{'plan.record' op (C1) event or stream is negative}}
  plan.record -1 on 0
}

// -----

plan.program @record_c1 {
  // expected-error @below {{'plan.record' op (C1) event or stream is negative}}
  plan.record 0 on -1
}

// -----

plan.program @wait_c1 {
  // expected-error @below {{'plan.wait' op (C1) event or stream is negative}}
  plan.wait -1 on 0
}

// -----

plan.program @wait_c1 {
  // expected-error @below {{'plan.wait' op (C1) event or stream is negative}}
  plan.wait 0 on -1
}
