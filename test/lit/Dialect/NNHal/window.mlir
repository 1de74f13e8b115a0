// RUN: nnhal-opt %s --verify-roundtrip | FileCheck %s

!u8 = !quant.uniform<u8:f32, 0.5:128>

// CHECK-LABEL: @pools_keep_the_type
// CHECK: nnhal.average_pool_2d %{{.*}} pads [0, 1, 0, 1] strides [2, 2] window [3, 3]
// CHECK: nnhal.max_pool_2d %{{.*}} activation relu
func.func @pools_keep_the_type(%x: tensor<?x8x8x3x!u8>) -> tensor<?x2x2x3x!u8> {
  %0 = nnhal.average_pool_2d %x pads [0, 1, 0, 1] strides [2, 2] window [3, 3]
      : (tensor<?x8x8x3x!u8>) -> tensor<?x4x4x3x!u8>
  %1 = nnhal.max_pool_2d %0 pads [0, 0, 0, 0] strides [2, 2] window [2, 2]
      activation relu : (tensor<?x4x4x3x!u8>) -> tensor<?x2x2x3x!u8>
  return %1 : tensor<?x2x2x3x!u8>
}

// CHECK-LABEL: @l2_pool_2d
// CHECK: nnhal.l2_pool_2d
func.func @l2_pool_2d(%x: tensor<1x8x8x3xf16>) -> tensor<1x4x7x3xf16> {
  %0 = nnhal.l2_pool_2d %x pads [0, 0, 0, 0] strides [2, 1] window [2, 2]
      : (tensor<1x8x8x3xf16>) -> tensor<1x4x7x3xf16>
  return %0 : tensor<1x4x7x3xf16>
}

// CHECK-LABEL: @resizing_takes_its_size_from_the_result
// CHECK: nnhal.resize_bilinear %{{.*}} align_corners
// CHECK: nnhal.resize_nearest_neighbor %{{.*}} half_pixel_centers
func.func @resizing_takes_its_size_from_the_result(%x: tensor<1x8x8x3xf32>) -> tensor<1x5x16x3xf32> {
  %0 = nnhal.resize_bilinear %x align_corners : (tensor<1x8x8x3xf32>) -> tensor<1x3x3x3xf32>
  %1 = nnhal.resize_nearest_neighbor %0 half_pixel_centers : (tensor<1x3x3x3xf32>) -> tensor<1x5x16x3xf32>
  return %1 : tensor<1x5x16x3xf32>
}
