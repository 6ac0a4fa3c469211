// RUN: kowari-opt %s --split-input-file --verify-diagnostics
//
// Views and steps stand in a program: what stood elsewhere would be in no artifact.

// expected-error @below {{'plan.persistent' op expects parent op 'plan.program'}}
%x = plan.persistent {offset = 0 : i64} : !plan.view<[-1, 4], [16, 1], f32>

// -----

// expected-error @below {{'plan.buffer' op expects parent op 'plan.program'}}
%x = plan.buffer : !plan.view<[-1, 4], [16, 1], f32>

// -----

// expected-error @below {{'plan.input' op expects parent op 'plan.program'}}
plan.input @x

// -----

// expected-error @below {{'plan.record' op expects parent op 'plan.program'}}
plan.record 0 on 1

// -----

// expected-error @below {{'plan.wait' op expects parent op 'plan.program'}}
plan.wait 0 on 1

// -----

func.func @outside(%x: !plan.view<[-1, 4], [16, 1], f32>) {
  // expected-error @below {{'plan.subview' op expects parent op 'plan.program'}}
  %y = plan.subview %x {offset = 0 : i64} : !plan.view<[-1, 4], [16, 1], f32> -> !plan.view<[-1, 4], [16, 1], f32>
  return
}

// -----

func.func @outside(%x: !plan.view<[-1, 4], [16, 1], f32>) {
  // expected-error @below {{'plan.output' op expects parent op 'plan.program'}}
  plan.output %x "y" shape [-1, 4] : !plan.view<[-1, 4], [16, 1], f32>
  return
}

// -----

func.func @outside(%x: !plan.view<[-1, 4], [16, 1], f32>) {
  // expected-error @below {{'plan.kernel' op expects parent op 'plan.program'}}
  plan.kernel @k reads(%x) writes(%x) {rows = -1 : i64, columns = 4 : i64, group = "norm"} : !plan.view<[-1, 4], [16, 1], f32> -> !plan.view<[-1, 4], [16, 1], f32>
  return
}

// -----

func.func @outside(%x: !plan.view<[-1, 4], [16, 1], f32>) {
  // expected-error @below {{'plan.copy' op expects parent op 'plan.program'}}
  plan.copy %x, %x : !plan.view<[-1, 4], [16, 1], f32>, !plan.view<[-1, 4], [16, 1], f32>
  return
}

// -----

func.func @outside(%x: !plan.view<[-1, 4], [16, 1], f32>) {
  // expected-error @below {{'plan.fill' op expects parent op 'plan.program'}}
  plan.fill %x, 0.0 : !plan.view<[-1, 4], [16, 1], f32>
  return
}

// -----

func.func @outside(%x: !plan.view<[-1, 4], [16, 1], f32>) {
  // expected-error @below {{'plan.all_reduce' op expects parent op 'plan.program'}}
  plan.all_reduce %x on 1 : !plan.view<[-1, 4], [16, 1], f32>
  return
}

// -----

func.func @outside(%x: !plan.view<[-1, 4], [16, 1], f32>, %w: !plan.view<[4, 4], [1, 16], f32>) {
  // expected-error @below {{'plan.gemm' op expects parent op 'plan.program'}}
  plan.gemm %x, %w, %x : !plan.view<[-1, 4], [16, 1], f32>, !plan.view<[4, 4], [1, 16], f32>, !plan.view<[-1, 4], [16, 1], f32>
  return
}

// -----

func.func @outside(%x: !plan.view<[-1, 4], [16, 1], f32>, %t: !plan.view<[6, 4], [16, 1], f32>, %i: !plan.view<[-1, 1], [1, 1], i64>) {
  // expected-error @below {{'plan.gather' op expects parent op 'plan.program'}}
  plan.gather %t, %i, %x : !plan.view<[6, 4], [16, 1], f32>, !plan.view<[-1, 1], [1, 1], i64>, !plan.view<[-1, 4], [16, 1], f32>
  return
}
