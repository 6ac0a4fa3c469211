// RUN: kowari-opt %s --fuse --lower-to-plan | FileCheck %s
//
// Results with flow.batch are computed in the input of that name: parts of a wide concatenation in their columns, with
// stores that stop at the part's end; what a feature-major kernel makes is copied there.

module {
  // CHECK: plan.tensor @white {{.*}}view = !plan.view<[-1, 57], [80, 1], f32>
  // CHECK: plan.tensor @narrow {{.*}}view = !plan.view<[-1, 8], [16, 1], f32>
  func.func @train(%white: tensor<?x57xf32> {flow.batch = "white"}, %narrow: tensor<?x8xf32> {flow.batch = "narrow"},
                   %parameters: tensor<?x2xf32> {flow.batch = "parameters"})
      -> (tensor<?xf32> {flow.output = "a"}, tensor<?xf32> {flow.output = "b"}, tensor<?xf32> {flow.output = "c"})
      attributes {flow.max_rows = 40 : i64} {
    %a = flow.row_mean %white : (tensor<?x57xf32>) -> tensor<?xf32>
    %b = flow.row_mean %narrow : (tensor<?x8xf32>) -> tensor<?xf32>
    %c = flow.row_mean %parameters : (tensor<?x2xf32>) -> tensor<?xf32>
    return %a, %b, %c : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
  }

  // CHECK-LABEL: plan.program @prepare
  // CHECK: %[[WHITE:.*]] = plan.persistent {{.*}} : <[-1, 57], [80, 1], f32>
  // CHECK: %[[RE:.*]] = plan.subview %[[WHITE]] {offset = 0 : i64} : {{.*}} -> <[-1, 19], [80, 1], f32>
  // CHECK: %[[IM:.*]] = plan.subview %[[WHITE]] {offset = 19 : i64} : {{.*}} -> <[-1, 19], [80, 1], f32>
  // CHECK: %[[ASD:.*]] = plan.subview %[[WHITE]] {offset = 38 : i64} : {{.*}} -> <[-1, 19], [80, 1], f32>
  // CHECK: plan.gather %{{.*}}, %{{.*}}, %[[ASD]] :
  // CHECK-NEXT: plan.kernel @[[WHITEN:.*]] reads({{.*}}%[[ASD]]{{.*}}) writes(%[[RE]], %[[IM]])
  // The narrow matrix is made feature-major, then copied.
  // CHECK: plan.kernel @{{[a-z0-9]*}}_negate reads({{.*}}) writes(%[[FEATURES:[0-9]*]]) {{.*}} -> !plan.view<[-1, 8], [1, 48], f32>
  // One copy a column of the stacked parameters, none for the concatenation.
  // CHECK-COUNT-2: plan.copy {{.*}} : <[-1, 1], [1, 1], f32>, <[-1, 1], [16, 1], f32>
  // CHECK: plan.copy %[[FEATURES]], %{{.*}} : <[-1, 8], [1, 48], f32>, <[-1, 8], [16, 1], f32>
  // CHECK-NOT: plan.copy
  // CHECK: func.func private @[[WHITEN]]({{.*}}) -> (tensor<?x19xf32> {flow.partial}, tensor<?x19xf32> {flow.partial})
  func.func @prepare(%re: tensor<?x19xf32> {flow.batch = "re"}, %im: tensor<?x19xf32> {flow.batch = "im"},
                     %table: tensor<4x19xf32> {flow.constant = "table"}, %index: tensor<?xi64> {flow.batch = "index"},
                     %scale: tensor<f32> {flow.scalar = "scale"}, %x: tensor<?x8xf32> {flow.batch = "x"},
                     %p: tensor<?xf32> {flow.batch = "p"}, %m: tensor<f64> {flow.scalar = "m"},
                     %d: tensor<f64> {flow.scalar = "d"})
      -> (tensor<?x57xf32> {flow.batch = "white"}, tensor<?x8xf32> {flow.batch = "narrow"},
          tensor<?x2xf32> {flow.batch = "parameters"}) attributes {flow.max_rows = 40 : i64} {
    %w = flow.gather_rows %table, %index : (tensor<4x19xf32>, tensor<?xi64>) -> tensor<?x19xf32>
    %a, %b = flow.whiten %re, %im, %w, %scale : (tensor<?x19xf32>, tensor<?x19xf32>, tensor<?x19xf32>, tensor<f32>) -> (tensor<?x19xf32>, tensor<?x19xf32>)
    %all = flow.concat_columns %a, %b, %w : (tensor<?x19xf32>, tensor<?x19xf32>, tensor<?x19xf32>) -> tensor<?x57xf32>
    %n = flow.negate %x : (tensor<?x8xf32>) -> tensor<?x8xf32>
    %s = flow.standardize %p, %m, %d : (tensor<?xf32>, tensor<f64>, tensor<f64>) -> tensor<?xf32>
    %t = flow.standardize %p, %d, %m : (tensor<?xf32>, tensor<f64>, tensor<f64>) -> tensor<?xf32>
    %both = flow.stack_columns %s, %t : (tensor<?xf32>, tensor<?xf32>) -> tensor<?x2xf32>
    return %all, %n, %both : tensor<?x57xf32>, tensor<?x8xf32>, tensor<?x2xf32>
  }
}
