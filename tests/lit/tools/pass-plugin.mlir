// RUN: kowari-opt %s --load-pass-plugin=%plugin_dir/NegateTwice.so --pass-pipeline="builtin.module(func.func(negate-twice,cse,canonicalize))" --validate-each | FileCheck %s

// CHECK-LABEL: func.func @negated_twice
// CHECK-SAME:      (%[[X:.*]]: tensor<?x8xf32>)
// CHECK-NEXT:    return %[[X]]
func.func @negated_twice(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = flow.negate %x : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %z = flow.negate %y : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %z : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @negated_once
// CHECK-NEXT:    flow.negate
func.func @negated_once(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = flow.negate %x : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
