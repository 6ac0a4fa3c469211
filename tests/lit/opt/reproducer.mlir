// A pass that fails leaves a file with the IR in front of it and the pipeline; run again, it fails the same way.
// RUN: rm -f %t.mlir
// RUN: not kowari-opt %s --cse --autodiff --mlir-pass-pipeline-crash-reproducer=%t.mlir 2> %t.first
// RUN: FileCheck %s --check-prefix=FILE < %t.mlir
// RUN: FileCheck %s --check-prefix=ERROR < %t.first
// RUN: not kowari-opt --run-reproducer %t.mlir 2>&1 | FileCheck %s --check-prefix=ERROR

// What does not fail leaves none.
// RUN: kowari-opt %s --cse --mlir-pass-pipeline-crash-reproducer=%t.none -o /dev/null
// RUN: not ls %t.none

// FILE:      func.func @lost
// FILE:      mlir_reproducer: {
// FILE-NEXT:   pipeline: "builtin.module(cse, autodiff)"

// ERROR: mlir:{{.*}}: error: autodiff needs a function @loss

func.func @lost(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
