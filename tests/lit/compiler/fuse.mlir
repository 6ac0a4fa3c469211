// RUN: kowari-opt %s --fuse --split-input-file | FileCheck %s
// RUN: kowari-opt %s --fuse --split-input-file --validate-each -o /dev/null
//
// What fuse promises: one kernel between two products, nothing that can stand in a kernel outside of one, sums along rows
// and along columns never in the same one, equal kernels written once.

// Bias, norm taken apart and activation are one kernel; both blocks share it, whatever their widths. The last product has
// no kernel behind it and keeps its bias.
// CHECK-LABEL: func.func @block(
// CHECK-NEXT:    %[[P:.*]] = flow.linear ins({{.*}}) weight({{[^)]*}}) -> tensor<?x64xf32>
// CHECK-NEXT:    %[[A:.*]] = flow.fused @[[NORM:[a-z0-9_]+]](%[[P]], {{.*}}) : {{.*}} -> tensor<?x64xf32>
// CHECK-NEXT:    %[[Q:.*]] = flow.linear ins(%[[A]] : {{.*}}) weight({{[^)]*}}) -> tensor<?x48xf32>
// CHECK-NEXT:    %[[I:.*]] = flow.fused @[[NORM]](%[[Q]], {{.*}}) : {{.*}} -> tensor<?x48xf32>
// CHECK-NEXT:    flow.linear ins(%[[I]] : {{.*}}) weight({{.*}}) bias({{.*}}) -> tensor<?x32xf32>
// CHECK-NEXT:    return
// CHECK:       func.func private @[[NORM]](
// CHECK-SAME:    {flow.columns = 64 : i64, flow.kernel = {chunks = "rows", lanes = "columns"}}
// CHECK-NEXT:    %[[B:.*]] = flow.add_bias
// CHECK-NEXT:    %[[M:.*]] = flow.row_mean %[[B]]
// CHECK-NEXT:    %[[V:.*]] = flow.row_variance %[[B]], %[[M]]
// CHECK-NEXT:    %[[N:.*]] = flow.normalize_rows %[[B]], %[[M]], %[[V]]
// CHECK-NEXT:    %[[E:.*]] = flow.activation %[[N]]
// CHECK-NEXT:    return %[[E]]
// CHECK-NOT:   func.func

func.func @block(%x: tensor<?x32xf32> {flow.batch = "x"}, %w: tensor<64x32xf32> {flow.parameter = "w"}, %b: tensor<64xf32> {flow.parameter = "b"},
    %g: tensor<64xf32> {flow.parameter = "g"}, %e: tensor<64xf32> {flow.parameter = "e"}, %v: tensor<48x64xf32> {flow.parameter = "v"}, %c: tensor<48xf32> {flow.parameter = "c"},
    %h: tensor<48xf32> {flow.parameter = "h"}, %f: tensor<48xf32> {flow.parameter = "f"}, %u: tensor<32x48xf32> {flow.parameter = "u"}, %d: tensor<32xf32> {flow.parameter = "d"})
    -> (tensor<?x32xf32> {flow.output = "y"}) {
  %p = flow.linear ins(%x : tensor<?x32xf32>) weight(%w : tensor<64x32xf32>) bias(%b : tensor<64xf32>) -> tensor<?x64xf32>
  %n, %m, %s = flow.layer_norm %p, %g, %e {epsilon = 1.0e-5 : f64} : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<?x64xf32>, tensor<?xf32>, tensor<?xf32>)
  %a = flow.activation %n {kind = #flow.activation<elu>} : (tensor<?x64xf32>) -> tensor<?x64xf32>
  %q = flow.linear ins(%a : tensor<?x64xf32>) weight(%v : tensor<48x64xf32>) bias(%c : tensor<48xf32>) -> tensor<?x48xf32>
  %o, %r, %t = flow.layer_norm %q, %h, %f {epsilon = 1.0e-5 : f64} : (tensor<?x48xf32>, tensor<48xf32>, tensor<48xf32>) -> (tensor<?x48xf32>, tensor<?xf32>, tensor<?xf32>)
  %i = flow.activation %o {kind = #flow.activation<elu>} : (tensor<?x48xf32>) -> tensor<?x48xf32>
  %y = flow.linear ins(%i : tensor<?x48xf32>) weight(%u : tensor<32x48xf32>) bias(%d : tensor<32xf32>) -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}

// -----

// A batch norm adds up columns, the layer norm behind it rows: two kernels, the first cut across columns, the second
// across rows.
// CHECK-LABEL: func.func @both_sums(
// CHECK-NEXT:    %[[Z:.*]] = flow.fused @[[COLUMNS:[a-z0-9_]+]](
// CHECK-NEXT:    %[[Y:.*]] = flow.fused @[[ROWS:[a-z0-9_]+]](%[[Z]],
// CHECK-NEXT:    return %[[Y]], %[[Z]]
// CHECK:       func.func private @[[COLUMNS]]({{.*}}chunks = "columns"
// CHECK-NEXT:    flow.activation
// CHECK-NEXT:    flow.column_mean
// CHECK-NEXT:    flow.column_variance
// CHECK-NEXT:    flow.batch_norm
// CHECK-NEXT:    return
// CHECK:       func.func private @[[ROWS]]({{.*}}chunks = "rows"
// CHECK-NEXT:    flow.row_mean
// CHECK-NEXT:    flow.row_variance
// CHECK-NEXT:    flow.normalize_rows
// CHECK-NEXT:    return
// CHECK-NOT:   func.func

func.func @both_sums(%x: tensor<?x64xf32> {flow.batch = "x"}, %g: tensor<64xf32> {flow.parameter = "g"}, %e: tensor<64xf32> {flow.parameter = "e"})
    -> (tensor<?x64xf32> {flow.output = "y"}, tensor<?x64xf32> {flow.output = "z"}) {
  %a = flow.activation %x {kind = #flow.activation<elu>} : (tensor<?x64xf32>) -> tensor<?x64xf32>
  %bm, %bv = flow.batch_norm_statistics %a : (tensor<?x64xf32>) -> (tensor<64xf32>, tensor<64xf32>)
  %z = flow.batch_norm %a, %bm, %bv, %g, %e {epsilon = 1.0e-5 : f64, training} : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  %n, %m, %s = flow.layer_norm %z, %g, %e {epsilon = 1.0e-5 : f64} : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<?x64xf32>, tensor<?xf32>, tensor<?xf32>)
  return %n, %z : tensor<?x64xf32>, tensor<?x64xf32>
}

// -----

// A bias stays with its product if something reads the result that no kernel can hold, and it is added by a kernel if
// there is no product at all. LU factors are a kernel of their own. Narrow matrices have their lanes along rows.
// CHECK-LABEL: func.func @biases(
// CHECK-NEXT:    flow.linear ins({{.*}}) weight({{.*}}) bias(
// CHECK-NEXT:    flow.split_columns
// CHECK-NEXT:    flow.fused @[[ELU:[a-z0-9_]+]](
// CHECK-NEXT:    %[[NOTHING:.*]] = flow.linear ins() weight({{[^)]*}}) ->
// CHECK-NEXT:    flow.fused @[[BIAS:[a-z0-9_]+]](%[[NOTHING]],
// CHECK-NEXT:    %[[LU:.*]]:2 = flow.fused @[[WEIGHT:[a-z0-9_]+]](
// CHECK-NEXT:    %[[Z:.*]] = flow.linear
// CHECK-NEXT:    flow.fused @[[DENSITY:[a-z0-9_]+]](%[[Z]], %[[LU]]#1)
// CHECK-NEXT:    return
// CHECK:       func.func private @[[ELU]]({{.*}}lanes = "rows"
// CHECK:       func.func private @[[BIAS]]({{.*}}lanes = "rows"
// CHECK:       func.func private @[[DENSITY]]({{.*}}lanes = "rows"
// CHECK:       func.func private @[[WEIGHT]]({{.*}}{flow.columns = 4 : i64, flow.kernel = {chunks = "none"
// CHECK-NEXT:    flow.lu_weight
// CHECK-NEXT:    return
// CHECK-NOT:   func.func

func.func @biases(%x: tensor<?x5xf32> {flow.batch = "x"}, %w: tensor<4x5xf32> {flow.parameter = "w"}, %b: tensor<4xf32> {flow.parameter = "b"}, %none: tensor<4x0xf32> {flow.parameter = "none"},
    %lo: tensor<6xf32> {flow.parameter = "lower"}, %up: tensor<6xf32> {flow.parameter = "upper"}, %di: tensor<4xf32> {flow.parameter = "diagonal"}, %pe: tensor<4xi64> {flow.constant = "permutation"})
    -> (tensor<?x2xf32> {flow.output = "y"}, tensor<?x4xf32> {flow.output = "z"}, tensor<?xf32> {flow.output = "l"}) {
  %p = flow.linear ins(%x : tensor<?x5xf32>) weight(%w : tensor<4x5xf32>) bias(%b : tensor<4xf32>) -> tensor<?x4xf32>
  %t, %i = flow.split_columns %p {start = 0 : i64} : (tensor<?x4xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>)
  %y = flow.activation %t {kind = #flow.activation<elu>} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %q = flow.linear ins() weight(%none : tensor<4x0xf32>) bias(%b : tensor<4xf32>) -> tensor<?x4xf32>
  %m, %d = flow.lu_weight %lo, %up, %di, %pe : (tensor<6xf32>, tensor<6xf32>, tensor<4xf32>, tensor<4xi64>) -> (tensor<4x4xf32>, tensor<f32>)
  %z = flow.linear ins(%q : tensor<?x4xf32>) weight(%m : tensor<4x4xf32>) -> tensor<?x4xf32>
  %r = flow.base_log_prob %z : (tensor<?x4xf32>) -> tensor<?xf32>
  %l = flow.add_scalar %r, %d : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %y, %z, %l : tensor<?x2xf32>, tensor<?x4xf32>, tensor<?xf32>
}

// -----

// The gradient of a bias joins the kernel that makes what it adds up.
// CHECK-LABEL: func.func @gradients(
// CHECK-NEXT:    %[[D:.*]]:2 = flow.fused @[[SUM:[a-z0-9_]+]](
// CHECK-NEXT:    flow.linear_grad_input dy(%[[D]]#0
// CHECK-NEXT:    return %{{.*}}, %[[D]]#1
// CHECK:       func.func private @[[SUM]]({{.*}}chunks = "columns"
// CHECK-NOT:   func.func

func.func @gradients(%dy: tensor<?x64xf32> {flow.batch = "dy"}, %y: tensor<?x64xf32> {flow.batch = "y"}, %w: tensor<64x32xf32> {flow.parameter = "w"})
    -> (tensor<?x32xf32> {flow.output = "dx"}, tensor<64xf32> {flow.output = "db"}) {
  %d = flow.activation_grad %dy, %y {kind = #flow.activation<elu>} : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  %db = flow.sum_rows %d : (tensor<?x64xf32>) -> tensor<64xf32>
  %dx = flow.linear_grad_input dy(%d : tensor<?x64xf32>) weight(%w : tensor<64x32xf32>) {start = 0 : i64} -> tensor<?x32xf32>
  return %dx, %db : tensor<?x32xf32>, tensor<64xf32>
}

// -----

// But not the kernel that adds up rows of it. Kernels that differ in an attribute are two.
// CHECK-LABEL: func.func @row_and_column_sums(
// CHECK:         flow.fused @[[ELU:[a-z0-9_]+]](%{{.*}}) : {{.*}} -> (tensor<?x64xf32>, tensor<?xf32>)
// CHECK-NEXT:    flow.fused @[[SUM:[a-z0-9_]+]](%{{.*}}) : {{.*}} -> tensor<64xf32>
// CHECK-NEXT:    flow.fused @[[RELU:[a-z0-9_]+]](%{{.*}}) : {{.*}} -> tensor<?xf32>
// CHECK-NEXT:    return
// CHECK:       func.func private @[[ELU]]({{.*}}chunks = "rows"
// CHECK-NEXT:    flow.activation {{.*}}<elu>
// CHECK-NEXT:    flow.base_log_prob
// CHECK:       func.func private @[[SUM]]({{.*}}chunks = "columns"
// CHECK-NEXT:    flow.sum_rows
// CHECK:       func.func private @[[RELU]](
// CHECK-NEXT:    flow.activation {{.*}}<relu>
// CHECK-NEXT:    flow.base_log_prob
// CHECK-NOT:   func.func

func.func @row_and_column_sums(%x: tensor<?x64xf32> {flow.batch = "x"}, %z: tensor<?x64xf32> {flow.batch = "z"})
    -> (tensor<?xf32> {flow.output = "l"}, tensor<64xf32> {flow.output = "s"}, tensor<?xf32> {flow.output = "k"}) {
  %a = flow.activation %x {kind = #flow.activation<elu>} : (tensor<?x64xf32>) -> tensor<?x64xf32>
  %l = flow.base_log_prob %a : (tensor<?x64xf32>) -> tensor<?xf32>
  %s = flow.sum_rows %a : (tensor<?x64xf32>) -> tensor<64xf32>
  %b = flow.activation %z {kind = #flow.activation<relu>} : (tensor<?x64xf32>) -> tensor<?x64xf32>
  %k = flow.base_log_prob %b : (tensor<?x64xf32>) -> tensor<?xf32>
  return %l, %s, %k : tensor<?xf32>, tensor<64xf32>, tensor<?xf32>
}

// -----

// The spline reads many columns of its parameters for one point, so the product in front keeps the bias.
// CHECK-LABEL: func.func @spline(
// CHECK-NEXT:    %[[U:.*]] = flow.linear ins({{.*}}) weight({{.*}}) bias(
// CHECK-NEXT:    flow.fused @[[SPLINE:[a-z0-9_]+]](%{{.*}}, %[[U]])
// CHECK-NEXT:    return
// CHECK:       func.func private @[[SPLINE]]({{.*}}{flow.columns = 20 : i64, flow.kernel = {chunks = "rows", lanes = "rows"}}

func.func @spline(%x: tensor<?x20xf32> {flow.batch = "x"}, %w: tensor<100x20xf32> {flow.parameter = "w"}, %b: tensor<100xf32> {flow.parameter = "b"})
    -> (tensor<?x20xf32> {flow.output = "y"}, tensor<?xf32> {flow.output = "l"}) {
  %u = flow.linear ins(%x : tensor<?x20xf32>) weight(%w : tensor<100x20xf32>) bias(%b : tensor<100xf32>) -> tensor<?x100xf32>
  %y, %l = flow.rq_spline %x, %u {num_bins = 2 : i64, tail_bound = 1.0 : f64, divisor = 8.0 : f64} : (tensor<?x20xf32>, tensor<?x100xf32>) -> (tensor<?x20xf32>, tensor<?xf32>)
  return %y, %l : tensor<?x20xf32>, tensor<?xf32>
}
