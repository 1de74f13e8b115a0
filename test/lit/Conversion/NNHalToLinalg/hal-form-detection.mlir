// RUN: nnhal-opt %s --nnhal-raise-operations --convert-nnhal-graph-to-func --convert-nnhal-to-linalg --canonicalize --split-input-file | FileCheck %s

// Batch indices, corners and the bounds of the map are checked before pixels
// are read.

// CHECK-LABEL: func.func @main
// CHECK:         nnrt.check {{.+}} reason 4
// CHECK:         nnrt.check {{.+}} reason 25
// CHECK:         nnrt.check {{.+}} reason 26
// Regions are cut to the map as well: constants may be damaged.
// CHECK:         linalg.generic
// CHECK:           arith.divf
// CHECK:           arith.cmpf olt
// CHECK:         linalg.generic {{.*}} outs(%{{.+}} : tensor<?x2x2x1xf32>)
// CHECK:           scf.if
// CHECK:           scf.for
// CHECK:             scf.for
nnhal.model @roi_pooling attributes {hal_version = "1.3"} {
  nnhal.graph @main(%maps: tensor<1x4x4x1xf32>, %rois: tensor<?x4xf32>, %batches: tensor<?xi32>) -> tensor<?x2x2x1xf32> {
    %two = nnhal.constant_copy 2 : i32 -> i32
    %ratio = nnhal.constant_copy 2.0 : f32 -> f32
    %layout = nnhal.constant_copy 0 : i8 -> i8
    %r = nnhal.operation "ROI_POOLING"(%maps, %rois, %batches, %two, %two, %ratio, %ratio, %layout)
        : (tensor<1x4x4x1xf32>, tensor<?x4xf32>, tensor<?xi32>, i32, i32, f32, f32, i8) -> tensor<?x2x2x1xf32>
    nnhal.return %r : tensor<?x2x2x1xf32>
  }
}

// -----

// CHECK-LABEL: func.func @main
// CHECK:         nnrt.check {{.+}} reason 25
// CHECK:         linalg.generic {{.*}} outs(%{{.+}} : tensor<2x3x4xi16>)
// CHECK:           math.exp
// CHECK:         tensor.collapse_shape {{.+}} tensor<2x3x4xi16> into tensor<2x12xi16>
nnhal.model @axis_aligned_bbox_transform attributes {hal_version = "1.3"} {
  nnhal.graph @main(%rois: tensor<2x4x!quant.uniform<u16:f32, 0.125>>, %deltas: tensor<2x12x!quant.uniform<u8:f32, 0.05:128>>, %batches: tensor<2xi32>, %images: tensor<1x2x!quant.uniform<u16:f32, 0.125>>) -> tensor<2x12x!quant.uniform<u16:f32, 0.125>> {
    %r = nnhal.operation "AXIS_ALIGNED_BBOX_TRANSFORM"(%rois, %deltas, %batches, %images)
        : (tensor<2x4x!quant.uniform<u16:f32, 0.125>>, tensor<2x12x!quant.uniform<u8:f32, 0.05:128>>, tensor<2xi32>, tensor<1x2x!quant.uniform<u16:f32, 0.125>>) -> tensor<2x12x!quant.uniform<u16:f32, 0.125>>
    nnhal.return %r : tensor<2x12x!quant.uniform<u16:f32, 0.125>>
  }
}

// -----

// A routine reads pictures in either order: a computed layout is passed to it.
// CHECK-LABEL: func.func @main
// CHECK-NOT:     linalg.transpose
// CHECK:         nnrt.call_routine
// CHECK-NOT:     linalg.transpose
nnhal.model @generate_proposals_of_any_layout attributes {hal_version = "1.3"} {
  nnhal.graph @main(%scores: tensor<1x2x1x2xf32>, %deltas: tensor<1x8x1x2xf32>, %anchors: tensor<2x4xf32>, %images: tensor<1x2xf32>, %layout: i8) -> tensor<?xf32> {
    %ratio = nnhal.constant_copy 8.0 : f32 -> f32
    %limit = nnhal.constant_copy 4 : i32 -> i32
    %threshold = nnhal.constant_copy 0.7 : f32 -> f32
    %minimum = nnhal.constant_copy 1.0 : f32 -> f32
    %r:3 = nnhal.operation "GENERATE_PROPOSALS"(%scores, %deltas, %anchors, %images, %ratio, %ratio, %limit, %limit, %threshold, %minimum, %layout)
        : (tensor<1x2x1x2xf32>, tensor<1x8x1x2xf32>, tensor<2x4xf32>, tensor<1x2xf32>, f32, f32, i32, i32, f32, f32, i8) -> (tensor<?xf32>, tensor<?x4xf32>, tensor<?xi32>)
    nnhal.return %r#0 : tensor<?xf32>
  }
}
