// RUN: nnhal-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @regions
// CHECK: nnhal.roi_align %{{.*}}, %{{.*}}, %{{.*}} output_height 2 output_width 3 height_ratio 2.000000e+00 width_ratio 2.000000e+00 height_samples 4 width_samples 0 : (tensor<1x4x4x5xf32>, tensor<?x4xf32>, tensor<?xi32>) -> tensor<?x2x3x5xf32>
// CHECK: nnhal.roi_pooling
// CHECK: nnhal.heatmap_max_keypoint %{{.*}}, %{{.*}} : (tensor<2x4x4x3xf32>, tensor<2x4xf32>) -> (tensor<2x3xf32>, tensor<2x3x2xf32>)
func.func @regions(%x: tensor<1x4x4x5xf32>, %r: tensor<?x4xf32>, %b: tensor<?xi32>, %m: tensor<2x4x4x3xf32>, %k: tensor<2x4xf32>) {
  %0 = nnhal.roi_align %x, %r, %b output_height 2 output_width 3 height_ratio 2.0 width_ratio 2.0 height_samples 4 width_samples 0 : (tensor<1x4x4x5xf32>, tensor<?x4xf32>, tensor<?xi32>) -> tensor<?x2x3x5xf32>
  %1 = nnhal.roi_pooling %x, %r, %b output_height 2 output_width 3 height_ratio 2.0 width_ratio 2.0 : (tensor<1x4x4x5xf32>, tensor<?x4xf32>, tensor<?xi32>) -> tensor<?x2x3x5xf32>
  %2:2 = nnhal.heatmap_max_keypoint %m, %k : (tensor<2x4x4x3xf32>, tensor<2x4xf32>) -> (tensor<2x3xf32>, tensor<2x3x2xf32>)
  return
}

// CHECK-LABEL: @boxes
// CHECK: nnhal.axis_aligned_bbox_transform %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<5x4xf32>, tensor<5x8xf32>, tensor<5xi32>, tensor<4x2xf32>) -> tensor<5x8xf32>
// CHECK: nnhal.box_with_nms_limit %{{.*}}, %{{.*}}, %{{.*}} max_boxes -1 kernel gaussian iou_threshold 4.000000e-01
// CHECK-SAME: -> (tensor<?xf32>, tensor<?x4xf32>, tensor<?xi32>, tensor<?xi32>)
func.func @boxes(%r: tensor<5x4xf32>, %d: tensor<5x8xf32>, %b: tensor<5xi32>, %i: tensor<4x2xf32>, %s: tensor<5x2xf32>) {
  %0 = nnhal.axis_aligned_bbox_transform %r, %d, %b, %i : (tensor<5x4xf32>, tensor<5x8xf32>, tensor<5xi32>, tensor<4x2xf32>) -> tensor<5x8xf32>
  %1:4 = nnhal.box_with_nms_limit %s, %0, %b score_threshold 0.3 max_boxes -1 kernel gaussian iou_threshold 0.4 sigma 0.5 nms_score_threshold 0.3 : (tensor<5x2xf32>, tensor<5x8xf32>, tensor<5xi32>) -> (tensor<?xf32>, tensor<?x4xf32>, tensor<?xi32>, tensor<?xi32>)
  return
}

// CHECK-LABEL: @anchors
// CHECK: nnhal.generate_proposals
// CHECK-SAME: -> (tensor<?xf32>, tensor<?x4xf32>, tensor<?xi32>)
// CHECK: nnhal.detection_postprocessing
// CHECK-SAME: -> (tensor<1x3xf32>, tensor<1x3x4xf32>, tensor<1x3xi32>, tensor<1xi32>)
func.func @anchors(%s: tensor<1x2x2x2xf32>, %d: tensor<1x2x2x8xf32>, %a: tensor<2x4xf32>, %i: tensor<1x2xf32>, %ps: tensor<1x6x3xf32>, %pd: tensor<1x6x4xf32>, %pa: tensor<6x4xf32>) {
  %0:3 = nnhal.generate_proposals %s, %d, %a, %i height_ratio 4.0 width_ratio 4.0 pre_nms_limit -1 post_nms_limit -1 iou_threshold 0.3 min_size 1.0 : (tensor<1x2x2x2xf32>, tensor<1x2x2x8xf32>, tensor<2x4xf32>, tensor<1x2xf32>) -> (tensor<?xf32>, tensor<?x4xf32>, tensor<?xi32>)
  %1:4 = nnhal.detection_postprocessing %ps, %pd, %pa y_scale 10.0 x_scale 10.0 height_scale 5.0 width_scale 5.0 regular_nms true max_detections 3 max_classes_per_detection 1 max_detections_per_class 1 score_threshold 0.0 iou_threshold 0.5 background_label false : (tensor<1x6x3xf32>, tensor<1x6x4xf32>, tensor<6x4xf32>) -> (tensor<1x3xf32>, tensor<1x3x4xf32>, tensor<1x3xi32>, tensor<1xi32>)
  return
}
