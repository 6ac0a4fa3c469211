// RUN: kowari-opt %s --lower-to-plan --split-input-file --verify-diagnostics
//
// What lower-to-plan refuses.

func.func @unfused(%x: tensor<?x3xf32> {flow.batch = "x"}) -> (tensor<?x3xf32> {flow.output = "y"}) attributes {flow.max_rows = 8 : i64} {
  // expected-error @below {{'flow.negate' op has no place in a plan: run fuse first}}
  %y = flow.negate %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
