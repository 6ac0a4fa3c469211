// Functions of other dialects reduce as well: what is cut off need not be a tensor.
// RUN: rm -rf %t && mkdir %t
// RUN: printf '#!/bin/sh\ngrep -q "arith.addi" "$1" && exit 1\nexit 0\n' > %t/has-add.sh && chmod +x %t/has-add.sh
// RUN: kowari-reduce %s --reduce-module=test=%t/has-add.sh -o - | FileCheck %s

// CHECK: func.func @sum({{.*}}: i32, {{.*}}: i32) -> i32
// CHECK-NEXT: arith.addi
// CHECK-NEXT: return
func.func @sum(%x: i32) -> i32 {
  %square = arith.muli %x, %x : i32
  %y = arith.addi %square, %x : i32
  %z = arith.subi %y, %square : i32
  return %z : i32
}
