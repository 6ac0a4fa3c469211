// RUN: kowari-opt %s --split-input-file --verify-diagnostics
//
// What the symbol verifier of flow.fused refuses.
// @<operation>_c<n> breaks constraint (Cn) of the operation's description.

func.func @fused_c1(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{(C1) needs a function with flow.kernel named elu}}
  %y = flow.fused @elu(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func private @elu(%x: tensor<?x8xf32>) -> tensor<?x8xf32>

func.func @fused_c1(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{(C1) needs a function with flow.kernel named elu}}
  %y = flow.fused @elu(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func private @elu(%x: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {flow.kernel}

func.func @fused_c1(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{(C1) kernel has 1 operands, the use 2}}
  %y = flow.fused @elu(%x, %x) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func private @elu(%x: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {flow.kernel}

func.func @fused_c1(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{(C1) kernel has 1 results, the use 2}}
  %y:2 = flow.fused @elu(%x) : (tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>)
  return
}

// -----

func.func private @elu(%x: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {flow.kernel}

func.func @fused_c2(%x: tensor<?x8xf64>) {
  // expected-error @+1 {{(C2) operands of type 'tensor<?x8xf64>' where the kernel has 'tensor<?x8xf32>'}}
  %y = flow.fused @elu(%x) : (tensor<?x8xf64>) -> tensor<?x8xf64>
  return
}

// -----

func.func private @elu(%x: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {flow.kernel}

func.func @fused_c2(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{(C2) results of type 'tensor<?xf32>' where the kernel has 'tensor<?x8xf32>'}}
  %y = flow.fused @elu(%x) : (tensor<?x8xf32>) -> tensor<?xf32>
  return
}

// -----

func.func private @elu(%x: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {flow.kernel}

// A kernel runs with the columns of its use.
func.func @fused_with_other_columns(%x: tensor<?x9xf32>) {
  %y = flow.fused @elu(%x) : (tensor<?x9xf32>) -> tensor<?x9xf32>
  return
}

// -----

func.func private @elu(%x: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {flow.kernel} {
  return %x : tensor<?x8xf32>
}

func.func private @fused_c3(%x: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {flow.kernel} {
  // expected-error @+1 {{(C3) stands in kernel fused_c3: kernels call no kernels}}
  %y = flow.fused @elu(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
