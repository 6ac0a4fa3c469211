// kowari-reduce with a script that looks for changed numbers, and with one of one's own.
// RUN: rm -rf %t && mkdir %t
// RUN: env PASSES='--load-pass-plugin=%plugin_dir/BreakBias.so --pass-pipeline=builtin.module(func.func(break-bias))' kowari-reduce %s --reduce-module=test=%kowari_source/scripts/changes_numbers.sh -o %t/numbers.mlir 2> %t/numbers.txt
// RUN: FileCheck %s --check-prefix=NUMBERS < %t/numbers.mlir
// RUN: FileCheck %s --check-prefix=COUNT < %t/numbers.txt

// COUNT: reduce-module: 7 -> 1 operations in {{[0-9]+}} tests
// NUMBERS-NOT: func.func @other
// NUMBERS: func.func @network
// NUMBERS-NEXT: flow.add_bias
// NUMBERS-NEXT: return

// RUN: printf '#!/bin/sh\ngrep -q "flow.linear" "$1" && exit 1\nexit 0\n' > %t/has-linear.sh && chmod +x %t/has-linear.sh
// RUN: kowari-reduce %s --reduce-module=test=%t/has-linear.sh -o - | FileCheck %s --check-prefix=LINEAR
// LINEAR: func.func @network
// LINEAR-NEXT: flow.linear
// LINEAR-NEXT: return

// RUN: printf '#!/bin/sh\nexit 0\n' > %t/never.sh && chmod +x %t/never.sh
// RUN: not kowari-reduce %s --reduce-module=test=%t/never.sh 2>&1 | FileCheck %s --check-prefix=NEVER
// NEVER: error: reduce-module: {{.*}}never.sh does not find the module interesting
// RUN: printf '#!/bin/sh\nkill -SEGV $$\n' > %t/crash.sh && chmod +x %t/crash.sh
// RUN: not kowari-reduce %s --reduce-module=test=%t/crash.sh 2>&1 | FileCheck %s --check-prefix=CRASH
// CRASH: error: reduce-module: {{.*}}crash.sh did not end by itself
// RUN: not kowari-reduce %s --reduce-module=test=%t/nowhere.sh 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error: reduce-module: test={{.*}}nowhere.sh is no program that can run

func.func @network(%x: tensor<?x8xf32> {flow.batch = "x"}, %w: tensor<4x8xf32> {flow.parameter = "w"},
                   %b: tensor<4xf32> {flow.parameter = "b"})
    -> (tensor<?x4xf32> {flow.output = "y"}, tensor<?x8xf32> {flow.output = "z"}) {
  %p = flow.activation %x {kind = #flow.activation<elu>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %h = flow.linear ins(%p : tensor<?x8xf32>) weight(%w : tensor<4x8xf32>) -> tensor<?x4xf32>
  %s = flow.add_bias %h, %b : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %a = flow.activation %s {kind = #flow.activation<relu>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = flow.add %a, %s : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %z = flow.negate %x : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y, %z : tensor<?x4xf32>, tensor<?x8xf32>
}

func.func @other(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = flow.negate %x : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
