// RUN: nnhal-opt %s --nnhal-raise-operations="strict" | FileCheck %s

// Left-out inputs become defaults or no operands; NCHW is transposed.
// CHECK-LABEL: nnhal.model @normalizations
// CHECK-SAME: {
// CHECK: nnhal.l2_normalization %{{.*}} : (tensor<1x8x6x3xf32>) -> tensor<1x8x6x3xf32>
// CHECK: nnhal.l2_normalization %{{.*}} axis 1 :
// CHECK: nnhal.local_response_normalization %{{.*}} radius 2 bias 1.000000e+00 alpha 2.000000e+00 beta 5.000000e-01 :
// CHECK: %[[IN:.*]] = nnhal.transpose %{{.*}} permutation [0, 2, 3, 1] : (tensor<1x8x6x3xf32>) -> tensor<1x6x3x8xf32>
// CHECK: %[[OUT:.*]] = nnhal.instance_normalization %[[IN]] gamma 2.000000e+00 beta 5.000000e-01 epsilon 1.000000e+00 : (tensor<1x6x3x8xf32>) -> tensor<1x6x3x8xf32>
// CHECK: %[[BACK:.*]] = nnhal.transpose %[[OUT]] permutation [0, 3, 1, 2]
// CHECK: nnhal.return %[[BACK]]
nnhal.model @normalizations attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x8x6x3xf32>) -> tensor<1x8x6x3xf32> {
    %c1 = nnhal.constant_copy 1 : i32 -> i32
    %c2 = nnhal.constant_copy 2 : i32 -> i32
    %f1 = nnhal.constant_copy 1.0 : f32 -> f32
    %f2 = nnhal.constant_copy 2.0 : f32 -> f32
    %fh = nnhal.constant_copy 0.5 : f32 -> f32
    %true = nnhal.constant_copy 1 : i8 -> i8
    %0 = nnhal.operation "L2_NORMALIZATION"(%x) : (tensor<1x8x6x3xf32>) -> tensor<1x8x6x3xf32>
    %1 = nnhal.operation "L2_NORMALIZATION"(%0, %c1) : (tensor<1x8x6x3xf32>, i32) -> tensor<*xf32>
    %2 = nnhal.operation "LOCAL_RESPONSE_NORMALIZATION"(%1, %c2, %f1, %f2, %fh) : (tensor<*xf32>, i32, f32, f32, f32) -> tensor<?x?x?x?xf32>
    %3 = nnhal.operation "INSTANCE_NORMALIZATION"(%2, %f2, %fh, %f1, %true) : (tensor<?x?x?x?xf32>, f32, f32, f32, i8) -> tensor<1x8x6x3xf32>
    nnhal.return %3 : tensor<1x8x6x3xf32>
  }
}

// CHECK-LABEL: nnhal.model @lookups
// CHECK: nnhal.embedding_lookup
// CHECK-SAME: -> tensor<3x2xf32>
// CHECK: nnhal.lsh_projection hash(%{{.*}}) input(%{{.*}}) kind sparse
// CHECK: nnhal.rank %{{.*}} : (tensor<3x2xf32>) -> i32
nnhal.model @lookups attributes {hal_version = "1.3"} {
  nnhal.graph @main(%i: tensor<3xi32>, %v: tensor<5x2xf32>) -> (tensor<?x?xf32>, tensor<5xi32>, i32) {
    %c3 = nnhal.constant_copy 3 : i32 -> i32
    %n = nnhal.no_value : tensor<*xf32>
    %0 = nnhal.operation "EMBEDDING_LOOKUP"(%i, %v) : (tensor<3xi32>, tensor<5x2xf32>) -> tensor<?x?xf32>
    %1 = nnhal.operation "LSH_PROJECTION"(%v, %i, %n, %c3) : (tensor<5x2xf32>, tensor<3xi32>, tensor<*xf32>, i32) -> tensor<5xi32>
    %2 = nnhal.operation "RANK"(%0) : (tensor<?x?xf32>) -> i32
    nnhal.return %0, %1, %2 : tensor<?x?xf32>, tensor<5xi32>, i32
  }
}

// CHECK-LABEL: nnhal.model @recurrent
// CHECK: nnhal.constant
// CHECK: nnhal.svdf input(%{{.*}}) feature_weights(%{{.*}}) time_weights(%{{.*}}) state(%{{.*}}) rank 1 activation sigmoid
// CHECK-SAME: -> (tensor<2x40xf32>, tensor<2x4xf32>)
// CHECK: nnhal.unidirectional_sequence_rnn
// CHECK-SAME: time_major false
// CHECK-SAME: -> tensor<2x7x4xf32>
nnhal.model @recurrent attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2x3xf32>, %t: tensor<4x10xf32>, %s: tensor<2x40xf32>, %q: tensor<2x7x3xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>, %h: tensor<2x4xf32>) -> (tensor<2x40xf32>, tensor<*xf32>, tensor<2x7x4xf32>) {
    %w = nnhal.constant_copy dense<1.0> : tensor<4x3xf32> -> tensor<4x3xf32>
    %c0 = nnhal.constant_copy 0 : i32 -> i32
    %c1 = nnhal.constant_copy 1 : i32 -> i32
    %c6 = nnhal.constant_copy 6 : i32 -> i32
    %n = nnhal.no_value : tensor<*xf32>
    %0:2 = nnhal.operation "SVDF"(%x, %w, %t, %n, %s, %c1, %c6)
        : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x10xf32>, tensor<*xf32>, tensor<2x40xf32>, i32, i32) -> (tensor<2x40xf32>, tensor<*xf32>)
    %1 = nnhal.operation "UNIDIRECTIONAL_SEQUENCE_RNN"(%q, %w, %r, %b, %h, %c1, %c0)
        : (tensor<2x7x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>, i32, i32) -> tensor<2x7x4xf32>
    nnhal.return %0#0, %0#1, %1 : tensor<2x40xf32>, tensor<*xf32>, tensor<2x7x4xf32>
  }
}

// Heatmaps are transposed, the results have no layout.
// CHECK-LABEL: nnhal.model @detection
// CHECK: %[[HEAT:.*]] = nnhal.transpose %{{.*}} permutation [0, 2, 3, 1] : (tensor<2x3x4x4xf32>) -> tensor<2x4x4x3xf32>
// CHECK: nnhal.heatmap_max_keypoint %[[HEAT]], %{{.*}} -> (tensor<2x3xf32>, tensor<2x3x2xf32>)
// CHECK: %[[ROIS:.*]] = nnhal.roi_pooling
// CHECK-SAME: -> tensor<2x2x2x3xf32>
// CHECK: nnhal.transpose %[[ROIS]] permutation [0, 3, 1, 2] : (tensor<2x2x2x3xf32>) -> tensor<2x3x2x2xf32>
nnhal.model @detection attributes {hal_version = "1.3"} {
  nnhal.graph @main(%m: tensor<2x3x4x4xf32>, %k: tensor<2x4xf32>, %b: tensor<2xi32>) -> (tensor<2x3xf32>, tensor<2x3x2xf32>, tensor<2x3x2x2xf32>) {
    %true = nnhal.constant_copy 1 : i8 -> i8
    %c2 = nnhal.constant_copy 2 : i32 -> i32
    %f1 = nnhal.constant_copy 1.0 : f32 -> f32
    %0:2 = nnhal.operation "HEATMAP_MAX_KEYPOINT"(%m, %k, %true) : (tensor<2x3x4x4xf32>, tensor<2x4xf32>, i8) -> (tensor<2x3xf32>, tensor<2x3x2xf32>)
    %1 = nnhal.operation "ROI_POOLING"(%m, %k, %b, %c2, %c2, %f1, %f1, %true) : (tensor<2x3x4x4xf32>, tensor<2x4xf32>, tensor<2xi32>, i32, i32, f32, f32, i8) -> tensor<2x3x2x2xf32>
    nnhal.return %0#0, %0#1, %1 : tensor<2x3xf32>, tensor<2x3x2xf32>, tensor<2x3x2x2xf32>
  }
}

// References become symbols; graphs are raised first.
// CHECK-LABEL: nnhal.model @control_flow
// CHECK-NOT: nnhal.subgraph_reference
// CHECK: nnhal.if %{{.*}} then @double else @keep(%{{.*}}) : (tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
// CHECK: nnhal.while @go_on do @keep_both(%{{.*}}, %{{.*}}) : (tensor<2xf32>, tensor<1xi8>) -> tensor<2xf32>
// CHECK: nnhal.graph @double
nnhal.model @control_flow attributes {hal_version = "1.3"} {
  nnhal.graph @main(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %double = nnhal.subgraph_reference @double
    %keep = nnhal.subgraph_reference @keep
    %go_on = nnhal.subgraph_reference @go_on
    %keep_both = nnhal.subgraph_reference @keep_both
    %0 = nnhal.operation "IF"(%c, %double, %keep, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<2xf32>) -> tensor<2xf32>
    %1 = nnhal.operation "WHILE"(%go_on, %keep_both, %0, %c) : (!nnhal.subgraph, !nnhal.subgraph, tensor<2xf32>, tensor<1xi8>) -> tensor<2xf32>
    nnhal.return %1 : tensor<2xf32>
  }
  nnhal.graph @double(%x: tensor<2xf32>) -> tensor<?xf32> {
    %none = nnhal.constant_copy 0 : i32 -> i32
    %0 = nnhal.operation "ADD"(%x, %x, %none) : (tensor<2xf32>, tensor<2xf32>, i32) -> tensor<?xf32>
    nnhal.return %0 : tensor<?xf32>
  }
  nnhal.graph @keep(%x: tensor<2xf32>) -> tensor<2xf32> {
    nnhal.return %x : tensor<2xf32>
  }
  nnhal.graph @go_on(%x: tensor<2xf32>, %c: tensor<1xi8>) -> tensor<1xi8> {
    nnhal.return %c : tensor<1xi8>
  }
  nnhal.graph @keep_both(%x: tensor<2xf32>, %c: tensor<1xi8>) -> (tensor<2xf32>, tensor<1xi8>) {
    nnhal.return %x, %c : tensor<2xf32>, tensor<1xi8>
  }
}
