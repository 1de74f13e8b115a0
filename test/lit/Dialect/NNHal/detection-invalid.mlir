// RUN: nnhal-opt %s --split-input-file --verify-diagnostics

func.func @bbox_deltas(%r: tensor<5x4xf32>, %d: tensor<5x7xf32>, %b: tensor<5xi32>, %i: tensor<4x2xf32>) {
  // expected-error @below {{'nnhal.axis_aligned_bbox_transform' op deltas dimension 1 is 7, expected a positive multiple of 4}}
  %0 = nnhal.axis_aligned_bbox_transform %r, %d, %b, %i : (tensor<5x4xf32>, tensor<5x7xf32>, tensor<5xi32>, tensor<4x2xf32>) -> tensor<5x7xf32>
  return
}

// -----

func.func @roi_extent(%x: tensor<1x4x4x5xf32>, %r: tensor<?x4xf32>, %b: tensor<?xi32>) {
  // expected-error @below {{'nnhal.roi_pooling' op output height 0 must be positive}}
  %1 = nnhal.roi_pooling %x, %r, %b output_height 0 output_width 3 height_ratio 2.0 width_ratio 2.0 : (tensor<1x4x4x5xf32>, tensor<?x4xf32>, tensor<?xi32>) -> tensor<?x0x3x5xf32>
  return
}

// -----

func.func @keypoint_extent(%m: tensor<2x4x3x3xf32>, %k: tensor<2x4xf32>) {
  // expected-error @below {{'nnhal.heatmap_max_keypoint' op heatmap height 4 differs from width 3}}
  %2:2 = nnhal.heatmap_max_keypoint %m, %k : (tensor<2x4x3x3xf32>, tensor<2x4xf32>) -> (tensor<2x3xf32>, tensor<2x3x2xf32>)
  return
}
