// What --validate-each cannot compare is said, once.
// RUN: kowari-opt %s --cse --canonicalize --validate-each -o /dev/null 2>&1 | FileCheck %s

// CHECK-DAG: remark: not compared: @foreign: it has an operation or a type that the interpreter does not know
// CHECK-DAG: remark: not compared: @wide: its products take 1.{{[0-9]*}}e+10 multiply-adds a row, which is beyond the budget
// CHECK-DAG: remark: not compared: @big: its arguments are too large; make the network narrower
// CHECK-NOT: not compared
func.func @big(%x: tensor<?x1000000000xf32>) -> tensor<?x1000000000xf32> {
  %y = flow.negate %x : (tensor<?x1000000000xf32>) -> tensor<?x1000000000xf32>
  return %y : tensor<?x1000000000xf32>
}

func.func @foreign(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.addf %x, %x : tensor<4xf32>
  %z = arith.addf %x, %x : tensor<4xf32>
  %s = arith.mulf %y, %z : tensor<4xf32>
  return %s : tensor<4xf32>
}

func.func @wide(%x: tensor<?x100000xf32> {flow.batch = "x"}, %w: tensor<100000x100000xf32> {flow.parameter = "w"})
    -> (tensor<?x100000xf32> {flow.output = "y"}) {
  %y = flow.linear ins(%x : tensor<?x100000xf32>) weight(%w : tensor<100000x100000xf32>) -> tensor<?x100000xf32>
  return %y : tensor<?x100000xf32>
}
